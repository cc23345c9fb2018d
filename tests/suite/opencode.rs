//! OpenCode and Kilo: rules that the recordings do not show, or not completely.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run};
use crate::support::{fixture, fixture_bytes, has_warning, lines_of};
use crate::workspace::Workspace;

/// A line with a part of the message `msg_1`.
#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn line(kind: &str, part: Value) -> Value {
    let mut line = json!({
        "type": kind, "timestamp": 1_794_940_602_826_u64, "sessionID": "ses_1",
        "part": {"id": "prt_1", "messageID": "msg_1", "sessionID": "ses_1"},
    });
    line["part"].as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    line
}

fn start() -> Value {
    line("step_start", json!({"type": "step-start"}))
}

fn text(text: &str) -> Value {
    line("text", json!({"type": "text", "text": text, "time": {"start": 1, "end": 2}}))
}

fn finish(reason: &str) -> Value {
    let tokens = json!({"input": 4, "output": 3, "reasoning": 2, "cache": {"read": 8, "write": 1}});
    line(
        "step_finish",
        json!({"type": "step-finish", "reason": reason, "cost": 0.5, "tokens": tokens}),
    )
}

#[allow(clippy::needless_pass_by_value)]
fn tool(name: &str, state: Value) -> Value {
    line("tool_use", json!({"type": "tool", "tool": name, "callID": "c", "state": state}))
}

#[allow(clippy::needless_pass_by_value)]
fn error(error: Value) -> Value {
    json!({"type": "error", "timestamp": 1_794_940_602_826_u64, "sessionID": "ses_1", "error": error})
}

fn summary(lines: &[Value]) -> Value {
    run(&["summary"], lines_of(lines)).row()
}

fn error_of(lines: &[Value]) -> Value {
    run(&["error"], lines_of(lines)).row()
}

fn harnesses(lines: &[Value]) -> Vec<Value> {
    run(&["events"], lines_of(lines)).rows().iter().map(|row| row["harness"].clone()).collect()
}

#[test]
fn session_and_part_identify_a_line() {
    assert_eq!(harnesses(&[start()]), ["opencode"]);
    let flat = json!({"type": "text", "timestamp": 1, "sessionID": "s", "step": 1, "text": "x"});
    let dated =
        json!({"type": "text", "timestamp": "2026-01-01T00:00:00Z", "sessionID": "s", "part": {}});
    for other in [flat, dated] {
        assert_eq!(harnesses(std::slice::from_ref(&other)), ["unknown"], "{other}");
    }
}

#[test]
fn line_with_members_of_the_fork_shows_it() {
    let mut fork = finish("tool-calls");
    fork["part"]["metrics"] = json!({"generation": 1.5});
    let lines = [start(), fork.clone(), text("Hi."), start(), fork, finish("stop"), text("Hi.")];
    let expected = ["opencode", "kilo", "kilo", "kilo", "kilo", "opencode", "opencode"];
    assert_eq!(harnesses(&lines), expected);
    assert_eq!(summary(&lines[..2])["harness"], "kilo");
    let session = run(&["session"], fixture_bytes("kilo/tools")).row();
    assert_eq!(session["resume_command"], "kilo -s ses_e15150aeaffeoX9I2SQkFgtLYQ");
    let approved = json!({"status": "completed", "input": {}, "output": "", "metadata": {"approval": {}}, "time": {"start": 1, "end": 2}});
    assert_eq!(harnesses(&[tool("bash", approved), text("x")]), ["kilo", "kilo"]);
    assert_eq!(harnesses(&[error("denied".into())]), ["kilo"]);
}

#[test]
fn run_ends_with_a_step_that_calls_no_tool() {
    for (lines, complete) in [
        (vec![start(), text("Hi.")], false),
        (vec![start(), text("Hi."), finish("tool-calls")], false),
        (vec![start(), text("Hi."), finish("stop")], true),
        (vec![start(), finish("stop")], true),
        (vec![start(), text("Hi."), finish("unknown")], true),
        (vec![start(), text("Hi."), finish("stop"), start()], false),
        (vec![start(), finish("stop"), start(), text("Hi."), finish("stop")], true),
    ] {
        let summary = summary(&lines);
        assert_eq!(summary["complete"], complete, "{lines:?}");
        assert_eq!(summary["succeeded_cleanly"], complete, "{lines:?}");
    }
}

#[test]
fn answer_that_was_cut_is_a_failure() {
    for (reason, expected) in [("length", "max_output_tokens"), ("content-filter", "refusal")] {
        let error = error_of(&[start(), text("Hi"), finish(reason)]);
        assert_eq!((&error["category"], &error["reason"]), (&"api".into(), &expected.into()));
    }
    let lines = [
        start(),
        finish("content-filter"),
        error(json!({"name": "ContentFilterError", "data": {"message": "Blocked."}})),
    ];
    assert_eq!(error_of(&lines)["message"], "Blocked.", "the line about it says more");
}

