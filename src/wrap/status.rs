//! The exit status of `wrap`, like that of timeout(1).

use super::clocks::Alarm;
use super::process::ProcessExit;
use super::signals;
use super::supervision::EndCause;
use crate::cli::ExitStatus;
use crate::exit::Exit;
use crate::run::Verdict;

/// A timeout ended the run.
pub(crate) const TIMED_OUT: u8 = 124;
/// streamj failed, or its usage was wrong.
pub(crate) const OWN_FAILURE: u8 = 125;
/// The command cannot be executed.
pub(crate) const NOT_EXECUTABLE: u8 = 126;
/// The command is not found.
pub(crate) const NOT_FOUND: u8 = 127;

/// Added to the number of a signal.
const SIGNAL_BASE: i32 = 128;

const SIGKILL: i32 = 9;
const SIGPIPE: i32 = 13;

/// Returns the status for a signal.
pub(crate) fn of_signal(signal: i32) -> u8 {
    code(SIGNAL_BASE + signal)
}

fn code(code: i32) -> u8 {
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// Returns the status of the process; 128+N for signal N.
fn of_process(exit: Option<ProcessExit>) -> i32 {
    match exit {
        Some(ProcessExit::Exited(code)) => code,
        Some(ProcessExit::Killed(signal)) => SIGNAL_BASE + signal,
        // It did not end although it was killed.
        None => SIGNAL_BASE + SIGKILL,
    }
}

/// Returns the exit code for the record. It is the command's own, except if a timeout
/// ended the command before a good result (-1), and after the grace period, where the
/// result decides.
pub(super) fn recorded(
    exit: Option<ProcessExit>,
    cause: Option<EndCause>,
    had_result: bool,
    has_failed: bool,
) -> i32 {
    match cause {
        Some(EndCause::Clock(Alarm::Timeout | Alarm::Idle)) if !had_result => -1,
        Some(EndCause::Clock(Alarm::Grace | Alarm::Background)) => i32::from(has_failed),
        _ => of_process(exit),
    }
}

/// Returns the status of a run of which processes may be left. Those are a failure of
/// streamj, unless a clock has ended the run.
pub(super) fn with_left(status: u8, has_left: bool) -> u8 {
    if has_left && status != TIMED_OUT { OWN_FAILURE } else { status }
}

/// Describes how a process ended, and the recorded exit code. A code above 128 is not the
/// sign of a signal: some CLIs exit with such codes.
pub(super) fn describe(exit: Option<ProcessExit>, recorded: i32) -> String {
    match exit {
        Some(ProcessExit::Killed(signal)) if recorded == SIGNAL_BASE + signal => {
            format!("killed by {}", signals::name(signal))
        }
        _ => format!("exit status {recorded}"),
    }
}

/// Returns the exit status of a run.
pub(super) fn of_run(
    meaning: ExitStatus,
    exit: Option<ProcessExit>,
    cause: Option<EndCause>,
    verdict: &Verdict,
) -> u8 {
    match cause {
        Some(EndCause::Clock(Alarm::Timeout | Alarm::Idle)) => return TIMED_OUT,
        Some(EndCause::OutputFailed) => return OWN_FAILURE,
        Some(EndCause::Signal(signal)) => return of_signal(signal),
        Some(EndCause::ClosedStdout) => return of_signal(SIGPIPE),
        Some(EndCause::Clock(Alarm::Grace | Alarm::Background)) | None => {}
    }
    let own = of_process(exit);
    let has_failed = verdict.error.is_some();
    let result = if cause.is_some() { i32::from(has_failed) } else { own };
    match meaning {
        ExitStatus::Child => code(own),
        ExitStatus::Category => {
            let failure = verdict.failure.as_ref();
            failure.map_or(0, |failure| Exit::of_failure(failure).code())
        }
        // A failed run never exits with 0.
        ExitStatus::Auto => code(if result == 0 { i32::from(has_failed) } else { result }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Heuristics, Run};

    fn verdict(lines: &str) -> Verdict {
        Run::from_reader(lines.as_bytes()).unwrap().verdict(Heuristics::Apply)
    }

    fn good() -> Verdict {
        verdict(r#"{"type":"result","subtype":"success","is_error":false}"#)
    }

    fn failed() -> Verdict {
        verdict(r#"{"type":"result","subtype":"error_max_turns","is_error":false}"#)
    }

    const EXITED: Option<ProcessExit> = Some(ProcessExit::Exited(0));
    const KILLED: Option<ProcessExit> = Some(ProcessExit::Killed(15));

    #[test]
    fn status_is_the_childs_unless_the_stream_reports_a_failure() {
        let auto = |exit, verdict: &Verdict| of_run(ExitStatus::Auto, exit, None, verdict);
        assert_eq!(auto(EXITED, &good()), 0);
        assert_eq!(auto(Some(ProcessExit::Exited(3)), &good()), 3);
        assert_eq!(auto(KILLED, &good()), 143);
        assert_eq!(auto(EXITED, &failed()), 1);
        assert_eq!(auto(Some(ProcessExit::Exited(7)), &failed()), 7);
        assert_eq!(of_run(ExitStatus::Child, EXITED, None, &failed()), 0);
        assert_eq!(of_run(ExitStatus::Category, EXITED, None, &failed()), 76);
        assert_eq!(of_run(ExitStatus::Category, EXITED, None, &good()), 0);
    }

    #[test]
    fn cause_of_the_end_decides() {
        let of = |cause| of_run(ExitStatus::Auto, EXITED, Some(cause), &good());
        assert_eq!(of(EndCause::Clock(Alarm::Timeout)), 124);
        assert_eq!(of(EndCause::Clock(Alarm::Idle)), 124);
        assert_eq!(of(EndCause::Signal(2)), 130, "Claude exits with 0 when interrupted");
        assert_eq!(of(EndCause::ClosedStdout), 141);
        assert_eq!(of(EndCause::OutputFailed), 125);
    }

    #[test]
    fn exit_code_above_128_is_not_a_signal() {
        assert_eq!(describe(KILLED, 143), "killed by SIGTERM");
        assert_eq!(describe(Some(ProcessExit::Exited(145)), 145), "exit status 145");
        assert_eq!(describe(Some(ProcessExit::Exited(143)), 143), "exit status 143");
        assert_eq!(describe(KILLED, 1), "exit status 1", "its result decides");
    }

    #[test]
    fn after_the_grace_the_result_decides() {
        let grace = Some(EndCause::Clock(Alarm::Grace));
        assert_eq!(of_run(ExitStatus::Auto, KILLED, grace, &good()), 0);
        assert_eq!(of_run(ExitStatus::Auto, KILLED, grace, &failed()), 1);
        assert_eq!(recorded(KILLED, grace, true, false), 0);
        assert_eq!(recorded(KILLED, None, false, false), 143);
    }

    #[test]
    fn recorded_code_is_the_commands_own_except_after_a_clock() {
        let timeout = Some(EndCause::Clock(Alarm::Timeout));
        assert_eq!(recorded(KILLED, timeout, false, false), -1);
        assert_eq!(recorded(KILLED, timeout, true, false), 143, "the result had come");
        let interrupt = Some(EndCause::Signal(2));
        assert_eq!(recorded(EXITED, interrupt, false, false), 0);
        assert_eq!(recorded(KILLED, interrupt, false, true), 143);
    }
}
