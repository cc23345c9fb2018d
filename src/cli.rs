//! The command line, and nothing but its definition. Help, man pages and
//! completions are generated from here.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::contract::Contract;
use crate::harness::Harness;
use crate::output::{ColorChoice, Format};

/// The longest line that is read, if the user does not say.
const MAX_LINE: &str = "64M";

/// More threads than these do not make one reader faster.
const MAX_THREADS: usize = 8;

/// The longest line simd-json can take.
const MAX_LINE_LIMIT: usize = u32::MAX as usize - 1024;

/// Read the event streams of coding-agent CLIs.
///
/// streamj reads the JSON lines that Claude Code (`claude -p --output-format
/// stream-json --verbose`) and Codex (`codex exec --json`) print, recognises
/// whose they are, and prints the one thing asked for. A line that is broken
/// never harms its neighbours.
#[derive(Debug, Parser)]
#[command(name = "streamj", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// How to do it.
    #[command(flatten)]
    pub global: Global,
}

/// Options every command knows; they come after its own.
#[derive(Debug, Args)]
#[command(next_display_order = 900)]
pub struct Global {
    /// Read every line as this CLI's instead of recognising it
    #[arg(long, global = true, value_name = "NAME", value_parser = harness_parser())]
    pub harness: Option<Harness>,
    /// Skip lines longer than this (K, M, G)
    #[arg(long, global = true, value_name = "BYTES", default_value = MAX_LINE, value_parser = size)]
    pub max_line: usize,
    /// Threads that decode large inputs [default: one per core, at most 8]
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Exit with 1 if a line was not JSON or too long
    #[arg(long, global = true)]
    pub strict: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

impl Global {
    /// How many threads may decode.
    #[must_use]
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(|| cores().min(MAX_THREADS))
    }

