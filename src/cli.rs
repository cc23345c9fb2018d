//! The command line, and nothing but its definition. Help, man pages and
//! completions are generated from here.

mod agent;
mod read;
#[cfg(feature = "store")]
mod store;
mod usage;
mod values;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

pub use agent::{
    ClockArgs, Complete, ExitStatus, OnClosedStdout, PromptArgs, Surroundings, WrapArgs,
};
pub use read::{
    CheckArgs, ErrorArgs, EventFormat, EventsArgs, Files, FindingsArgs, ReadCommand, RecordArgs,
    RecordOptions, StructuredArgs, SummaryArgs, Tag, TextArgs, Thinking, ToolsArgs, ViewArgs,
};
#[cfg(feature = "store")]
pub use store::{EscalateArgs, MemoriesArgs};
pub use usage::{By, Moment, Plot, UsageArgs};

use crate::harness::Harness;
use crate::output::ColorChoice;
use values::{harness_parser, size, threads};

/// The longest line that is read, if the user does not say.
const MAX_LINE: &str = "64M";

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
    /// Mask secrets before anything is made of a line
    ///
    /// Keys and tokens of known shapes, private keys, passwords in addresses, what
    /// stands behind a name like `api_key`, and the values of environment variables
    /// that have such a name. Each becomes `<redacted>`.
    #[arg(long, global = true)]
    pub redact: bool,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

impl Global {
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
            redact: own.redact || self.redact,
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
    /// Agents in tiers: the next one runs when one asks for it
    ///
    /// Runs the lowest tier as `wrap` does. If its findings say that escalation is
    /// needed, and --max-tier, --cooldown and --dry-run allow it, the next tier is run
    /// and told why: as `--append-system-prompt` (claude), before the prompt (codex), or
    /// on standard input. Prints a JSON line for each decision: tier, name, `session_id`,
    /// needed, decision (escalate, settled, max-tier, dry-run, cooldown, failed), reason.
    ///
    /// Exit status: 0 nothing was needed, or a tier settled it; 3 the last tier that may
    /// run still asks (also with cooldown and dry-run); 124 a clock ran out, 125 streamj
    /// failed, 126 and 127 a tier cannot be run; 128+N signal N came; else that of the
    /// tier that failed. A tier that itself exits with 3 is told by its decision: failed.
    #[cfg(feature = "store")]
    Escalate(Box<EscalateArgs>),
    /// What agents have learnt, for the next one
    ///
    /// The active memories of a store by service, each with its category and its
    /// confidence, as a text for `claude --append-system-prompt`. Members of a record:
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

/// The commands that run an agent.
#[cfg(feature = "store")]
const RUN: &[&str] = &["wrap", "prompt", "escalate", "memories"];
#[cfg(not(feature = "store"))]
const RUN: &[&str] = &["wrap", "prompt"];

/// How `--help` groups the commands.
const GROUPS: &[(&str, &[&str])] = &[
    ("Read a stream", &["text", "tools", "usage", "error", "events", "session", "summary", "view"]),
    ("Check a stream", &["check", "structured", "findings"]),
    ("Run an agent", RUN),
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
    const VALUED: [&str; 4] = ["--harness", "--max-line", "--threads", "--color"];
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
}
