//! Completes `codex exec` with `--json`, `--output-last-message FILE` and the schema
//! of the answer, each only if it is missing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::harness::Harness;
use crate::harness::command::{
    AgentCommand, AgentProgram, Argument, CommandError, Completion, CompletionRequest, Grammar,
    SchemaForm, Variables, has, refuse, value,
};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Codex CLI",
    names: &["codex", "@openai/codex"],
    events_command: "codex exec --json",
    complete,
    credentials: &["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    schema_option: Some(SCHEMA_OPTION),
    schema_form: SchemaForm::Strict,
    auth_source: Some(auth_source),
    leak_words: &["codex_home="],
    deprecation_prefix: Some("codex-deprecation: "),
    // The contract has one category for all of them.
    explain_exit: None,
    resume: Some("codex resume "),
};

/// The option that requests a document.
const SCHEMA_OPTION: &str = "--output-schema";

const GRAMMAR: Grammar = Grammar {
    valued: &[
        "-c",
        "--config",
        "--enable",
        "--disable",
        "--remote",
        "--remote-auth-token-env",
        "-i",
        "--image",
        "-m",
        "--model",
        "--local-provider",
        "-p",
        "--profile",
        "-s",
        "--sandbox",
        "-C",
        "--cd",
        "--add-dir",
        "-a",
        "--ask-for-approval",
        "--thread-source",
        "--cyber-access-program",
        SCHEMA_OPTION,
        "--color",
        "-o",
        "--output-last-message",
    ],
    optional: &[],
    variadic: &[],
};

/// The sandbox mode of the contract's command line.
const SANDBOX: &str = "workspace-write";

fn complete(
    argv: &[OsString],
    request: &CompletionRequest<'_>,
) -> Result<AgentCommand, CommandError> {
    if request.completion == Completion::Full {
        return full(argv, request);
    }
    let arguments = GRAMMAR.parse(&argv[1..]);
    let mut command = AgentCommand {
        sandbox_mode: value(&arguments, &["-s", "--sandbox"]).map(str::to_owned),
        model: value(&arguments, &["-m", "--model"]).map(str::to_owned),
        ..AgentCommand::new(Harness::Codex, argv.to_vec())
    };
    let mut operands = arguments.iter().filter_map(|(at, argument)| match argument {
        Argument::Operand(text) => Some((*at, *text)),
        Argument::Option(..) => None,
    });
    let Some((exec, "exec" | "e")) = operands.next() else {
        return match request.context {
            Some(_) => refuse("only `codex exec` takes a context"),
            None => Ok(command),
        };
    };
    let operands: Vec<_> = operands.collect();
    command.reads_prompt = operands.last().is_none_or(|(_, last)| *last == "-");
    let names = ["-o", "--output-last-message"];
    command.last_message = value(&arguments, &names).map(PathBuf::from);
    if request.completion == Completion::None {
        return Ok(command);
    }
    if let Some(context) = request.context {
        let resumes_last = has(&arguments, &["--last"]);
        prepend_to_prompt(&mut command, context, &operands, resumes_last);
    }
    let mut missing: Vec<OsString> = Vec::new();
    if !has(&arguments, &["--json", "--experimental-json"]) {
        missing.push("--json".into());
    }
    if !has(&arguments, &names) {
        missing.extend(["--output-last-message".into(), request.last_message.into()]);
        command.last_message = Some(request.last_message.to_owned());
    }
    if let Some(schema) = request.schema.filter(|_| !has(&arguments, &[SCHEMA_OPTION])) {
        missing.extend([SCHEMA_OPTION.into(), schema.path.into()]);
    }
    if let Some(model) = request.model.filter(|_| command.model.is_none()) {
        missing.extend(["-m", model].map(OsString::from));
        command.model = Some(model.to_owned());
    }
    // Directly after `exec`; operands are counted without the program's name.
    let index = exec + 2;
    command.argv.splice(index..index, missing);
    Ok(command)
}

