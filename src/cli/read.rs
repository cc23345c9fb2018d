//! The commands that read a stream.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::usage::UsageArgs;
use super::values::{pointer, size_or_zero};
use crate::contract::Contract;
use crate::output::{Format, Records, Shape};

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
    /// Tokens, cost and time, of a run or of a whole folder
    ///
    /// Right where lines repeat, where totals are cumulative, and where
    /// subagents work. The cost is what the CLI reported, and left out when it
    /// reported none. Members: harness, `session_id`, model, source (result,
    /// turns, messages, cost-state, none), `input_tokens`, `output_tokens`,
    /// `cache_read_tokens`, `cache_write_tokens` (of these `cache_write_5m_tokens`
    /// and `cache_write_1h_tokens`), `reasoning_tokens`, `total_tokens`, `cost_usd`,
    /// unattributed (what the CLI has counted and no message carries),
    /// `rate_limits`, models, and turns and `duration_ms` added up over all results.
    ///
    /// FILE may be a folder here: then, with --home or with --by, it is one table
    /// over all sessions, every request counted once, whoever has copied it. There
    /// the input of Codex, too, is without what was cached.
    Usage(UsageArgs),
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
    /// The document the run was asked for, valid or not
    ///
    /// The structured output of the last result that has one (`claude
    /// --json-schema`), or the last message where that is the document (`codex
    /// exec --output-schema`), as it is spelled. Without one the exit status is 1,
    /// and standard error says what there is instead.
    Structured(StructuredArgs),
    /// What the agent reports: events, memories, escalation
    ///
    /// From its structured output where that is an agent's response (see
    /// --print-schema), else from markers in its text, a line each: `[EVENT:level]
    /// message`, `[MEMORY:category] text`, both also with a `:service` behind the
    /// word, and `[COOLDOWN:restart:service] success - message` (or redeployment,
    /// or failure). The level is info, warning or critical, or a word for one of
    /// these. Under wrap every result decides for what was said since the one before
    /// it. Records by kind, each with `session_id` and
    /// `extraction_method`: summary (text), event (level, service, message), memory
    /// (service, category, observation), escalation (needed, reason, context,
    /// `failed_checks`), service (name, status, detail), cooldown (`action_type`,
    /// service, success, message).
    Findings(FindingsArgs),
}

/// Where to read from.
#[derive(Clone, Debug, Args)]
pub struct Files {
    /// Files to read, each a run of its own; none or - is standard input
    ///
    /// Files that are compressed with gzip or Zstandard are read as they are.
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

impl RecordOptions {
    /// The writer of such records.
    #[must_use]
    pub fn records(&self, shape: Shape, terminal: bool) -> Records {
        let default = if terminal { Format::Human } else { Format::Jsonl };
        Records::new(self.format.unwrap_or(default), self.get.clone(), shape)
    }
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

/// `streamj structured`
#[derive(Debug, Args)]
pub struct StructuredArgs {
    /// Print it only if it keeps this JSON Schema (drafts 4 to 2020-12)
    ///
    /// What is wrong is told on standard error, and the exit status is 1.
    #[arg(long, value_name = "FILE")]
    pub schema: Option<PathBuf>,
    /// Print one member only, strings raw: `/escalation/needed`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub get: Option<String>,
    /// Where to read from.
    #[command(flatten)]
    pub input: Files,
}

/// `streamj findings`
#[derive(Debug, Args)]
pub struct FindingsArgs {
    /// Print the schema of an agent's response and exit
    #[arg(long, conflicts_with_all = ["format", "get", "files"])]
    pub print_schema: bool,
    /// Also store the run in this SQLite file
    ///
    /// Sessions, events, memories and cooldowns; the file is made if it is not there.
    /// A run is stored once, however often it is read: by its session and its last
    /// result, else by its content.
    #[cfg(feature = "store")]
    #[arg(long, value_name = "FILE", conflicts_with = "print_schema")]
    pub db: Option<PathBuf>,
    /// How records are printed.
    #[command(flatten)]
    pub records: RecordOptions,
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
