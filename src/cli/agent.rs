//! Commands that run an agent.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};

use super::options::HeuristicArgs;
use super::values::duration;
use crate::harness::command::Completion;
use crate::run::FailOn;

#[derive(Clone, Debug, Args)]
pub(crate) struct WrapArgs {
    /// What to print: a reading command with its options, or raw [default: view on a
    /// terminal, else text]
    #[arg(long = "as", value_name = "COMMAND")]
    pub(crate) show: Option<String>,
    /// Write the raw stream to a file (-: print it instead of --as)
    #[arg(long, value_name = "FILE")]
    pub(crate) tee: Option<PathBuf>,
    /// Write the summary to a file at the end of the run, however it ends (-: print it
    /// instead of --as)
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Show the run in a browser as it is written
    ///
    /// Prints the address of the page on standard error, as `serve` does on standard
    /// output, with PORT or a free one. The page ends with the run. Like --tee, this lets
    /// the run go on if its output is closed.
    #[cfg(feature = "serve")]
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) serve: Option<u16>,
    /// Include the events in the record
    #[arg(long, requires = "record")]
    pub(crate) with_events: bool,
    /// Request a document that matches this JSON Schema, and validate it
    ///
    /// Passes the content as --json-schema to claude, and the file as --output-schema to
    /// `codex exec`. At the end of the run the document is validated: violations are
    /// reported, are in the record's warnings, and change an exit status of 0 to 1 (except
    /// with --exit-status child). OpenAI accepts strict schemas only: all members
    /// required, and `additionalProperties` false. Without FILE the schema is the file in
    /// `CLAUDEOPS_SCHEMA_PATH`, else that of `streamj findings --print-schema`, for Codex
    /// in strict form.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    #[allow(clippy::option_option)] // the option has a meaning without a value
    pub(crate) schema: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) clocks: ClockArgs,
    /// How far to complete the command line
    #[arg(long, value_name = "HOW", default_value = "stream")]
    pub(crate) complete: Completion,
    /// The model for --complete full
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Print the completed command line and exit
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// What the exit status means
    #[arg(long, value_name = "WHAT", default_value = "auto")]
    pub(crate) exit_status: ExitStatus,
    /// Also exit with 1 if a run that did not fail meets this condition (repeatable)
    #[arg(long, value_name = "WHAT")]
    pub(crate) fail_on: Vec<FailOn>,
    /// What to do when the output is closed [default: continue with --tee or --record, else
    /// kill]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_closed_stdout: Option<OnClosedStdout>,
    /// Give the command no standard input
    #[arg(long)]
    pub(crate) no_stdin: bool,
    #[command(flatten)]
    pub(crate) surroundings: Surroundings,
    /// A label for the notes about credentials
    #[arg(long, value_name = "TEXT")]
    pub(crate) subject: Option<String>,
    #[command(flatten)]
    pub(crate) heuristics: HeuristicArgs,
    /// The command and its arguments
    ///
    /// Options of streamj come before it; everything from its first word on belongs to
    /// the command. `--` may precede it, and must if it starts with a dash or follows
    /// --schema without FILE.
    #[arg(
        value_name = "COMMAND",
        required = true,
        trailing_var_arg = true,
        value_hint = ValueHint::CommandWithArguments
    )]
    pub(crate) command: Vec<OsString>,
}

/// When a run is ended.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ClockArgs {
    /// End the run after this time (90s, 10m, 1h30m; 0 is never)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// End the run after this time without output (0 is never)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) idle_timeout: Option<Duration>,
    /// End the run this long after its result (0 is never)
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(crate) exit_grace: Duration,
    /// End the run this long after its result if background tasks are running (0 is never)
    /// [default: 10m, never with --exit-grace 0]
    ///
    /// Replaces --exit-grace as long as the CLI reports that subagents or commands run in
    /// the background: an agent that started a server never exits by itself.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) background_grace: Option<Duration>,
    /// Kill processes this long after they were asked to end
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) kill_after: Duration,
}

impl ClockArgs {
    /// Returns the time after the result while background tasks are running; zero is
    /// never. Without a clock for the exit there is none for background tasks either.
    pub(crate) fn background_grace(&self) -> Duration {
        let default = if self.exit_grace.is_zero() { Duration::ZERO } else { BACKGROUND_GRACE };
        self.background_grace.unwrap_or(default)
    }
}

/// Default of `--background-grace`.
const BACKGROUND_GRACE: Duration = Duration::from_mins(10);

/// The environment of a command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Surroundings {
    /// Remove API keys and base URLs from the command's environment
    #[arg(long)]
    pub(crate) strip_auth: bool,
    /// Set a variable for the command (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<OsString>,
    /// Remove a variable for the command (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) unset: Vec<OsString>,
    /// Run the command in this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
}

/// What the exit status of `wrap` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExitStatus {
    /// The command's own; 1 if that is 0 and the run failed or did not finish
    Auto,
    /// The command's own
    Child,
    /// The category of the failure, as for `error -e`
    Category,
}

/// What `wrap` does when its output is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnClosedStdout {
    /// End the run
    Kill,
    /// Go on
    Continue,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    /// Messages; standard input if there is none, or -
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Read one message per line of standard input
    #[arg(long, conflicts_with = "paragraphs")]
    pub(crate) lines: bool,
    /// Read one message per paragraph of standard input
    #[arg(long)]
    pub(crate) paragraphs: bool,
    /// Add an image to the first message (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Vec<PathBuf>,
    /// Request the agent to interrupt its turn
    #[arg(long)]
    pub(crate) interrupt: bool,
    /// Cancel a request
    #[arg(long, value_name = "REQUEST_ID")]
    pub(crate) cancel: Option<String>,
    /// The id of the interrupting request
    #[arg(long, value_name = "ID")]
    pub(crate) request_id: Option<String>,
    /// The session the messages are for
    #[arg(long, value_name = "ID")]
    pub(crate) session_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Clocks {
        #[command(flatten)]
        clocks: ClockArgs,
    }

    #[test]
    fn exit_grace_of_zero_removes_the_background_grace_unless_it_is_given() {
        let grace = |args: &[&str]| {
            let parsed = Clocks::try_parse_from([&["wrap"], args].concat()).unwrap();
            parsed.clocks.background_grace()
        };
        assert_eq!(grace(&[]), Duration::from_mins(10));
        assert_eq!(grace(&["--exit-grace", "30s"]), Duration::from_mins(10));
        assert_eq!(grace(&["--exit-grace", "0"]), Duration::ZERO);
        let both = ["--exit-grace", "0", "--background-grace", "5m"];
        assert_eq!(grace(&both), Duration::from_mins(5));
        assert_eq!(grace(&["--background-grace", "0"]), Duration::ZERO);
    }
}