/// Puts a context before the prompt, whether that is an operand of `exec` or comes
/// from standard input.
fn prepend_to_prompt(
    command: &mut AgentCommand,
    context: &str,
    operands: &[(usize, &str)],
    resumes_last: bool,
) {
    let prompt = match operands.first() {
        Some((_, "resume")) if resumes_last => 1,
        Some((_, "resume")) => 2,
        Some((_, "review")) => 1,
        _ => 0,
    };
    match operands.get(prompt) {
        None if prompt > 0 => command.argv.push(context.into()),
        None | Some((_, "-")) => command.prompt = Some(context.to_owned()),
        Some((at, _)) => {
            // Operands are counted without the program's name.
            let prompt = &mut command.argv[at + 1];
            let mut extended = OsString::from(context);
            extended.push("\n\n");
            extended.push(&*prompt);
            *prompt = extended;
        }
    }
}

/// Returns exactly the contract's arguments; the prompt is passed on standard input.
fn full(argv: &[OsString], request: &CompletionRequest<'_>) -> Result<AgentCommand, CommandError> {
    if request.schema.is_some() {
        return refuse(
            "--schema is for --complete stream: full gives exactly the contract's arguments",
        );
    }
    let Some(model) = request.model else {
        return refuse("--complete full needs --model");
    };
    let rest: Vec<&str> = argv[1..].iter().map(|word| word.to_str().unwrap_or("-?")).collect();
    let is_exec = matches!(rest.first(), Some(&("exec" | "e")));
    let prompt = match &rest[usize::from(is_exec)..] {
        [] | ["-"] => None,
        ["--", prompt] => Some((*prompt).to_owned()),
        [prompt] if !prompt.starts_with('-') => Some((*prompt).to_owned()),
        _ => {
            return refuse(
                "--complete full gives all of codex' options itself: name the program, and a prompt at most",
            );
        }
    };
    let mut full = vec![argv[0].clone()];
    full.extend(["exec", "--json", "--output-last-message"].map(OsString::from));
    full.push(request.last_message.into());
    full.extend(["--skip-git-repo-check", "-s", SANDBOX, "-m", model, "-"].map(OsString::from));
    Ok(AgentCommand {
        last_message: Some(request.last_message.to_owned()),
        sandbox_mode: Some(SANDBOX.to_owned()),
        model: Some(model.to_owned()),
        reads_prompt: prompt.is_none(),
        prompt,
        ..AgentCommand::new(Harness::Codex, full)
    })
}

