//! Options that may be given before or after the command.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, ValueHint};
use regex::bytes::Regex;

use super::values::{HarnessParser, OwnPatterns, own_pattern, pattern_file, size, threads};
use crate::harness::Harness;
use crate::output::ColorChoice;
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::redact::Redactor;

/// The default of `--max-line`.
const MAX_LINE: &str = "64M";

/// Options of reading commands, and of others as far as they matter to them; listed
/// after the command's own.
#[derive(Debug, Args)]
#[command(next_display_order = 900)]
pub(crate) struct Global {
    /// Assume this CLI
    #[arg(long = "harness", id = "harness", value_name = "NAME")]
    #[arg(value_parser = HarnessParser, hide_possible_values = true)]
    #[arg(long_help = harness_help())]
    pub(crate) harness_name: Option<String>,
    /// Read the description of a CLI that is not built in
    ///
    /// May be given several times. Descriptions in `$XDG_CONFIG_HOME/streamj/harnesses/*.toml`
    /// (`~/.config` by default) are read in any case. `streamj harness infer` proposes one.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) harness_file: Vec<PathBuf>,
    /// The CLI of `--harness`; set by `descriptions::resolve`.
    #[arg(skip)]
    pub(crate) harness: Option<Harness>,
    /// The CLIs that are not built in; set by `descriptions::resolve`.
    #[arg(skip)]
    pub(crate) described: &'static [Harness],
    /// Skip lines longer than this (K, M, G)
    #[arg(long, value_name = "BYTES", default_value = MAX_LINE, value_parser = size)]
    pub(crate) max_line: usize,
    /// Threads for large inputs [default: one per core, at most 8]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Exit with 1 if a line was not JSON or too long
    ///
    /// Text that a CLI prints between its events does not count.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Mask secrets in all output
    ///
    /// Masks keys and tokens of known shapes, private keys, passwords in URLs, values
    /// behind a name like `api_key`, and the values of environment variables with such
    /// a name. Each becomes `<redacted>`.
    #[arg(long)]
    pub(crate) redact: bool,
    /// Mask what this regular expression matches, too (repeatable; implies --redact)
    ///
    /// Applies to each line of a text on its own.
    #[arg(long, value_name = "REGEX", value_parser = own_pattern)]
    redact_pattern: Vec<OwnPatterns>,
    /// Read such expressions from a file, one per line (repeatable; implies --redact)
    ///
    /// Empty lines and lines that start with # are skipped.
    #[arg(long, value_name = "FILE", value_parser = pattern_file, value_hint = ValueHint::FilePath)]
    redact_file: Vec<OwnPatterns>,
    /// Write cells of tables that a spreadsheet would compute behind an apostrophe
    ///
    /// Concerns cells of csv and tsv that start with =, +, -, @, a tab or a carriage
    /// return, and are not numbers.
    #[arg(long)]
    pub(crate) csv_safe: bool,
    /// Suppress notes; print errors only
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Use colour: auto, always, never
    ///
    /// With auto, a non-empty `NO_COLOR` turns colour off; else `FORCE_COLOR` or
    /// `CLICOLOR_FORCE`, if neither empty nor 0 nor false, turns it on; else it is used on
    /// a terminal.
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) color: ColorChoice,
}

/// Returns whether an option has an effect on a command.
fn applies(option: &str, command: &str) -> bool {
    match command {
        "prompt" | "harness" | "man" | "completions" | "schema" => false,
        "memories" => matches!(option, "quiet" | "csv_safe"),
        "redact" => matches!(
            option,
            "harness_file" | "max_line" | "redact" | "redact_pattern" | "redact_file" | "quiet"
        ),
        "report" => !matches!(option, "csv_safe" | "color"),
        "serve" => !matches!(option, "csv_safe" | "color" | "strict"),
        // A stream is decoded on one thread as it arrives.
        "wrap" | "escalate" => option != "threads",
        _ => true,
    }
}

/// Returns the definitions of the options.
pub(super) fn definitions() -> Vec<Arg> {
    Global::augment_args(Command::new("global")).get_arguments().cloned().collect()
}

/// Adds the options that apply to a command.
pub(super) fn add(definitions: &[Arg], command: Command) -> Command {
    let name = command.get_name().to_owned();
    let applies = |option: &&Arg| applies(option.get_id().as_str(), &name);
    command.args(definitions.iter().filter(applies))
}

