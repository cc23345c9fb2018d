//! Codex session files: how calls ended, and summaries that are no answers. Claude
//! transcripts of runs that were limited.

use serde_json::{Value, json};
use streamj::Run;
use streamj::event::ToolStatus;

use crate::support::cli::{Printed, read, run};
use crate::support::{files_under, lines_of, shared};

/// Returns a line of a rollout.
fn line(kind: &str, payload: &Value) -> Value {
    json!({"timestamp": "2026-11-15T10:00:00.000Z", "type": kind, "payload": payload})
}

fn item(payload: &Value) -> Value {
    line("response_item", payload)
}

fn event(payload: &Value) -> Value {
    line("event_msg", payload)
}

fn call(id: &str, name: &str) -> Value {
    item(&json!({"type": "function_call", "name": name, "call_id": id, "arguments": "{}"}))
}

fn output(id: &str, text: &str) -> Value {
    item(&json!({"type": "function_call_output", "call_id": id, "output": text}))
}

fn answer(text: &str) -> Value {
    item(
        &json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
    )
}

fn completed(item: &Value) -> Value {
    event(&json!({"type": "item_completed", "item": item}))
}

fn tools(lines: &[Value]) -> Vec<Value> {
    run(&["tools"], lines_of(lines)).success().rows()
}

/// Returns the status of a call with these lines after it.
fn status(lines: &[Value]) -> String {
    let lines = [&[call("c", "tool")], lines].concat();
    let rows = tools(&lines);
    assert_eq!((rows.len(), &rows[0]["name"]), (1, &json!("tool")), "{rows:?}");
    rows[0]["status"].as_str().unwrap().to_owned()
}

#[test]
fn failed_mcp_call_of_a_rollout_is_failed() {
    let output = output("c", "Wall time: 0.0017 seconds\nOutput:\nno such key");
    let mcp = |status: &str| {
        completed(
            &json!({"type": "McpToolCall", "id": "c", "server": "demo", "tool": "add", "status": status,
            "result": {"content": [{"type": "text", "text": "no such key"}], "isError": status == "failed"}}),
        )
    };
    assert_eq!(status(&[mcp("failed"), output.clone()]), "failed");
    assert_eq!(status(&[mcp("completed"), output.clone()]), "completed");
    // As written by older releases.
    let end = |result: &Value| {
        event(&json!({"type": "mcp_tool_call_end", "call_id": "c", "result": result,
            "invocation": {"server": "demo", "tool": "add"}, "duration": {"secs": 0, "nanos": 5}}))
    };
    assert_eq!(
        status(&[end(&json!({"Ok": {"content": [], "isError": true}})), output.clone()]),
        "failed"
    );
    assert_eq!(status(&[end(&json!({"Err": "gone"})), output.clone()]), "failed");
    assert_eq!(status(&[end(&json!({"Ok": {"content": []}})), output.clone()]), "completed");
    assert_eq!(status(&[end(&json!({"Err": "user rejected MCP tool call"})), output]), "denied");
}

#[test]
fn status_of_a_rollout_item_decides_over_its_output() {
    let failed = json!({"type": "CommandExecution", "id": "c", "status": "failed", "exit_code": 137,
        "duration": {"secs": 2, "nanos": 22_844_449}});
    let lines = [call("c", "exec_command"), completed(&failed), output("c", "Killed")];
    let row = &tools(&lines)[0];
    assert_eq!((&row["status"], &row["exit_code"]), (&json!("failed"), &json!(137)));
    assert_eq!(row["duration_ms"], 2022);
    // Also if the output was lost.
    let row = &tools(&lines[..2])[0];
    assert_eq!((&row["status"], &row["exit_code"]), (&json!("failed"), &json!(137)));
    let declined = json!({"type": "FileChange", "id": "c", "status": "declined"});
    assert_eq!(status(&[completed(&declined), output("c", "no")]), "denied");
    // What a program prints is not a message of the CLI.
    let done =
        json!({"type": "CommandExecution", "id": "c", "status": "completed", "exit_code": 0});
    assert_eq!(status(&[completed(&done), output("c", "failed to parse it")]), "completed");
    let exited = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nfailed to parse it";
    assert_eq!(status(&[output("c", exited)]), "completed");
    // A call of a script is one of its own.
    let nested = json!({"type": "CommandExecution", "id": "exec-1", "status": "failed",
        "exit_code": 3, "command": ["bash", "-lc", "false"], "aggregated_output": "no"});
    let rows = tools(&[call("c", "tool"), completed(&nested), output("c", "Plan updated")]);
    let facts: Vec<_> = rows.iter().map(|row| (&row["name"], &row["status"])).collect();
    assert_eq!(
        facts,
        [(&json!("exec_command"), &json!("failed")), (&json!("tool"), &json!("completed"))]
    );
    assert_eq!((&rows[0]["input"][2], &rows[0]["output"]), (&json!("false"), &json!("no")));
    // The view shows the same.
    let view = run(&["view"], lines_of(&lines));
    assert!(view.text().contains("failed"), "{view}");
}

