//! Runs that did not finish, print no events, or fail without a word.

use super::*;

/// The start of a run that stops in the middle.
fn cut(name: &str) -> String {
    format!("head -n 3 {}", fixture(name).display())
}

#[test]
fn run_without_its_terminal_event_fails() {
    for (agent, args, name) in [
        ("claude", &["claude", "hi"][..], "claude/subagent_foreground"),
        ("codex", &["codex", "exec", "hi"], "codex/reasoning"),
        ("other", &["other"], "claude/subagent_foreground"),
    ] {
        let workspace = Workspace::new();
        workspace.program(agent, &cut(name));
        let (run, record) = workspace.record(&[&["--"], args].concat());
        run.code(1);
        assert_eq!(record["error"], "the stream ended without a result", "{agent}");
        assert_eq!(record["error_category"], "incomplete", "{agent}");
        assert_eq!(record["succeeded_cleanly"], false);
        workspace.wrap(&[&["--exit-status", "category", "--"], args].concat()).code(65);
        workspace.wrap(&[&["--exit-status", "child", "--"], args].concat()).code(0);
        workspace.program(agent, &format!("{}; exit 9", cut(name)));
        workspace.wrap(&[&["--"], args].concat()).code(9);
    }
}

/// Kimi prints its terminal event in some releases only.
#[test]
fn run_without_a_terminal_event_in_its_format_is_finished_by_its_answer() {
    let workspace = Workspace::new();
    let call = r#"{"role":"assistant","content":"Looking.","tool_calls":[{"type":"function","id":"c","function":{"name":"Bash","arguments":"{}"}}]}"#;
    let result = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;
    let answer = r#"{"role":"assistant","content":"Done."}"#;
    let wrap = |lines: &[&str]| {
        workspace.program("agent", &format!("printf '%s\\n' '{}'", lines.join("' '")));
        let (run, record) = workspace.record(&["-q", "--", "agent"]);
        (run.get_output().status.code(), record["error_category"].clone())
    };
    assert_eq!(wrap(&[call, result, answer]), (Some(0), Value::Null));
    assert_eq!(wrap(&[call, result]), (Some(1), "incomplete".into()));
    assert_eq!(wrap(&[call]), (Some(1), "incomplete".into()));
}

#[test]
fn plain_summary_of_a_cut_stream_keeps_the_contracts_null() {
    let workspace = Workspace::new();
    let cut = workspace.shell(&cut("claude/subagent_foreground")).output().unwrap().stdout;
    let summary = crate::support::cli::run(&["-q", "summary"], cut).row();
    assert_eq!((&summary["error"], &summary["error_category"]), (&Value::Null, &Value::Null));
}

#[test]
fn output_without_events_is_passed_on_and_fails() {
    let workspace = Workspace::new();
    workspace.program("agent", "echo 'plain answer'; echo '{\"a\":1}'");
    let note = "streamj: agent: the command printed no events of a known agent CLI\n";
    for projection in ["text", "view"] {
        let run = workspace.wrap(&["--as", projection, "--", "agent"]).code(1);
        run.stdout("plain answer\n{\"a\":1}\n").stderr(note);
    }
    let run = workspace.wrap(&["--as", "tools", "--", "agent"]).code(1).stdout("");
    run.stderr(format!("plain answer\n{{\"a\":1}}\n{note}"));
    workspace.wrap(&["--as", "raw", "--", "agent"]).code(1).stdout("plain answer\n{\"a\":1}\n");
    workspace.program("agent", "true");
    workspace.wrap(&["--", "agent"]).code(1).stdout("").stderr(note);
    workspace.program("agent", "printf 'no newline'");
    workspace.wrap(&["--", "agent"]).code(1).stdout("no newline").stderr(note);
    workspace.wrap(&["--as", "tools", "--", "agent"]).stderr(format!("no newline\n{note}"));
    workspace.program("agent", "echo plain; exit 7");
    workspace.wrap(&["--", "agent"]).code(7).stdout("plain\n").stderr(
        "streamj: agent failed: exit status 7; it printed no events of a known agent CLI\n",
    );
}

#[test]
fn events_of_another_cli_are_not_those_of_the_program() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat(CODEX_OK));
    let note =
        predicate::str::ends_with("streamj: claude: the command printed no events of claude\n");
    workspace.wrap(&["--", "claude", "hi"]).code(1).stderr(note);
    workspace.program("agent", &cat(CODEX_OK));
    let note = "streamj: agent: the command printed no events of claude\n";
    workspace.wrap(&["--harness", "claude", "--", "agent"]).code(1).stderr(note);
}

