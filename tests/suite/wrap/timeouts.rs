//! `--timeout`, `--idle-timeout` and `--kill-after`.

use super::*;

#[test]
fn timeout_ends_the_run_and_keeps_its_output() {
    let workspace = Workspace::new();
    let body = format!("echo $$ > $DIR/pid; {}; sleep 1000", cat("codex/signal_sigterm_midtool"));
    workspace.program("codex", &body);
    let (run, record) = workspace.record(&["--timeout", "500ms", "--", "codex", "exec", "hi"]);
    run.code(124).stdout("Running something long.\n");
    assert_eq!(record["exit_code"], -1);
    assert_eq!(record["error"], "timeout");
    assert_eq!(record["error_category"], "timeout");
    assert_eq!(record["output"], "Running something long.");
    assert!(!is_alive(workspace.pid("pid")));
}

#[test]
fn timeout_takes_precedence_over_errors_of_the_stream() {
    let workspace = Workspace::new();
    workspace.program("claude", &format!("{}; sleep 1000", cat("claude/err_401")));
    let options = ["--timeout", "500ms", "--exit-grace", "0"];
    let command = ["--", "claude", "hi"];
    let (run, record) = workspace.record(&[&options[..], &command].concat());
    run.code(124);
    assert_eq!(record["error"], "timeout");
    assert_eq!(record["error_category"], "timeout");
    let args = [&options[..], &["--exit-status", "category"], &command].concat();
    workspace.wrap(&args).code(124);
}

#[test]
fn idle_timeout_starts_at_the_last_output() {
    let workspace = Workspace::new();
    let body =
        "for i in 1 2 3 4 5; do echo '{\"type\":\"turn.started\"}'; sleep 0.3; done; sleep 1000";
    workspace.program("agent", body);
    let args = ["--idle-timeout", "1500ms", "--as", "events", "--", "agent"];
    workspace.wrap(&args).code(124).stdout(predicate::str::contains("\n").count(5));
}

#[test]
fn child_that_ignores_sigterm_is_killed() {
    let workspace = Workspace::new();
    workspace.program("agent", "trap '' TERM; echo $$ > $DIR/pid; while :; do sleep 1; done");
    workspace.wrap(&["--timeout", "300ms", "--kill-after", "200ms", "--", "agent"]).code(124);
    assert!(!is_alive(workspace.pid("pid")));
}

#[test]
fn stopped_child_receives_sigterm() {
    let workspace = Workspace::new();
    let body =
        "trap 'echo ended > $DIR/ended; exit' TERM; echo $$ > $DIR/pid; kill -STOP $$; sleep 1000";
    workspace.program("agent", body);
    workspace.wrap(&["--timeout", "500ms", "--", "agent"]).code(124);
    assert!(!is_alive(workspace.pid("pid")));
    assert!(workspace.path("ended").exists());
}

#[test]
fn timeout_applies_while_a_grandchild_holds_the_output_open() {
    let workspace = Workspace::new();
    workspace.program(
        "agent",
        "(trap '' TERM; touch $DIR/ready; while :; do echo x; sleep 0.05; done) &
         while [ ! -e $DIR/ready ]; do sleep 0.01; done",
    );
    workspace.wrap(&["-q", "--timeout", "500ms", "--kill-after", "1s", "--", "agent"]).code(124);
}

#[test]
fn longest_duration_does_not_overflow() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat(CLAUDE_OK));
    let (run, record) =
        workspace.record(&["-q", "--kill-after", "9223372036854775807s", "--", "claude", "hi"]);
    run.success();
    assert_eq!(record["exit_code"], 0);
}
