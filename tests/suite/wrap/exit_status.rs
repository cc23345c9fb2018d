//! Exit status.

use super::*;

#[test]
fn exit_status_is_that_of_the_command_or_of_the_stream() {
    let workspace = Workspace::new();
    workspace.program("agent", "exit 42");
    workspace.wrap(&["--", "agent"]).code(42);
    workspace.program("agent", "kill -SEGV $$");
    let (run, record) = workspace.record(&["--", "agent"]);
    run.code(139);
    assert_eq!(record["exit_code"], 139);
    // The command exits with 0, but its stream reports a failure.
    workspace.program("agent", &cat("claude_2_0_77/max_turns_1"));
    workspace.wrap(&["--", "agent"]).code(1);
    workspace.wrap(&["--exit-status", "child", "--", "agent"]).code(0);
    workspace.program("agent", &cat("claude/err_429_unified_oauth"));
    workspace.wrap(&["--exit-status", "category", "--", "agent"]).code(75);
    workspace.program("agent", &cat("claude/max_turns_1"));
    workspace.wrap(&["--exit-status", "category", "--", "agent"]).code(76);
    workspace.program("agent", "exit 9");
    workspace.wrap(&["--exit-status", "category", "--", "agent"]).code(70);
}

#[test]
fn exit_code_above_128_is_not_told_as_a_signal() {
    let workspace = Workspace::new();
    workspace.program("agent", "exit 145");
    let (run, record) = workspace.record(&["-q", "--", "agent"]);
    run.code(145).stderr(
        "streamj: agent failed: exit status 145; it printed no events of a known agent CLI\n",
    );
    assert_eq!(record["error"], "exit status 145");
    // Gemini CLI exits with the HTTP status modulo 256.
    workspace.program("gemini", "exit 145");
    let (run, record) = workspace.record(&["-q", "--", "gemini", "-p", "hi"]);
    run.code(145);
    assert_eq!(
        (&record["error_category"], &record["reason"]),
        (&json!("auth"), &json!("authentication"))
    );
    workspace.program("gemini", "kill -KILL $$");
    let (run, record) = workspace.record(&["-q", "--", "gemini", "-p", "hi"]);
    run.code(137);
    assert_eq!(record["error"], "killed by SIGKILL");
}

#[test]
fn missing_program_is_127_and_file_without_permission_126() {
    let workspace = Workspace::new();
    for (program, cli) in [("codex", "Codex CLI"), ("claude", "Claude CLI"), ("other", "command")] {
        let path = format!("/no/such/{program}");
        let (run, record) = workspace.record(&["--", &path, "exec", "x"]);
        let message = format!("{cli} not found: {path}");
        run.code(127).stderr(predicate::str::contains(format!("streamj: {message}\n")));
        assert_eq!(record["exit_code"], -1);
        assert_eq!(record["error"], message);
        assert_eq!(record["error_category"], Value::Null);
        assert_eq!(record["succeeded_cleanly"], false);
        assert_eq!(record["warnings"], serde_json::json!([]), "there is no stream");
        assert!(record["duration_seconds"].is_number());
    }
    workspace.write("codex", "no program");
    let (run, record) = workspace.record(&["--", &workspace.arg("codex"), "exec", "x"]);
    run.code(126);
    assert_eq!(record["exit_code"], -1);
}

#[test]
fn too_many_open_files_is_125() {
    let workspace = Workspace::new();
    workspace.program("claude", "exit 0");
    let script = format!("ulimit -n 9; exec {BIN} wrap -- {}", workspace.arg("claude"));
    workspace.shell(&script).assert().code(125);
}
