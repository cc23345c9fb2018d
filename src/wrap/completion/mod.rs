//! The command line, completed: what makes the CLI stream, and nothing that
//! grants it anything. Pure.

mod arguments;
mod claude;
mod codex;

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::cli::Complete;
use crate::harness::Harness;

/// What will be run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// Whose program it is, if that is known.
    pub harness: Option<Harness>,
    /// Where the CLI writes its last message.
    pub last_message: Option<PathBuf>,
    /// The sandbox it was given.
    pub sandbox_mode: Option<String>,
    /// The model it was given.
    pub model: Option<String>,
    /// It reads its prompt from standard input.
    pub reads_prompt: bool,
    /// A prompt to be given on standard input.
    pub prompt: Option<String>,
}

/// Why a command cannot be completed.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// As the user asked.
    pub complete: Complete,
    /// The model, where the command names none.
    pub model: Option<&'a str>,
    /// What the agent should know before it begins.
    pub context: Option<&'a str>,
    /// Whose program it is, if that is known.
    pub harness: Option<Harness>,
    /// Where a last message can be written.
    pub last_message: &'a Path,
    /// The schema of the document to ask for.
    pub schema: Option<SchemaFile<'a>>,
}

/// A schema, and the file it is in.
#[derive(Clone, Copy, Debug)]
pub struct SchemaFile<'a> {
    /// Its text.
    pub text: &'a str,
    /// The file; absolute, whatever folder the command runs in.
    pub path: &'a Path,
}

/// Completes `argv`.
pub fn complete(argv: &[OsString], request: &Request<'_>) -> Result<Command, Refused> {
    match (request.complete, request.harness) {
        (Complete::Full, Some(Harness::Codex)) if request.schema.is_some() => {
            refuse("--schema is for --complete stream: full gives exactly the contract's arguments")
        }
        (Complete::Full, Some(Harness::Codex)) => codex::full(argv, request),
        (Complete::Full, _) => refuse("--complete full is for codex only"),
        (_, Some(Harness::Codex)) => codex::complete(argv, request),
        (_, Some(Harness::Claude)) => claude::complete(argv, request),
        // Of a stranger only its standard input is known.
        (_, harness) => Ok(Command {
            argv: argv.to_vec(),
            harness,
            model: request.model.map(str::to_owned),
            prompt: request.context.map(str::to_owned),
            ..Command::default()
        }),
    }
}

/// Whose program it is: what the user says, else what its name tells.
#[must_use]
pub fn harness_of(argv: &[OsString], said: Option<Harness>) -> Option<Harness> {
    said.or_else(|| by_name(argv.first()?))
}

/// The harness a program's name tells.
fn by_name(program: &OsStr) -> Option<Harness> {
    Harness::from_name(Path::new(program).file_stem()?.to_str()?)
}

fn refuse<T>(sentence: impl Into<String>) -> Result<T, Refused> {
    Err(Refused(sentence.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn request(complete: Complete) -> Request<'static> {
        Request {
            complete,
            model: (complete == Complete::Full).then_some("M"),
            context: None,
            harness: None,
            last_message: Path::new("/t/last"),
            schema: None,
        }
    }

    fn line(given: &str, complete: Complete) -> Result<String, String> {
        let argv: Vec<OsString> = given.split(' ').map(OsString::from).collect();
        let schema = Some(SchemaFile { text: "{}", path: Path::new("/t/s.json") });
        let harness = harness_of(&argv, None);
        let request = Request { harness, schema, ..request(complete) };
        let command = super::complete(&argv, &request);
        let command = command.map_err(|refused| refused.to_string())?;
        Ok(command.argv.join(OsStr::new(" ")).into_string().unwrap())
    }

    #[test]
    fn each_cli_is_told_the_context_in_its_own_way() {
        let told = |given: &str, context, model| {
            let argv: Vec<OsString> = given.split(' ').map(OsString::from).collect();
            let harness = harness_of(&argv, None);
            let request = Request { model, context, harness, ..request(Complete::Stream) };
            let command =
                super::complete(&argv, &request).map_err(|refused| refused.to_string())?;
            let line = command.argv.join(OsStr::new(" ")).into_string().unwrap();
            Ok::<_, String>((line, command.prompt))
        };
        let of = |given: &str| told(given, Some("C"), Some("M"));
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
            assert_eq!(of(given), Ok((line, prompt.map(str::to_owned))), "{given}");
        }
        for refused in ["claude --append-system-prompt-file f hi", "claude mcp list", "codex hi"] {
            assert!(of(refused).is_err(), "{refused}");
        }
        // What the command says itself stays.
        assert!(told("claude --model A hi", None, Some("M")).unwrap().0.contains("--model A hi"));
        assert!(!told("codex exec -m A hi", None, Some("M")).unwrap().0.contains("-m M"));
    }

    #[test]
    fn each_cli_is_asked_for_the_schema_in_its_own_way() {
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
            assert_eq!(line(given, Complete::Stream).as_deref(), Ok(expected));
        }
        assert_eq!(line("codex exec hi", Complete::None).as_deref(), Ok("codex exec hi"));
        assert!(line("codex hi", Complete::Full).unwrap_err().starts_with("--schema is for"));
    }
}
