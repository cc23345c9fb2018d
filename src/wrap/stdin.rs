//! What the child gets to read.

use std::io::{self, BufRead, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::completion::Command;
use super::ends::{self, Input};
use super::process::Stdin;
use super::supervisor::Feed;

/// Where standard input comes from.
pub struct Plan {
    /// What the child is given.
    pub stdin: Stdin,
    input: Input,
    none: bool,
}

impl Plan {
    /// A pipe or a file is handed through; a terminal is not, unless the
    /// command asks for it.
    pub fn of(none: bool, command: &Command) -> Self {
        let input = ends::input();
        let stdin = match input {
            _ if command.prompt.is_some() => Stdin::Pipe,
            _ if none => Stdin::Null,
            Input::Terminal if command.reads_prompt => Stdin::Pipe,
            Input::Terminal => Stdin::Null,
            Input::Pipe | Input::File => Stdin::Inherit,
        };
        Self { stdin, input, none }
    }

    /// Starts to feed the child, where that is on us.
    pub fn feed(&self, command: &Command, pipe: Option<ChildStdin>) -> Feed {
        let Some(mut pipe) = pipe else {
            return if self.stdin == Stdin::Inherit && self.input == Input::Pipe {
                Feed::Pipe
            } else {
                Feed::Closed
            };
        };
        let prompt = command.prompt.clone();
        // What comes in on a pipe belongs to the prompt; a terminal is read
        // only by who asks for it. (The child cannot read it by itself: its
        // group is not the terminal's.)
        let more = match self.input {
            Input::Terminal => prompt.is_none(),
            Input::Pipe | Input::File => !self.none,
        };
        let open = Arc::new(AtomicBool::new(true));
        let ended = Arc::clone(&open);
        std::thread::spawn(move || {
            let _ = feed(&mut pipe, prompt.as_deref(), more);
            ended.store(false, Ordering::Relaxed);
        });
        Feed::Copied { open, pipe: more && self.input == Input::Pipe }
    }
}

/// The prompt, and behind it what we are given ourselves.
fn feed(pipe: &mut ChildStdin, prompt: Option<&str>, more: bool) -> io::Result<()> {
    pipe.write_all(prompt.unwrap_or_default().as_bytes())?;
    if !more {
        return Ok(());
    }
    let mut stdin = io::stdin().lock();
    if prompt.is_some() && !stdin.fill_buf()?.is_empty() {
        pipe.write_all(b"\n\n")?;
    }
    io::copy(&mut stdin, pipe)?;
    Ok(())
}