/// No recorded release writes the item after the output; the order is not documented.
#[test]
fn status_after_the_output_of_a_rollout_counts() {
    let after = |status: &str| {
        let item = json!({"type": "CommandExecution", "id": "c", "status": status});
        vec![output("c", "done"), completed(&item)]
    };
    assert_eq!(status(&after("failed")), "failed");
    assert_eq!(status(&after("declined")), "denied");
    assert_eq!(status(&after("completed")), "completed");
    // Other lines may come between, and the results keep their order.
    let tokens = event(&json!({"type": "token_count", "info": null}));
    let failed = |id: &str| {
        completed(
            &json!({"type": "CommandExecution", "id": id, "status": "failed", "exit_code": 7}),
        )
    };
    let lines = [
        call("a", "one"),
        call("b", "two"),
        output("a", "1"),
        output("b", "2"),
        tokens,
        failed("b"),
        failed("a"),
        answer("Both failed."),
    ];
    let rows = tools(&lines);
    let facts: Vec<_> =
        rows.iter().map(|row| (&row["name"], &row["status"], &row["output"])).collect();
    assert_eq!(
        facts,
        [
            (&json!("one"), &json!("failed"), &json!("1")),
            (&json!("two"), &json!("failed"), &json!("2")),
        ]
    );
    assert_eq!(rows[0]["exit_code"], 7);
    // The summary and the library also take one that comes after the agent went on.
    let late = [&lines[..5], &[answer("Going on.")], &lines[5..]].concat();
    let text = lines_of(&late);
    let counts = run(&["summary"], text.as_str()).row()["tools"].clone();
    assert_eq!(counts, json!({"calls": 2, "failed": 2, "denied": 0}));
    let calls = Run::from_reader(text.as_bytes()).unwrap().tool_calls();
    let found: Vec<_> = calls.iter().map(|call| (call.status, call.exit_code)).collect();
    assert_eq!(found, [(ToolStatus::Failed, Some(7)); 2]);
    // What is shown as a success is corrected.
    let view = run(&["view"], text);
    assert!(view.text().contains("[tool] ok: one (0 ms, 1 B)\n"), "{view}");
    assert!(view.text().contains("[tool] failed: one\n"), "{view}");
}

#[test]
fn refused_call_of_a_rollout_is_denied() {
    for text in [
        "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
        "approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never",
        "exec command rejected by user",
        "exec_command failed for `/bin/bash -lc 'rm -rf x'`: CreateProcess { message: \"Rejected(\\\"approval required by policy, but AskForApproval is set to Never\\\")\" }",
    ] {
        assert_eq!(status(&[output("c", text)]), "denied", "{text}");
    }
    // The item says that it failed, and the text why.
    let failed = json!({"type": "McpToolCall", "id": "c", "status": "failed",
        "error": {"message": "user cancelled MCP tool call"}});
    let text = "Wall time: 0.0 seconds\nOutput:\nuser cancelled MCP tool call";
    assert_eq!(status(&[completed(&failed), output("c", text)]), "denied");
    let lines =
        lines_of(&[call("c", "exec_command"), output("c", "exec command rejected by user")]);
    assert_eq!(run(&["tools", "--failed"], lines).rows().len(), 1);
}

#[test]
fn call_that_could_not_be_made_is_failed() {
    for text in [
        "apply_patch verification failed: Failed to find expected lines in /p/a.txt:\nold",
        "unsupported call: spawn_agent",
        "unsupported custom tool call: apply_patch",
        "write_stdin failed: Unknown process id 7",
        "Wall time: 2.2 seconds\naborted by user",
        "aborted by user after 5.0s",
    ] {
        assert_eq!(status(&[output("c", text)]), "failed", "{text}");
    }
    let row = &tools(&[
        call("c", "exec_command"),
        output("c", "Wall time: 2.2 seconds\naborted by user"),
    ])[0];
    assert_eq!((&row["interrupted"], &row["duration_ms"]), (&json!(true), &json!(2200)));
}

