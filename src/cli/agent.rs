//! The commands that run an agent, and speak to it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::duration;

/// `streamj wrap`
#[derive(Debug, Args)]
pub struct WrapArgs {
    /// What to print: a reading command with its options, or raw [default: view
    /// on a terminal, else text]
    #[arg(long = "as", value_name = "COMMAND")]
    pub show: Option<String>,
    /// Keep the raw stream in a file
    #[arg(long, value_name = "FILE")]
    pub tee: Option<PathBuf>,
    /// Write the summary to a file when the run is over, however it ends
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Put the events into the record, too
    #[arg(long, requires = "record")]
    pub with_events: bool,
    /// Ask the agent for a document of this JSON Schema, and check it
    ///
    /// Claude gets the content as --json-schema, `codex exec` the file as
    /// --output-schema. When the run is over its document is checked: what is wrong
    /// is told, is in the record's warnings, and makes an exit status of 0 (but with
    /// --exit-status child) 1. `OpenAI` takes strict schemas only: all members
    /// required, and `additionalProperties` false. Without FILE it is the schema that
    /// `CLAUDEOPS_SCHEMA_PATH` names, else that of `streamj findings --print-schema`,
    /// for Codex in a strict form.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    #[allow(clippy::option_option)] // without a value it means something, too
    pub schema: Option<Option<PathBuf>>,
    /// When to end it.
    #[command(flatten)]
    pub clocks: ClockArgs,
    /// How far to complete the command line
    #[arg(long, value_name = "HOW", default_value = "stream")]
    pub complete: Complete,
    /// The model for --complete full
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print the completed command line and exit
    #[arg(long)]
    pub dry_run: bool,
    /// What the exit status tells
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub exit_status: ExitStatus,
    /// When nobody reads the output [default: continue with --tee or --record, else kill]
    #[arg(long, value_name = "WHAT")]
    pub on_closed_stdout: Option<OnClosedStdout>,
    /// Give the command no standard input
    #[arg(long)]
    pub no_stdin: bool,
    /// What the command gets.
    #[command(flatten)]
    pub surroundings: Surroundings,
    /// A label for the lines about credentials
    #[arg(long, value_name = "TEXT")]
    pub subject: Option<String>,
    /// Do not guess at runs that asked a question or left work behind
    #[arg(long)]
    pub no_heuristics: bool,
    /// The command and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub command: Vec<OsString>,
}

/// When a run is ended.
#[derive(Clone, Copy, Debug, Args)]
pub struct ClockArgs {
    /// End the run after this time (90s, 10m, 1h30m; 0 is never)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// End the run when it has been silent for this time (0 is never)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub idle_timeout: Option<Duration>,
    /// End the run when it goes on this long after its result (0 is never)
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub exit_grace: Duration,
    /// Kill what has not ended this long after being asked to
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub kill_after: Duration,
}

/// What a command gets beside its arguments.
#[derive(Clone, Debug, Args)]
pub struct Surroundings {
    /// Remove API keys and base URLs from the command's environment
    #[arg(long)]
    pub strip_auth: bool,
    /// Set a variable for the command (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<OsString>,
    /// Remove a variable for the command (repeatable)
    #[arg(long, value_name = "NAME")]
    pub unset: Vec<OsString>,
    /// Run the command in this folder
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<PathBuf>,
}

/// How far `wrap` completes a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Complete {
    /// Add what makes the CLI stream
    Stream,
    /// Exactly the arguments of the Codex contract (needs --model)
    Full,
    /// Leave it alone
    None,
}

/// What the exit status of `wrap` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExitStatus {
    /// The command's own; 1 if it is 0 and the stream says it failed
    Auto,
    /// The command's own
    Child,
    /// The category of the failure, as `error -e`
    Category,
}

/// What `wrap` does when nobody reads its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnClosedStdout {
    /// End the run
    Kill,
    /// Go on
    Continue,
}

/// `streamj prompt`
#[derive(Debug, Args)]
pub struct PromptArgs {
    /// A message each; none or - is standard input
    #[arg(value_name = "TEXT")]
    pub text: Vec<String>,
    /// One message per line of standard input
    #[arg(long, conflicts_with = "paragraphs")]
    pub lines: bool,
    /// One message per paragraph of standard input
    #[arg(long)]
    pub paragraphs: bool,
    /// Add an image to the first message (repeatable)
    #[arg(long, value_name = "FILE")]
    pub image: Vec<PathBuf>,
    /// Ask the agent to stop what it is doing
    #[arg(long)]
    pub interrupt: bool,
    /// Withdraw a request
    #[arg(long, value_name = "REQUEST_ID")]
    pub cancel: Option<String>,
    /// The id of the interrupting request
    #[arg(long, value_name = "ID")]
    pub request_id: Option<String>,
    /// The session the messages are for
    #[arg(long, value_name = "ID")]
    pub session_id: Option<String>,
}
