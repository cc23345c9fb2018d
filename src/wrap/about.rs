//! What is known of a command beside what it prints.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::completion::Command;
use super::environment::Environment;
use crate::harness::Harness;
use crate::redact::{REDACTED, Redactor};
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
    last_message: Option<LastMessage>,
    /// Masks what it leaves in a file.
    redactor: Option<Redactor>,
}

impl About {
    /// Looks at a command, its environment and the folder it will run in.
    pub fn new(
        command: &Command,
        environment: &Environment,
        folder: Option<&Path>,
        redact: bool,
    ) -> Self {
        let is_codex = command.harness == Some(Harness::Codex);
        let redactor = environment.redactor();
        let in_folder = |path: &Path| folder.map_or(path.to_owned(), |folder| folder.join(path));
        let word = |word: &OsString| spelled(word, &redactor);
        Self {
            harness: command.harness,
            command: command.argv.iter().map(word).collect(),
            sandbox_mode: command.sandbox_mode.clone(),
            model: command.model.clone().filter(|_| is_codex),
            auth_source: is_codex
                .then(|| environment.codex_auth_source(|path| in_folder(path).exists())),
            last_message: command.last_message.as_deref().map(in_folder).map(LastMessage::new),
            redactor: redact.then_some(redactor),
        }
    }

    /// The end of the process, as far as it is known without it.
    pub fn end(&self) -> ProcessEnd {
        let last = self.last_message.as_ref();
        let metadata = [
            ("sandbox_mode", self.sandbox_mode.clone()),
            ("auth_source", self.auth_source.map(str::to_owned)),
            ("last_message_path", last.map(|last| last.path.display().to_string())),
            ("model", self.model.clone()),
        ];
        ProcessEnd {
            command: self.command.clone(),
            metadata: metadata
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            last_message: last.and_then(LastMessage::read).map(|text| self.masked(text)),
            ..ProcessEnd::default()
        }
    }

    fn masked(&self, text: String) -> String {
        match &self.redactor {
            Some(redactor) => redactor.mask(&text).into_owned(),
            None => text,
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
    if redactor.has_secret(word.as_encoded_bytes()) {
        REDACTED.to_owned()
    } else {
        word.to_string_lossy().into_owned()
    }
}

/// The file a CLI writes its last message to.
struct LastMessage {
    path: PathBuf,
    /// What was there before the run is not of the run.
    before: Option<(u64, SystemTime)>,
}

impl LastMessage {
    fn new(path: PathBuf) -> Self {
        let before = state_of(&path);
        Self { path, before }
    }

    fn read(&self) -> Option<String> {
        let state = state_of(&self.path)?;
        if state.0 == 0 || state.0 > LAST_MESSAGE_SIZE || Some(state) == self.before {
            return None;
        }
        let bytes = std::fs::read(&self.path).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        (!text.trim().is_empty()).then(|| text.into_owned())
    }
}

fn state_of(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()?))
}
