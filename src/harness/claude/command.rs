//! Completes `claude` with `-p`, `--output-format stream-json`, `--verbose` and the
//! schema of the answer, each only if it is missing.

use std::ffi::OsString;

use super::grammar::{COMMANDS, GRAMMAR};
use crate::harness::Harness;
use crate::harness::command::{
    AgentCommand, AgentProgram, Argument, CommandError, Completion, CompletionRequest, SchemaForm,
    has, refuse, refuse_full, value,
};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Claude CLI",
    names: &["claude", "@anthropic-ai/claude-code"],
    events_command: "claude -p --output-format stream-json --verbose",
    complete,
    credentials: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"],
    schema_option: Some(SCHEMA_OPTION),
    schema_form: SchemaForm::Plain,
    // The stream names the source of the credentials.
    auth_source: None,
    leak_words: &[],
    deprecation_prefix: None,
    // The contract has one category for all of them.
    explain_exit: None,
    resume: Some("claude --resume "),
};

/// The option that requests a document.
const SCHEMA_OPTION: &str = "--json-schema";

fn complete(
    argv: &[OsString],
    request: &CompletionRequest<'_>,
) -> Result<AgentCommand, CommandError> {
    refuse_full(request)?;
    let mut command = AgentCommand::new(Harness::Claude, argv.to_vec());
    let flags = Flags::of(&argv[1..]);
    command.reads_prompt = !flags.prompt;
    if flags.other_command {
        return match request.context {
            Some(_) => refuse("this command of claude is not a conversation: it takes no context"),
            None => Ok(command),
        };
    }
    if request.completion == Completion::None {
        return flags.conflict().map_or(Ok(command), refuse);
    }
    let flags = flags.completed(&mut command.argv)?;
    if let Some(schema) = request.schema.filter(|_| !flags.schema) {
        command.argv.splice(1..1, [SCHEMA_OPTION, schema.text].map(OsString::from));
    }
    if let Some(model) = request.model.filter(|_| flags.model.is_none()) {
        command.argv.splice(1..1, ["--model", model].map(OsString::from));
    }
    if let Some(conflict) = flags.conflict() {
        return refuse(conflict);
    }
    if let Some(context) = request.context {
        append_system_prompt(&mut command.argv, context)?;
    }
    Ok(command)
}

/// Appends a context to the system prompt.
fn append_system_prompt(argv: &mut Vec<OsString>, context: &str) -> Result<(), CommandError> {
    const NAME: &str = "--append-system-prompt";
    let arguments = GRAMMAR.parse(&argv[1..]);
    if has(&arguments, &["--append-system-prompt-file"]) {
        return refuse(
            "claude takes one addition to its system prompt: give it as --append-system-prompt, so that the context can follow",
        );
    }
    let index = arguments.iter().rev().find_map(|(at, argument)| match argument {
        Argument::Option(NAME, Some(_)) => Some(at + 1),
        _ => None,
    });
    match index {
        // The value follows `=`, or is the next argument.
        Some(at) => {
            let at = at + usize::from(argv[at] == NAME);
            argv[at].push("\n\n");
            argv[at].push(context);
        }
        None => {
            argv.splice(1..1, [NAME, context].map(OsString::from));
        }
    }
    Ok(())
}

/// The flags that completion depends on.
#[derive(Clone, Copy)]
struct Flags<'a> {
    print: bool,
    verbose: bool,
    /// `--daemon` implies stream-json and verbose.
    daemon: bool,
    output_format: Option<&'a str>,
    input_format: Option<&'a str>,
    partial: bool,
    replay: bool,
    prompt: bool,
    model: Option<&'a str>,
    schema: bool,
    other_command: bool,
}

