//! Whom streamj is compared with, and how they are asked.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{STREAMJ, Stream, command_line};

/// What a question costs with jq, in its own words.
const TEXT_CLAUDE: &str =
    r#"select(.type=="assistant") | .message.content[] | select(.type=="text") | .text"#;
const TEXT_CODEX: &str =
    r#"select(.type=="item.completed" and .item.type=="agent_message") | .item.text"#;
const TOOLS_CLAUDE: &str =
    r#"select(.type=="user") | .message.content[] | select(.type=="tool_result") | .content"#;
const TOOLS_CODEX: &str = r#"select(.type=="item.completed" and .item.type=="command_execution") | .item.aggregated_output"#;
const USAGE_CLAUDE: &str = r#"select(.type=="result") | .modelUsage | to_entries | map(.value | .inputTokens + .outputTokens + .cacheReadInputTokens + .cacheCreationInputTokens) | add"#;
const USAGE_CODEX: &str =
    r#"select(.type=="turn.completed") | .usage | .input_tokens + .output_tokens"#;

/// A tool of jq's kind.
pub struct Rival {
    pub name: &'static str,
    pub program: PathBuf,
    /// What it says of itself.
    pub version: String,
}

impl Rival {
    fn find(name: &'static str, program: PathBuf) -> Option<Self> {
        let output = Command::new(&program).arg("--version").stderr(Stdio::null()).output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        output.status.success().then_some(Self { name, program, version })
    }
}

/// jq and its kin, as far as they are here; jaq is installed if it is not.
pub fn find(folder: &Path, with_jaq: bool) -> Vec<Rival> {
    let names = ["jq", "gojq", "jaq"];
    let mut found: Vec<Rival> =
        names.into_iter().filter_map(|name| Rival::find(name, name.into())).collect();
    if with_jaq && !found.iter().any(|rival| rival.name == "jaq") {
        eprintln!("installing jaq into a temporary folder …");
        let root = folder.join("jaq");
        let mut install = Command::new("cargo");
        install.args(["install", "jaq", "--locked", "--quiet", "--root"]).arg(&root);
        match install.status() {
            Ok(status) if status.success() => {
                found.extend(Rival::find("jaq", root.join("bin/jaq")));
            }
            _ => eprintln!("jaq cannot be had here"),
        }
    }
    found
}

/// The filter that asks what `streamj COMMAND` answers.
pub fn filter(command: &str, stream: &Stream) -> Option<&'static str> {
    Some(match (command, stream.is_codex()) {
        ("text", true) => TEXT_CODEX,
        ("text", false) => TEXT_CLAUDE,
        ("tools", true) => TOOLS_CODEX,
        ("tools", false) => TOOLS_CLAUDE,
        ("usage", true) => USAGE_CODEX,
        ("usage", false) => USAGE_CLAUDE,
        ("events", _) => ".",
        _ => return None,
    })
}

/// Before anything is measured, all must say the same. That takes options which
/// reduce streamj's answer to that of the filters; what is measured is the whole
/// answer, so it does more than the others then, not less.
pub fn check_answers(streams: &[Stream], rivals: &[Rival]) {
    let answer = |mut command: Command| {
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{command:?}");
        output.stdout
    };
    for stream in streams {
        let ours =
            |arguments: &[&str]| answer(command_line(Path::new(STREAMJ), arguments, &stream.path));
        let names: &[&str] = if stream.is_codex() { &["--name", "command_execution"] } else { &[] };
        let questions = [
            ("text", vec!["text"]),
            ("tools", [&["tools", "--get", "/output"], names].concat()),
            ("usage", vec!["usage", "--get", "/total_tokens"]),
            ("events", vec!["events", "--tag", "none"]),
        ];
        for Rival { name, program, .. } in rivals {
            for (question, arguments) in &questions {
                let filter = filter(question, stream).expect("a question");
                let theirs = answer(command_line(program, &["-c", "-r", filter], &stream.path));
                assert!(ours(arguments) == theirs, "{question} of {}: {name} differs", stream.name);
            }
        }
    }
}