impl Global {
    /// Returns the options given before and after the command; the latter win. Fails if
    /// one before the command has no effect on it.
    pub(super) fn from_both_places(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let (name, own) = matches.subcommand().unwrap_or(("", matches));
        for option in definitions() {
            let id = option.get_id().as_str();
            if is_given(matches, id) && !applies(id, name) {
                return Err(has_no_effect(&option, name));
            }
        }
        let place = |id| if applies(id, name) && is_given(own, id) { own } else { matches };
        let default = size(MAX_LINE).unwrap_or(usize::MAX);
        let all = |id| {
            let places =
                [Some(matches), Some(own).filter(|own| applies(id, name) && is_given(own, id))];
            let values = places.into_iter().flatten().filter_map(|place| place.get_many(id));
            values.flatten().cloned().collect::<Vec<OwnPatterns>>()
        };
        Ok(Self {
            harness_name: place("harness").get_one("harness").cloned(),
            harness_file: [matches, own]
                .into_iter()
                .filter_map(|place| place.try_get_many("harness_file").ok().flatten())
                .flatten()
                .cloned()
                .collect(),
            harness: None,
            described: &[],
            max_line: place("max_line").get_one("max_line").copied().unwrap_or(default),
            threads: place("threads").get_one("threads").copied(),
            strict: place("strict").get_flag("strict"),
            redact: place("redact").get_flag("redact"),
            csv_safe: place("csv_safe").get_flag("csv_safe"),
            redact_pattern: all("redact_pattern"),
            redact_file: all("redact_file"),
            quiet: place("quiet").get_flag("quiet"),
            color: place("color").get_one("color").copied().unwrap_or_default(),
        })
    }

    /// Returns whether secrets are masked.
    pub fn redacts(&self) -> bool {
        self.redact || !self.own_patterns().is_empty()
    }

    /// Returns what masks secrets, if they are masked.
    pub fn redactor(&self) -> Option<Redactor> {
        let own = self.own_patterns();
        self.redacts().then(|| Redactor::of_variables(std::env::vars_os(), &own))
    }

    /// Returns the user's patterns of secrets.
    pub fn own_patterns(&self) -> Vec<Regex> {
        let lists = self.redact_pattern.iter().chain(&self.redact_file);
        lists.flat_map(|list| list.0.iter().cloned()).collect()
    }

    /// Returns how all events of an input are read.
    pub fn reader_options(&self) -> ReaderOptions {
        ReaderOptions {
            decode: DecodeOptions {
                harness: self.harness,
                described: self.described,
                ..DecodeOptions::default()
            },
            max_line: self.max_line,
            threads: self.threads,
            redactor: self.redactor(),
            ..ReaderOptions::default()
        }
    }

    /// Returns these options, overridden by `own` where it differs from the default.
    pub fn refined(&self, own: Option<&Self>) -> Self {
        let added_files = own.map_or(&[][..], |own| &own.harness_file);
        let own = own.unwrap_or(self);
        let default = size(MAX_LINE).ok();
        let max_line = Some(own.max_line).filter(|bytes| Some(*bytes) != default);
        let color = Some(own.color).filter(|choice| *choice != ColorChoice::Auto);
        Self {
            harness_name: own.harness_name.as_ref().or(self.harness_name.as_ref()).cloned(),
            harness_file: self.harness_file.iter().chain(added_files).cloned().collect(),
            harness: own.harness.or(self.harness),
            described: self.described,
            max_line: max_line.unwrap_or(self.max_line),
            threads: own.threads.or(self.threads),
            strict: own.strict || self.strict,
            redact: own.redact || self.redact,
            csv_safe: own.csv_safe || self.csv_safe,
            redact_pattern: [&*own.redact_pattern, &*self.redact_pattern].concat(),
            redact_file: [&*own.redact_file, &*self.redact_file].concat(),
            quiet: own.quiet || self.quiet,
            color: color.unwrap_or(self.color),
        }
    }
}

/// Returns the description of `--harness`, with all names.
fn harness_help() -> String {
    let names = Harness::names();
    format!(
        "Assume this CLI\n\nDecodes every line as this CLI's instead of detecting which CLI \
         wrote it. One of: {names}; or \
         the name of a description (--harness-file)."
    )
}

fn is_given(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(ValueSource::CommandLine)
}

fn has_no_effect(option: &Arg, command: &str) -> clap::Error {
    let long = option.get_long().unwrap_or_default();
    let message = format!("the argument '--{long}' cannot be used with '{command}'");
    let mut program = super::command();
    program.build();
    let of_command = program.find_subcommand_mut(command);
    of_command.map_or_else(
        || clap::Error::raw(ErrorKind::ArgumentConflict, &message),
        |command| command.error(ErrorKind::ArgumentConflict, &message),
    )
}
