//! OpenHands: rules that its recordings do not show, or not completely.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn event(kind: &str, source: &str, members: Value) -> Value {
    let mut event = json!({"id": "e", "timestamp": "2026-01-02T03:04:05.678901", "source": source, "kind": kind});
    event.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    event
}

fn message(source: &str, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    event("MessageEvent", source, json!({"llm_message": {"role": source, "content": content}}))
}

fn action(id: &str, tool: &str, thought: &str, action: &Value) -> Value {
    let tool_call = json!({"id": id, "name": tool, "arguments": action.to_string()});
    let thought = json!([{"type": "text", "text": thought}]);
    event(
        "ActionEvent",
        "agent",
        json!({"thought": thought, "action": action, "tool_name": tool, "tool_call_id": id,
            "tool_call": tool_call, "llm_response_id": "r"}),
    )
}

fn observation(id: &str, tool: &str, members: &Value) -> Value {
    let mut observation =
        json!({"content": [{"type": "text", "text": "x"}], "is_error": false, "kind": "K"});
    observation.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let members = json!({"tool_name": tool, "tool_call_id": id, "observation": observation});
    event("ObservationEvent", "environment", members)
}

fn failure(code: &str) -> Value {
    event("ConversationErrorEvent", "environment", json!({"code": code, "detail": "It failed."}))
}

/// Puts text for people around the lines.
fn with_text(lines: &[Value]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| format!("{line}\nAgent is working\n")).collect();
    format!(
        "Initializing agent...\n[01/02/26 03:04:05] INFO\n{}│ box │\n  42 x\nConversation ID: ab12\n",
        lines.concat()
    )
}

#[test]
fn text_between_events_is_not_reported() {
    let input = with_text(&[message("user", "Hi."), message("agent", "Hello.")]);
    for command in ["text", "tools", "error", "session", "summary", "events", "view"] {
        run(&["--strict", command], input.as_str()).success().stderr("");
    }
    run(&["--strict", "check"], input.as_str())
        .success()
        .stderr("streamj: <stdin>: 2 lines, 2 events, 0 violations\n");
    let summary = run(&["summary"], input.as_str()).row();
    let expected = json!({"total": 9, "events": 2, "malformed": 0, "ignored": 7});
    assert_eq!((&summary["lines"], &summary["warnings"]), (&expected, &json!([])));
    // The user may name the CLI.
    run(&["--strict", "--harness", "openhands", "text"], input).success().stderr("");
}

#[test]
fn broken_event_between_text_is_reported() {
    let hi = message("user", "Hi.").to_string();
    let input = format!("Text.\n{hi}\n{}\n{}\n", &hi[..40], message("agent", "Hello."));
    run(&["--strict", "text"], input.as_str())
        .code(1)
        .stderr(predicate::str::starts_with("streamj: <stdin>:3: not JSON"));
    run(&["check"], input.as_str()).code(1);
    assert_eq!(run(&["summary"], input).row()["lines"]["malformed"], 1);
}

#[test]
fn text_is_malformed_in_the_stream_of_another_cli() {
    let codex = r#"{"type":"turn.started"}"#;
    run(&["events"], format!("Text.\n{codex}\nText.\n")).stderr(
        predicate::str::contains("<stdin>:1: not JSON").and(predicate::str::contains(":3:")),
    );
    run(&["check"], format!("Text.\n{codex}\n"))
        .code(1)
        .stdout(predicate::str::contains("JsonParse"));
}

#[test]
fn session_is_named_by_text_or_by_the_folder_of_outputs() {
    let hello = [message("agent", "Hello.")];
    let id = |input: String| run(&["session"], input).row()["session_id"].clone();
    assert_eq!(id(with_text(&hello)), "ab12");
    assert_eq!(id(lines_of(&hello)), Value::Null);
    let folder = json!({"full_output_save_dir": "/h/.openhands/conversations/cd34/observations"});
    assert_eq!(id(lines_of(&[observation("c", "terminal", &folder)])), "cd34");
    assert_eq!(run(&["summary"], with_text(&hello)).row()["session_id"], "ab12");
}