#[test]
fn tokens_of_all_steps_add_up() {
    // In older releases several steps belong to one message.
    let lines = [start(), finish("tool-calls"), start(), text("Hi."), finish("stop")];
    let usage = run(&["usage"], lines_of(&lines)).row();
    let counts = [
        "input_tokens",
        "output_tokens",
        "reasoning_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "total_tokens",
    ];
    assert_eq!(counts.map(|name| usage[name].as_u64().unwrap()), [8, 10, 4, 16, 2, 36]);
    assert_eq!((&usage["cost_usd"], &usage["turns"]), (&1.0.into(), &2.into()));
}

#[test]
fn reasoning_is_no_text() {
    let thought = line(
        "reasoning",
        json!({"type": "reasoning", "text": "Hm.", "time": {"start": 1, "end": 2}}),
    );
    let lines = [start(), thought, text("Hi."), finish("stop")];
    run(&["text"], lines_of(&lines)).success().stdout("Hi.\n");
    let events = run(&["events", "--unified"], lines_of(&lines)).rows();
    assert_eq!((&events[1]["kind"], &events[1]["text"]), (&"reasoning".into(), &"Hm.".into()));
    run(&["check"], lines_of(&lines)).success();
}

#[test]
fn rejected_call_is_denied() {
    let state = |error: &str| json!({"status": "error", "input": {"command": "rm x"}, "error": error, "time": {"start": 5, "end": 9}});
    let rejected = "The user rejected permission to use this specific tool call.";
    let summary = summary(&[start(), tool("bash", state(rejected)), finish("stop")]);
    assert_eq!(summary["permission_denials"], json!([{"name": "bash", "id": "c"}]));
    assert!(has_warning(&summary, "permission-denied: bash (c)"), "{summary}");
    assert_eq!(summary["succeeded_cleanly"], true);
    let failed = run(&["tools"], lines_of(&[tool("bash", state("rejected"))])).row();
    assert_eq!((&failed["status"], &failed["duration_ms"]), (&"failed".into(), &4.into()));
}

#[test]
fn call_whose_output_was_removed_is_not_counted_again() {
    let state = json!({"status": "completed", "input": {}, "output": "x", "title": "", "metadata": {}, "time": {"start": 1, "end": 2}});
    let mut removed = state.clone();
    removed["time"]["compacted"] = 3.into();
    let lines = [start(), tool("bash", state), finish("stop"), tool("bash", removed)];
    assert_eq!(run(&["tools"], lines_of(&lines)).rows().len(), 1);
    assert_eq!(summary(&lines)["complete"], true);
}

#[test]
fn answer_of_a_subagent_is_the_result_of_its_call() {
    let state = json!({"status": "completed", "input": {"description": "Look", "prompt": "Find it.", "subagent_type": "general"}, "output": "42", "title": "Look", "metadata": {"sessionId": "ses_2"}, "time": {"start": 1, "end": 2}});
    let lines = [
        start(),
        tool("task", state),
        finish("tool-calls"),
        start(),
        text("It is 42."),
        finish("stop"),
    ];
    let call = run(&["tools"], lines_of(&lines)).row();
    assert_eq!((&call["status"], &call["output"]), (&"completed".into(), &"42".into()));
    assert_eq!(summary(&lines)["succeeded_cleanly"], true);
}

#[test]
fn error_has_status_reason_and_time_of_the_next_attempt() {
    let failed = |data: Value| error_of(&[error(json!({"name": "APIError", "data": data}))]);
    let limited = failed(
        json!({"message": "Slow down", "statusCode": 429, "isRetryable": true, "responseHeaders": {"retry-after": "90"}}),
    );
    assert_eq!((&limited["category"], &limited["retryable"]), (&"rate_limit".into(), &true.into()));
    assert_eq!(
        (&limited["status"], &limited["retry_at"]),
        (&429.into(), &"2026-11-17T18:38:12Z".into())
    );
    let body = json!({"error": {"type": "x", "code": "insufficient_quota"}}).to_string();
    let quota = failed(
        json!({"message": "No", "statusCode": 429, "isRetryable": false, "responseBody": body}),
    );
    assert_eq!((&quota["reason"], &quota["retryable"]), (&"quota".into(), &false.into()));
    let unreachable = failed(json!({"message": "It did not work", "isRetryable": true}));
    assert_eq!(
        (&unreachable["reason"], &unreachable["retryable"]),
        (&"network".into(), &true.into())
    );
    for (name, category, reason) in [
        ("ProviderAuthError", "auth", "authentication"),
        ("MessageAbortedError", "api", "interrupted"),
        ("ContextOverflowError", "api", "context_length"),
        ("StructuredOutputError", "api", "structured_output"),
        ("MessageOutputLengthError", "api", "max_output_tokens"),
    ] {
        let error = error_of(&[error(json!({"name": name, "data": {"message": "m"}}))]);
        assert_eq!((&error["category"], &error["reason"]), (&category.into(), &reason.into()));
    }
}

