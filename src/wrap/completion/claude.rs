//! `claude` gets `-p`, `--output-format stream-json`, `--verbose` and the schema
//! of its answer, each only where missing.

use std::ffi::OsString;

use super::arguments::{Argument, Grammar, has, value};
use super::{Command, Complete, Refused, Request, refuse};
use crate::harness::Harness;

const GRAMMAR: Grammar = Grammar {
    valued: &[
        "--agent",
        "--agents",
        "--append-system-prompt",
        "--append-system-prompt-file",
        "--autocompact",
        "--debug-file",
        "--effort",
        "--environment",
        "--fallback-model",
        "--input-format",
        "--json-schema",
        "--max-budget-usd",
        "--max-thinking-tokens",
        "--max-turns",
        "--model",
        "--name",
        "-n",
        "--output-format",
        "--permission-mode",
        "--permission-prompt-tool",
        "--permission-prompts",
        "--plugin-dir",
        "--plugin-url",
        "--remote-control-session-name-prefix",
        "--session-id",
        "--setting-sources",
        "--settings",
        "--system-prompt",
        "--system-prompt-file",
        "--system-prompt-snapshot",
    ],
    optional: &[
        "--cloud",
        "--debug",
        "-d",
        "--from-pr",
        "--prompt-suggestions",
        "--remote-control",
        "--resume",
        "-r",
        "--teleport",
        "--worktree",
        "-w",
    ],
    variadic: &[
        "--add-dir",
        "--allowedTools",
        "--allowed-tools",
        "--betas",
        "--disallowedTools",
        "--disallowed-tools",
        "--file",
        "--mcp-config",
        "--tools",
    ],
};

/// Commands of the program that are no conversation.
const COMMANDS: &[&str] = &[
    "agents",
    "attach",
    "auth",
    "auto-mode",
    "config",
    "doctor",
    "gateway",
    "help",
    "import",
    "install",
    "logs",
    "mcp",
    "plugin",
    "plugins",
    "purge",
    "respawn",
    "rm",
    "setup-token",
    "stop",
    "kill",
    "ultrareview",
    "update",
    "upgrade",
];

pub(super) fn complete(argv: &[OsString], request: &Request<'_>) -> Result<Command, Refused> {
    let mut command =
        Command { argv: argv.to_vec(), harness: Some(Harness::Claude), ..Command::default() };
    let flags = Flags::of(&argv[1..]);
    command.reads_prompt = !flags.prompt;
    command.model = flags.model.map(str::to_owned);
    if flags.other_command {
        return match request.context {
            Some(_) => refuse("this command of claude is no conversation: it takes no context"),
            None => Ok(command),
        };
    }
    if request.complete == Complete::None {
        return flags.conflict().map_or(Ok(command), refuse);
    }
    let flags = flags.completed(&mut command.argv)?;
    if let Some(schema) = request.schema.filter(|_| !flags.schema) {
        command.argv.splice(1..1, ["--json-schema", schema.text].map(OsString::from));
    }
    if let Some(model) = request.model.filter(|_| flags.model.is_none()) {
        command.argv.splice(1..1, ["--model", model].map(OsString::from));
        command.model = Some(model.to_owned());
    }
    if let Some(conflict) = flags.conflict() {
        return refuse(conflict);
    }
    if let Some(context) = request.context {
        tell(&mut command.argv, context)?;
    }
    Ok(command)
}

/// Adds a context to the system prompt.
fn tell(argv: &mut Vec<OsString>, context: &str) -> Result<(), Refused> {
    const NAME: &str = "--append-system-prompt";
    let arguments = GRAMMAR.read(&argv[1..]);
    if has(&arguments, &["--append-system-prompt-file"]) {
        return refuse(
            "claude takes one addition to its system prompt: give it as --append-system-prompt, so that the context can follow",
        );
    }
    let place = arguments.iter().rev().find_map(|(at, argument)| match argument {
        Argument::Option(NAME, Some(_)) => Some(at + 1),
        _ => None,
    });
    match place {
        // The value stands behind the name, or is the argument after it.
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

/// What matters of a command line.
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
        let arguments = GRAMMAR.read(argv);
        let mut operands = arguments.iter().filter_map(|(_, argument)| match argument {
            Argument::Operand(text) => Some(*text),
            Argument::Option(..) => None,
        });
        let first = operands.next();
        // Switches of one letter can be given together: `-pc`.
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
            schema: has(&arguments, &["--json-schema"]),
            other_command: !print && first.is_some_and(|word| COMMANDS.contains(&word)),
        }
    }

    /// Adds what is missing, behind the program's name: every option is
    /// accepted there, and none of these takes what follows.
    fn completed(mut self, argv: &mut Vec<OsString>) -> Result<Self, Refused> {
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

    /// The first conflict the program itself would complain about.
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

    use super::super::tests::request;
    use super::*;

    fn completed(line: &str) -> String {
        let argv: Vec<OsString> =
            shell_words::split(line).unwrap().iter().map(OsString::from).collect();
        match complete(&argv, &request(Complete::Stream)) {
            Ok(command) => command.argv.join(OsStr::new(" ")).into_string().unwrap(),
            Err(refused) => refused.to_string(),
        }
    }

    fn untouched(line: &str) -> Result<(), String> {
        let argv: Vec<OsString> =
            shell_words::split(line).unwrap().iter().map(OsString::from).collect();
        let command =
            complete(&argv, &request(Complete::None)).map_err(|refused| refused.to_string())?;
        assert_eq!(command.argv, argv);
        Ok(())
    }

    #[test]
    fn what_is_missing_is_added_before_everything_else() {
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
    fn the_documented_conflicts_are_settled() {
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
    fn what_cannot_be_settled_is_refused() {
        let text =
            "claude --output-format text prints no events: leave it out, or ask for stream-json";
        assert_eq!(completed("claude -p --output-format text hi"), text);
        assert_eq!(completed("claude -p --output-format=text hi"), text);
        let partial = "--include-partial-messages requires --print and --output-format=stream-json";
        assert_eq!(completed("claude -p --output-format json --include-partial-messages"), partial);
    }

    #[test]
    fn left_alone_the_conflicts_are_reported_in_the_contracts_words() {
        for (line, complaint) in [
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
            assert_eq!(untouched(line), Err(complaint.to_owned()), "{line}");
        }
        for line in ["claude -p hi", "claude --daemon", "claude -p --output-format text hi"] {
            assert_eq!(untouched(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn no_flag_that_grants_anything_is_ever_added() {
        let added = completed("claude hi");
        for word in ["permission", "dangerously", "allowed", "model", "tools"] {
            assert!(!added.contains(word), "{added}");
        }
    }

    #[test]
    fn a_prompt_is_known_from_its_absence() {
        let reads = |line: &str| {
            let argv: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            complete(&argv, &request(Complete::Stream)).unwrap().reads_prompt
        };
        assert!(reads("claude -p"));
        assert!(reads("claude -p --model opus --allowedTools Bash Edit"));
        assert!(!reads("claude -p hi"));
        assert!(!reads("claude -p -- hi"));
    }
}
