//! `codex exec` gets `--json`, `--output-last-message FILE` and the schema of its
//! answer, each only where missing.

use std::ffi::OsString;
use std::path::PathBuf;

use super::arguments::{Argument, Grammar, has, value};
use super::{Command, Complete, Refused, Request, refuse};
use crate::harness::Harness;

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
        "--output-schema",
        "--color",
        "-o",
        "--output-last-message",
    ],
    optional: &[],
    variadic: &[],
};

/// The sandbox of the contract's command.
const SANDBOX: &str = "workspace-write";

pub(super) fn complete(argv: &[OsString], request: &Request<'_>) -> Result<Command, Refused> {
    let arguments = GRAMMAR.read(&argv[1..]);
    let mut command = Command {
        argv: argv.to_vec(),
        harness: Some(Harness::Codex),
        sandbox_mode: value(&arguments, &["-s", "--sandbox"]).map(str::to_owned),
        model: value(&arguments, &["-m", "--model"]).map(str::to_owned),
        ..Command::default()
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
    if request.complete == Complete::None {
        return Ok(command);
    }
    if let Some(context) = request.context {
        let resumes_last = has(&arguments, &["--last"]);
        tell(&mut command, context, &operands, resumes_last);
    }
    let mut missing: Vec<OsString> = Vec::new();
    if !has(&arguments, &["--json", "--experimental-json"]) {
        missing.push("--json".into());
    }
    if !has(&arguments, &names) {
        missing.extend(["--output-last-message".into(), request.last_message.into()]);
        command.last_message = Some(request.last_message.to_owned());
    }
    if let Some(schema) = request.schema.filter(|_| !has(&arguments, &["--output-schema"])) {
        missing.extend(["--output-schema".into(), schema.path.into()]);
    }
    if let Some(model) = request.model.filter(|_| command.model.is_none()) {
        missing.extend(["-m", model].map(OsString::from));
        command.model = Some(model.to_owned());
    }
    // Right behind `exec`; the program's own name comes before it.
    let place = exec + 2;
    command.argv.splice(place..place, missing);
    Ok(command)
}

/// Puts a context before the prompt, wherever that comes from. The operands are
/// those of `exec`.
fn tell(command: &mut Command, context: &str, operands: &[(usize, &str)], resumes_last: bool) {
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
            // The program's own name comes before the operands.
            let prompt = &mut command.argv[at + 1];
            let mut told = OsString::from(context);
            told.push("\n\n");
            told.push(&*prompt);
            *prompt = told;
        }
    }
}

/// Exactly the contract's arguments; the prompt comes on standard input.
pub(super) fn full(argv: &[OsString], request: &Request<'_>) -> Result<Command, Refused> {
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
    Ok(Command {
        argv: full,
        harness: Some(Harness::Codex),
        last_message: Some(request.last_message.to_owned()),
        sandbox_mode: Some(SANDBOX.to_owned()),
        model: Some(model.to_owned()),
        reads_prompt: prompt.is_none(),
        prompt,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::super::tests::request;
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        shell_words::split(line).unwrap().iter().map(OsString::from).collect()
    }

    fn line(command: &Command) -> String {
        command.argv.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn what_is_missing_is_added_behind_exec() {
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
            let command = complete(&words(given), &request(Complete::Stream)).unwrap();
            assert_eq!(line(&command), expected, "{given}");
        }
    }

    #[test]
    fn left_alone_nothing_is_added() {
        let command = complete(&words("codex exec -o f hi"), &request(Complete::None)).unwrap();
        assert_eq!(line(&command), "codex exec -o f hi");
        assert_eq!(command.last_message.unwrap(), Path::new("f"));
        let command = complete(&words("codex exec hi"), &request(Complete::None)).unwrap();
        assert_eq!(command.last_message, None);
    }

    #[test]
    fn sandbox_and_model_are_those_of_the_command_line() {
        let command =
            complete(&words("codex -m o3 exec -s read-only hi"), &request(Complete::Stream))
                .unwrap();
        assert_eq!(command.model.as_deref(), Some("o3"));
        assert_eq!(command.sandbox_mode.as_deref(), Some("read-only"));
        let command =
            complete(&words("codex exec -m=o3 -s=x hi"), &request(Complete::Stream)).unwrap();
        assert_eq!(command.model.as_deref(), Some("o3"));
        assert_eq!(command.sandbox_mode.as_deref(), Some("x"));
        let command = complete(&words("codex exec hi"), &request(Complete::Stream)).unwrap();
        assert_eq!((command.model, command.sandbox_mode), (None, None));
    }

    #[test]
    fn a_prompt_is_known_from_its_absence() {
        let reads =
            |line: &str| complete(&words(line), &request(Complete::Stream)).unwrap().reads_prompt;
        assert!(reads("codex exec"));
        assert!(reads("codex exec -"));
        assert!(reads("codex exec -m o3"));
        assert!(reads("codex exec resume --last -"));
        assert!(reads("codex exec resume ID -"));
        assert!(!reads("codex exec hi"));
        assert!(!reads("codex exec resume --last"));
    }

    #[test]
    fn the_full_command_is_the_contracts() {
        let expected = "codex exec --json --output-last-message /t/last --skip-git-repo-check -s workspace-write -m M -";
        for given in ["codex", "codex exec", "codex exec -", "codex exec hi", "codex hi"] {
            let command = full(&words(given), &request(Complete::Full)).unwrap();
            assert_eq!(line(&command), expected, "{given}");
            assert_eq!(command.prompt.is_some(), given.ends_with("hi"));
            assert_eq!(command.sandbox_mode.as_deref(), Some("workspace-write"));
        }
        assert!(full(&words("codex exec -m x hi"), &request(Complete::Full)).is_err());
        let no_model = Request { model: None, ..request(Complete::Full) };
        let refused = full(&words("codex"), &no_model).unwrap_err();
        assert_eq!(refused.to_string(), "--complete full needs --model");
    }
}
