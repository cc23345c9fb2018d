//! The command line, completed: what makes the CLI stream, and nothing that
//! grants it anything. Pure.

mod arguments;
mod claude;
mod codex;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::cli::Complete;
use crate::harness::Harness;

/// What will be run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Whose program it is, if that is known.
    pub harness: Option<Harness>,
    /// Where the CLI writes its last message.
    pub last_message: Option<PathBuf>,
    /// The sandbox it was given.
    pub sandbox_mode: Option<String>,
    /// The model it was given.
    pub model: Option<String>,
    /// It reads its prompt from standard input.
    pub reads_prompt: bool,
    /// A prompt to be given on standard input.
    pub prompt: Option<String>,
}

/// Why a command cannot be completed.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// As the user asked.
    pub complete: Complete,
    /// The model for [`Complete::Full`].
    pub model: Option<&'a str>,
    /// Whose program it is, if the user says so.
    pub harness: Option<Harness>,
    /// Where a last message can be written.
    pub last_message: &'a Path,
}

/// Completes `argv`.
pub fn complete(argv: &[OsString], request: &Request<'_>) -> Result<Command, Refused> {
    let harness = request.harness.or_else(|| by_name(argv.first()?));
    match (request.complete, harness) {
        (Complete::Full, Some(Harness::Codex)) => codex::full(argv, request),
        (Complete::Full, _) => refuse("--complete full is for codex only"),
        (_, Some(Harness::Codex)) => Ok(codex::complete(argv, request)),
        (_, Some(Harness::Claude)) => claude::complete(argv, request.complete),
        _ => Ok(Command { argv: argv.to_vec(), harness, ..Command::default() }),
    }
}

/// The harness a program's name tells.
fn by_name(program: &OsStr) -> Option<Harness> {
    Harness::from_name(Path::new(program).file_stem()?.to_str()?)
}

fn refuse<T>(sentence: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(sentence.into()))
}