    /// These, but where `own` says something else.
    #[must_use]
    pub fn refined(&self, own: Option<&Self>) -> Self {
        let own = own.unwrap_or(self);
        let default = size(MAX_LINE).ok();
        let max_line = Some(own.max_line).filter(|bytes| Some(*bytes) != default);
        let color = Some(own.color).filter(|choice| *choice != ColorChoice::Auto);
        Self {
            harness: own.harness.or(self.harness),
            max_line: max_line.unwrap_or(self.max_line),
            threads: own.threads.or(self.threads),
            strict: own.strict || self.strict,
            quiet: own.quiet || self.quiet,
            color: color.unwrap_or(self.color),
        }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Those that read a stream.
    #[command(flatten)]
    Read(ReadCommand),
    /// Run the agent CLI: clocks, a record, nothing left behind
    ///
    /// Adds what makes the CLI stream (`--json` for `codex exec`, `-p
    /// --output-format stream-json --verbose` for claude), prints what was asked
    /// for, and ends every process of the run with it. Never adds a flag that
    /// grants permissions.
    Wrap(Box<WrapArgs>),
    /// Words for the agent: stream-json input lines
    ///
    /// One user message per TEXT, as `claude --input-format stream-json` reads
    /// them: `streamj prompt "What is Python?" "Show hello world" | streamj wrap
    /// -- claude -p --input-format stream-json`.
    Prompt(PromptArgs),
    /// Print a man page
    #[command(hide = true)]
    Man(ManArgs),
    /// Print a shell completion script
    #[command(hide = true)]
    Completions(CompletionsArgs),
}

/// The commands that read a stream.
#[derive(Debug, Subcommand)]
pub enum ReadCommand {
    /// What the agent said
    ///
    /// Every block of assistant text, joined with newlines, as it arrives.
    /// With partial messages the deltas appear at once and nothing is printed
    /// twice.
    Text(TextArgs),
    /// Which tools ran, with input, outcome and output
    ///
    /// One record per tool call, printed when its result comes; calls without
    /// a result come last, as pending. Members, each only where the stream tells
    /// it: harness, id, name, input, status (completed, failed, denied, pending),
    /// output, stdout, stderr, interrupted, `exit_code`, `is_error`, `parent_id`,
    /// server, `duration_ms`, and truncated where --max-output cut something.
    Tools(ToolsArgs),
    /// Tokens, cost, turns and time
    ///
    /// Right where lines repeat, where totals are cumulative, and where
    /// subagents work. The cost is what the CLI reported, and left out when it
    /// reported none. Members: harness, `session_id`, model, source (result,
    /// turns, messages, none), `input_tokens`, `output_tokens`,
    /// `cache_read_tokens`, `cache_write_tokens`, `reasoning_tokens`,
    /// `total_tokens`, `cost_usd`, models, and turns and `duration_ms` added up
    /// over all results.
    Usage(RecordArgs),
    /// Did it fail, and why: the error with its category
    ///
    /// Prints nothing when the run succeeded. Members: harness, category
    /// (`rate_limit`, auth, api, interactive, background-task, incomplete),
    /// message, status, subtype, `terminal_reason`, `retry_at`, source (result,
    /// turn, stream, heuristic, truncated).
    Error(ErrorArgs),
    /// Every event, tagged with its harness
    ///
    /// Untouched members keep their bytes. With --unified the events are those
    /// of streamj itself, the same for every CLI.
    Events(EventsArgs),
    /// Session id, model, directory, version, tools
    ///
    /// As the session first described itself. Members: harness, `session_id`,
    /// model, cwd, version, tools, `mcp_servers`, `permission_mode`,
    /// `api_key_source`, agents, `slash_commands`.
    Session(RecordArgs),
    /// The whole run as one object
    ///
    /// Members: harness, `session_id`, model, output, error, `error_category`,
    /// `input_tokens`, `output_tokens`, `api_key_source`, warnings,
    /// `succeeded_cleanly`, complete, `num_turns`, `duration_ms`, `cost_usd`,
    /// `structured_output`, `harness_metadata`, lines. Tokens, `num_turns` and
    /// `duration_ms` are those of the last result; `usage` adds up.
    Summary(SummaryArgs),
    /// The run for a person, live
    ///
    /// Text as it arrives, one line per tool call, and a block with the result
    /// at the end. On a terminal with colour and light Markdown; elsewhere
    /// line by line with tags in brackets: session, prompt, tool, thinking,
    /// retry, limit, task, note, control, result, usage, error.
    View(ViewArgs),
    /// Does every line keep the contract of its CLI
    ///
    /// Prints `FILE:LINE: CODE: MESSAGE` for every violation, also in a pipe, and
    /// exits with 1 if there is any. Codes: `JsonParse` (not JSON), `TypedParse`
    /// (something is missing or of the wrong type), Normalize (`is_error`
    /// contradicts the subtype), Unknown (a type the contract does not know).
    /// Members: file, line, outcome (error, event, unknown), code, message,
    /// variant, `session_id`, subtype, name, count.
    Check(CheckArgs),
}

/// Where to read from.
#[derive(Clone, Debug, Args)]
pub struct Files {
    /// Files to read, each a run of its own; none or - is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// How records are printed.
#[derive(Debug, Args)]
pub struct RecordOptions {
    /// Output format [default: human on a terminal, else jsonl]
    ///
    /// A table has the members that fit in one: no lists of models, no
    /// standard output beside the output.
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Print one member only, strings raw: `/session_id`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub get: Option<String>,
}

/// `streamj text`
#[derive(Debug, Args)]
pub struct TextArgs {
    /// Only the final answer
    #[arg(long)]
    pub last: bool,
    /// Without the words of subagents
    #[arg(long)]
    pub main_only: bool,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj tools`
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// Only tools with this name; * and ? are wildcards (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub name: Vec<String>,
    /// Only calls that failed or were denied
    #[arg(long)]
    pub failed: bool,
    /// Cut outputs after this many bytes (K, M, G)
    #[arg(long, value_name = "BYTES", value_parser = size_or_zero)]
    pub max_output: Option<usize>,
    /// How records are printed.
    #[command(flatten)]
    pub records: RecordOptions,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj usage`, `streamj session`
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// How records are printed.
    #[command(flatten)]
    pub records: RecordOptions,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj error`
#[derive(Debug, Args)]
pub struct ErrorArgs {
    /// Let the exit status tell the category
    ///
    /// 0 none, 75 `rate_limit`, 77 `auth`, 69 `api`, 70 `subprocess`, 124
    /// `timeout`, 65 `interactive`, `background-task` or a stream that just
    /// stops.
    #[arg(short, long)]
    pub exit_status: bool,
    /// Do not guess at runs that asked a question or left work behind
    #[arg(long)]
    pub no_heuristics: bool,
    /// How records are printed.
    #[command(flatten)]
    pub records: RecordOptions,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj summary`
#[derive(Debug, Args)]
pub struct SummaryArgs {
    /// Do not guess at runs that asked a question or left work behind
    #[arg(long)]
    pub no_heuristics: bool,
    /// How records are printed.
    #[command(flatten)]
    pub records: RecordOptions,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj view`
#[derive(Clone, Debug, Args)]
pub struct ViewArgs {
    /// Show inputs, outputs and diffs
    #[arg(long)]
    pub full: bool,
    /// Show all of the thinking
    #[arg(long, conflicts_with = "no_thinking")]
    thinking: bool,
    /// Show none of the thinking
    #[arg(long)]
    no_thinking: bool,
    /// Leave Markdown as it is
    #[arg(long)]
    pub no_markdown: bool,
    /// Signs from ASCII only
    #[arg(long)]
    pub ascii: bool,
    /// Wrap at this column [default: that of the terminal]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    width: Option<u16>,
    /// Go on reading a file that grows
    #[arg(long, requires = "files")]
    pub follow: bool,
    /// Do not guess at runs that asked a question or left work behind
    #[arg(long)]
    pub no_heuristics: bool,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// What is shown of the thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// Nothing.
    Hidden,
    /// The first line.
    Folded,
    /// All.
    Shown,
}

impl ViewArgs {
    /// What is shown of the thinking.
    #[must_use]
    pub fn thinking(&self) -> Thinking {
        match (self.thinking, self.no_thinking) {
            (true, _) => Thinking::Shown,
            (_, true) => Thinking::Hidden,
            _ => Thinking::Folded,
        }
    }

    /// The columns asked for.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        self.width.map(usize::from)
    }
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

/// `streamj check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What lines must keep
    ///
    /// Under current every unknown type and subtype is a violation, listed once
    /// with its count: what a new release of the CLI has changed.
    #[arg(long, value_name = "WHICH", default_value = "v1")]
    pub contract: Contract,
    /// Also print the lines that are right
    #[arg(long)]
    pub every_line: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Print one member only, strings raw: `/code`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub get: Option<String>,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj events`
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Which events get a "harness" member
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub tag: Tag,
    /// Print the harness-neutral events instead of the CLI's own
    #[arg(long)]
    pub unified: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub format: EventFormat,
    /// Print one member of each event only, strings raw: `/type`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub get: Option<String>,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// Which events `events` marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tag {
    /// Every event
    All,
    /// Those of Codex
    Codex,
    /// None
    None,
}

/// How `events` are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EventFormat {
    /// One line per event
    Jsonl,
    /// One array per run
    Json,
    /// Server-sent events for a browser
    Sse,
}

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

/// `streamj man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command to describe; none is streamj itself
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

/// `streamj completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// How `--help` groups the commands.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read a stream", &["text", "tools", "usage", "error", "events", "session", "summary", "view"]),
    ("Check a stream", &["check"]),
    ("Run an agent", &["wrap", "prompt"]),
];

impl Cli {
    /// Parses arguments, the program's name first.
    ///
    /// # Errors
    ///
    /// Help or a complaint, to be shown to the user.
    pub fn parse_from(
        arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let matches = command().try_get_matches_from(arguments)?;
        Self::from_arg_matches(&matches)
    }
}

/// The definition clap works with.
#[must_use]
pub fn command() -> clap::Command {
    let command = Cli::command();
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        format!("  {name:<10} {about}\n")
    };
    let group = |(heading, names): &(&str, &[&str])| {
        let lines: String = names.iter().map(line).collect();
        format!("{heading}:\n{lines}\n")
    };
    let groups: String = GROUPS.iter().map(group).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} streamj [OPTIONS] COMMAND [FILE]...\n\n{groups}\
         Options:\n{{options}}\n\n\
         `streamj COMMAND --help` tells more. Examples:\n  \
         claude -p \"…\" --output-format stream-json --verbose | streamj text\n  \
         streamj usage session.jsonl"
    );
    let help = clap::Arg::new("help").short('h').long("help").help("Print help");
    command
        .help_template(template)
        // One screen here; the commands' own help has the details.
        .disable_help_flag(true)
        .mut_subcommands(|command| command.arg(help.clone().action(clap::ArgAction::Help)))
        .arg(help.clone().action(clap::ArgAction::HelpShort))
}

