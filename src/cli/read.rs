//! Commands that read a stream.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::options::{Files, HeuristicArgs, JsonFlag, OriginFlag, RowOptions};
use super::usage::UsageArgs;
use super::values::{event_formats, pointer, row_formats, size_or_zero};
use crate::harness::format::Contract;
use crate::output::Format;
use crate::projection::{CheckOptions, Tag};
use crate::run::FailOn;
use crate::view::{Thinking, ViewOptions};

#[derive(Debug, Subcommand)]
pub(crate) enum ReadCommand {
    /// Print the assistant's text
    ///
    /// Prints every block of text, joined with newlines, as it arrives. With partial
    /// messages the deltas appear at once, and nothing is printed twice.
    Text(TextArgs),
    /// Print the tool calls with input, outcome and output
    ///
    /// Prints one row per tool call when its result comes, and at the end the calls
    /// without a result, as pending. Members, each only if the stream has it: harness,
    /// id, name, input, status (completed, failed, denied, pending), output, stdout,
    /// stderr, interrupted, `exit_code`, `is_error`, `parent_id`, server, `duration_ms`,
    /// and truncated if --max-output cut something.
    Tools(ToolsArgs),
    /// Print tokens, cost and time of a run or of a folder
    ///
    /// Counts each token once, even if lines repeat, totals are cumulative, or subagents
    /// run. The cost is what the CLI reports; it is omitted if the CLI reports none, or
    /// none for a part of the requests: then `partial_cost_usd` is the cost of the others.
    /// Members: harness, `session_id`, model, source (result, turns, messages,
    /// cost-state, none), `input_tokens`, `output_tokens`, `cache_read_tokens`,
    /// `cache_write_tokens` (of these `cache_write_5m_tokens` and
    /// `cache_write_1h_tokens`), `reasoning_tokens`, `total_tokens`,
    /// `cached_input_tokens` (read from the cache), `uncached_input_tokens` (neither read
    /// from nor written to the cache), `cost_usd`, unattributed (tokens counted by the CLI but
    /// not tied to a message), `rate_limits`, models, and turns and `duration_ms` as sums
    /// over all results. Uncached input, cache reads, cache writes and output add up to the
    /// total. In the record of a run `input_tokens` is what the CLI calls input: Claude
    /// Code excludes the cached input, Codex includes it.
    ///
    /// FILE may be a folder. For a folder, with --home or with --by, one table over all
    /// sessions is printed, with every request counted once, even if it was copied.
    /// In a table `input_tokens` is the uncached input of every CLI. Further members of
    /// its rows: sessions, `sessions_without_cost` (their cost is missing or partial),
    /// and `undated_tokens` and `undated_sessions` for streams without timestamps, which
    /// are dated by the modification time of their files; for a session `first` and
    /// `last`, the times of its requests with their offset from UTC.
    Usage(Box<UsageArgs>),
    /// Print the error of a failed run with its category
    ///
    /// Prints nothing if the run succeeded. Members: harness, category (`rate_limit`,
    /// auth, api, interactive, background-task, incomplete; under wrap also subprocess,
    /// timeout, interrupted), message, status, reason (overloaded, `max_turns`, network,
    /// …), retryable (whether a later attempt may succeed), subtype, `terminal_reason`,
    /// `retry_at`, source (result, turn, message, stream, heuristic, truncated, process).
    Error(ErrorArgs),
    /// Print every event, tagged with its harness
    ///
    /// Other members keep their bytes. With --unified the events are streamj's own, the
    /// same for every CLI.
    Events(EventsArgs),
    /// Print session id, model, directory, version, tools
    ///
    /// Prints the first description of the session. Members: harness, `session_id`,
    /// model, cwd, version, tools, `mcp_servers`, `permission_mode`, `api_key_source`,
    /// agents, `slash_commands`, `resume_command`.
    Session(SessionArgs),
    /// Print the whole run as one object
    ///
    /// Members: harness, `session_id`, model, output, error, `error_category`, reason,
    /// retryable, `input_tokens`, `output_tokens`, `cache_read_tokens`,
    /// `cache_write_tokens`, `api_key_source`, warnings, `succeeded_cleanly`, complete,
    /// `num_turns`, `duration_ms`, `cost_usd`, `structured_output`, tools (calls, failed,
    /// denied), `permission_denials`, `harness_metadata`, lines. Tokens, `num_turns` and
    /// `duration_ms` are those of the last result; `usage` has the sums.
    Summary(SummaryArgs),
    /// Show the run for people, live
    ///
    /// Shows text as it arrives, one line per tool call, and the result at the end. On a
    /// terminal with colour and light Markdown; elsewhere line by line with tags in
    /// brackets: session, prompt, tool, thinking, retry, limit, task, note, control,
    /// result, usage, error.
    View(ViewArgs),
    /// Check that every line matches its CLI's format
    ///
    /// Prints `FILE:LINE: CODE: MESSAGE` for every violation, also in a pipe, and exits
    /// with 1 if there is any. Codes: `JsonParse` (not JSON), `TypedParse` (a member is
    /// missing or has the wrong type), Normalize (`is_error` contradicts the subtype),
    /// Unknown (a type that the contract does not list, with --members also a member; or
    /// a CLI without format tables).
    /// Members: file, line, outcome (error, event, unknown), code, message, variant,
    /// `session_id`, subtype, name, count.
    Check(CheckArgs),
    /// Print the document that the run was asked for
    ///
    /// Prints the structured output of the last result that has one (`claude
    /// --json-schema`), or the last message if that is the document (`codex exec
    /// --output-schema`), unchanged. Without one the exit status is 1, and standard error
    /// says what there is instead.
    Structured(StructuredArgs),
    /// Print what the agent reports: events, memories, escalation
    ///
    /// Reads the structured output if it is an agent's response (see --print-schema),
    /// else markers in the text, one per line: `[EVENT:level] message`,
    /// `[MEMORY:category] text`, both also with a `:service` behind the word, and
    /// `[COOLDOWN:restart:service] success - message` (or redeployment, or failure). The
    /// level is info, warning or critical, or a synonym. Under wrap every result decides
    /// for what came since the previous one. Rows by kind, each with `session_id` and
    /// `extraction_method`: summary (text), event (level, service, message), memory
    /// (service, category, observation), escalation (needed, reason, context,
    /// `failed_checks`), service (name, status, detail), cooldown (`action_type`,
    /// service, success, message).
    Findings(FindingsArgs),
}

