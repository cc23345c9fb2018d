//! The child and everything it starts: spawned, signalled, gone.
//!
//! One facade; behind it Linux (where nothing escapes), other Unixes (the
//! process group), and the rest (the child alone).

#[cfg(unix)]
mod lifeline;
#[cfg(unix)]
mod unix;

#[cfg(all(target_os = "linux", not(feature = "_portable")))]
#[path = "linux.rs"]
mod platform;
#[cfg(all(unix, any(not(target_os = "linux"), feature = "_portable")))]
#[path = "group.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "elsewhere.rs"]
mod platform;

use std::io;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

pub use platform::Process;

use super::completion;
use super::environment::Environment;

/// A signal, by what it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// Please end.
    Terminate,
    /// The terminal is gone.
    Hangup,
    /// Ctrl-\\.
    Quit,
    /// End.
    Kill,
    /// Wait.
    Stop,
    /// Go on.
    Continue,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

/// What the child's standard input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing.
    Null,
    /// Ours.
    Inherit,
    /// A pipe that we fill.
    Pipe,
}

/// The ends of the child's pipes.
pub struct Pipes {
    /// Its standard input, if that is a pipe.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// Its standard error.
    pub stderr: ChildStderr,
}

impl Pipes {
    /// Takes the pipes of a child.
    fn of(child: &mut Child) -> io::Result<Self> {
        let missing = || io::Error::other("a pipe is missing");
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().ok_or_else(missing)?,
            stderr: child.stderr.take().ok_or_else(missing)?,
        })
    }
}

/// Starts a command.
///
/// # Errors
///
/// The program is missing or cannot be executed.
pub fn spawn(
    command: &completion::Command,
    environment: &Environment,
    directory: Option<&Path>,
    stdin: Stdin,
) -> io::Result<(Process, Pipes)> {
    let (program, arguments) =
        command.argv.split_first().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut spawned = Command::new(program);
    spawned.args(arguments).env_clear().envs(environment.iter());
    spawned.stdin(match stdin {
        Stdin::Null => Stdio::null(),
        Stdin::Inherit => Stdio::inherit(),
        Stdin::Pipe => Stdio::piped(),
    });
    spawned.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = directory {
        spawned.current_dir(directory);
    }
    Process::spawn(&mut spawned)
}

/// Between two looks at whether everything is gone.
pub const LOOK: Duration = Duration::from_millis(5);

/// What cannot be killed within this time never will be.
const LAST_PATIENCE: Duration = Duration::from_secs(10);
