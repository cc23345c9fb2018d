//! Cline: rules that its recordings do not show, or not completely.

use std::path::PathBuf;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

/// Returns the messages of a stored session.
fn session(scenario: &str) -> PathBuf {
    let folder =
        root().join("tests/fixtures/transcripts").join(format!("cline.{scenario}/sessions"));
    let session = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let id = session.file_name().unwrap().to_str().unwrap().to_owned();
    session.join(format!("{id}.messages.json"))
}

#[allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference
fn line(kind: &str, members: Value) -> Value {
    let mut line = json!({"ts": "2026-11-17T18:53:08.246Z", "type": kind});
    line.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    line
}

#[allow(clippy::needless_pass_by_value)]
fn event(event: Value) -> Value {
    line("agent_event", json!({"event": event}))
}

fn hook(name: &str, parent: Option<&str>) -> Value {
    line(
        "hook_event",
        json!({"hookEventName": name, "agentId": "a", "taskId": "t", "parentAgentId": parent}),
    )
}

fn delta(text: &str, so_far: &str) -> Value {
    event(
        json!({"type": "content_start", "contentType": "text", "text": text, "accumulated": so_far}),
    )
}

fn text(text: &str) -> Value {
    event(json!({"type": "content_end", "contentType": "text", "text": text}))
}

fn usage(input: u64, total: u64) -> Value {
    event(
        json!({"type": "usage", "inputTokens": input, "outputTokens": 1, "cacheReadTokens": 2, "cost": 0.5, "totalInputTokens": total, "totalCost": 9}),
    )
}

fn result(reason: &str, text: &str) -> Value {
    line(
        "run_result",
        json!({"finishReason": reason, "iterations": 1, "usage": {"inputTokens": 7}, "durationMs": 5, "text": text, "model": {"id": "m"}}),
    )
}

#[test]
fn tokens_are_those_of_all_requests() {
    // The total is that of one agent; the sum has those of subagents, too.
    let lines = [
        usage(10, 10),
        hook("agent_start", Some("p")),
        usage(20, 20),
        hook("tool_result", None),
        usage(30, 40),
        result("completed", "Hi."),
    ];
    let row = run(&["usage"], lines_of(&lines)).row();
    let counts = (&row["input_tokens"], &row["cache_read_tokens"], &row["uncached_input_tokens"]);
    assert_eq!(counts, (&60.into(), &6.into(), &54.into()));
    assert_eq!((&row["cost_usd"], &row["model"]), (&1.5.into(), &"m".into()));
}

#[test]
fn lines_between_hooks_of_a_subagent_are_its_own() {
    let lines = [
        text("Main."),
        hook("agent_start", Some("p")),
        delta("Su", "Su"),
        delta("b.", "Sub."),
        text("Sub."),
        hook("agent_end", Some("p")),
        hook("tool_result", None),
        text("Main again."),
        result("completed", "Main again."),
    ];
    run(&["text"], lines_of(&lines)).stdout("Main.\nSub.\nMain again.\n");
    run(&["text", "--main-only"], lines_of(&lines)).stdout("Main.\nMain again.\n");
}

#[test]
fn teammate_writes_beside_the_main_agent() {
    let mate = |event: Value| {
        line(
            "team_event",
            json!({"event": {"type": "agent_event", "agentId": "mate", "event": event}}),
        )
    };
    let lines = [
        text("Main."),
        mate(json!({"type": "content_end", "contentType": "text", "text": "Mate."})),
        usage(10, 10),
        // The same request once more.
        mate(json!({"type": "usage", "inputTokens": 10, "outputTokens": 1})),
        text("Bye."),
        result("completed", "Bye."),
    ];
    run(&["text", "--main-only"], lines_of(&lines)).stdout("Main.\nBye.\n");
    assert_eq!(run(&["usage"], lines_of(&lines)).row()["input_tokens"], 10);
}

#[test]
fn run_that_does_not_complete_has_failed() {
    for (reason, expected) in [("max_iterations", "max_turns"), ("aborted", "interrupted")] {
        let row = run(&["error"], lines_of(&[text("Hi."), result(reason, "Stopped.")])).row();
        assert_eq!((&row["reason"], &row["message"]), (&expected.into(), &"Stopped.".into()));
    }
    let aborted = line("run_aborted", json!({"reason": "local_abort", "message": "Aborted."}));
    let summary = run(&["summary"], lines_of(&[text("Hi."), aborted])).row();
    assert_eq!((&summary["complete"], &summary["error"]), (&true.into(), &"Aborted.".into()));
}

#[test]
fn secret_in_deltas_and_in_the_text_so_far_is_masked() {
    let secret = "hunter2-hunter2-value";
    for cut in 1..secret.len() {
        let (one, two) = secret.split_at(cut);
        let lines =
            [delta(one, one), delta(two, secret), text(secret), result("completed", secret)];
        let mut command = streamj(&["--redact", "events"]);
        let printed = command.env("MY_TOKEN", secret).write_stdin(lines_of(&lines)).assert();
        let text: String = printed
            .rows()
            .iter()
            .filter_map(|row| row["event"]["accumulated"].as_str().map(str::to_owned))
            .collect();
        assert!(!text.contains("hunter"), "{cut}: {text}");
        let mut command = streamj(&["--redact", "text"]);
        command
            .env("MY_TOKEN", secret)
            .write_stdin(lines_of(&lines))
            .assert()
            .stdout("<redacted>\n");
    }
}

