//! The child's standard input.

use std::io::{self, BufRead, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::process::StdinSource;
use super::stdio::{self, StdinKind};
use super::supervisor::StdinFeed;
use crate::harness::command::AgentCommand;

/// What a command can read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StdinContent<'a> {
    /// Our own standard input, unless that is a terminal.
    Inherited,
    /// Nothing.
    Empty,
    /// A text.
    #[cfg_attr(not(feature = "store"), allow(dead_code))]
    Text(&'a str),
}

/// Where the child's standard input comes from.
pub(super) struct StdinPlan<'a> {
    pub(super) stdin: StdinSource,
    own_kind: StdinKind,
    content: StdinContent<'a>,
}

impl<'a> StdinPlan<'a> {
    /// A pipe or a file is passed on; a terminal only if the command reads its prompt.
    pub(super) fn new(content: StdinContent<'a>, command: &AgentCommand) -> Self {
        let own_kind = stdio::stdin_kind();
        let stdin = match (content, own_kind) {
            _ if command.prompt.is_some() => StdinSource::Pipe,
            (StdinContent::Text(_), _) => StdinSource::Pipe,
            (StdinContent::Inherited, StdinKind::Terminal) if command.reads_prompt => {
                StdinSource::Pipe
            }
            (StdinContent::Empty, _) | (StdinContent::Inherited, StdinKind::Terminal) => {
                StdinSource::Null
            }
            (StdinContent::Inherited, StdinKind::Pipe | StdinKind::File) => StdinSource::Inherit,
        };
        Self { stdin, own_kind, content }
    }

    /// Starts to feed the child, if it has a pipe.
    pub(super) fn feed(
        &self,
        command: &AgentCommand,
        pipe: Option<ChildStdin>,
    ) -> io::Result<StdinFeed> {
        let Some(mut pipe) = pipe else {
            let is_pipe = self.own_kind == StdinKind::Pipe;
            return Ok(if self.stdin == StdinSource::Inherit && is_pipe {
                StdinFeed::Pipe
            } else {
                StdinFeed::Closed
            });
        };
        let mut prompt = command.prompt.clone();
        // Input from a pipe belongs to the prompt; a terminal is read only without one.
        // (The child cannot read it itself, since its group is not the terminal's.)
        let copies_stdin = match (self.content, self.own_kind) {
            (StdinContent::Empty, _) => false,
            (StdinContent::Text(text), _) => {
                prompt = Some(prompt.map_or(text.to_owned(), |prompt| join(&prompt, text)));
                false
            }
            (StdinContent::Inherited, StdinKind::Terminal) => prompt.is_none(),
            (StdinContent::Inherited, StdinKind::Pipe | StdinKind::File) => true,
        };
        let is_open = Arc::new(AtomicBool::new(true));
        let open = Arc::clone(&is_open);
        std::thread::Builder::new().spawn(move || {
            let _ = write_input(&mut pipe, prompt.as_deref(), copies_stdin);
            open.store(false, Ordering::Relaxed);
        })?;
        let is_pipe = copies_stdin && self.own_kind == StdinKind::Pipe;
        Ok(StdinFeed::Thread { is_open, is_pipe })
    }
}

/// Separates two texts.
const PARAGRAPH: &str = "\n\n";

fn join(prompt: &str, text: &str) -> String {
    let separator = if text.is_empty() { "" } else { PARAGRAPH };
    format!("{prompt}{separator}{text}")
}

/// Writes the prompt, and then our own standard input.
fn write_input(pipe: &mut ChildStdin, prompt: Option<&str>, copies_stdin: bool) -> io::Result<()> {
    pipe.write_all(prompt.unwrap_or_default().as_bytes())?;
    if !copies_stdin {
        return Ok(());
    }
    let mut stdin = io::stdin().lock();
    if prompt.is_some() && !stdin.fill_buf()?.is_empty() {
        pipe.write_all(PARAGRAPH.as_bytes())?;
    }
    io::copy(&mut stdin, pipe)?;
    Ok(())
}