#[test]
fn recorded_rollouts_have_the_outcomes_of_their_streams() {
    let Some(captures) = shared("captures/transcripts/codex") else { return };
    for (scenario, expected) in [
        ("mcp_server_dies", &["failed", "failed"][..]),
        ("file_change_readonly_denied", &["denied"]),
        ("signal_sigint_twice_midtool", &["failed"]),
        ("stdout_closed_continues", &["completed", "failed"]),
        ("command_parallel", &["completed", "failed"]),
        ("file_change_via_shell", &["completed"]),
        // Calls of a script, and the script.
        ("code_mode_exec", &["failed", "completed", "completed", "completed", "failed"]),
    ] {
        let file = files_under(&captures.join(scenario), "jsonl").remove(0);
        let rows = run(&["tools", file.to_str().unwrap()], "").rows();
        let found: Vec<_> = rows.iter().map(|row| row["status"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{scenario}");
    }
}

#[test]
fn output_without_call_id_is_no_call() {
    let orphan = item(&json!({"type": "function_call_output", "output": "x"}));
    assert_eq!(tools(std::slice::from_ref(&orphan)), Vec::<Value>::new());
    let lines = [call("c", "exec_command"), orphan, output("c", "done")];
    let rows = tools(&lines);
    assert_eq!((rows.len(), &rows[0]["output"]), (1, &json!("done")));
    // The same for a result of the other CLI.
    let result = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"x"}]},"session_id":"s","parent_tool_use_id":null}"#;
    read(&["tools"], &[result]).stdout("");
}

const INTRODUCTION: &str = "Another language model started to solve this problem and produced a summary of its thinking process.";

/// Returns the lines that a compaction writes: the answer of the model, counts, and the
/// compaction with the history that replaces the conversation.
fn compaction(summary: &str) -> Vec<Value> {
    let message = format!("{INTRODUCTION}\n{summary}");
    let history = json!([
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Do it."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "from the history"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": message}]},
    ]);
    let tokens = json!({"input_tokens": 10, "output_tokens": 1});
    vec![
        answer(summary),
        event(
            &json!({"type": "token_count", "info": {"total_token_usage": tokens, "last_token_usage": tokens}}),
        ),
        line("compacted", &json!({"message": message, "replacement_history": history})),
        event(&json!({"type": "context_compacted"})),
    ]
}

#[test]
fn summary_of_a_compaction_is_no_text() {
    let started = event(&json!({"type": "task_started", "turn_id": "t"}));
    let ended = event(&json!({"type": "task_complete", "last_agent_message": "Done."}));
    let head = [started, answer("I begin."), call("c", "exec_command"), output("c", "ok")];
    let compacted = compaction("## Progress\nHalf is done.");
    let lines = [&head[..], &compacted, &[answer("Done."), ended.clone()]].concat();
    let text =
        |args: &[&str], lines: &[Value]| run(args, lines_of(lines)).success().text().to_owned();
    assert_eq!(text(&["text"], &lines), "I begin.\nDone.\n");
    assert_eq!(text(&["text", "--last"], &lines), "Done.\n");
    assert_eq!(text(&["summary", "--get", "/output"], &lines), "I begin.\nDone.\n");
    let view = text(&["view"], &lines);
    assert!(!view.contains("Half is done"), "{view}");
    let order = ["I begin.", "[tool] shell", "compacted", "Done."];
    let found: Vec<_> = order.iter().map(|part| view.find(part)).collect();
    assert!(found.is_sorted() && found[0].is_some(), "{found:?}: {view}");
    // A compaction at the end, and two of them.
    let last =
        [&head[..], &compacted, &compaction("Again."), std::slice::from_ref(&ended)].concat();
    assert_eq!(text(&["text"], &last), "I begin.\n");
    assert_eq!(text(&["text", "--last"], &last), "I begin.\n");
    assert_eq!(text(&["summary", "--get", "/output"], &last), "I begin.\n");
}

#[test]
fn answer_before_a_compaction_is_text() {
    let compacted =
        |message: &str| line("compacted", &json!({"message": message, "replacement_history": []}));
    for message in ["", "Another summary."] {
        let lines = lines_of(&[answer("One."), compacted(message), answer("Two.")]);
        run(&["text"], lines.clone()).stdout("One.\nTwo.\n");
        run(&["summary", "--get", "/output"], lines).stdout("One.\nTwo.\n");
    }
    // The last line of a file is not held back.
    run(&["text"], lines_of(&[answer("One.")])).stdout("One.\n");
}

