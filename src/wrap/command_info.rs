//! What is known about a command beside its output.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::environment::Environment;
use crate::harness::Harness;
use crate::harness::command::AgentCommand;
use crate::input::read_limited;
use crate::redact::Redactor;
use crate::run::{Failure, ProcessEnd, exit_failure};

/// A longer last message is not read.
const MAX_LAST_MESSAGE: u64 = 16 << 20;

/// What is known about a command before it runs.
pub(super) struct CommandInfo {
    harness: Harness,
    /// The command line without secrets.
    command: Vec<String>,
    sandbox_mode: Option<String>,
    model: Option<String>,
    /// Where the CLI will find its credentials.
    pub(super) auth_source: Option<&'static str>,
    last_message: Option<LastMessageFile>,
    /// Whether the run is asked for a document.
    pub(super) requests_document: bool,
    /// Masks the last message.
    redactor: Option<Redactor>,
}

impl CommandInfo {
    /// Examines a command, its environment and its working directory.
    pub(super) fn new(
        command: &AgentCommand,
        environment: &Environment,
        directory: Option<&Path>,
        redactor: Redactor,
        redacts: bool,
    ) -> Self {
        let resolve = |path: &Path| directory.map_or(path.to_owned(), |folder| folder.join(path));
        let exists = |path: &Path| resolve(path).exists();
        let auth_source = command.harness.adapter().program.auth_source;
        Self {
            harness: command.harness,
            command: redactor.mask_arguments(&command.argv),
            sandbox_mode: command.sandbox_mode.clone(),
            model: command.model.clone(),
            auth_source: auth_source.map(|source| source(environment, &exists)),
            last_message: command.last_message.as_deref().map(resolve).map(LastMessageFile::new),
            requests_document: false,
            redactor: redacts.then_some(redactor),
        }
    }

    /// Returns the end of the process as far as it is known without it.
    pub(super) fn process_end(&self) -> ProcessEnd {
        let last = self.last_message.as_ref();
        let metadata = [
            ("sandbox_mode", self.sandbox_mode.clone()),
            ("auth_source", self.auth_source.map(str::to_owned)),
            ("last_message_path", last.map(|last| last.path.display().to_string())),
            ("model", self.model.clone()),
        ];
        ProcessEnd {
            command: self.command.clone(),
            requests_document: self.requests_document,
            metadata: metadata
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            last_message: last.and_then(LastMessageFile::read).map(|text| self.masked(text)),
            ..ProcessEnd::default()
        }
    }

    fn masked(&self, text: String) -> String {
        match &self.redactor {
            Some(redactor) => redactor.mask(&text).into_owned(),
            None => text,
        }
    }

    /// Returns the end of a process that was never started.
    pub(super) fn never_started(&self, reason: String) -> ProcessEnd {
        ProcessEnd { exit_code: -1, not_started: Some(reason), ..self.process_end() }
    }

    /// Returns how the CLI explains an exit status other than 0.
    pub(super) fn explain_exit(&self, code: i32, stderr: &str) -> Option<Failure> {
        let explain = self.harness.adapter().program.explain_exit;
        let explanation = explain.and_then(|explain| explain(code, stderr));
        let explanation = explanation.filter(|_| code != 0);
        explanation.map(|explanation| exit_failure(self.harness, &explanation))
    }

    /// Returns warnings for lines about something deprecated.
    pub(super) fn deprecation_warnings(&self, lines: &[String]) -> Vec<String> {
        let prefix = self.harness.adapter().program.deprecation_prefix;
        let warnings = prefix.map(|prefix| lines.iter().map(move |line| format!("{prefix}{line}")));
        warnings.into_iter().flatten().collect()
    }
}

/// The file to which a CLI writes its last message.
struct LastMessageFile {
    path: PathBuf,
    /// Size and time before the run; an unchanged file is not from this run.
    before: Option<(u64, SystemTime)>,
}

impl LastMessageFile {
    fn new(path: PathBuf) -> Self {
        let before = size_and_time(&path);
        Self { path, before }
    }

    fn read(&self) -> Option<String> {
        let now = size_and_time(&self.path)?;
        if now.0 == 0 || now.0 > MAX_LAST_MESSAGE || Some(now) == self.before {
            return None;
        }
        let bytes = read_limited(&self.path, MAX_LAST_MESSAGE).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        (!text.trim().is_empty()).then(|| text.into_owned())
    }
}

fn size_and_time(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()?))
}