/// Returns where Codex finds its credentials. The contract's order: variables
/// before the cached login.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let is_set = |name: &&&'static str| variables.get(name).is_some();
    let keys = ["CODEX_API_KEY", "OPENAI_API_KEY"];
    let own_home = variables.get("CODEX_HOME").map(PathBuf::from);
    let home = own_home.or_else(|| Some(Path::new(variables.get("HOME")?).join(".codex")));
    match keys.iter().find(is_set) {
        Some(key) => key,
        None if home.is_some_and(|home| exists(&home.join("auth.json"))) => "cached",
        None => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::ffi::OsStr;

    use super::*;
    use crate::harness::command::tests::request;

    fn words(line: &str) -> Vec<OsString> {
        shell_words::split(line).unwrap().iter().map(OsString::from).collect()
    }

    fn line(command: &AgentCommand) -> String {
        command.argv.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn missing_flags_are_inserted_after_exec() {
        for (given, expected) in [
            ("codex exec hi", "codex exec --json --output-last-message /t/last hi"),
            ("codex e hi", "codex e --json --output-last-message /t/last hi"),
            ("codex exec --json hi", "codex exec --output-last-message /t/last --json hi"),
            ("codex exec -o f hi", "codex exec --json -o f hi"),
            ("codex exec -of hi", "codex exec --json -of hi"),
            (
                "codex exec --output-last-message=f hi",
                "codex exec --json --output-last-message=f hi",
            ),
            (
                "codex -m exec --search exec -- --json",
                "codex -m exec --search exec --json --output-last-message /t/last -- --json",
            ),
            (
                "codex exec resume --last hi",
                "codex exec --json --output-last-message /t/last resume --last hi",
            ),
            ("codex exec --experimental-json -o f hi", "codex exec --experimental-json -o f hi"),
            ("codex login", "codex login"),
            ("codex hi", "codex hi"),
        ] {
            let command = complete(&words(given), &request(Completion::Stream)).unwrap();
            assert_eq!(line(&command), expected, "{given}");
        }
    }

    #[test]
    fn completion_none_adds_nothing() {
        let command = complete(&words("codex exec -o f hi"), &request(Completion::None)).unwrap();
        assert_eq!(line(&command), "codex exec -o f hi");
        assert_eq!(command.last_message.unwrap(), Path::new("f"));
        let command = complete(&words("codex exec hi"), &request(Completion::None)).unwrap();
        assert_eq!(command.last_message, None);
    }

    #[test]
    fn sandbox_and_model_are_read_from_the_command_line() {
        let command =
            complete(&words("codex -m o3 exec -s read-only hi"), &request(Completion::Stream))
                .unwrap();
        assert_eq!(command.model.as_deref(), Some("o3"));
        assert_eq!(command.sandbox_mode.as_deref(), Some("read-only"));
        let command =
            complete(&words("codex exec -m=o3 -s=x hi"), &request(Completion::Stream)).unwrap();
        assert_eq!(command.model.as_deref(), Some("o3"));
        assert_eq!(command.sandbox_mode.as_deref(), Some("x"));
        let command = complete(&words("codex exec hi"), &request(Completion::Stream)).unwrap();
        assert_eq!((command.model, command.sandbox_mode), (None, None));
    }

    #[test]
    fn command_without_a_prompt_reads_it_from_stdin() {
        let reads =
            |line: &str| complete(&words(line), &request(Completion::Stream)).unwrap().reads_prompt;
        assert!(reads("codex exec"));
        assert!(reads("codex exec -"));
        assert!(reads("codex exec -m o3"));
        assert!(reads("codex exec resume --last -"));
        assert!(reads("codex exec resume ID -"));
        assert!(!reads("codex exec hi"));
        assert!(!reads("codex exec resume --last"));
    }

    #[test]
    fn full_completion_is_the_contracts_command_line() {
        let expected = "codex exec --json --output-last-message /t/last --skip-git-repo-check -s workspace-write -m M -";
        for given in ["codex", "codex exec", "codex exec -", "codex exec hi", "codex hi"] {
            let command = full(&words(given), &request(Completion::Full)).unwrap();
            assert_eq!(line(&command), expected, "{given}");
            assert_eq!(command.prompt.is_some(), given.ends_with("hi"));
            assert_eq!(command.sandbox_mode.as_deref(), Some("workspace-write"));
        }
        assert!(full(&words("codex exec -m x hi"), &request(Completion::Full)).is_err());
        let no_model = CompletionRequest { model: None, ..request(Completion::Full) };
        let error = full(&words("codex"), &no_model).unwrap_err();
        assert_eq!(error.to_string(), "--complete full needs --model");
    }

    struct Fixed(HashMap<&'static str, &'static str>);

    impl Variables for Fixed {
        fn get(&self, name: &str) -> Option<&OsStr> {
            self.0.get(name).copied().filter(|value| !value.is_empty()).map(OsStr::new)
        }
    }

    #[test]
    fn credentials_are_found_in_the_contracts_order() {
        let source = |variables: &[(&'static str, &'static str)], file: &str| {
            let variables = Fixed(variables.iter().copied().collect());
            auth_source(&variables, &|path| path == Path::new(file))
        };
        let both = [("OPENAI_API_KEY", "a"), ("CODEX_API_KEY", "b")];
        assert_eq!(source(&both, ""), "CODEX_API_KEY");
        assert_eq!(source(&both[..1], "/h/.codex/auth.json"), "OPENAI_API_KEY");
        let home = [("HOME", "/h"), ("OPENAI_API_KEY", "")];
        assert_eq!(source(&home, "/h/.codex/auth.json"), "cached");
        let moved = [("HOME", "/h"), ("CODEX_HOME", "/c")];
        assert_eq!(source(&moved, "/c/auth.json"), "cached");
        assert_eq!(source(&moved, "/h/.codex/auth.json"), "unknown");
        assert_eq!(source(&[], ""), "unknown");
    }
}