#[test]
fn session_is_the_same_with_threads() {
    let lines: Vec<_> = (0..3000).map(|at| message("agent", &format!("Hello {at}."))).collect();
    let input = with_text(&lines);
    let serial = run(&["--threads", "1", "summary"], input.as_str()).row();
    assert_eq!(serial["session_id"], "ab12");
    assert_eq!(run(&["--threads", "4", "summary"], input).row(), serial);
}

#[test]
fn calls_of_one_answer_are_matched_by_id() {
    let lines = [
        action("1", "terminal", "Look.", &json!({"command": "ls"})),
        action("2", "terminal", "", &json!({"command": "pwd"})),
        action("3", "terminal", "", &json!({"command": "rm x"})),
        action("4", "terminal", "", &json!({"command": "sleep 9"})),
        observation("2", "terminal", &json!({"exit_code": 3})),
        observation("1", "terminal", &json!({"exit_code": -1})),
        event(
            "UserRejectObservation",
            "environment",
            json!({"tool_name": "terminal", "tool_call_id": "3", "rejection_reason": "No."}),
        ),
    ];
    let rows = run(&["tools"], lines_of(&lines)).rows();
    let calls: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["id"].as_str().unwrap(),
                row["status"].as_str().unwrap(),
                row["exit_code"].as_i64(),
            )
        })
        .collect();
    let expected = [
        ("2", "completed", Some(3)),
        ("1", "completed", None),
        ("3", "denied", None),
        ("4", "pending", None),
    ];
    assert_eq!(calls, expected);
    run(&["text"], lines_of(&lines)).stdout("Look.\n");
}

#[test]
fn answer_is_the_message_of_finish_or_of_the_agent() {
    let finish = [
        message("user", "Hi."),
        action("1", "finish", "Bye.", &json!({"message": "Done."})),
        observation("1", "finish", &json!({})),
    ];
    run(&["text"], lines_of(&finish)).stdout("Bye.\nDone.\n");
    run(&["text", "--last"], lines_of(&finish)).stdout(predicate::str::ends_with("Done.\n"));
    let summary = |lines: &[Value]| run(&["summary"], lines_of(lines)).row();
    assert_eq!(summary(&finish)["succeeded_cleanly"], true);
    assert_eq!(summary(&finish[..2])["complete"], false);
    assert_eq!(summary(&[message("user", "Hi."), message("agent", "Hello.")])["complete"], true);
    let call = action("1", "terminal", "Look.", &json!({"command": "ls"}));
    assert_eq!(summary(&[message("user", "Hi."), call])["complete"], false);
}

#[test]
fn reasoning_is_a_text_or_blocks() {
    let mut with_text = message("agent", "Hi.");
    with_text["llm_message"]["reasoning_content"] = "Hm.".into();
    let mut with_blocks = action("1", "terminal", "", &json!({"command": "ls"}));
    with_blocks["thinking_blocks"] = json!([{"type": "thinking", "thinking": "So."}]);
    let events = run(&["events", "--unified"], lines_of(&[with_text, with_blocks])).rows();
    let reasoning: Vec<_> = events.iter().filter(|event| event["kind"] == "reasoning").collect();
    assert_eq!(reasoning.len(), 2);
    assert_eq!((&reasoning[0]["text"], &reasoning[1]["text"]), (&"Hm.".into(), &"So.".into()));
}

#[test]
fn errors_of_a_conversation_are_classified_by_their_code() {
    for (code, category, reason) in [
        ("LLMAuthenticationError", "auth", "authentication"),
        ("LLMRateLimitError", "rate_limit", "rate_limit"),
        ("MaxIterationsReached", "api", "max_turns"),
        ("LLMContextWindowExceedError", "api", "context_length"),
    ] {
        let row = run(&["error"], lines_of(&[message("user", "Hi."), failure(code)])).row();
        assert_eq!(
            (&row["category"], &row["reason"]),
            (&category.into(), &reason.into()),
            "{code}"
        );
    }
}