impl ReadCommand {
    /// Returns what the command reads.
    pub fn input(&mut self) -> &mut Files {
        match self {
            Self::Text(args) => &mut args.input,
            Self::Tools(args) => &mut args.input,
            Self::Usage(args) => &mut args.input,
            Self::Error(args) => &mut args.input,
            Self::Events(args) => &mut args.input,
            Self::Session(args) => &mut args.input,
            Self::Summary(args) => &mut args.input,
            Self::View(args) => &mut args.input,
            Self::Check(args) => &mut args.input,
            Self::Structured(args) => &mut args.input,
            Self::Findings(args) => &mut args.input,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// Print the final answer only
    #[arg(long)]
    pub(crate) last: bool,
    /// Omit the text of subagents
    #[arg(long)]
    pub(crate) main_only: bool,
    /// Make the text safe for the log of a CI system
    ///
    /// Escapes workflow commands (`::error::`, `##[group]`) by a space, and makes control
    /// characters visible. Always on in `wrap`, if a variable like `GITHUB_ACTIONS` or
    /// `GITLAB_CI` is set.
    #[arg(long)]
    pub(crate) ci_safe: bool,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Print calls of tools with this name; * and ? are wildcards (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub(crate) name: Vec<String>,
    /// Print calls that failed or were denied
    #[arg(long)]
    pub(crate) failed: bool,
    /// Exit with 1 if a call failed or was denied
    ///
    /// With --name only calls of these tools count.
    #[arg(short, long)]
    pub(crate) exit_status: bool,
    /// Cut outputs after this many bytes (K, M, G)
    #[arg(long, value_name = "BYTES", value_parser = size_or_zero)]
    pub(crate) max_output: Option<usize>,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Debug, Args)]
pub(crate) struct ErrorArgs {
    /// Set the exit status by category
    ///
    /// 0 none, 75 `rate_limit`, 77 `auth`, 69 `api` (76 if a later attempt cannot succeed),
    /// 70 `subprocess`, 124 `timeout`, 65 `interactive`, `background-task` or `incomplete`
    /// (a stream without an end).
    #[arg(short, long)]
    pub(crate) exit_status: bool,
    /// Also exit with 1 if a run that did not fail meets this condition (repeatable)
    #[arg(long, value_name = "WHAT", requires = "exit_status")]
    pub(crate) fail_on: Vec<FailOn>,
    #[command(flatten)]
    pub(crate) heuristics: HeuristicArgs,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Debug, Args)]
pub(crate) struct SummaryArgs {
    #[command(flatten)]
    pub(crate) heuristics: HeuristicArgs,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ViewArgs {
    /// Show inputs, outputs and diffs
    #[arg(long)]
    full: bool,
    /// Show all reasoning
    #[arg(long, conflicts_with = "no_thinking")]
    thinking: bool,
    /// Show no reasoning
    #[arg(long)]
    no_thinking: bool,
    /// Print Markdown unchanged
    #[arg(long)]
    no_markdown: bool,
    /// Use ASCII characters only
    #[arg(long)]
    ascii: bool,
    /// Wrap at this column [default: the width of the terminal]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    width: Option<u16>,
    /// Read on as the file grows
    #[arg(long, requires = "files")]
    pub(crate) follow: bool,
    #[command(flatten)]
    heuristics: HeuristicArgs,
    #[command(flatten)]
    pub(crate) input: Files,
}

impl ViewArgs {
    /// Returns the options of the view.
    pub fn options(&self) -> ViewOptions {
        ViewOptions {
            is_full: self.full,
            thinking: match (self.thinking, self.no_thinking) {
                (true, _) => Thinking::Shown,
                (_, true) => Thinking::Hidden,
                _ => Thinking::Folded,
            },
            renders_markdown: !self.no_markdown,
            ascii_only: self.ascii,
            width: self.width.map(usize::from),
            follows: self.follow,
            heuristics: self.heuristics.mode(),
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// What lines are checked against
    ///
    /// With current every unknown type and subtype is a violation, listed once with its
    /// count: what a new release of the CLI has changed.
    #[arg(long, value_name = "WHICH", default_value = "current")]
    pub(crate) contract: Contract,
    /// Also report members that no known release prints
    ///
    /// Lists each unknown member of a known type once with its count, as
    /// `TYPE/SUBTYPE.MEMBER`. Inputs and results of tools and requested documents are not
    /// checked.
    #[arg(long)]
    pub(crate) members: bool,
    /// Also print the lines that match
    #[arg(long)]
    pub(crate) every_line: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = row_formats())]
    format: Format,
    #[command(flatten)]
    json: JsonFlag,
    /// Print one member only, strings without quotes: `/code`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) get: Option<String>,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

impl CheckArgs {
    /// Returns the output format.
    pub fn format(&self) -> Format {
        self.json.format().unwrap_or(self.format)
    }

