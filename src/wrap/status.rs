//! The exit status of `wrap`, as timeout(1) has it. Pure.

use super::clocks::Alarm;
use super::process::Ended;
use super::supervisor::Cause;
use crate::cli::ExitStatus;
use crate::exit::Exit;
use crate::run::Verdict;

/// A clock ran out.
pub const TIMED_OUT: u8 = 124;
/// Our own failure, wrong usage included.
pub const OWN_FAILURE: u8 = 125;
/// The command cannot be executed.
pub const NOT_EXECUTABLE: u8 = 126;
/// The command is not found.
pub const NOT_FOUND: u8 = 127;

/// What a signal's number is added to.
const SIGNAL: i32 = 128;
const BROKEN_PIPE: i32 = 13;

/// The status of somebody whom a signal ended.
pub fn of_signal(signal: i32) -> u8 {
    code(SIGNAL + signal)
}

fn code(code: i32) -> u8 {
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// What the process says: its status, 128 and more for a signal.
pub fn of_process(ended: Option<Ended>) -> i32 {
    match ended {
        Some(Ended::Exited(code)) => code,
        Some(Ended::Killed(signal)) => SIGNAL + signal,
        // It could not even be killed.
        None => SIGNAL + 9,
    }
}

/// The exit code for the record: -1 if a clock ran out; after the grace the
/// run is judged by what it said.
pub fn recorded(ended: Option<Ended>, cause: Option<Cause>, failed: bool) -> i32 {
    match cause {
        Some(Cause::Clock(Alarm::Timeout | Alarm::Idle)) => -1,
        Some(Cause::Clock(Alarm::Grace)) => i32::from(failed),
        // Claude ends well when it is interrupted; the run did not.
        Some(Cause::Signal(signal)) => SIGNAL + signal,
        _ => of_process(ended),
    }
}

/// The status we end with.
pub fn of_run(
    how: ExitStatus,
    ended: Option<Ended>,
    cause: Option<Cause>,
    verdict: &Verdict,
) -> u8 {
    match cause {
        Some(Cause::Clock(Alarm::Timeout | Alarm::Idle)) => return TIMED_OUT,
        Some(Cause::OutputFailed) => return OWN_FAILURE,
        Some(Cause::Signal(signal)) => return of_signal(signal),
        Some(Cause::ClosedStdout) => return of_signal(BROKEN_PIPE),
        Some(Cause::Clock(Alarm::Grace)) | None => {}
    }
    let own = of_process(ended);
    let failed = verdict.error.is_some();
    let judged = if cause.is_some() { i32::from(failed) } else { own };
    match how {
        ExitStatus::Child => code(own),
        ExitStatus::Category => {
            let failure = verdict.failure.as_ref();
            failure.map_or(0, |failure| Exit::Failed(failure.category).code())
        }
        // A run that says it failed never ends well.
        ExitStatus::Auto => code(if judged == 0 { i32::from(failed) } else { judged }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    fn verdict(lines: &str) -> Verdict {
        Run::from_reader(lines.as_bytes()).unwrap().verdict(true)
    }

    fn good() -> Verdict {
        verdict(r#"{"type":"result","subtype":"success","is_error":false}"#)
    }

    fn failed() -> Verdict {
        verdict(r#"{"type":"result","subtype":"error_max_turns","is_error":false}"#)
    }

    const EXITED: Option<Ended> = Some(Ended::Exited(0));
    const KILLED: Option<Ended> = Some(Ended::Killed(15));

    #[test]
    fn the_childs_status_is_ours_unless_the_stream_says_it_failed() {
        let auto = |ended, verdict: &Verdict| of_run(ExitStatus::Auto, ended, None, verdict);
        assert_eq!(auto(EXITED, &good()), 0);
        assert_eq!(auto(Some(Ended::Exited(3)), &good()), 3);
        assert_eq!(auto(KILLED, &good()), 143);
        assert_eq!(auto(EXITED, &failed()), 1);
        assert_eq!(auto(Some(Ended::Exited(7)), &failed()), 7);
        assert_eq!(of_run(ExitStatus::Child, EXITED, None, &failed()), 0);
        assert_eq!(of_run(ExitStatus::Category, EXITED, None, &failed()), 69);
        assert_eq!(of_run(ExitStatus::Category, EXITED, None, &good()), 0);
    }

    #[test]
    fn what_ended_the_run_wins() {
        let of = |cause| of_run(ExitStatus::Auto, EXITED, Some(cause), &good());
        assert_eq!(of(Cause::Clock(Alarm::Timeout)), 124);
        assert_eq!(of(Cause::Clock(Alarm::Idle)), 124);
        assert_eq!(of(Cause::Signal(2)), 130, "Claude exits with 0 when interrupted");
        assert_eq!(of(Cause::ClosedStdout), 141);
        assert_eq!(of(Cause::OutputFailed), 125);
    }

    #[test]
    fn after_the_grace_the_run_is_judged_by_what_it_said() {
        let grace = Some(Cause::Clock(Alarm::Grace));
        assert_eq!(of_run(ExitStatus::Auto, KILLED, grace, &good()), 0);
        assert_eq!(of_run(ExitStatus::Auto, KILLED, grace, &failed()), 1);
        assert_eq!(recorded(KILLED, grace, false), 0);
        assert_eq!(recorded(KILLED, Some(Cause::Clock(Alarm::Timeout)), false), -1);
        assert_eq!(recorded(KILLED, None, false), 143);
        assert_eq!(recorded(EXITED, Some(Cause::Signal(2)), false), 130);
    }
}
