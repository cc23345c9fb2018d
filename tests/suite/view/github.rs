//! `view` in GitHub Actions.

use serde_json::json;

use super::{DONE, THREAD};
use crate::support::cli::streamj;

fn failing(output: &str) -> String {
    let item = json!({"id": "c", "type": "command_execution", "command": "cargo test",
        "aggregated_output": output, "exit_code": 101, "status": "failed"});
    json!({"type": "item.completed", "item": item}).to_string()
}

/// Returns the log and the summary of the step.
fn job(args: &[&str], output: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let summary = folder.path().join("summary.md");
    std::fs::write(&summary, "before\n").unwrap();
    let input = [THREAD, &failing(output), DONE].join("\n");
    let mut command = streamj(&[&["view"], args].concat());
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary);
    let shown = command.write_stdin(input).output().unwrap();
    let log = String::from_utf8(shown.stdout).unwrap();
    (log, std::fs::read_to_string(summary).unwrap())
}

#[test]
fn outputs_are_groups_and_failures_are_errors() {
    let (log, summary) =
        job(&[], "Compiling\nerror[E0308]: mismatched: types\n  --> src/lib.rs:3:5\n");
    let expected = "[tool] shell  cargo test\n[tool] failed: exit 101, 63 B\n::group::shell  cargo test\n    \
                    Compiling\n    error[E0308]: mismatched: types\n      --> src/lib.rs:3:5\n::endgroup::\n\
                    ::error file=src/lib.rs,line=3,title=shell  cargo test::error[E0308]: mismatched: types\n\
                    [result] success\n";
    assert!(log.contains(expected), "{log}");
    let expected = "before\n### codex\n\n| | |\n|---|---|\n| Result | success |\n| Tokens | 12 |\n\
                    | Tools | 1 call, 1 failed, 0 denied |\n\n#### 1 failed call\n\n` shell  cargo test `\n\n\
                    ```text\nCompiling\nerror[E0308]: mismatched: types\n  --> src/lib.rs:3:5\n```\n\n";
    assert_eq!(summary, expected);
}

#[test]
fn output_of_the_agent_is_no_command() {
    let (log, summary) =
        job(&[], "::endgroup::\n::stop-commands::x\n```\n<img src=x>\n##[error]y\n");
    let commands: Vec<_> = log.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    assert_eq!(commands.len(), 3, "{log}");
    assert_eq!(commands[0], "::group::shell  cargo test");
    assert_eq!(commands[1], "::endgroup::");
    assert!(commands[2].starts_with("::error title="), "{log}");
    assert!(!log.contains("##[error]"), "{log}");
    assert!(summary.contains("\n````text\n"), "{summary}");
}

#[test]
fn format_is_selected_by_option_or_environment() {
    let (log, summary) = job(&["--format", "log"], "x");
    assert!(!log.contains("::group::") && summary == "before\n", "{log} {summary}");
    let mut command = streamj(&["view", "--format", "github"]);
    let shown = command.write_stdin([THREAD, &failing("x"), DONE].join("\n")).output().unwrap();
    assert!(String::from_utf8(shown.stdout).unwrap().contains("::group::"));
}
