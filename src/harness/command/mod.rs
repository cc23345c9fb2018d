//! Command lines of agent CLIs. Completion adds what makes a CLI print events, and
//! never a flag that grants permissions. Pure.

mod arguments;
mod launcher;
mod table;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use super::{ExitExplanation, Harness};

pub(super) use arguments::{Argument, Grammar, has, value};
pub(super) use table::{AddedOption, CommandTable, ContextPlace};

pub(crate) use launcher::mentioned_agent;

use launcher::Launch;

/// How far a command line is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Completion {
    /// Add what makes the CLI print events
    Stream,
    /// Use exactly the arguments of the Codex contract (needs --model)
    Full,
    /// Leave it alone
    None,
}

/// A command line, ready to be run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AgentCommand {
    /// The program and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// The name of the agent's program, for messages.
    pub(crate) name: String,
    /// The CLI it runs.
    pub(crate) harness: Harness,
    /// The file the CLI writes its last message to.
    pub(crate) last_message: Option<PathBuf>,
    /// The sandbox mode, for the record.
    pub(crate) sandbox_mode: Option<String>,
    /// The model, for the record.
    pub(crate) model: Option<String>,
    /// Whether it reads its prompt from standard input.
    pub(crate) reads_prompt: bool,
    /// A prompt to be written to its standard input.
    pub(crate) prompt: Option<String>,
}

impl AgentCommand {
    /// Creates a command that is run as it is.
    pub(super) fn new(harness: Harness, argv: Vec<OsString>) -> Self {
        Self {
            argv,
            name: String::new(),
            harness,
            last_message: None,
            sandbox_mode: None,
            model: None,
            reads_prompt: false,
            prompt: None,
        }
    }

    /// Returns whether an argument asks the agent for a document.
    pub(crate) fn requests_document(&self) -> bool {
        let option = |harness: &Harness| harness.adapter().program.schema_option;
        let options: Vec<_> = Harness::ALL.iter().filter_map(option).collect();
        let is_option = |word: &str| options.contains(&word.split('=').next().unwrap_or(word));
        self.argv.iter().any(|word| word.to_str().is_some_and(is_option))
    }
}

/// The program of a CLI: its command line, credentials and exit codes.
pub(crate) struct AgentProgram {
    /// How the program is called in messages.
    pub(crate) title: &'static str,
    /// The names of its executables, and of the packages that contain them.
    pub(crate) names: &'static [&'static str],
    /// The start of a command line that prints events, for messages.
    pub(crate) events_command: &'static str,
    /// Completes a command line so that the CLI prints events.
    pub(crate) complete: CompleteCommand,
    /// The variables that hold credentials or redirect requests.
    pub(crate) credentials: &'static [&'static str],
    /// The option that requests a document.
    pub(crate) schema_option: Option<&'static str>,
    /// The form in which its API accepts a JSON Schema.
    pub(crate) schema_form: SchemaForm,
    /// Returns where the CLI will find its credentials: a label, never a secret. `None` if
    /// its stream says so, or if that is unknown.
    pub(crate) auth_source: Option<fn(&dyn Variables, &dyn Fn(&Path) -> bool) -> &'static str>,
    /// Words on standard error that announce a secret. Lower case.
    pub(crate) leak_words: &'static [&'static str],
    /// What precedes the warning for a line on standard error about something deprecated.
    pub(crate) deprecation_prefix: Option<&'static str>,
    /// Explains an exit status other than 0, given the end of standard error. `None` if
    /// neither means anything in particular.
    pub(crate) explain_exit: Option<ExplainExit>,
    /// The start of the command that resumes a session; its id follows.
    pub(crate) resume: Option<&'static str>,
}

type CompleteCommand =
    fn(&[OsString], &CompletionRequest<'_>) -> Result<AgentCommand, CommandError>;

type ExplainExit = for<'a> fn(i32, &'a str) -> Option<ExitExplanation<'a>>;

/// Why a command line cannot be completed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CommandError(String);

impl fmt::Display for CommandError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for CommandError {}

/// How to complete a command line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletionRequest<'a> {
    pub(crate) completion: Completion,
    /// The model, used if the command names none.
    pub(crate) model: Option<&'a str>,
    /// What the agent should know before it starts.
    pub(crate) context: Option<&'a str>,
    pub(crate) harness: Harness,
    /// A path for the last message.
    pub(crate) last_message: &'a Path,
    /// The schema of the requested document.
    pub(crate) schema: Option<SchemaFile<'a>>,
}

/// A JSON Schema and the file that contains it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SchemaFile<'a> {
    pub(crate) text: &'a str,
    /// Absolute, since the command may run in another directory.
    pub(crate) path: &'a Path,
}

/// The form in which an API accepts a JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaForm {
    /// Any schema.
    Plain,
    /// All members required, no others allowed, null for a missing value.
    Strict,
}

/// The variables of a command's environment.
pub(crate) trait Variables {
    /// Returns the value of a variable that is set and not empty.
    fn get(&self, name: &str) -> Option<&OsStr>;
}