/// Returns the lines of a transcript that ends at its limit of turns.
fn limited(is_sidechain: bool) -> Vec<Value> {
    let entry = |kind: &str, more: &Value| {
        let mut entry = json!({"parentUuid": "p", "isSidechain": false, "type": kind, "uuid": "u",
            "timestamp": "2026-11-15T23:18:57.547Z", "sessionId": "s", "version": "2.1.325", "cwd": "/tmp/demo"});
        for (name, value) in more.as_object().unwrap() {
            entry[name] = value.clone();
        }
        entry
    };
    vec![
        entry("user", &json!({"message": {"role": "user", "content": "Do the work."}})),
        entry(
            "assistant",
            &json!({"message": {"id": "m", "role": "assistant", "model": "claude-sonnet-5-5",
            "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}], "stop_reason": "tool_use",
            "usage": {"input_tokens": 12, "output_tokens": 50}}}),
        ),
        entry(
            "user",
            &json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}}),
        ),
        entry(
            "attachment",
            &json!({"isSidechain": is_sidechain, "agentId": "a1",
            "attachment": {"type": "max_turns_reached", "maxTurns": 1, "turnCount": 2}}),
        ),
        json!({"type": "last-prompt", "lastPrompt": "Do the work.", "leafUuid": "u", "sessionId": "s"}),
        json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": 0.01, "modelUsage": {}}),
    ]
}

#[test]
fn transcript_of_a_run_that_reached_its_turns_has_the_error_of_its_stream() {
    let lines = lines_of(&limited(false));
    let error = run(&["error"], lines.clone()).row();
    let stream = run(&["error"], crate::support::fixture_bytes("claude/max_turns_1")).row();
    assert_eq!(error, stream);
    assert_eq!(
        (&error["category"], &error["terminal_reason"]),
        (&json!("api"), &json!("max_turns"))
    );
    run(&["error", "-e"], lines.clone()).code(76);
    let summary = run(&["summary"], lines).row();
    assert_eq!(
        (&summary["complete"], &summary["succeeded_cleanly"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(summary["error"], "Reached maximum number of turns (1)");
    assert_eq!((&summary["error_category"], &summary["num_turns"]), (&json!("api"), &json!(2)));
}

#[test]
fn limit_of_a_subagent_is_not_the_end_of_the_run() {
    let error = run(&["error"], lines_of(&limited(true))).row();
    assert_eq!(error["category"], "incomplete");
    let mut other = limited(false);
    other[3]["attachment"] = json!({"type": "todo_reminder"});
    assert_eq!(run(&["error"], lines_of(&other)).row()["category"], "incomplete");
}

fn tokens(output: u64) -> Value {
    let usage = json!({"input_tokens": 1200, "cached_input_tokens": 800, "output_tokens": output});
    event(&json!({"type": "token_count", "info": {"total_token_usage": usage}}))
}

/// Releases up to 0.125 write neither an error nor an answer if a request failed.
#[test]
fn turn_without_a_response_of_the_model_is_not_a_success() {
    let turn = |more: &[Value], answer: &Value| {
        let start = [
            event(&json!({"type": "task_started", "turn_id": "t"})),
            event(&json!({"type": "user_message", "message": "Hi."})),
        ];
        let end = event(
            &json!({"type": "task_complete", "turn_id": "t", "last_agent_message": answer.clone()}),
        );
        [&start, more, &[end]].concat()
    };
    let is_success = |lines: &[Value]| {
        let summary = run(&["-q", "summary"], lines_of(lines)).row();
        assert_eq!(summary["complete"], summary["succeeded_cleanly"]);
        summary["complete"] == true
    };
    let failed = turn(&[], &Value::Null);
    assert!(!is_success(&failed));
    let error = run(&["error", "-e"], lines_of(&failed)).code(65).row();
    let message = "the last turn ended without an answer, and the transcript does not say why";
    assert_eq!((&error["category"], &error["message"]), (&json!("incomplete"), &json!(message)));
    // The counts of the session are repeated when the next request starts.
    let repeated = [tokens(50), call("c", "tool"), output("c", "ok"), tokens(50)];
    assert!(!is_success(&turn(&repeated, &Value::Null)));
    assert!(is_success(&turn(&[tokens(50)], &Value::Null)), "an empty response");
    assert!(is_success(&turn(&[answer("Hello.")], &json!("Hello."))));
    let again = turn(&[answer("Hello.")], &json!("Hello."));
    assert!(is_success(&[&failed[..], &again].concat()), "a later turn");
    assert!(!is_success(&[&again[..], &failed].concat()));
}

/// The requests of these recordings failed.
#[test]
fn shared_rollouts_of_failed_requests_are_no_successes() {
    for release in ["codex", "codex_0_125_0", "codex_0_60_1"] {
        for scenario in ["err_401", "err_context_overflow", "hang_midstream", "no_auth"] {
            let name = format!("captures/transcripts/{release}/{scenario}");
            let Some(folder) = shared(&name) else { return };
            for file in files_under(&folder, "jsonl") {
                let summary = run(&["-q", "summary", file.to_str().unwrap()], "").row();
                assert_eq!(summary["succeeded_cleanly"], false, "{}", file.display());
            }
        }
    }
}
