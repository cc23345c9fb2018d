//! The completion script for bash.
//!
//! `clap_complete` generates one that completes options where a file is expected, and
//! nothing behind `--name=`, because bash splits words at the equals sign. This one
//! contains a table of the options and a function that interprets it.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::{Arg, Command, ValueHint};
use clap_complete::Generator;

/// The function that interprets the table: `_streamj_table COMMAND` sets `options` and
/// `operand`.
const FUNCTION: &str = include_str!("bash.sh");

/// Generates the script.
pub(super) struct Bash;

impl Generator for Bash {
    fn file_name(&self, name: &str) -> String {
        format!("{name}.bash")
    }

    fn generate(&self, program: &Command, to: &mut dyn Write) {
        // The trait has no other way to report an error; callers write to memory.
        let _ = self.try_generate(program, to);
    }

    fn try_generate(&self, program: &Command, to: &mut dyn Write) -> io::Result<()> {
        let mut table = entry("", program);
        for command in program.get_subcommands() {
            table += &entry(command.get_name(), command);
        }
        write!(to, "{}", FUNCTION.replace("    # TABLE\n", &table))
    }
}

/// Returns the case of a command: its options, and what its operands are.
fn entry(name: &str, command: &Command) -> String {
    let commands: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
    let operand = match command.get_positionals().next() {
        _ if !commands.is_empty() => commands.join(","),
        Some(operand) => kind(operand),
        None => "@none".to_owned(),
    };
    let mut options = String::new();
    for option in command.get_arguments().filter(|option| !option.is_positional()) {
        let shorts = option.get_short_and_visible_aliases().unwrap_or_default();
        let longs = option.get_long_and_visible_aliases().unwrap_or_default();
        let shorts = shorts.into_iter().map(|short| format!("-{short}"));
        for name in shorts.chain(longs.into_iter().map(|long| format!("--{long}"))) {
            // Writing to a string cannot fail.
            let _ = writeln!(options, "                {name}{}", value(option));
        }
    }
    format!(
        "        '{name}')\n            operand='{operand}'\n            options='\n{options}            '\n            ;;\n"
    )
}

/// Returns how the value of an option is completed: nothing for a flag, `=KIND`, or
/// `==KIND` if the value is given after an equals sign only.
fn value(option: &Arg) -> String {
    if !option.get_action().takes_values() {
        return String::new();
    }
    let equals = if option.is_require_equals_set() { "==" } else { "=" };
    format!("{equals}{}", kind(option))
}

/// Returns what a value is: one of some words, or `@file`, `@directory`, `@command`,
/// `@none`.
fn kind(arg: &Arg) -> String {
    let words = arg.get_possible_values().into_iter().filter(|word| !word.is_hide_set());
    let words: Vec<_> = words.map(|word| word.get_name().to_owned()).collect();
    if !words.is_empty() {
        return words.join(",");
    }
    let kind = match arg.get_value_hint() {
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::ExecutablePath => "@file",
        ValueHint::DirPath => "@directory",
        ValueHint::CommandName | ValueHint::CommandString | ValueHint::CommandWithArguments => {
            "@command"
        }
        _ => "@none",
    };
    kind.to_owned()
}
