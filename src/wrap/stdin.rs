//! What the child gets to read.

use std::io::{self, Write};
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
        Self { stdin, input }
    }

    /// Starts to feed the child, where that is on us.
    pub fn feed(&self, command: &Command, pipe: Option<ChildStdin>) -> Feed {
        match (self.stdin, pipe, &command.prompt) {
            (Stdin::Pipe, Some(mut pipe), Some(prompt)) => {
                let prompt = prompt.clone();
                std::thread::spawn(move || pipe.write_all(prompt.as_bytes()));
                Feed::Closed
            }
            (Stdin::Pipe, Some(mut pipe), None) => {
                let open = Arc::new(AtomicBool::new(true));
                let ended = Arc::clone(&open);
                // The child's group is not the terminal's: it must not read
                // from it by itself.
                std::thread::spawn(move || {
                    let _ = io::copy(&mut io::stdin(), &mut pipe);
                    ended.store(false, Ordering::Relaxed);
                });
                Feed::Terminal(open)
            }
            (Stdin::Inherit, ..) if self.input == Input::Pipe => Feed::Pipe,
            _ => Feed::Closed,
        }
    }
}
