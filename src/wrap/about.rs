//! What is known of a command beside what it prints.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::completion::Command;
use super::environment::Environment;
use crate::harness::Harness;
use crate::output::Redactor;
use crate::run::ProcessEnd;

/// A last message longer than this is not read.
const LAST_MESSAGE_SIZE: u64 = 16 << 20;

/// What is known of a command before it runs.
pub struct About {
    harness: Option<Harness>,
    command: Vec<String>,
    sandbox_mode: Option<String>,
    model: Option<String>,
    /// Where Codex will find its credentials.
    pub auth_source: Option<&'static str>,
    last_message: Option<PathBuf>,
}

impl About {
    /// Looks at a command and its environment.
    pub fn new(command: &Command, environment: &Environment) -> Self {
        let is_codex = command.harness == Some(Harness::Codex);
        let redactor = environment.redactor();
        let word = |word: &OsString| spelled(word, &redactor);
        Self {
            harness: command.harness,
            command: command.argv.iter().map(word).collect(),
            sandbox_mode: command.sandbox_mode.clone(),
            model: command.model.clone().filter(|_| is_codex),
            auth_source: is_codex.then(|| environment.codex_auth_source(Path::exists)),
            last_message: command.last_message.clone(),
        }
    }

    /// The end of the process, as far as it is known without it.
    pub fn end(&self) -> ProcessEnd {
        let path = self.last_message.as_ref();
        let metadata = [
            ("sandbox_mode", self.sandbox_mode.clone()),
            ("auth_source", self.auth_source.map(str::to_owned)),
            ("last_message_path", path.map(|path| path.display().to_string())),
            ("model", self.model.clone()),
        ];
        ProcessEnd {
            command: self.command.clone(),
            metadata: metadata
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            last_message: path.and_then(|path| read_last_message(path)),
            ..ProcessEnd::default()
        }
    }

    /// The end of a process that never was.
    pub fn never_started(&self, why: String) -> ProcessEnd {
        ProcessEnd { exit_code: -1, not_started: Some(why), ..self.end() }
    }

    /// Codex' lines about what will go away, as warnings.
    pub fn deprecations(&self, lines: &[String]) -> Vec<String> {
        let is_codex = self.harness == Some(Harness::Codex);
        let lines = lines.iter().filter(|_| is_codex);
        lines.map(|line| format!("codex-deprecation: {line}")).collect()
    }
}

/// An argument as it may be written down.
fn spelled(word: &OsString, redactor: &Redactor) -> String {
    if redactor.leaks(word.as_encoded_bytes()) {
        "<redacted>".to_owned()
    } else {
        word.to_string_lossy().into_owned()
    }
}

fn read_last_message(path: &Path) -> Option<String> {
    let size = path.metadata().ok()?.len();
    if size == 0 || size > LAST_MESSAGE_SIZE {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    (!text.trim().is_empty()).then(|| text.into_owned())
}