/// Whether the arguments, as far as they can be understood, are for this
/// command.
#[must_use]
pub fn asks_for(name: &str, arguments: &[OsString]) -> bool {
    const VALUED: [&str; 3] = ["--harness", "--max-line", "--color"];
    let mut words = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default());
    while let Some(word) = words.next() {
        if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return word == name;
        }
    }
    false
}

/// What to say when nothing comes in: standard input is a terminal.
#[must_use]
pub fn usage_of(name: &str) -> String {
    let mut command = command();
    command.build();
    command
        .find_subcommand_mut(name)
        .map(|command| command.render_usage().to_string())
        .unwrap_or_default()
}

fn harness_parser() -> impl clap::builder::TypedValueParser<Value = Harness> {
    use clap::builder::TypedValueParser;
    let names = Harness::ALL.iter().map(|harness| harness.name());
    clap::builder::PossibleValuesParser::new(names)
        .try_map(|name| Harness::from_name(&name).ok_or("no such harness"))
}

/// `1000`, `64K`, `64M`, `64MiB`, `1G`.
fn size(text: &str) -> Result<usize, String> {
    match size_or_zero(text)? {
        0 => Err("must not be 0".to_owned()),
        bytes if bytes > MAX_LINE_LIMIT => Err("must be less than 4G".to_owned()),
        bytes => Ok(bytes),
    }
}

fn size_or_zero(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: usize = digits.parse().map_err(|_| "not a number of bytes".to_owned())?;
    let shift = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err("unknown unit: use K, M or G".to_owned()),
    };
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| (1..=256).contains(threads));
    threads.ok_or_else(|| "not a number from 1 to 256".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    crate::wrap::duration::parse(text)
}

/// A JSON pointer: empty, or starting with a slash.
fn pointer(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with('/') {
        Ok(text.to_owned())
    } else {
        Err(format!("a JSON pointer starts with a slash: /{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn help_groups_every_visible_command_once() {
        let command = command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<_> = visible.map(clap::Command::get_name).collect();
        let mut grouped: Vec<_> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(names, grouped);
    }

    #[test]
    fn sizes_take_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("64K"), Ok(65536));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        for wrong in ["", "K", "1T", "-1", "0", "5G", "99999999999999999999"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