impl<'a> Flags<'a> {
    fn of(argv: &'a [OsString]) -> Self {
        let arguments = GRAMMAR.parse(argv);
        let mut operands = arguments.iter().filter_map(|(_, argument)| match argument {
            Argument::Operand(text) => Some(*text),
            Argument::Option(..) => None,
        });
        let first = operands.next();
        // Short flags can be combined: `-pc`.
        let cluster = |name: &str| {
            name.strip_prefix('-').is_some_and(|letters| {
                letters.contains('p') && letters.chars().all(|letter| "pcv".contains(letter))
            })
        };
        let daemon = has(&arguments, &["--daemon"]);
        let clustered = arguments
            .iter()
            .any(|(_, argument)| matches!(argument, Argument::Option(name, None) if cluster(name)));
        let print = has(&arguments, &["-p", "--print"]) || clustered;
        Self {
            print,
            verbose: has(&arguments, &["--verbose"]) || daemon,
            daemon,
            output_format: value(&arguments, &["--output-format"]),
            input_format: value(&arguments, &["--input-format"]),
            partial: has(&arguments, &["--include-partial-messages"]),
            replay: has(&arguments, &["--replay-user-messages"]),
            prompt: first.is_some(),
            model: value(&arguments, &["--model"]),
            schema: has(&arguments, &[SCHEMA_OPTION]),
            other_command: has(&arguments, &["-v", "--version", "-h", "--help"])
                || !print && first.is_some_and(|word| COMMANDS.contains(&word)),
        }
    }

    /// Inserts the missing flags behind the program's name, where every option is
    /// accepted and none of these takes the next argument as its value.
    fn completed(mut self, argv: &mut Vec<OsString>) -> Result<Self, CommandError> {
        let mut missing: Vec<&str> = Vec::new();
        if !self.print {
            missing.push("-p");
            self.print = true;
        }
        match self.output_format {
            Some("text") => {
                return refuse(
                    "claude --output-format text prints no events: leave it out, or ask for stream-json",
                );
            }
            None if !self.daemon => {
                missing.extend(["--output-format", "stream-json"]);
                self.output_format = Some("stream-json");
            }
            _ => {}
        }
        if self.streams_out() && !self.verbose {
            missing.push("--verbose");
            self.verbose = true;
        }
        if self.replay && self.input_format.is_none() {
            missing.extend(["--input-format", "stream-json"]);
            self.input_format = Some("stream-json");
        }
        argv.splice(1..1, missing.into_iter().map(OsString::from));
        Ok(self)
    }

    fn streams_out(&self) -> bool {
        self.output_format == Some("stream-json") || self.daemon && self.output_format.is_none()
    }