/// Returns the first of the variables that is set.
pub(super) fn first_set(variables: &dyn Variables, names: &[&'static str]) -> Option<&'static str> {
    names.iter().copied().find(|name| variables.get(name).is_some())
}

/// Completes a command line.
pub(crate) fn complete(
    argv: &[OsString],
    request: &CompletionRequest<'_>,
) -> Result<AgentCommand, CommandError> {
    let launch = Launch::find(argv);
    let command = (request.harness.adapter().program.complete)(launch.words(), request)?;
    let argv = launch.with_words(command.argv);
    Ok(AgentCommand { argv, name: launch.name(), ..command })
}

/// Returns the CLI of a command line: `given` by the user, or recognised by the name of
/// the program or package that it runs; `described` are CLIs that are not built in.
pub(crate) fn harness_of(
    argv: &[OsString],
    given: Option<Harness>,
    described: &[Harness],
) -> Harness {
    given.or_else(|| Launch::find(argv).harness(described)).unwrap_or(Harness::Unknown)
}

/// Returns the `NAME=VALUE` arguments that change the environment of the agent.
pub(crate) fn assignments(argv: &[OsString]) -> Vec<&OsString> {
    Launch::find(argv).assignments().collect()
}

pub(super) fn refuse<T>(sentence: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError(sentence.into()))
}

/// Refuses `--complete full`, for a CLI without such a contract.
pub(super) fn refuse_full(request: &CompletionRequest<'_>) -> Result<(), CommandError> {
    match request.completion {
        Completion::Full => refuse("--complete full is for codex only"),
        Completion::Stream | Completion::None => Ok(()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(in crate::harness) fn request(completion: Completion) -> CompletionRequest<'static> {
        CompletionRequest {
            completion,
            model: (completion == Completion::Full).then_some("M"),
            context: None,
            harness: Harness::Unknown,
            last_message: Path::new("/t/last"),
            schema: None,
        }
    }

    fn line(given: &str, completion: Completion) -> Result<String, String> {
        let argv: Vec<OsString> = given.split(' ').map(OsString::from).collect();
        let schema = Some(SchemaFile { text: "{}", path: Path::new("/t/s.json") });
        let harness = harness_of(&argv, None, &[]);
        let request = CompletionRequest { harness, schema, ..request(completion) };
        let command = complete(&argv, &request).map_err(|error| error.to_string())?;
        Ok(command.argv.join(OsStr::new(" ")).into_string().unwrap())
    }

    #[test]
    fn context_is_passed_in_each_clis_own_way() {
        let completed = |given: &str, context, model| {
            let argv: Vec<OsString> = given.split(' ').map(OsString::from).collect();
            let harness = harness_of(&argv, None, &[]);
            let request =
                CompletionRequest { model, context, harness, ..request(Completion::Stream) };
            let command = complete(&argv, &request).map_err(|error| error.to_string())?;
            let line = command.argv.join(OsStr::new(" ")).into_string().unwrap();
            Ok::<_, String>((line, command.prompt))
        };
        let with_context = |given: &str| completed(given, Some("C"), Some("M"));
        let codex = "codex exec --json --output-last-message /t/last -m M";
        let claude = "--model M -p --output-format stream-json --verbose";
        for (given, line, prompt) in [
            ("claude hi", format!("claude --append-system-prompt C {claude} hi"), None),
            (
                "claude --append-system-prompt A hi",
                format!("claude {claude} --append-system-prompt A\n\nC hi"),
                None,
            ),
            (
                "claude --append-system-prompt=A hi",
                format!("claude {claude} --append-system-prompt=A\n\nC hi"),
                None,
            ),
            ("codex exec hi", format!("{codex} C\n\nhi"), None),
            ("codex exec -- hi", format!("{codex} -- C\n\nhi"), None),
            ("codex exec", codex.to_owned(), Some("C")),
            ("codex exec -", format!("{codex} -"), Some("C")),
            ("codex exec resume ID hi", format!("{codex} resume ID C\n\nhi"), None),
            ("codex exec resume ID", format!("{codex} resume ID C"), None),
            ("codex exec resume --last hi", format!("{codex} resume --last C\n\nhi"), None),
            ("other hi", "other hi".to_owned(), Some("C")),
        ] {
            assert_eq!(with_context(given), Ok((line, prompt.map(str::to_owned))), "{given}");
        }
        for refused in ["claude --append-system-prompt-file f hi", "claude mcp list", "codex hi"] {
            assert!(with_context(refused).is_err(), "{refused}");
        }
        // A model on the command line is kept.
        let kept = completed("claude --model A hi", None, Some("M")).unwrap().0;
        assert!(kept.contains("--model A hi"));
        assert!(!completed("codex exec -m A hi", None, Some("M")).unwrap().0.contains("-m M"));
    }

    #[test]
    fn schema_is_requested_in_each_clis_own_way() {
        for (given, expected) in [
            ("claude hi", "claude --json-schema {} -p --output-format stream-json --verbose hi"),
            (
                "claude -p --json-schema [] hi",
                "claude --output-format stream-json --verbose -p --json-schema [] hi",
            ),
            (
                "codex exec hi",
                "codex exec --json --output-last-message /t/last --output-schema /t/s.json hi",
            ),
            (
                "codex exec --output-schema x hi",
                "codex exec --json --output-last-message /t/last --output-schema x hi",
            ),
            ("codex login", "codex login"),
            ("claude mcp list", "claude mcp list"),
            ("other hi", "other hi"),
        ] {
            assert_eq!(line(given, Completion::Stream).as_deref(), Ok(expected));
        }
        assert_eq!(line("codex exec hi", Completion::None).as_deref(), Ok("codex exec hi"));
        assert!(line("codex hi", Completion::Full).unwrap_err().starts_with("--schema is for"));
    }
}
