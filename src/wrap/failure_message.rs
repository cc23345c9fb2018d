//! The line on standard error that says why a run failed.

use super::clocks::Alarm;
use super::signals;
use super::supervisor::EndCause;
use crate::cli::{ClockArgs, duration};
use crate::output::one_line;
use crate::run::{Failure, FailureSource, ProcessEnd, StoppedBy, Verdict};

/// Maximum length of the message of a failure, in columns.
const MAX_MESSAGE: usize = 500;

/// How a run ended, as far as a message describes it.
pub(super) struct RunEnd<'a> {
    /// The name of the command.
    pub(super) name: &'a str,
    pub(super) cause: Option<EndCause>,
    pub(super) clocks: &'a ClockArgs,
    pub(super) process: &'a ProcessEnd,
    pub(super) verdict: &'a Verdict,
    /// Whether the command printed any event.
    pub(super) has_events: bool,
    /// Whether the output already shows the failure.
    pub(super) is_shown: bool,
}

impl RunEnd<'_> {
    /// Returns the message; `None` if there is nothing to say.
    pub(super) fn message(&self) -> Option<String> {
        let Self { name, process, verdict, .. } = *self;
        if let Some(clock) = self.clock() {
            return Some(clock);
        }
        if let Some(StoppedBy::Signal(signal)) = &process.stopped_by {
            let when = if process.had_result { " after the result" } else { "" };
            return Some(format!("interrupted ({signal}){when}")).filter(|_| !self.is_shown);
        }
        let failure = verdict.failure.as_ref()?;
        if !self.has_events && failure.source != FailureSource::Process {
            return Some(format!("{name}: the command printed no events of a known agent CLI"));
        }
        if self.is_shown {
            return None;
        }
        Some(match failure.source {
            FailureSource::Heuristic | FailureSource::Truncated => {
                format!("{name}: {}", failure.message)
            }
            // Its standard error has been passed on.
            FailureSource::Process => format!("{name} failed: {}", exit(process.exit_code)),
            _ if failure.is_interruption() => format!("{name}: a turn was interrupted"),
            _ => describe(name, failure),
        })
    }

    /// Returns whether the message is about a run that did not fail.
    pub(super) fn is_advisory(&self) -> bool {
        self.cause.is_none() && self.verdict.error.is_none()
    }

    /// Describes the clock that ended the run.
    fn clock(&self) -> Option<String> {
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
}

/// Describes a failure that the stream reports: `codex failed (api, status 500): …`.
fn describe(name: &str, failure: &Failure) -> String {
    let category = failure.category.name();
    let status = failure.status.map(|status| format!(", status {status}")).unwrap_or_default();
    let message = match failure.reason {
        Some(reason) if failure.has_no_detail() => reason.name().into(),
        _ => one_line(&failure.message, MAX_MESSAGE),
    };
    format!("{name} failed ({category}{status}): {message}")
}

/// Describes an exit status; 128+N is signal N.
fn exit(code: i32) -> String {
    match code {
        129..160 => format!("killed by {}", signals::name(code - 128)),
        _ => format!("exit status {code}"),
    }
}
