//! The command and everything it starts: spawning, signals, cleanup.
//!
//! One interface with three implementations: Linux, where no descendant escapes;
//! other Unixes, where the process group is signalled; and other systems, where only
//! the command itself is killed.

#[cfg(all(target_os = "linux", not(test_hooks)))]
mod cgroup;
#[cfg(all(target_os = "linux", not(test_hooks)))]
mod keeper;
#[cfg(unix)]
mod pre_exec;
#[cfg(all(target_os = "linux", not(test_hooks)))]
mod table;
#[cfg(unix)]
mod unix;

#[cfg(all(target_os = "linux", not(test_hooks)))]
#[path = "linux.rs"]
mod platform;
#[cfg(all(unix, any(not(target_os = "linux"), test_hooks)))]
#[path = "group.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "fallback.rs"]
mod platform;

use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

pub(super) use platform::Process;

use super::environment::Environment;
use crate::harness::command::AgentCommand;

/// A signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// `SIGINT`: Ctrl-C.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// `SIGHUP`: the terminal is gone.
    Hangup,
    /// `SIGQUIT`: Ctrl-\\.
    Quit,
    /// `SIGKILL`.
    Kill,
    /// `SIGSTOP`.
    Stop,
    /// `SIGCONT`.
    Continue,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcessExit {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

/// A process of the run that could not be ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub(super) struct LeftProcess {
    pub(super) pid: i32,
    /// The name of its program.
    pub(super) name: String,
}

/// What the child's standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StdinSource {
    /// `/dev/null`.
    Null,
    /// Our own standard input.
    Inherit,
    /// A pipe that we write to.
    Pipe,
}

/// Our ends of the child's pipes.
pub(super) struct Pipes {
    /// Present with [`StdinSource::Pipe`].
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Pipes {
    /// Takes the pipes of `child`.
    fn take_from(child: &mut Child) -> io::Result<Self> {
        let missing = || io::Error::other("a pipe is missing");
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().ok_or_else(missing)?,
            stderr: child.stderr.take().ok_or_else(missing)?,
        })
    }
}

/// Starts a command. Fails if the program is missing or cannot be executed.
pub(super) fn spawn(
    command: &AgentCommand,
    environment: &Environment,
    directory: Option<&Path>,
    stdin: StdinSource,
) -> io::Result<(Process, Pipes)> {
    let (program, arguments) =
        command.argv.split_first().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut spawned = Command::new(program);
    spawned.args(arguments).env_clear().envs(environment.iter());
    spawned.stdin(match stdin {
        StdinSource::Null => Stdio::null(),
        StdinSource::Inherit => Stdio::inherit(),
        StdinSource::Pipe => Stdio::piped(),
    });
    spawned.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = directory {
        spawned.current_dir(directory);
    }
    Process::spawn(&mut spawned)
}

/// Interval between two checks whether all processes have ended.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Maximum time to wait for killed processes. One that is still there is in an
/// uninterruptible system call.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);
