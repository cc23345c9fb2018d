//! Text of an agent in the log of a CI system: no row or message forges a line, and no
//! command is executed.

use predicates::prelude::*;

use crate::support::cli::{Printed, read, run, streamj};

/// A run whose every string has a second line with a command.
const FORGED: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s\n::error::id","model":"m\n::error::model","cwd":"/x\n::error::cwd","tools":["t\n::error::t"],"apiKeySource":"none\n::error::key"}"#,
    "\n",
    r#"{"type":"assistant","session_id":"s","message":{"id":"m1","model":"m\n::error::model","content":[{"type":"tool_use","id":"t1","name":"Ba\n::error::tool","input":{"command":"a\n::error::input"}}],"usage":{"input_tokens":1,"output_tokens":2}}}"#,
    "\n",
    r#"{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"o\n::error::out","is_error":true}]}}"#,
    "\n",
    r#"{"type":"result","subtype":"error_during_execution\n::error::sub","is_error":true,"result":"r\n::error::result","session_id":"s","usage":{"input_tokens":1},"modelUsage":{"m\n::error::mu":{"inputTokens":1,"costUSD":1},"n":{"inputTokens":1}}}"#,
    "\n",
    r#"{"type":"new\n::error::type","session_id":"s"}"#,
    "\n",
);

/// Commands that print rows for people.
const HUMAN: &[&str] = &["tools", "usage", "error", "session", "summary", "check", "findings"];

/// Returns whether a line would be executed.
fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("::")
        || ["##[", "##vso[", "##teamcity["].iter().any(|name| line.contains(name))
}

#[test]
fn human_row_is_one_line_whatever_its_values_contain() {
    for command in HUMAN {
        let format: &[&str] = if *command == "check" { &[] } else { &["--format", "human"] };
        let printed = run(&[&[*command], format].concat(), FORGED);
        let output = [printed.text(), printed.errors()].concat();
        // The output of a failed call follows its row, indented.
        let forged: Vec<_> = output.lines().filter(|line| line.starts_with("::")).collect();
        assert_eq!(forged, [""; 0], "{command}: {output}");
    }
}

#[test]
fn message_is_one_line_whatever_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.json");
    std::fs::write(&schema, r#"{"additionalProperties":{"type":"string"}}"#).unwrap();
    let line = r#"{"type":"result","structured_output":{"a\n::error::key":1},"session_id":"s"}"#;
    run(&["structured", "--schema", schema.to_str().unwrap()], line).code(1).stderr(
        predicate::str::starts_with("streamj: structured: /a ::error::key: ")
            .and(predicate::str::contains("\n::").not()),
    );
}

#[test]
fn human_rows_in_a_ci_log_have_no_commands() {
    for command in HUMAN {
        let format: &[&str] = if *command == "check" { &[] } else { &["--format", "human"] };
        let mut program = streamj(&[&[*command], format].concat());
        let printed = program.env("GITHUB_ACTIONS", "true").write_stdin(FORGED).assert();
        let output = [printed.text(), printed.errors()].concat();
        assert!(!output.lines().any(is_command), "{command}: {output}");
    }
}

/// A text with commands, a section of GitLab, and ordinary colons.
const TEXT: &str = "std::io\\n::error::a\\n  ::add-mask::b\\n##[group]c\\n##vso[task]d\\nsection_start:1:x\\r\\u001b[0Ke";

fn line_with_text() -> String {
    format!(
        r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"{TEXT}"}}}}"#
    )
}

/// The text for a CI log.
const SAFE_TEXT: &str = "std::io\n: :error::a\n  : :add-mask::b\n## [group]c\n##vso [task]d\nsection_start:1:x^M^[[0Ke\n";

#[test]
fn text_is_unchanged_unless_ci_safe_is_given() {
    let line = line_with_text();
    let unchanged: String = serde_json::from_str(&format!("\"{TEXT}\"")).unwrap();
    let mut program = streamj(&["text"]);
    program.env("CI", "true").write_stdin(line.as_str()).assert().stdout(unchanged + "\n");
    read(&["text", "--ci-safe"], &[&line]).stdout(SAFE_TEXT);
}

#[cfg(unix)]
#[test]
fn wrap_escapes_commands_in_a_ci_log() {
    use assert_cmd::assert::OutputAssertExt;

    let workspace = crate::workspace::Workspace::new();
    workspace.write("line", line_with_text());
    workspace.program("agent", "echo '::error::stderr' >&2; cat $DIR/line");
    workspace.program("plain", "printf '::error::plain\\n\\033[31m'");
    let wrap = |name: &str, agent: &str| {
        let mut command = workspace.streamj(&["wrap", "-q", "--", agent]);
        command.env(name, "true").assert()
    };
    for name in ["GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD"] {
        let run = wrap(name, "agent").stdout(SAFE_TEXT);
        assert!(!run.errors().lines().any(is_command), "{}", run.errors());
        wrap(name, "plain").stdout(": :error::plain\n^[[31m");
    }
    // An unset or negated variable names no CI system.
    let mut command = workspace.streamj(&["wrap", "-q", "--", "plain"]);
    command.env("CI", "false").assert().stdout("::error::plain\n\u{1b}[31m");
}

#[test]
fn name_of_a_server_sent_event_is_a_word() {
    let line = r#"{"type":"x\r\ndata: {}\u2028 y","session_id":"s"}"#;
    let printed = run(&["events", "--format", "sse"], line);
    assert!(printed.text().starts_with("event: xdata:y\ndata: {"), "{}", printed.text());
    assert_eq!(printed.text().matches("\nevent: ").count(), 0);
}

#[test]
fn csv_safe_guards_cells_that_a_spreadsheet_would_compute() {
    let line = r#"{"type":"assistant","session_id":"=1+1","message":{"content":[{"type":"tool_use","id":"t","name":"@SUM","input":{}}]}}"#;
    let cells = |args: &[&str]| {
        let printed = read(&[&["tools", "--format", "csv"], args].concat(), &[line]);
        printed.text().lines().nth(1).unwrap().to_owned()
    };
    assert!(cells(&[]).contains(",@SUM,"), "{}", cells(&[]));
    assert!(cells(&["--csv-safe"]).contains(",'@SUM,"), "{}", cells(&["--csv-safe"]));
}
