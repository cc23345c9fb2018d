//! Parses the command line of another program.

use std::ffi::OsString;

/// The options of a program that take values.
pub(in crate::harness) struct Grammar {
    /// Exactly one value, in the next argument or after `=`.
    pub(in crate::harness) valued: &'static [&'static str],
    /// A value if the next argument does not start with a dash.
    pub(in crate::harness) optional: &'static [&'static str],
    /// All arguments up to the next that starts with a dash.
    pub(in crate::harness) variadic: &'static [&'static str],
}

/// A parsed argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::harness) enum Argument<'a> {
    /// An option and its value.
    Option(&'a str, Option<&'a str>),
    /// Anything else: a command, a prompt.
    Operand(&'a str),
}

impl Grammar {
    /// Parses arguments, each with its index. After `--` everything is an operand.
    /// An argument that is not UTF-8 becomes an operand that matches nothing.
    pub(in crate::harness) fn parse<'a>(&self, argv: &'a [OsString]) -> Vec<(usize, Argument<'a>)> {
        let text = |at: usize| argv.get(at).map(|argument| argument.to_str().unwrap_or("\u{fffd}"));
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(argument) = text(at) {
            if argument == "--" {
                let rest = (at + 1..argv.len()).filter_map(|at| Some((at, text(at)?)));
                found.extend(rest.map(|(at, operand)| (at, Argument::Operand(operand))));
                break;
            }
            let next = text(at + 1).filter(|next| *next != "--");
            let follows = next.filter(|next| !next.starts_with('-'));
            let (parsed, taken) = if !argument.starts_with('-') || argument == "-" {
                (Argument::Operand(argument), 0)
            } else if let Some((name, value)) =
                argument.split_once('=').filter(|_| is_long(argument))
            {
                (Argument::Option(name, Some(value)), 0)
            } else if self.valued.contains(&argument) {
                (Argument::Option(argument, next), usize::from(next.is_some()))
            } else if self.optional.contains(&argument) {
                (Argument::Option(argument, follows), usize::from(follows.is_some()))
            } else if self.variadic.contains(&argument) {
                let values = (at + 1..).map_while(text).take_while(|next| !next.starts_with('-'));
                (Argument::Option(argument, follows), values.count())
            } else if let Some(short) = self.attached(argument) {
                let value = &argument[2..];
                (Argument::Option(short, Some(value.strip_prefix('=').unwrap_or(value))), 0)
            } else {
                (Argument::Option(argument, None), 0)
            };
            found.push((at, parsed));
            at += 1 + taken;
        }
        found
    }

    /// Returns the short option of an argument like `-oFILE`.
    fn attached(&self, argument: &str) -> Option<&'static str> {
        let letter = argument.get(..2).filter(|_| argument.len() > 2 && !is_long(argument))?;
        self.valued.iter().copied().find(|option| *option == letter)
    }
}

fn is_long(argument: &str) -> bool {
    argument.starts_with("--")
}

/// Returns the last value of the option with any of these names.
pub(in crate::harness) fn value<'a>(
    arguments: &[(usize, Argument<'a>)],
    names: &[&str],
) -> Option<&'a str> {
    arguments.iter().rev().find_map(|(_, argument)| match argument {
        Argument::Option(name, value) if names.contains(name) => *value,
        _ => None,
    })
}

/// Returns whether there is an option with any of these names.
pub(in crate::harness) fn has(arguments: &[(usize, Argument<'_>)], names: &[&str]) -> bool {
    arguments
        .iter()
        .any(|(_, argument)| matches!(argument, Argument::Option(name, _) if names.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAMMAR: Grammar =
        Grammar { valued: &["--model", "-o"], optional: &["--resume"], variadic: &["--tools"] };

    fn parse(line: &str) -> Vec<String> {
        let argv: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let arguments = GRAMMAR.parse(&argv);
        arguments.iter().map(|(at, argument)| format!("{at} {argument:?}")).collect()
    }

    #[test]
    fn values_are_not_parsed_as_options() {
        assert_eq!(
            parse("--model --json x"),
            [r#"0 Option("--model", Some("--json"))"#, r#"2 Operand("x")"#]
        );
        assert_eq!(
            parse("--model=a --tools b c --json"),
            [
                r#"0 Option("--model", Some("a"))"#,
                r#"1 Option("--tools", Some("b"))"#,
                r#"4 Option("--json", None)"#
            ]
        );
        assert_eq!(
            parse("-ofile -o file"),
            [r#"0 Option("-o", Some("file"))"#, r#"1 Option("-o", Some("file"))"#]
        );
    }

    #[test]
    fn optional_value_does_not_start_with_a_dash() {
        assert_eq!(
            parse("--resume -p"),
            [r#"0 Option("--resume", None)"#, r#"1 Option("-p", None)"#]
        );
        assert_eq!(parse("--resume id"), [r#"0 Option("--resume", Some("id"))"#]);
    }

    #[test]
    fn nothing_after_two_dashes_is_an_option() {
        assert_eq!(parse("-x -- --model"), [r#"0 Option("-x", None)"#, r#"2 Operand("--model")"#]);
        assert_eq!(parse("--model -- x"), [r#"0 Option("--model", None)"#, r#"2 Operand("x")"#]);
        assert_eq!(parse("-"), [r#"0 Operand("-")"#]);
    }
}
