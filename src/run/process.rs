//! How the process behind a stream ended, and what that says about the run.
//! Pure: `wrap` watches, this judges.

use std::time::Duration;

use super::failure::{Failure, Source};
use super::{Category, Verdict};

/// The end of a watched process.
#[derive(Clone, Debug, Default)]
pub struct ProcessEnd {
    /// Its exit status; 128 and more for a signal, -1 if it was stopped by
    /// the clock or never started.
    pub exit_code: i32,
    /// A clock ran out.
    pub timed_out: bool,
    /// Why it could not be started.
    pub not_started: Option<String>,
    /// How long it ran.
    pub duration: Duration,
    /// What it said on standard error, without secrets, in part.
    pub stderr: String,
    /// What was run.
    pub command: Vec<String>,
    /// What else is known about it, for the summary's metadata.
    pub metadata: Vec<(&'static str, String)>,
    /// Members of the metadata that are true.
    pub flags: Vec<&'static str>,
    /// What the CLI wrote as its last message, if that is all there is.
    pub last_message: Option<String>,
    /// What should be known.
    pub warnings: Vec<String>,
}

impl Verdict {
    /// The judgement when the process is looked at, too: a clock that ran out
    /// wins over everything; a failure of the process counts when the stream
    /// tells none.
    #[must_use]
    pub fn with_process(mut self, process: &ProcessEnd) -> Self {
        self.warnings.extend(process.warnings.iter().cloned());
        if let Some(why) = &process.not_started {
            self.fail(Category::Subprocess, why.clone());
            // It is no category of a run that never was.
            self.category = None;
        } else if process.timed_out {
            self.fail(Category::Timeout, "timeout".to_owned());
        } else if process.exit_code != 0 && self.error.is_none() {
            let said = process.stderr.trim();
            let status = || format!("exited with status {}", process.exit_code);
            self.fail(
                Category::Subprocess,
                if said.is_empty() { status() } else { said.to_owned() },
            );
        }
        self.succeeded_cleanly &= process.exit_code == 0;
        self
    }

    fn fail(&mut self, category: Category, message: String) {
        let failure = Failure::new(category, message, Source::Process);
        self.error = Some(failure.clone());
        self.failure = Some(failure);
        self.category = Some(category);
        self.succeeded_cleanly = false;
    }
}
