//! The completion script for bash, in a real bash. Its words are split as readline
//! splits them: the equals sign is a word of its own.

use std::path::Path;
use std::process::Command;

use crate::support::{root, skip};

/// Returns whether bash can be run; else reports that the test is skipped.
fn has_bash() -> bool {
    let is_found = Command::new("bash").arg("--version").output().is_ok();
    if !is_found {
        skip("bash");
    }
    is_found
}

/// Returns what is offered for the last of these words, in a folder.
fn complete_in(folder: &Path, words: &[&str]) -> Vec<String> {
    let script = r#"
        source "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        "$(complete -p streamj | sed 's/.*-F \([^ ]*\).*/\1/')"
        ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script, "bash"])
        .arg(root().join("completions/streamj.bash"))
        .arg("streamj")
        .args(words)
        .current_dir(folder)
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors, "", "{words:?}");
    let mut offered: Vec<_> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    offered.sort();
    offered
}

/// Returns what is offered in a folder with two files and a directory.
fn complete(words: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for name in ["run 1.jsonl", "run.jsonl"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    std::fs::create_dir(folder.path().join("runs")).unwrap();
    complete_in(folder.path(), words)
}

const FILES: [&str; 3] = ["run 1.jsonl", "run.jsonl", "runs"];
const NOTHING: [&str; 0] = [];

#[test]
fn bash_completes_files_for_operands_and_file_options() {
    if !has_bash() {
        return;
    }
    for words in [
        &["text", ""][..],
        &["text", "r"],
        &["usage", "--by", "day", "run"],
        &["text", "run.jsonl", "run"],
        &["--harness", "codex", "text", ""],
        &["--harness", "=", "codex", "text", ""],
        &["text", "--", ""],
        &["structured", "--schema", ""],
        &["structured", "--schema", "="],
        &["structured", "--schema", "=", "r"],
        &["prompt", "--image", "run"],
        &["usage", "--plot", ""],
        &["wrap", "claude", "-p", "r"],
    ] {
        assert_eq!(complete(words), FILES, "{words:?}");
    }
    assert_eq!(complete(&["wrap", "--cwd", "r"]), ["runs"]);
}

#[test]
fn bash_completes_values_with_and_without_equals_sign() {
    if !has_bash() {
        return;
    }
    for words in [
        &["text", "--harness", "=", "c"][..],
        &["--harness", "c"],
        &["--harness", "=", "c"],
        &["wrap", "--harness", "=", "c"],
    ] {
        let found = complete(words);
        let expected = ["claude", "codex"].map(str::to_owned);
        assert!(expected.iter().all(|name| found.contains(name)), "{words:?}: {found:?}");
    }
    let all = complete(&["text", "--harness", ""]);
    assert_eq!(all, complete(&["text", "--harness", "="]));
    assert!(all.contains(&"gemini".to_owned()), "{all:?}");
    assert_eq!(complete(&["text", "--harness=cod"]), ["--harness=codex"]);
    assert_eq!(complete(&["usage", "--by", "m"]), ["model", "month"]);
    assert_eq!(complete(&["usage", "--plot", "="]), ["cost", "tokens"]);
    assert_eq!(complete(&["completions", "z"]), ["zsh"]);
    assert_eq!(complete(&["man", "t"]), ["text", "tools"]);
}

#[test]
fn bash_offers_no_files_for_other_values() {
    if !has_bash() {
        return;
    }
    for words in [
        &["usage", "--since", ""][..],
        &["usage", "--since", "r"],
        &["usage", "--since", "="],
        &["usage", "--until", "=", "r"],
        &["--max-line", "r"],
        &["tools", "--name", "r"],
        &["summary", "--get", "r"],
        &["wrap", "--timeout", "r"],
        &["prompt", "r"],
        &["nonsense", "r"],
    ] {
        assert_eq!(complete(words), NOTHING, "{words:?}");
    }
}

#[test]
fn bash_completes_commands_and_their_options() {
    if !has_bash() {
        return;
    }
    assert_eq!(
        complete(&["s"]),
        ["schema", "serve", "session", "sessions", "structured", "summary"]
    );
    assert_eq!(complete(&["-q", "--color", "never", "esc"]), ["escalate"]);
    assert_eq!(complete(&["help", "me"]), ["memories"]);
    assert_eq!(complete(&["text", "--m"]), ["--main-only", "--max-line"]);
    // Options that have no effect on a command are not offered.
    assert_eq!(complete(&["prompt", "--re"]), ["--request-id"]);
    assert_eq!(complete(&["wrap", "--th"]), NOTHING);
    // Everything from the first word on belongs to the command that is run.
    assert_eq!(complete(&["wrap", "claude", "--ti"]), NOTHING);
    assert_eq!(complete(&["wrap", "--timeout", "5s", "--ti"]), ["--timeout"]);
    assert!(complete(&["wrap", "ech"]).contains(&"echo".to_owned()));
    assert!(complete(&["wrap", "--", "ech"]).contains(&"echo".to_owned()));
}
