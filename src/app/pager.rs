//! Output longer than the screen, through a pager.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::output::{stdout, without_rewritten};

/// The pager that is used without a `$PAGER`.
const DEFAULT: &str = "less";

/// Writes to the terminal; once there is more than fits on the screen, through a pager.
pub(super) struct Pager {
    command: String,
    /// Lines of the screen.
    rows: usize,
    target: Target,
}

enum Target {
    /// What was written so far, while it fits on the screen.
    Screen(Vec<u8>),
    Pager {
        child: Child,
        /// The last line, which may be rewritten.
        line: Vec<u8>,
    },
    Terminal,
}

impl Pager {
    /// Creates a pager for a terminal of this height; `None` if the user wants none.
    pub(super) fn new(rows: usize) -> Option<Self> {
        let command = std::env::var("PAGER").unwrap_or_else(|_| DEFAULT.to_owned());
        let is_wanted = !matches!(command.trim(), "" | "cat");
        is_wanted.then_some(Self { command, rows, target: Target::Screen(Vec::new()) })
    }

    /// Starts the pager with what was written so far.
    fn start(&mut self) -> io::Result<()> {
        let Target::Screen(written) = &mut self.target else { return Ok(()) };
        let written = std::mem::take(written);
        // The pager handles the interrupt; this process ends when the pager does.
        let _ = signal_hook::flag::register(
            signal_hook::consts::SIGINT,
            Arc::new(AtomicBool::new(false)),
        );
        let mut command = Command::new("sh");
        command.args(["-c", &self.command]).stdin(Stdio::piped());
        if std::env::var_os("LESS").is_none() {
            // Colours are shown, and the text stays on the screen.
            command.env("LESS", "RX");
        }
        self.target = match command.spawn() {
            Ok(child) => Target::Pager { child, line: Vec::new() },
            Err(_) => Target::Terminal,
        };
        self.write_all(&written)
    }
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.target {
            Target::Screen(written) => {
                written.extend_from_slice(bytes);
                if memchr::memchr_iter(b'\n', written).count() >= self.rows {
                    self.start()?;
                }
            }
            Target::Pager { child, line } => {
                line.extend_from_slice(bytes);
                let complete = without_rewritten(line);
                let end = complete.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                if let Some(input) = &mut child.stdin {
                    input.write_all(&complete[..end])?;
                }
                *line = complete[end..].to_vec();
            }
            Target::Terminal => stdout().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    /// Everything is shown at the end, or when the screen is full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        match &mut self.target {
            // A terminal that is gone needs nothing.
            Target::Screen(written) => drop(stdout().write_all(written)),
            Target::Pager { child, line } => {
                if let Some(mut input) = child.stdin.take() {
                    let _ = input.write_all(line);
                }
                let _ = child.wait();
            }
            Target::Terminal => {}
        }
    }
}