#[test]
fn error_without_details_has_a_message() {
    assert_eq!(error_of(&[error("Permission denied".into())])["message"], "Permission denied");
    let bare = error(json!({"name": "MessageOutputLengthError", "data": {}}));
    assert_eq!(error_of(&[bare])["message"], "MessageOutputLengthError");
    for odd in [json!(null), json!([1]), json!({"data": 5})] {
        assert_eq!(summary(&[start(), error(odd)])["succeeded_cleanly"], false);
    }
}

#[test]
fn closing_question_of_a_single_step_waits_for_an_answer() {
    let summary = summary(&[start(), text("Shall I delete it?"), finish("stop")]);
    assert_eq!(summary["error_category"], "interactive");
}

#[test]
fn to_do_list_is_shown_with_its_items() {
    let todos =
        json!([{"content": "One", "status": "completed"}, {"content": "Two", "status": "pending"}]);
    let state = json!({"status": "completed", "input": {"todos": todos}, "output": "", "title": "", "metadata": {}, "time": {"start": 1, "end": 2}});
    let shown = run(&["view"], lines_of(&[start(), tool("todowrite", state), finish("stop")]));
    shown.stdout(predicate::str::contains("One").and(predicate::str::contains("Two")));
}

#[test]
fn check_names_the_member_that_is_missing() {
    let mut step = finish("stop");
    step["part"]["tokens"].as_object_mut().unwrap().remove("cache");
    run(&["check"], lines_of(&[start(), step]))
        .code(1)
        .stdout(predicate::str::contains("part.tokens.cache: missing"));
    let new = line("plan", json!({"type": "plan"}));
    run(&["check", "--contract", "current"], lines_of(&[new])).code(1);
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["opencode", "run", "fix it"][..], "opencode run --format json 'fix it'\n"),
        (&["opencode", "run", "--format", "default", "x"], "opencode run --format default x\n"),
        (&["opencode", "run", "-m", "a/b", "x"], "opencode run --format json -m a/b x\n"),
        (&["opencode", "run", "x", "-f", "a", "b"], "opencode run --format json x -f a b\n"),
        (&["kilo", "run", "x"], "kilo run --format json x\n"),
        (&["opencode", "serve"], "opencode serve\n"),
        (&["opencode", "auth", "login"], "opencode auth login\n"),
        (&["opencode"], "opencode\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn lines_under_wrap_belong_to_the_program() {
    let workspace = Workspace::new();
    for (name, stream) in [("kilo", "opencode/tools"), ("opencode", "opencode/tools")] {
        workspace.program(name, &format!("cat {}", fixture(stream).display()));
        let (run, record) = workspace.record(&["--as", "text", "--", name, "run", "Work."]);
        run.success().stdout("Running.\nAll done.\n");
        assert_eq!(record["harness"], name);
        assert_eq!(record["succeeded_cleanly"], true);
    }
}

#[test]
fn run_that_stops_early_is_a_failure_under_wrap() {
    let workspace = Workspace::new();
    let stream = fixture("opencode/signal_sigint");
    workspace.program("opencode", &format!("cat {}", stream.display()));
    let (run, record) = workspace.record(&["--", "opencode", "run", "Hi."]);
    run.code(1);
    assert_eq!(record["error_category"], "incomplete");
}

#[test]
fn message_on_standard_error_explains_a_run_without_events() {
    let workspace = Workspace::new();
    let coloured = r"printf '\033[91m\033[1mError: \033[0mSession not found\n' >&2; exit 1";
    for script in [coloured, "echo 'Error: Session not found' >&2; exit 1"] {
        workspace.program("opencode", script);
        let (run, record) = workspace.record(&["--", "opencode", "run", "-s", "ses_9", "Hi."]);
        run.code(1);
        assert_eq!(record["error"], "Session not found");
        let error = workspace.wrap(&["--as", "error", "--", "opencode", "run", "Hi."]).row();
        assert_eq!(error["reason"], "session_not_found");
    }
    // The stream says more than standard error.
    let stream = fixture("opencode/err_401");
    workspace.program("kilo", &format!("cat {}; echo 'Error: x' >&2; exit 1", stream.display()));
    let (run, record) =
        workspace.record(&["--exit-status", "category", "--", "kilo", "run", "Hi."]);
    run.code(77);
    assert_eq!(record["error"], "Incorrect API key provided");
}
