//! The command line. Help texts, man pages and completions are generated from it.

mod agent;
pub(crate) mod duration;
pub(crate) mod manual;
mod read;
#[cfg(feature = "store")]
mod store;
mod usage;
mod values;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use agent::{ClockArgs, ExitStatus, OnClosedStdout, PromptArgs, Surroundings, WrapArgs};
pub(crate) use read::{Files, FindingsArgs, HeuristicArgs, ReadCommand, RowOptions};
#[cfg(feature = "store")]
pub(crate) use store::{EscalateArgs, MemoriesArgs};
pub(crate) use usage::{Moment, UsageArgs};

use crate::harness::Harness;
use crate::output::ColorChoice;
use values::{harness_parser, size, threads};

/// The default of `--max-line`.
const MAX_LINE: &str = "64M";

/// Read the event streams of coding-agent CLIs.
///
/// streamj reads the JSON lines that Claude Code (`claude -p --output-format
/// stream-json --verbose`) and Codex (`codex exec --json`) print, detects which CLI
/// wrote each line, and prints the part you ask for. A broken line never affects
/// other lines.
#[derive(Debug, Parser)]
#[command(name = "streamj", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) global: Global,
}

/// Options of every command; listed after the command's own.
#[derive(Debug, Args)]
#[command(next_display_order = 900)]
pub(crate) struct Global {
    /// Decode every line as this CLI's instead of detecting it
    #[arg(long, global = true, value_name = "NAME", value_parser = harness_parser())]
    pub(crate) harness: Option<Harness>,
    /// Skip lines longer than this (K, M, G)
    #[arg(long, global = true, value_name = "BYTES", default_value = MAX_LINE, value_parser = size)]
    pub(crate) max_line: usize,
    /// Threads for large inputs [default: one per core, at most 8]
    #[arg(long, global = true, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Exit with 1 if a line was not JSON or too long
    #[arg(long, global = true)]
    pub(crate) strict: bool,
    /// Mask secrets in all output
    ///
    /// Masks keys and tokens of known shapes, private keys, passwords in URLs, values
    /// behind a name like `api_key`, and the values of environment variables with such
    /// a name. Each becomes `<redacted>`.
    #[arg(long, global = true)]
    pub(crate) redact: bool,
    /// Suppress notes; print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

impl Global {
    /// Returns these options, overridden by `own` where it differs from the default.
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
            redact: own.redact || self.redact,
            quiet: own.quiet || self.quiet,
            color: color.unwrap_or(self.color),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Read(ReadCommand),
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
    /// Print a man page
    #[command(hide = true)]
    Man(ManArgs),
    /// Print a shell completion script
    #[command(hide = true)]
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command to describe; streamj itself by default
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Commands that run an agent.
#[cfg(feature = "store")]
const RUN: &[&str] = &["wrap", "prompt", "escalate", "memories"];
#[cfg(not(feature = "store"))]
const RUN: &[&str] = &["wrap", "prompt"];

/// The groups of commands in `--help`.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read a stream", &["text", "tools", "usage", "error", "events", "session", "summary", "view"]),
    ("Check a stream", &["check", "structured", "findings"]),
    ("Run an agent", RUN),
];

impl Cli {
    /// Parses arguments, the program's name first.
    pub fn parse_from(
        arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let matches = command().try_get_matches_from(arguments)?;
        Self::from_arg_matches(&matches)
    }
}

/// Returns clap's definition.
pub(crate) fn command() -> clap::Command {
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
         `streamj COMMAND --help` describes a command. Examples:\n  \
         claude -p \"…\" --output-format stream-json --verbose | streamj text\n  \
         streamj usage session.jsonl"
    );
    let help = clap::Arg::new("help").short('h').long("help").help("Print help");
    command
        .help_template(template)
        // The main help fits on one screen; those of the commands are detailed.
        .disable_help_flag(true)
        .mut_subcommands(|command| command.arg(help.clone().action(clap::ArgAction::Help)))
        .arg(help.clone().action(clap::ArgAction::HelpShort))
}

/// Returns whether arguments that could not be parsed are for this command.
pub(crate) fn is_command(name: &str, arguments: &[OsString]) -> bool {
    const WITH_VALUE: [&str; 4] = ["--harness", "--max-line", "--threads", "--color"];
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