    /// Returns what is checked and printed.
    pub fn options(&self) -> anyhow::Result<CheckOptions> {
        let has_tables = !self.members || self.contract == Contract::Current;
        anyhow::ensure!(
            has_tables,
            "--members compares with the known releases; it cannot be used with --contract v1"
        );
        Ok(CheckOptions {
            contract: self.contract,
            reports_members: self.members,
            prints_every_line: self.every_line,
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct StructuredArgs {
    /// Print it only if it matches this JSON Schema (drafts 4 to 2020-12)
    ///
    /// Violations are reported on standard error, and the exit status is 1.
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Print one member only, strings without quotes: `/escalation/needed`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) get: Option<String>,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Debug, Args)]
pub(crate) struct FindingsArgs {
    /// Print the schema of an agent's response and exit
    #[arg(long, conflicts_with_all = ["format", "json", "get", "files"])]
    pub(crate) print_schema: bool,
    /// Also store the run in this SQLite file
    ///
    /// Stores sessions, events, memories and cooldowns; the file is created if it does
    /// not exist. A run is stored once, however often it is read: it is identified by its
    /// session and its last result, else by its content.
    #[cfg(feature = "store")]
    #[arg(long, value_name = "FILE", conflicts_with = "print_schema")]
    pub(crate) db: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) rows: RowOptions,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Which events get a "harness" member
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub(crate) tag: Tag,
    /// Print neutral events instead of the CLI's own
    #[arg(long)]
    pub(crate) unified: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", value_parser = event_formats())]
    format: Format,
    #[command(flatten)]
    json: JsonFlag,
    /// Print one member of each event only, strings without quotes: `/type`
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) get: Option<String>,
    #[command(flatten)]
    pub(crate) origin: OriginFlag,
    #[command(flatten)]
    pub(crate) input: Files,
}

impl EventsArgs {
    /// Returns the output format.
    pub fn format(&self) -> Format {
        self.json.format().unwrap_or(self.format)
    }
}
