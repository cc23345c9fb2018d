//! The lines on standard error that say what ended a run and why it failed.

use super::clocks::Alarm;
use super::supervision::EndCause;
use crate::cli::{ClockArgs, duration};
use crate::harness::Harness;
use crate::output::one_line;
use crate::run::{Failure, FailureSource, ProcessEnd, StoppedBy, Verdict};

/// Maximum length of the message of a failure, in columns.
const MAX_MESSAGE: usize = 500;

/// How a run ended, as far as messages describe it.
pub(super) struct RunEnd<'a> {
    /// The name of the command.
    pub(super) name: &'a str,
    pub(super) cause: Option<EndCause>,
    pub(super) clocks: &'a ClockArgs,
    pub(super) process: &'a ProcessEnd,
    pub(super) verdict: &'a Verdict,
    /// The failure that the stream reports, which a clock may have overruled.
    pub(super) reported: Option<&'a Failure>,
    /// The harness whose events are read; `None` if any are.
    pub(super) harness: Option<Harness>,
    /// Whether the command printed any event.
    pub(super) has_events: bool,
    /// Whether the output already shows the failure.
    pub(super) is_shown: bool,
}

impl RunEnd<'_> {
    /// Returns the messages: what ended the run, and why it failed.
    pub(super) fn messages(&self) -> Vec<String> {
        // The reader of our output has seen enough, and a failure to write was reported.
        if matches!(self.cause, Some(EndCause::ClosedStdout | EndCause::OutputFailed)) {
            return Vec::new();
        }
        let is_shown = self.is_shown && self.has_events;
        let failure = if is_shown { None } else { self.failure() };
        self.stop().into_iter().chain(failure).collect()
    }

    /// Returns whether the messages are about a run that did not fail.
    pub(super) fn is_advisory(&self) -> bool {
        self.cause.is_none() && self.verdict.error.is_none()
    }

    /// Describes the clock or signal that ended the run.
    fn stop(&self) -> Option<String> {
        if let Some(StoppedBy::Signal(signal)) = &self.process.stopped_by {
            let message = format!("interrupted ({signal})");
            return if self.process.had_result {
                Some(message + " after the result")
            } else {
                Some(message).filter(|_| !self.is_shown)
            };
        }
        let Some(EndCause::Clock(alarm)) = self.cause else { return None };
        let (option, limit) = match alarm {
            Alarm::Timeout => ("--timeout", self.clocks.timeout),
            Alarm::Idle => ("--idle-timeout", self.clocks.idle_timeout),
            Alarm::Grace | Alarm::Background => return None,
        };
        let limit = duration::format(limit.unwrap_or_default());
        Some(if self.process.had_result {
            format!("timeout: {} did not exit after its result: {limit} ({option})", self.name)
        } else if alarm == Alarm::Idle {
            format!("timeout: no output for {limit} ({option})")
        } else {
            format!("timeout: no result within {limit} ({option})")
        })
    }

    /// Returns whose events were expected.
    fn expected_agent(&self) -> &'static str {
        self.harness.map_or("a known agent CLI", Harness::name)
    }

    /// Describes the failure.
    fn failure(&self) -> Option<String> {
        let Self { name, process, .. } = *self;
        let failure = match process.interruption() {
            // What came before the result is a consequence of the interruption.
            Some(_) => self.reported.filter(|_| process.had_result)?,
            None => self.verdict.failure.as_ref()?,
        };
        let is_exit = failure.source == FailureSource::Process;
        let is_own = |explained: &&Failure| !process.stderr.contains(&explained.message);
        if let Some(explained) = process.explanation.as_ref().filter(|_| is_exit).filter(is_own) {
            return Some(format!("{name} failed: {}", explained.message));
        }
        Some(match failure.source {
            // Its standard error has been passed on.
            _ if is_exit && self.has_events => {
                format!("{name} failed: {}", process.exit_description)
            }
            _ if is_exit => format!(
                "{name} failed: {}; it printed no events of {}",
                process.exit_description,
                self.expected_agent()
            ),
            _ if !self.has_events => {
                format!("{name}: the command printed no events of {}", self.expected_agent())
            }
            FailureSource::Heuristic | FailureSource::Truncated => {
                format!("{name}: {}", failure.message)
            }
            _ if failure.is_interruption() => format!("{name}: a turn was interrupted"),
            _ => describe(name, failure),
        })
    }
}

/// Describes a failure that the stream reports: `codex failed (api, status 500): …`.
fn describe(name: &str, failure: &Failure) -> String {
    let status = failure.status.map(|status| format!(", status {status}")).unwrap_or_default();
    let message = one_line(&failure.message, MAX_MESSAGE);
    format!("{name} failed ({}{status}): {message}", failure.label())
}