    /// Returns the first conflict that the program itself would report.
    fn conflict(&self) -> Option<&'static str> {
        let streams_in = self.input_format == Some("stream-json");
        if self.streams_out() && !self.verbose {
            Some("--output-format=stream-json requires --verbose")
        } else if streams_in && !self.streams_out() {
            Some("--input-format=stream-json requires output-format=stream-json")
        } else if self.partial && !(self.print && self.streams_out()) {
            Some("--include-partial-messages requires --print and --output-format=stream-json")
        } else if self.replay && !(streams_in && self.streams_out()) {
            Some(
                "--replay-user-messages requires both --input-format=stream-json and --output-format=stream-json",
            )
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::harness::command::tests::request;

    fn completed(line: &str) -> String {
        let argv: Vec<OsString> =
            shell_words::split(line).unwrap().iter().map(OsString::from).collect();
        match complete(&argv, &request(Completion::Stream)) {
            Ok(command) => command.argv.join(OsStr::new(" ")).into_string().unwrap(),
            Err(error) => error.to_string(),
        }
    }

    fn untouched(line: &str) -> Result<(), String> {
        let argv: Vec<OsString> =
            shell_words::split(line).unwrap().iter().map(OsString::from).collect();
        let command =
            complete(&argv, &request(Completion::None)).map_err(|error| error.to_string())?;
        assert_eq!(command.argv, argv);
        Ok(())
    }

    #[test]
    fn missing_flags_are_inserted_first() {
        for (given, expected) in [
            ("claude hi", "claude -p --output-format stream-json --verbose hi"),
            ("claude -p hi", "claude --output-format stream-json --verbose -p hi"),
            (
                "claude --print --verbose hi",
                "claude --output-format stream-json --print --verbose hi",
            ),
            (
                "claude -p -- --verbose",
                "claude --output-format stream-json --verbose -p -- --verbose",
            ),
            ("claude -pc hi", "claude --output-format stream-json --verbose -pc hi"),
            (
                "claude -p hi --output-format=stream-json",
                "claude --verbose -p hi --output-format=stream-json",
            ),
            ("claude -p --output-format json hi", "claude -p --output-format json hi"),
            ("claude --daemon", "claude -p --daemon"),
            (
                "claude --append-system-prompt --verbose hi",
                "claude -p --output-format stream-json --verbose --append-system-prompt --verbose hi",
            ),
            (
                "claude -p --output-format stream-json --verbose hi",
                "claude -p --output-format stream-json --verbose hi",
            ),
            ("claude mcp list", "claude mcp list"),
        ] {
            assert_eq!(completed(given), expected, "{given}");
        }
    }

    #[test]
    fn documented_conflicts_are_resolved() {
        for (given, expected) in [
            (
                "claude -p --input-format stream-json",
                "claude --output-format stream-json --verbose -p --input-format stream-json",
            ),
            (
                "claude --include-partial-messages hi",
                "claude -p --output-format stream-json --verbose --include-partial-messages hi",
            ),
            (
                "claude -p --replay-user-messages",
                "claude --output-format stream-json --verbose --input-format stream-json -p --replay-user-messages",
            ),
        ] {
            assert_eq!(completed(given), expected, "{given}");
        }
    }

    #[test]
    fn unresolvable_conflicts_are_refused() {
        let text =
            "claude --output-format text prints no events: leave it out, or ask for stream-json";
        assert_eq!(completed("claude -p --output-format text hi"), text);
        assert_eq!(completed("claude -p --output-format=text hi"), text);
        let partial = "--include-partial-messages requires --print and --output-format=stream-json";
        assert_eq!(completed("claude -p --output-format json --include-partial-messages"), partial);
    }

    #[test]
    fn conflicts_are_reported_in_the_contracts_words() {
        for (line, conflict) in [
            (
                "claude -p --output-format stream-json",
                "--output-format=stream-json requires --verbose",
            ),
            (
                "claude -p --input-format=stream-json",
                "--input-format=stream-json requires output-format=stream-json",
            ),
            (
                "claude -p --include-partial-messages",
                "--include-partial-messages requires --print and --output-format=stream-json",
            ),
            (
                "claude --verbose --output-format stream-json --include-partial-messages",
                "--include-partial-messages requires --print and --output-format=stream-json",
            ),
            (
                "claude -p --verbose --output-format stream-json --replay-user-messages",
                "--replay-user-messages requires both --input-format=stream-json and --output-format=stream-json",
            ),
        ] {
            assert_eq!(untouched(line), Err(conflict.to_owned()), "{line}");
        }
        for line in ["claude -p hi", "claude --daemon", "claude -p --output-format text hi"] {
            assert_eq!(untouched(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn no_flag_that_grants_permissions_is_added() {
        let added = completed("claude hi");
        for word in ["permission", "dangerously", "allowed", "model", "tools"] {
            assert!(!added.contains(word), "{added}");
        }
    }

    #[test]
    fn command_without_a_prompt_reads_it_from_stdin() {
        let reads = |line: &str| {
            let argv: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            complete(&argv, &request(Completion::Stream)).unwrap().reads_prompt
        };
        assert!(reads("claude -p"));
        assert!(reads("claude -p --model opus --allowedTools Bash Edit"));
        assert!(!reads("claude -p hi"));
        assert!(!reads("claude -p -- hi"));
    }
}
