//! The command line. Help texts, man pages and completions are generated from it.

mod agent;
mod bash;
pub(crate) mod duration;
mod global;
mod grep;
mod harness;
pub(crate) mod manual;
mod moment;
mod options;
mod read;
mod report;
#[cfg(feature = "serve")]
mod serve;
mod sessions;
#[cfg(feature = "store")]
mod store;
mod usage;
mod values;

use std::ffi::OsString;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

pub(crate) use agent::{ClockArgs, ExitStatus, OnClosedStdout, PromptArgs, Surroundings, WrapArgs};
pub(crate) use global::Global;
pub(crate) use grep::GrepArgs;
pub(crate) use harness::{HarnessAction, HarnessArgs};
pub(crate) use moment::Moment;
pub(crate) use options::{Files, HeuristicArgs, RowOptions};
pub(crate) use read::{ErrorArgs, FindingsArgs, ReadCommand};
pub(crate) use report::{ReportArgs, ReportFormat};
#[cfg(feature = "serve")]
pub(crate) use serve::ServeArgs;
pub(crate) use sessions::SessionsArgs;
#[cfg(feature = "store")]
pub(crate) use store::{EscalateArgs, MemoriesArgs};
pub(crate) use usage::UsageArgs;

/// Read the event streams of coding-agent CLIs.
///
/// streamj reads the JSON lines that Claude Code (`claude -p --output-format
/// stream-json --verbose`), Codex (`codex exec --json`) and other agent CLIs print
/// (`streamj harness list` names them), detects which CLI wrote each line, and prints
/// the part you ask for. A broken line never affects other lines.
#[derive(Debug, Parser)]
#[command(name = "streamj", version, arg_required_else_help = true, max_term_width = 80)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Read(ReadCommand),
    /// List the sessions on this machine
    ///
    /// Prints one row per session, the one that was used last first; a session is listed
    /// once, with its subagents. Reads the homes of all CLIs, or the given files and
    /// folders. Members: `session_id`, harness, project, `started_at`, `last_at`,
    /// `duration_ms` (from the first to the last line), model, turns (prompts), tools
    /// (calls, failed, denied), the tokens as in a table of `usage`, `cost_usd` (reported),
    /// `cost_with_estimate_usd`, prompt (the start of the first one), failed,
    /// `error_category`, file.
    ///
    /// Wherever a FILE is expected, a session can be named: by its id, by the start of it
    /// (four characters or more), or as `@last`, `@last-1` and so on in the order of this
    /// list. An argument that is a file, or has a slash or a dot, is never looked up.
    Sessions(Box<SessionsArgs>),
    /// Search what was said and done in sessions
    ///
    /// Searches prompts, texts, reasoning, and the inputs and outputs of tools for a
    /// regular expression (the syntax of Rust's regex crate: linear time, no
    /// backreferences), as they were said: an escape of JSON matches as its character. A
    /// text that a CLI prints in parts is searched part by part. Reads the homes of all
    /// CLIs, or the given files, folders and sessions, the newest first. Members of a row:
    /// `session_id`, harness, project, file, line, timestamp, where (text, prompt,
    /// thinking, tool-input, tool-output), tool, text (the matching line of the text).
    ///
    /// Exit status: 0 if something matches, 1 if nothing does, 2 for an error.
    Grep(Box<GrepArgs>),
    /// Write runs as one HTML file, or as Markdown
    ///
    /// The file needs nothing else: it opens from disk, and no request leaves it. It shows
    /// what a run did and what came of it: a timeline, the conversation with its tool
    /// calls, subagents and retries, with filters and search. Several files, or a folder,
    /// give an index of the sessions with charts in front. `streamj report run.jsonl -o
    /// run.html`; `streamj report @last --redact -o run.html` masks secrets. Without
    /// --redact, the report says if it contains secrets.
    ///
    /// With --format markdown, long texts and outputs are cut.
    Report(Box<ReportArgs>),
    /// Show sessions in a browser, as they are written
    ///
    /// Prints the address of the page, which contains a token: `http://127.0.0.1:PORT/?token=…`.
    /// The page is that of `report`, with the list of all sessions and charts of what they
    /// used, and a session grows as its agent works. Reads the homes of all CLIs, or the
    /// given files and folders; changes nothing. Answers requests from this machine only,
    /// and none without the token; to see it from elsewhere, forward the port: `ssh -L
    /// 8000:127.0.0.1:8000 HOST`.
    #[cfg(feature = "serve")]
    Serve(Box<ServeArgs>),
    /// Run an agent with timeouts, a run record and full cleanup
    ///
    /// Adds what makes the CLI print events (`--json` for `codex exec`, `-p
    /// --output-format stream-json --verbose` for claude), prints what you ask for, and
    /// ends every process of the run. Never adds a flag that grants permissions.
    Wrap(Box<WrapArgs>),
    /// Print input lines for an agent
    ///
    /// Prints one user message per TEXT, in the format of `claude --input-format
    /// stream-json`: `streamj prompt "What is Python?" "Show hello world" | streamj wrap
    /// -- claude -p --input-format stream-json`.
    Prompt(PromptArgs),
    /// Run agents in tiers, the next one on request
    ///
    /// Runs the lowest tier like `wrap`. If its findings request escalation, and
    /// --max-tier, --cooldown and --dry-run allow it, the next tier runs and gets the
    /// reason: as `--append-system-prompt` (claude), before the prompt (codex), or on
    /// standard input. Prints a JSON line for each decision: tier, name, `session_id`,
    /// needed, decision (escalate, settled, max-tier, dry-run, cooldown, failed), reason.
    ///
    /// Exit status: 0 if nothing was needed or a tier settled it; 3 if the last tier that
    /// may run still requests escalation (also with cooldown and dry-run); 124 for a
    /// timeout, 125 for a failure of streamj, 126 and 127 if a tier cannot be run; 128+N
    /// for signal N; else the status of the tier that failed. If a tier itself exits with
    /// 3, its decision is `failed`.
    #[cfg(feature = "store")]
    Escalate(Box<EscalateArgs>),
    /// Print observations of earlier runs
    ///
    /// Prints the active memories of a store by service, each with its category and its
    /// confidence, as text for `claude --append-system-prompt`. Members of a row:
    /// service, category, observation, confidence, `created_at`, `updated_at`, tier.
    #[cfg(feature = "store")]
    Memories(MemoriesArgs),
    /// Copy a stream or session without its secrets
    ///
    /// Masks what --redact masks, and changes nothing else: every line is kept, in order,
    /// also those that are not JSON. Prints the number of secrets by rule on standard
    /// error, never a secret. Exit status 1 if a line is longer than --max-line, which is
    /// not copied.
    Redact(RedactArgs),
    /// List agent CLIs, or describe one that is not built in
    ///
    /// A description says how the lines of a CLI are recognised and where their text, tool
    /// calls and tokens are, so that all commands read them. docs/harnesses.md explains the
    /// format. `streamj harness infer run.jsonl > my-agent.toml` proposes one, with comments
    /// and to be edited, by the names of members and by how their values repeat.
    Harness(HarnessArgs),
    /// Print a man page
    ///
    /// Prints the page of streamj or of one of its commands, to be read with `man -l`:
    /// `streamj man usage | man -l -`.
    Man(ManArgs),
    /// Print a completion script for a shell
    ///
    /// `source <(streamj completions bash)` in `~/.bashrc` enables it; for fish, write
    /// it to `~/.config/fish/completions/streamj.fish`; for zsh, to a file `_streamj` in
    /// a directory of `$fpath`.
    Completions(CompletionsArgs),
    /// Print the JSON Schema of an output
    ///
    /// Those of error, session, summary, tools and usage describe the rows that these
    /// commands print; events is for `events --unified`. An agent's response is the
    /// document that `wrap --schema` requests; the strict form is for OpenAI's API.
    Schema(SchemaArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RedactArgs {
    #[command(flatten)]
    pub(crate) files: Files,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command to describe; streamj itself by default
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The output to describe
    #[arg(value_name = "NAME")]
    pub(crate) name: SchemaName,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SchemaName {
    AgentResponse,
    AgentResponseStrict,
    Error,
    Events,
    Session,
    Summary,
    Tools,
    Usage,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Commands that find and share sessions.
#[cfg(feature = "serve")]
const FIND: &[&str] = &["sessions", "grep", "report", "serve", "redact"];
#[cfg(not(feature = "serve"))]
const FIND: &[&str] = &["sessions", "grep", "report", "redact"];

/// Commands that run an agent.
#[cfg(feature = "store")]
const RUN: &[&str] = &["wrap", "prompt", "escalate", "memories"];
#[cfg(not(feature = "store"))]
const RUN: &[&str] = &["wrap", "prompt"];

/// The groups of commands in `--help`.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read a stream", &["text", "tools", "usage", "error", "events", "session", "summary", "view"]),
    ("Check a stream", &["check", "structured", "findings"]),
    ("Find and share sessions", FIND),
    ("Run an agent", RUN),
    ("Set up", &["harness", "completions", "man", "schema"]),
];

impl Cli {
    /// Parses arguments, the program's name first.
    pub fn parse_from(
        arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let matches = command().try_get_matches_from(arguments)?;
        let global = Global::from_both_places(&matches)?;
        Ok(Self { global, ..Self::from_arg_matches(&matches)? })
    }
}

/// Returns clap's definition.
pub(crate) fn command() -> clap::Command {
    let command = Cli::command();
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        format!("  {name:<11} {about}\n")
    };
    let group = |(heading, names): &(&str, &[&str])| {
        let lines: String = names.iter().map(line).collect();
        format!("{heading}:\n{lines}")
    };
    let groups: String = GROUPS.iter().map(group).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} streamj [OPTIONS] COMMAND [FILE]...\n\n{groups}\n\
         Options:\n{{options}}\n\
         `streamj COMMAND --help` describes a command and all its options. Example:\n  \
         claude -p \"…\" --output-format stream-json --verbose | streamj text"
    );
    let options = global::definitions();
    let names = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
    let names = PossibleValuesParser::new(names);
    let help = Arg::new("help").short('h').long("help").help("Print help").display_order(999);
    command
        .help_template(template)
        // The main help fits on one screen; those of the commands are detailed.
        .disable_help_flag(true)
        .mut_args(|option| match option.get_id().as_str() {
            "harness_file" | "max_line" | "threads" | "strict" | "csv_safe" | "redact_pattern"
            | "redact_file" | "color" => option.hide_short_help(true),
            // The commands list the names.
            "harness" => option.hide_possible_values(true),
            _ => option,
        })
        .mut_subcommand("man", |man| man.mut_arg("command", |name| name.value_parser(names)))
        .mut_subcommands(|command| {
            let reads_homes = matches!(command.get_name(), "sessions" | "grep" | "serve");
            let command = if reads_homes { command.mut_arg("files", of_homes) } else { command };
            global::add(&options, command)
                .arg(help.clone().action(clap::ArgAction::Help))
                .mut_args(with_value_hint)
        })
        .mut_args(with_value_hint)
        .arg(help.clone().action(clap::ArgAction::HelpShort))
}

