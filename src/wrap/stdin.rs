//! What the child gets to read.

use std::io::{self, BufRead, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::completion::Command;
use super::ends::{self, Input};
use super::process::Stdin;
use super::supervisor::Feed;

/// What a command is given.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// Our own standard input, unless that is a terminal.
    Ours,
    /// Nothing.
    Nothing,
    /// This.
    Text(&'a str),
}

/// Where standard input comes from.
pub struct Plan<'a> {
    /// What the child is given.
    pub stdin: Stdin,
    input: Input,
    given: Given<'a>,
}

impl<'a> Plan<'a> {
    /// A pipe or a file is handed through; a terminal is not, unless the
    /// command asks for it.
    pub fn of(given: Given<'a>, command: &Command) -> Self {
        let input = ends::input();
        let stdin = match (given, input) {
            _ if command.prompt.is_some() => Stdin::Pipe,
            (Given::Text(_), _) => Stdin::Pipe,
            (Given::Ours, Input::Terminal) if command.reads_prompt => Stdin::Pipe,
            (Given::Nothing, _) | (Given::Ours, Input::Terminal) => Stdin::Null,
            (Given::Ours, Input::Pipe | Input::File) => Stdin::Inherit,
        };
        Self { stdin, input, given }
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
        let mut first = command.prompt.clone();
        // What comes in on a pipe belongs to the prompt; a terminal is read
        // only by who asks for it. (The child cannot read it by itself: its
        // group is not the terminal's.)
        let more = match (self.given, self.input) {
            (Given::Nothing, _) => false,
            (Given::Text(text), _) => {
                first = Some(first.map_or(text.to_owned(), |prompt| joined(&prompt, text)));
                false
            }
            (Given::Ours, Input::Terminal) => first.is_none(),
            (Given::Ours, Input::Pipe | Input::File) => true,
        };
        let open = Arc::new(AtomicBool::new(true));
        let ended = Arc::clone(&open);
        std::thread::spawn(move || {
            let _ = feed(&mut pipe, first.as_deref(), more);
            ended.store(false, Ordering::Relaxed);
        });
        Feed::Copied { open, pipe: more && self.input == Input::Pipe }
    }
}

/// One text behind the other.
fn joined(prompt: &str, text: &str) -> String {
    let between = if text.is_empty() { "" } else { PARAGRAPH };
    format!("{prompt}{between}{text}")
}

/// What stands between two texts.
const PARAGRAPH: &str = "\n\n";

/// The prompt, and behind it what we are given ourselves.
fn feed(pipe: &mut ChildStdin, prompt: Option<&str>, more: bool) -> io::Result<()> {
    pipe.write_all(prompt.unwrap_or_default().as_bytes())?;
    if !more {
        return Ok(());
    }
    let mut stdin = io::stdin().lock();
    if prompt.is_some() && !stdin.fill_buf()?.is_empty() {
        pipe.write_all(PARAGRAPH.as_bytes())?;
    }
    io::copy(&mut stdin, pipe)?;
    Ok(())
}