#[test]
fn missing_result_is_said_once() {
    let workspace = Workspace::new();
    workspace.program("claude", &cut("claude/subagent_foreground"));
    for projection in ["text", "usage", "tools"] {
        let record = workspace.arg("record.json");
        let args = ["--record", &record, "--as", projection, "--", "claude", "hi"];
        let run = workspace.wrap(&args).code(1);
        assert_eq!(run.errors().matches("ended without").count(), 1, "{projection}: {run}");
        let line =
            predicate::str::ends_with("streamj: claude: the stream ended without a result\n");
        run.stderr(line);
        let record = workspace.read_json("record.json");
        let warning = "stream-json ended without a 'result' message; token usage unavailable";
        assert!(crate::support::has_warning(&record, warning), "{projection}: {record}");
    }
    // The row itself says it.
    let run = workspace.wrap(&["--as", "summary", "--", "claude", "hi"]).code(1);
    assert!(!run.errors().contains("ended without"), "{run}");
}

#[test]
fn closed_output_is_not_taken_for_a_command_without_events() {
    let workspace = Workspace::new();
    workspace.program("claude", &format!("sleep 0.3; {}", cat(CLAUDE_OK)));
    let script = format!("'{BIN}' wrap -- claude hi | true");
    let output = workspace.shell(&script).output().unwrap();
    assert_eq!(output.stderr.to_str_lossy(), "");
}

#[test]
fn output_without_events_is_masked_and_passed_on_whatever_its_size() {
    let workspace = Workspace::new();
    workspace
        .program("agent", "echo 'key sk-ant-api03-AbCdEfGhIjKlMnOp'; yes line | head -n 500000");
    let run = workspace.wrap(&["--redact", "--", "agent"]).code(1);
    let text = run.text();
    assert!(text.starts_with("key <redacted>\nline\n"), "{}", &text[..40]);
    assert_eq!(text.lines().count(), 500_001);
}

#[test]
fn banner_before_the_first_event_is_not_output() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("echo 'Welcome!'; {}", cat(CODEX_OK)));
    let run = workspace.wrap(&["--", "codex", "exec", "hi"]).success();
    run.stdout("Hello from the fake model.\n")
        .stderr(predicate::str::contains("streamj: codex:1: not JSON"));
}

#[test]
fn error_without_a_message_as_the_first_line_is_a_failure_of_the_known_program() {
    let workspace = Workspace::new();
    workspace.program("codex", r#"echo '{"type":"error","message":null}'"#);
    let (run, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    run.code(1)
        .stderr(predicate::str::ends_with("streamj: codex failed (api): API error (no detail)\n"));
    assert_eq!(record["error"], "API error (no detail)");
    assert_eq!(record["harness"], "codex");
}

#[test]
fn failure_is_said_once_if_the_output_does_not_show_it() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("{}; exit 1", cat("codex/err_401")));
    workspace.program("claude", &format!("{}; exit 1", cat("claude/max_turns_1")));
    let failed = predicate::str::contains("streamj: codex failed (auth, status 401): unexpected");
    workspace.wrap(&["-q", "--", "codex", "exec", "hi"]).code(1).stdout("").stderr(failed);
    workspace
        .wrap(&["-q", "--", "claude", "hi"])
        .code(1)
        .stderr("streamj: claude failed (api, max_turns): Reached maximum number of turns (1)\n");
    for projection in ["view", "error", "summary"] {
        workspace.wrap(&["-q", "--as", projection, "--", "claude", "hi"]).code(1).stderr("");
    }
    // The text is the error.
    workspace.program("claude", &cat("claude/err_401"));
    workspace.wrap(&["-q", "--", "claude", "hi"]).code(1).stderr("");
}

#[test]
fn exit_status_of_the_command_is_a_failure_unless_a_heuristic_explains_it() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("{}; exit 5", cat(CODEX_OK)));
    let (run, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    run.code(5).stderr(predicate::str::ends_with("streamj: codex failed: exit status 5\n"));
    assert_eq!(record["error_category"], "subprocess");
    workspace.program("claude", &format!("{}; exit 5", cat("claude/ask_user_question")));
    let (run, record) = workspace.record(&["--", "claude", "hi"]);
    run.code(5);
    assert_eq!(
        (&record["error_category"], &record["error"]),
        (&json!("interactive"), &Value::Null)
    );
}

#[test]
fn heuristic_is_noted_and_decides_the_category_only() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat("claude/ask_user_question"));
    let note = predicate::str::contains("streamj: claude: interactive-hang: ");
    workspace.wrap(&["--", "claude", "hi"]).code(0).stderr(note);
    workspace.wrap(&["-q", "--", "claude", "hi"]).code(0).stderr("");
    workspace.wrap(&["--exit-status", "category", "--", "claude", "hi"]).code(65);
}

#[test]
fn fail_on_applies_to_a_run_that_did_not_fail() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat("claude/tool_permission_denied"));
    let args = ["-q", "--fail-on", "denied", "--", "claude", "hi"];
    workspace.wrap(&args).code(1).stderr("streamj: 2 tool calls denied (--fail-on denied)\n");
    workspace.wrap(&args[3..]).code(0);
}
