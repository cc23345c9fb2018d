//! Signals to this process.

use std::io;

use crossbeam_channel::Receiver;

#[cfg(unix)]
pub(super) use unix::Signals;

#[cfg(not(unix))]
pub(super) use fallback::Signals;

/// A signal that was caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caught {
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal was closed.
    Hangup,
    /// SIGQUIT: Ctrl-\\.
    Quit,
    /// Another signal that would have ended the process, by its number.
    Fatal(i32),
    /// SIGTSTP: Ctrl-Z.
    Stop,
    /// SIGCONT.
    Continue,
    /// SIGCHLD: a child has ended or stopped.
    Child,
}

/// Returns the name of a signal: `SIGINT`.
pub(super) fn name(number: i32) -> String {
    #[cfg(unix)]
    let name = signal_hook::low_level::signal_name(number);
    #[cfg(not(unix))]
    let name: Option<&str> = None;
    name.map_or_else(|| format!("signal {number}"), str::to_owned)
}

impl Caught {
    /// Returns the number that appears in exit statuses.
    pub(super) fn number(self) -> i32 {
        match self {
            Self::Hangup => 1,
            Self::Interrupt => 2,
            Self::Quit => 3,
            Self::Fatal(number) => number,
            Self::Terminate => 15,
            Self::Child => 17,
            Self::Continue => 18,
            Self::Stop => 20,
        }
    }

    /// Returns whether the signal asks the process to end.
    pub(super) fn is_fatal(self) -> bool {
        !matches!(self, Self::Stop | Self::Continue | Self::Child)
    }
}

/// Signals that are being caught, before they are handled.
pub(super) struct CaughtSignals {
    pub(super) signals: Signals,
    pub(super) caught: Receiver<Caught>,
}

impl CaughtSignals {
    /// Starts to catch signals.
    pub(super) fn catch() -> io::Result<Self> {
        let (signals, caught) = Signals::catch()?;
        Ok(Self { signals, caught })
    }

    /// Returns the number of a signal that asked to end and has not been handled.
    pub(super) fn fatal(&self) -> Option<i32> {
        self.caught.try_iter().find(|caught| caught.is_fatal()).map(Caught::number)
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::thread::JoinHandle;

    use crossbeam_channel::{Receiver, unbounded};
    #[cfg(target_os = "linux")]
    use libc::{SIGIO, SIGPWR, SIGSTKFLT};
    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSTOP, SIGTERM,
        SIGTSTP, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::{Handle, Signals as SignalIterator};

    use super::Caught;

    /// Synchronous signals (a crash) are not caught: the keeper ends the run then.
    const CAUGHT: &[(i32, Caught)] = &[
        (SIGINT, Caught::Interrupt),
        (SIGTERM, Caught::Terminate),
        (SIGHUP, Caught::Hangup),
        (SIGQUIT, Caught::Quit),
        (SIGALRM, Caught::Fatal(SIGALRM)),
        (SIGUSR1, Caught::Fatal(SIGUSR1)),
        (SIGUSR2, Caught::Fatal(SIGUSR2)),
        (SIGXCPU, Caught::Fatal(SIGXCPU)),
        (SIGVTALRM, Caught::Fatal(SIGVTALRM)),
        (SIGPROF, Caught::Fatal(SIGPROF)),
        (SIGABRT, Caught::Fatal(SIGABRT)),
        #[cfg(target_os = "linux")]
        (SIGIO, Caught::Fatal(SIGIO)),
        #[cfg(target_os = "linux")]
        (SIGPWR, Caught::Fatal(SIGPWR)),
        #[cfg(target_os = "linux")]
        (SIGSTKFLT, Caught::Fatal(SIGSTKFLT)),
        (SIGTSTP, Caught::Stop),
        (SIGCONT, Caught::Continue),
        (SIGCHLD, Caught::Child),
    ];

    /// Catches signals as long as it exists.
    pub(in super::super) struct Signals {
        handle: Handle,
        thread: Option<JoinHandle<()>>,
    }

    impl Signals {
        /// Starts to catch signals. Those that are ignored (`nohup`, a shell's
        /// background) stay so, except for SIGCHLD.
        pub(in super::super) fn catch() -> io::Result<(Self, Receiver<Caught>)> {
            let ignored = ignored();
            // With SIGXFSZ caught, a file that is too large is a write error.
            let wanted = CAUGHT.iter().map(|(number, _)| *number).chain([SIGXFSZ]);
            let wanted =
                wanted.filter(|number| *number == SIGCHLD || ignored & (1 << (number - 1)) == 0);
            let mut signals = SignalIterator::new(wanted)?;
            let handle = signals.handle();
            let (sender, receiver) = unbounded();
            let thread = std::thread::Builder::new().spawn(move || {
                for number in &mut signals {
                    let caught = CAUGHT.iter().find(|(own, _)| *own == number);
                    if let Some((_, caught)) = caught {
                        let _ = sender.send(*caught);
                    }
                }
            })?;
            Ok((Self { handle, thread: Some(thread) }, receiver))
        }

        /// Lets a signal have its default effect, which is to end this process.
        pub(in super::super) fn apply_default(caught: Caught) {
            let _ = signal_hook::low_level::emulate_default_handler(caught.number());
        }

        /// Stops this process, as Ctrl-Z would have.
        pub(in super::super) fn stop_process() {
            let _ = signal_hook::low_level::raise(SIGSTOP);
        }
    }

    impl Drop for Signals {
        fn drop(&mut self) {
            self.handle.close();
            if let Some(thread) = self.thread.take() {
                let _ = thread.join();
            }
        }
    }

    /// Returns the signals that this process ignores, as a set of bits; none where
    /// that is unknown.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod fallback {
    use std::io;

    use crossbeam_channel::{Receiver, never};

    use super::Caught;

    /// Catches nothing: there are no signals.
    pub(in super::super) struct Signals;

    impl Signals {
        pub(in super::super) fn catch() -> io::Result<(Self, Receiver<Caught>)> {
            Ok((Self, never()))
        }

        pub(in super::super) fn apply_default(_: Caught) {}

        pub(in super::super) fn stop_process() {}
    }
}
