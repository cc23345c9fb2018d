//! Prints decisions as JSON lines.

use std::io;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

use super::policy::Judgement;
use crate::output::{self, ObjectWriter};
use crate::wrap::{BackgroundWriter, StopSignals};

/// Interval between checks for signals while standard output blocks, and time to wait
/// for it after a signal.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Prints decisions.
pub(super) struct Decisions(BackgroundWriter);

/// The decision after a tier.
pub(super) struct DecisionLine<'a> {
    /// The number of the tier.
    pub(super) tier: usize,
    /// The name of the tier.
    pub(super) name: Option<&'a str>,
    pub(super) session_id: Option<&'a str>,
    /// Whether the tier requests the next one.
    pub(super) needed: bool,
    pub(super) judgement: &'a Judgement,
}

impl Decisions {
    /// Prints to a file, if one is given; else to standard output, or to standard error if
    /// the runs are shown there.
    pub fn new(file: Option<&Path>, shows_runs: bool) -> anyhow::Result<Self> {
        let is_stdout = file.is_some_and(|file| file.as_os_str() == "-");
        anyhow::ensure!(
            !(is_stdout && shows_runs),
            "--decisions -: standard output shows --as; leave that out, or name a file"
        );
        let writer = match file.filter(|_| !is_stdout) {
            Some(path) => {
                let file = output::private::create(path);
                BackgroundWriter::start(file.with_context(|| path.display().to_string())?)
            }
            None if shows_runs => BackgroundWriter::start(io::stderr()),
            None => BackgroundWriter::start(output::stdout()),
        };
        writer.map(Self).context("cannot start to write decisions")
    }

    /// Prints a decision, and waits until it is written or a signal asks to end. A closed
    /// pipe is not an error: the decision is stored.
    pub fn print(&self, line: &DecisionLine<'_>, signals: &StopSignals) -> io::Result<()> {
        let DecisionLine { tier, name, session_id, needed, judgement } = line;
        let mut line = Vec::new();
        ObjectWriter::write(&mut line, |object| {
            object
                .count("tier", *tier as u64)
                .text("name", *name)
                .text_or_null("session_id", *session_id)
                .flag("needed", *needed)
                .text("decision", judgement.decision.name())
                .text("reason", judgement.reason.as_str());
        });
        line.push(b'\n');
        self.0.put(line);
        while !self.0.is_idle() && signals.received().is_none() {
            self.0.wait(POLL_INTERVAL);
        }
        // After a signal the line may not be written yet.
        self.0.drain(POLL_INTERVAL);
        match self.0.take_error() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}
