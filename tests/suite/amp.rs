//! Amp: no run could be recorded; its lines are those of the published types.

use serde_json::{Value, json};

use crate::support::cli::{Printed, run};
use crate::support::{fixture, fixture_bytes, lines_of, root};
use crate::workspace::Workspace;

#[test]
fn session_id_identifies_each_line() {
    let lines = fixture_bytes("amp/tools");
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        run(&["events", "--get", "/harness"], line).stdout("amp\n");
    }
}

#[test]
fn request_in_a_message_and_in_the_ledger_counts_once() {
    let message = |usage: Value| json!({"role": "assistant", "messageId": 1, "content": [{"type": "text", "text": "Hi."}], "usage": usage});
    let usage = json!({"model": "m", "timestamp": "2026-01-02T03:04:07.000Z", "inputTokens": 10, "outputTokens": 20, "cacheCreationInputTokens": 100, "cacheReadInputTokens": 2000});
    let ledger = json!({"events": [{"id": "e", "timestamp": "2026-01-02T03:04:07.000Z", "model": "m", "credits": 1, "tokens": {"input": 7, "output": 5}}]});
    let thread = |message: Value| json!({"v": 1, "id": "T-1", "created": 1_767_323_045_000_u64, "messages": [message], "usageLedger": ledger});
    for (message, expected) in [(message(usage), [10, 20, 2000]), (message(Value::Null), [7, 5, 0])]
    {
        let row = run(&["usage"], lines_of(&[thread(message)])).row();
        let count = |name: &str| row[name].as_u64().unwrap_or(0);
        let names = ["uncached_input_tokens", "output_tokens", "cache_read_tokens"];
        assert_eq!(names.map(count), expected);
    }
}

#[test]
fn stream_and_thread_of_a_run_agree() {
    let thread =
        "tests/fixtures/transcripts/amp.tools/threads/T-5928a90d-1c5e-4b0f-9a53-3f1f0c8f7d11.json";
    let thread = root().join(thread);
    let text = run(&["text", "-q", thread.to_str().unwrap()], "").text().to_owned();
    run(&["text", "--main-only"], fixture_bytes("amp/tools")).stdout(text);
}

#[test]
fn command_line_is_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["amp", "-x", "fix it"][..], "amp --stream-json -x 'fix it'\n"),
        (&["amp", "fix it"], "amp --stream-json --execute 'fix it'\n"),
        (&["amp", "-x", "hi", "--stream-json-thinking"], "amp -x hi --stream-json-thinking\n"),
        (
            &["amp", "threads", "continue", "T-1", "-x", "hi"],
            "amp --stream-json threads continue T-1 -x hi\n",
        ),
        (&["amp", "mcp", "list"], "amp mcp list\n"),
        (&["amp", "version"], "amp version\n"),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn failed_or_unfinished_run_does_not_exit_with_0() {
    let workspace = Workspace::new();
    let print = |command: &str, name: &str| format!("{command} {}", fixture(name).display());
    let args = ["--exit-status", "category", "--", "amp", "-x", "Hi."];
    workspace.program("amp", &print("cat", "amp/tools"));
    workspace.wrap(&args).success();
    workspace.program("amp", &print("cat", "amp/error"));
    workspace.wrap(&args).code(77);
    workspace.program("amp", &print("head -n 3", "amp/tools"));
    let (run, record) = workspace.record(&args);
    run.code(65);
    assert_eq!((&record["harness"], &record["complete"]), (&"amp".into(), &false.into()));
}