#[test]
fn counts_in_the_stream_are_used() {
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 2, "cache_read_tokens": 4, "cache_write_tokens": 0, "reasoning_tokens": 1});
    let metrics = json!({"model_name": "m", "accumulated_token_usage": usage});
    let value = json!({"usage_to_metrics": {"agent": metrics, "condenser": metrics}});
    let update = event(
        "ConversationStateUpdateEvent",
        "environment",
        json!({"key": "stats", "value": value}),
    );
    let row = run(&["usage"], lines_of(&[message("agent", "Hi."), update])).stderr("").row();
    assert_eq!((&row["total_tokens"], &row["uncached_input_tokens"]), (&24.into(), &12.into()));
}

#[test]
fn state_of_a_conversation_has_tokens_and_cost() {
    let folder = tempfile::tempdir().unwrap();
    let source = root().join("tests/fixtures/transcripts/openhands.text_success/conversations/409f9c332f054b75b96d5b10fe93eab2");
    let conversation = folder.path().join("conversations/409f9c332f054b75b96d5b10fe93eab2");
    std::fs::create_dir_all(conversation.join("events")).unwrap();
    for event in std::fs::read_dir(source.join("events")).unwrap() {
        let path = event.unwrap().path();
        std::fs::copy(&path, conversation.join("events").join(path.file_name().unwrap())).unwrap();
    }
    let state = std::fs::read_to_string(source.join("base_state.json")).unwrap();
    let mut state: Value = serde_json::from_str(&state).unwrap();
    state["stats"]["usage_to_metrics"]["agent"]["accumulated_cost"] = 0.5.into();
    std::fs::write(conversation.join("base_state.json"), state.to_string()).unwrap();
    let mut command = streamj(&["usage", "--home", "--by", "session"]);
    command.env("HOME", "/no/such").env("TZ", "UTC");
    let command = command.env("OPENHANDS_PERSISTENCE_DIR", folder.path());
    let row = &command.assert().success().rows()[0];
    assert_eq!((&row["project"], &row["total_tokens"]), (&"/tmp/demo".into(), &1250.into()));
    assert_eq!((&row["cost_usd"], &row["first"]), (&0.5.into(), &"2026-11-17T19:12:46Z".into()));
}

#[test]
fn failed_run_that_exits_with_0_is_a_failure() {
    let workspace = Workspace::new();
    let command = ["--", "openhands", "--headless", "-t", "Hi."];
    workspace.program("openhands", &format!("cat {}", fixture("openhands/err_429").display()));
    let (run, record) = workspace.record(&command);
    run.code(1).stderr(predicate::str::contains("not JSON").not());
    assert_eq!(record["error_category"], "rate_limit");
    assert_eq!(record["session_id"], "506fb04727be4398a3247e7646249fd6");
    workspace.wrap(&[&["--exit-status", "category"], &command[..]].concat()).code(75);
    workspace.program("openhands", &format!("cat {}", fixture("openhands/tools").display()));
    workspace.wrap(&command).success().stdout("Running.\nAll done.\n");
    workspace.program("openhands", "echo 'Initializing agent...'");
    workspace.wrap(&command).code(1);
}

#[test]
fn only_a_headless_command_is_completed() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (
            &["openhands", "--headless", "-t", "fix it"][..],
            "openhands --json --headless -t 'fix it'\n",
        ),
        (&["openhands", "--headless", "--json", "-t", "x"], "openhands --headless --json -t x\n"),
        (&["openhands", "-t", "x"], "openhands -t x\n"),
        (&["openhands", "serve"], "openhands serve\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn stream_says_where_its_tokens_are() {
    run(&["usage"], fixture_bytes("openhands/tools")).stderr(predicate::str::ends_with(
        "the stream of openhands contains no tokens; its sessions on disk do (usage --home)\n",
    ));
}