#[test]
fn session_is_read_from_its_documents() {
    let path = session("tools");
    let path = path.to_str().unwrap();
    run(&["text", path], "").success().stdout("Running.\nAll done.\n");
    let session = run(&["session", path], "").row();
    assert_eq!((&session["cwd"], &session["version"]), (&"/tmp/demo".into(), &"3.0.65".into()));
    assert_eq!(session["resume_command"], "cline --id 1794941775299_wgxo6");
    let prompts = run(&["events", "--unified", path], "").rows();
    let prompt = prompts.iter().find(|event| event["kind"] == "prompt").unwrap();
    assert_eq!(prompt["text"], "Do the work.");
    let usage = run(&["usage", path], "").row();
    assert_eq!((&usage["source"], &usage["total_tokens"]), (&"session".into(), &7500.into()));
    assert!(usage["unattributed"].is_null());
}

#[test]
fn failed_request_of_a_session_is_its_failure() {
    let path = session("err_401");
    let path = path.to_str().unwrap();
    let error = run(&["error", path], "").row();
    assert_eq!((&error["category"], &error["source"]), (&"auth".into(), &"message".into()));
    run(&["text", path], "").stdout("");
}

#[test]
fn document_is_read_the_same_in_every_layout() {
    let document = std::fs::read_to_string(session("tools")).unwrap();
    let value: Value = serde_json::from_str(&document).unwrap();
    let layouts =
        [document.clone(), serde_json::to_string_pretty(&value).unwrap(), value.to_string()];
    // The order of members is not that of the file.
    let printed =
        |command: &str, input: Vec<u8>| run(&[command, "--format", "jsonl"], input).rows();
    for command in ["tools", "usage", "summary"] {
        let mut expected = printed(command, document.clone().into_bytes());
        for row in &mut expected {
            row["lines"] = Value::Null;
        }
        for layout in &layouts {
            let events = run(&["events"], layout.as_str()).get_output().stdout.clone();
            // Messages are events of their own, and none is printed twice.
            for input in [layout.clone().into_bytes(), events] {
                let mut rows = printed(command, input);
                for row in &mut rows {
                    row["lines"] = Value::Null;
                }
                assert_eq!(rows, expected, "{command}");
            }
            // A header with an empty list, twelve messages, and what follows the list.
            let is_one_line = layout.lines().count() == 1;
            let records = streamj::records(layout.as_bytes()).count();
            assert_eq!(records, if is_one_line { 13 } else { 14 });
        }
    }
}

#[test]
fn subagents_of_a_session_count_with_it() {
    let folder = session("subagent").parent().unwrap().to_owned();
    let rows = run(&["usage", "--by", "session", folder.to_str().unwrap()], "").rows();
    assert_eq!(rows.len(), 2, "one session and the total");
    assert_eq!(
        (&rows[0]["session_id"], &rows[0]["total_tokens"]),
        (&"1794941955345_qceoo".into(), &5000.into())
    );
    let mut command = streamj(&["usage", "--home", "--by", "harness"]);
    let sessions = folder.parent().unwrap();
    let home = command.env("HOME", "/no/such").env("CLINE_SESSION_DATA_DIR", sessions);
    assert_eq!(home.assert().success().rows()[0]["total_tokens"], 5000);
}

#[test]
fn prompt_of_one_word_is_explained() {
    let workspace = Workspace::new();
    workspace.program("cline", "printf '\\033[31merror:\\033[0m Unknown command or unquoted prompt: Hello\\nPrompt text must be passed as a single quoted argument\\n' >&2; exit 1");
    let (run, record) = workspace.record(&["--", "cline", "Hello"]);
    run.code(1).stderr(predicate::str::contains(
        "streamj: cline failed: cline takes a prompt of one word for a command; write it with more than one word\n",
    ));
    assert_eq!(record["error_category"], "subprocess");
}

#[test]
fn error_on_standard_error_is_the_failure_without_one_in_the_stream() {
    let workspace = Workspace::new();
    workspace.program("cline", r#"echo '{"ts":"2026-11-17T18:57:50.638Z","type":"error","message":"You are not authenticated"}' >&2; exit 1"#);
    let (run, record) = workspace.record(&["--exit-status", "category", "--", "cline", "Say hi."]);
    run.code(77);
    assert_eq!(record["error"], "You are not authenticated");
}

#[test]
#[cfg(all(target_os = "linux", not(test_hooks)))]
fn daemon_that_the_run_leaves_behind_is_removed() {
    use crate::workspace::is_alive;

    let workspace = Workspace::new();
    let stream = fixture("cline/tools");
    // As the CLI starts its hub: in a session of its own, with closed streams.
    workspace.program("cline", &format!(
        "setsid sh -c 'echo $$ > $DIR/daemon; exec sleep 600' </dev/null >/dev/null 2>&1 &\nwhile [ ! -s $DIR/daemon ]; do sleep 0.01; done\ncat {}",
        stream.display()
    ));
    workspace.wrap(&["--", "cline", "Do the work."]).success();
    assert!(!is_alive(workspace.pid("daemon")));
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["cline", "fix it"][..], "cline --json 'fix it'\n"),
        (&["cline", "--json", "-m", "x", "fix it"], "cline --json -m x 'fix it'\n"),
        (&["cline", "-P", "auth", "fix it"], "cline --json -P auth 'fix it'\n"),
        (&["cline", "auth"], "cline auth\n"),
        (&["cline", "history"], "cline history\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn interrupted_run_that_exits_with_0_is_a_failure() {
    let workspace = Workspace::new();
    let bytes = fixture_bytes("cline/tools");
    let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').take(8).collect();
    workspace.write("stream", lines.concat());
    workspace.program("cline", "cat $DIR/stream");
    workspace.wrap(&["--", "cline", "Do the work."]).code(1);
}