/// Returns the files of a command that reads the homes of the CLIs if there are none.
fn of_homes(files: Arg) -> Arg {
    let help = "Files and folders to read; the homes of all CLIs if there is none; - is standard \
        input";
    let details = "Files may be compressed with gzip or Zstandard. A session on this machine can \
        be named by its id, the start of it, or as @last, @last-1, … (see `sessions`).";
    files.help(help).long_help(format!("{help}\n\n{details}"))
}

/// Returns the definition of an argument with a hint for completions: shells offer files
/// for a value they know nothing about.
fn with_value_hint(arg: Arg) -> Arg {
    let is_unknown = arg.get_value_hint() == ValueHint::Unknown;
    let is_free = arg.get_action().takes_values() && arg.get_possible_values().is_empty();
    if is_unknown && is_free { arg.value_hint(ValueHint::Other) } else { arg }
}

/// Returns whether arguments that could not be parsed are for this command.
pub(crate) fn is_command(name: &str, arguments: &[OsString]) -> bool {
    const WITH_VALUE: [&str; 7] = [
        "--harness",
        "--harness-file",
        "--max-line",
        "--threads",
        "--color",
        "--redact-pattern",
        "--redact-file",
    ];
    let mut words = arguments.iter().skip(1).map(|word| word.to_str().unwrap_or_default());
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return word == name;
        }
    }
    false
}

/// Returns the usage line of a command.
pub(crate) fn usage_of(name: &str) -> String {
    let mut command = command();
    command.build();
    command
        .find_subcommand_mut(name)
        .map(|command| command.render_usage().to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_valid() {
        command().debug_assert();
    }

    #[test]
    fn help_lists_every_visible_command_once() {
        let command = command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut names: Vec<_> = visible.map(clap::Command::get_name).collect();
        let mut grouped: Vec<_> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        names.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(names, grouped);
    }
}
