//! Signals to us, left in the mailbox.

#[cfg(unix)]
pub use unix::Signals;

#[cfg(not(unix))]
pub use elsewhere::Signals;

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caught {
    /// Ctrl-C.
    Interrupt,
    /// Please end.
    Terminate,
    /// The terminal is gone.
    Hangup,
    /// Ctrl-\\.
    Quit,
    /// Any other that would have ended us, by its number.
    Fatal(i32),
    /// Ctrl-Z.
    Stop,
    /// Go on.
    Continue,
    /// A child has ended or stopped.
    Child,
}

impl Caught {
    /// Its number, as it appears in exit statuses.
    pub fn number(self) -> i32 {
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
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread::JoinHandle;

    use signal_hook::consts::{
        SIGALRM, SIGCHLD, SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGSTOP, SIGTERM, SIGTSTP, SIGUSR1,
        SIGUSR2, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Handle;
    use signal_hook::iterator::Signals as Iterator;

    use super::super::mailbox::Mailbox;
    use super::Caught;

    const CAUGHT: [(i32, Caught); 11] = [
        (SIGINT, Caught::Interrupt),
        (SIGTERM, Caught::Terminate),
        (SIGHUP, Caught::Hangup),
        (SIGQUIT, Caught::Quit),
        (SIGALRM, Caught::Fatal(SIGALRM)),
        (SIGUSR1, Caught::Fatal(SIGUSR1)),
        (SIGUSR2, Caught::Fatal(SIGUSR2)),
        (SIGXCPU, Caught::Fatal(SIGXCPU)),
        (SIGTSTP, Caught::Stop),
        (SIGCONT, Caught::Continue),
        (SIGCHLD, Caught::Child),
    ];

    /// Listens as long as it lives.
    pub struct Signals {
        handle: Handle,
        thread: Option<JoinHandle<()>>,
        surrendered: Arc<AtomicBool>,
    }

    impl Signals {
        /// Starts to listen. What is ignored (`nohup`, a shell's background)
        /// stays so; that a child has ended must be known in any case.
        pub fn listen(mailbox: Arc<Mailbox>) -> io::Result<Self> {
            let ignored = ignored();
            // A file that gets too large is an error, not the end of us.
            let wanted = CAUGHT.iter().map(|(number, _)| *number).chain([SIGXFSZ]);
            let wanted =
                wanted.filter(|number| *number == SIGCHLD || ignored & (1 << (number - 1)) == 0);
            let mut signals = Iterator::new(wanted)?;
            let handle = signals.handle();
            let surrendered = Arc::new(AtomicBool::new(false));
            let gave_up = Arc::clone(&surrendered);
            let thread = std::thread::spawn(move || {
                for number in &mut signals {
                    if gave_up.load(Ordering::Relaxed) {
                        let _ = signal_hook::low_level::emulate_default_handler(number);
                        continue;
                    }
                    let caught = CAUGHT.iter().find(|(own, _)| *own == number);
                    if let Some((_, caught)) = caught {
                        mailbox.put_signal(*caught);
                    }
                }
            });
            Ok(Self { handle, thread: Some(thread), surrendered })
        }

        /// From here on, signals do what they do to anybody.
        pub fn surrender(&self) {
            self.surrendered.store(true, Ordering::Relaxed);
        }

        /// Stops this process, as Ctrl-Z would have.
        pub fn stop_ourselves() {
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

    /// The signals this process was told to ignore, as a set of bits; none
    /// where that cannot be known.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::sync::Arc;

    use super::super::mailbox::Mailbox;

    /// Nothing to listen to.
    pub struct Signals;

    impl Signals {
        /// Starts to listen to nothing.
        pub fn listen(_: Arc<Mailbox>) -> io::Result<Self> {
            Ok(Self)
        }

        /// Nothing changes.
        pub fn surrender(&self) {}

        /// Cannot be.
        pub fn stop_ourselves() {}
    }
}
