//! Session files that the CLIs keep on disk: Claude's transcripts and Codex's
//! rollouts, read like a stream.

#![allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run};
use crate::support::{recordings_under, root, shared};

fn rows(args: &[&str], path: &Path) -> Vec<Value> {
    run(&[args, &["-q", path.to_str().unwrap()]].concat(), "").success().rows()
}

fn text(path: &Path) -> String {
    run(&["-q", "text", "--main-only", path.to_str().unwrap()], "").text().to_owned()
}

fn tokens(row: &Value) -> [u64; 4] {
    ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]
        .map(|name| row[name].as_u64().unwrap_or(0))
}

/// A session of which the streams and the transcript are recorded.
struct RecordedSession {
    /// The runs of the session, in order.
    streams: Vec<PathBuf>,
    transcript: PathBuf,
    is_claude: bool,
}

/// Sort key that puts `resume.jsonl` before `resume.2.jsonl` and `resume.3.jsonl`.
fn run_number(path: &Path) -> (String, u32) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let (name, number) = name.rsplit_once('.').unwrap_or((name, "1"));
    (name.to_owned(), number.parse().unwrap())
}

/// Returns the transcripts under `folder/transcripts` whose streams are in `folder`
/// too.
fn recorded_sessions(folder: &Path) -> Vec<RecordedSession> {
    let transcripts = folder.join("transcripts");
    let cli = |path: &Path, folder: &Path| -> Option<&'static str> {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        ["claude", "codex"].into_iter().find(|cli| name.starts_with(cli))
    };
    let mut streams: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for stream in recordings_under(folder) {
        if cli(&stream, folder).is_some() {
            let id = run(&["-q", "session", "--get", "/session_id", stream.to_str().unwrap()], "");
            streams.entry(id.text().trim().to_owned()).or_default().push(stream);
        }
    }
    streams.remove("");
    for runs in streams.values_mut() {
        runs.sort_by_key(|path| run_number(path));
    }
    let mut sessions = Vec::new();
    for transcript in recordings_under(&transcripts) {
        let name = transcript.file_stem().unwrap().to_str().unwrap();
        if let Some((_, streams)) = streams.iter().find(|(id, _)| name.ends_with(*id)) {
            let is_claude = cli(&transcript, &transcripts) == Some("claude");
            sessions.push(RecordedSession { streams: streams.clone(), transcript, is_claude });
        }
    }
    sessions
}

/// Returns whether the streams contain everything that the transcript does: each run
/// is complete and printed as events, and none is a fork, whose transcript includes
/// the history of its parent.
fn is_fully_streamed(session: &RecordedSession) -> bool {
    session.streams.iter().all(|stream| {
        let summary = &rows(&["summary"], stream)[0];
        let bytes = std::fs::read(stream).unwrap();
        let name = stream.file_stem().unwrap().to_str().unwrap();
        let is_result_only = name.ends_with("_json") || name.ends_with("_json_format");
        summary["complete"] == true
            && !is_result_only
            && !name.ends_with(".3")
            // Transcripts do not contain the CLI's own answers as messages.
            && !name.starts_with("slash_command")
            && !name.starts_with("hooks_prompt_blocked")
            && !bytes.is_empty()
    })
}

/// Number of comparisons made.
#[derive(Debug, Default)]
struct Compared {
    texts: usize,
    calls: usize,
    counts: usize,
}

/// Asserts that streams and transcripts agree on texts, tool calls and tokens.
fn compare(sessions: &[RecordedSession]) -> Compared {
    let mut compared = Compared::default();
    for session in sessions.iter().filter(|session| is_fully_streamed(session)) {
        let RecordedSession { streams, transcript, is_claude } = session;
        let name = transcript.display().to_string();
        let streamed: String = streams.iter().map(|stream| text(stream)).collect();
        assert_eq!(text(transcript), streamed, "{name}");
        compared.texts += 1;

        let tools = |path: &Path| -> Vec<(Value, Value)> {
            let rows = rows(&["tools"], path);
            let own = rows.into_iter().filter(|row| row["parent_id"].is_null());
            own.map(|row| (row["name"].clone(), row["status"].clone())).collect()
        };
        let commands = |path: &Path| -> Vec<(i64, String)> {
            let rows = rows(&["tools", "--max-output", "1000"], path);
            let whole = rows.iter().filter(|row| row["truncated"].is_null());
            whole
                .filter_map(|row| {
                    Some((row["exit_code"].as_i64()?, row["output"].as_str()?.to_owned()))
                })
                .collect()
        };
        if *is_claude {
            let ran: Vec<_> = streams.iter().flat_map(|stream| tools(stream)).collect();
            assert_eq!(tools(transcript), ran, "{name}");
            compared.calls += ran.len();
        } else if !name.contains("code_mode") {
            // Rollouts name tools differently, so commands are compared by exit status
            // and output. Commands that the sandbox refused are missing in the stream.
            let ran: Vec<_> = streams.iter().flat_map(|stream| commands(stream)).collect();
            let kept = commands(transcript);
            assert!(ran.iter().all(|call| kept.contains(call)), "{name}: {ran:?} {kept:?}");
            compared.calls += ran.len();
        }

        let reported: Vec<_> = streams.iter().flat_map(|stream| rows(&["usage"], stream)).collect();
        // Claude reports the usage of each run, Codex the thread's total so far.
        let counted = if *is_claude { &reported[..] } else { &reported[reported.len() - 1..] };
        let mut sum = [0; 4];
        for row in counted {
            tokens(row).iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
        }
        let kept = &rows(&["usage"], transcript)[0];
        // A transcript without a count lacks the tokens that are in no message.
        let is_exact = kept["source"] == "cost-state"
            || kept["source"] == "turns" && reported.iter().all(|row| row["source"] == "turns");
        if is_exact {
            assert_eq!(tokens(kept), sum, "{name}");
            compared.counts += 1;
        } else if *is_claude {
            let no_more = tokens(kept).iter().zip(&sum).all(|(kept, sum)| kept <= sum);
            assert!(no_more, "{name}: {kept} {sum:?}");
        }
    }
    compared
}

#[test]
fn stream_and_session_file_of_a_run_agree() {
    let mut sessions = recorded_sessions(&root().join("tests/fixtures"));
    // Of one session only a later run is among the fixtures.
    sessions.retain(|session| run_number(&session.streams[0]).1 == 1);
    let Compared { texts, calls, counts } = compare(&sessions);
    assert_eq!((sessions.len(), texts, calls, counts), (10, 10, 6, 8));
}

#[test]
fn stream_and_session_file_of_shared_captures_agree() {
    let Some(captures) = shared("captures") else { return };
    let sessions = recorded_sessions(&captures);
    assert!(sessions.len() > 250, "{}", sessions.len());
    let compared = compare(&sessions);
    let Compared { texts, calls, counts } = compared;
    assert!(texts > 180 && calls > 120 && counts > 120, "{compared:?}");
}

fn assistant(id: &str, request: Option<&str>, output: u64, more: Value) -> String {
    let mut line = json!({
        "parentUuid": "p", "isSidechain": false, "type": "assistant", "sessionId": "s", "uuid": "u",
        "timestamp": "2026-11-15T10:00:00.000Z",
        "message": {"id": id, "role": "assistant", "model": "claude-sonnet-5-5", "content": [],
            "usage": {"input_tokens": 1, "output_tokens": output, "cache_read_input_tokens": 10,
                "cache_creation_input_tokens": 7,
                "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 2}}},
    });
    if let Some(request) = request {
        line["requestId"] = json!(request);
    }
    for (name, value) in more.as_object().unwrap() {
        line[name] = value.clone();
    }
    line.to_string()
}

fn usage(lines: &[&str]) -> Value {
    read(&["usage"], lines).row()
}

#[test]
fn request_counts_once_with_its_largest_figures() {
    let lines = [
        assistant("m1", Some("r1"), 1, json!({})),
        assistant("m2", Some("r2"), 5, json!({})),
        assistant("m1", Some("r1"), 30, json!({})),
        assistant("m1", Some("r1"), 20, json!({})),
        // The same message id with another request id is another request.
        assistant("m2", Some("r3"), 5, json!({})),
        // A copy without its request id is still a copy.
        assistant("m1", None, 30, json!({})),
        // Without request ids, the message id identifies the request.
        assistant("m4", None, 2, json!({})),
        assistant("m4", None, 3, json!({})),
    ];
    let row = usage(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(row["source"], "messages");
    assert_eq!((&row["input_tokens"], &row["output_tokens"]), (&json!(4), &json!(43)));
    assert_eq!(row["cache_write_tokens"], 28);
    assert_eq!(
        (&row["cache_write_5m_tokens"], &row["cache_write_1h_tokens"]),
        (&json!(20), &json!(8))
    );
}

#[test]
fn synthetic_messages_have_no_model() {
    let mut synthetic: Value = serde_json::from_str(&assistant("m1", None, 9, json!({}))).unwrap();
    synthetic["message"]["model"] = json!("<synthetic>");
    let row = usage(&[&synthetic.to_string(), &assistant("m2", None, 2, json!({}))]);
    assert_eq!((&row["output_tokens"], &row["models"][1]), (&json!(2), &Value::Null));
}

#[test]
fn cost_state_is_the_total_and_the_difference_is_unattributed() {
    let state = r#"{"type":"cost-state","sessionId":"s","totalCostUSD":0.5,"totalDuration":900,"modelUsage":{"claude-sonnet-5-5":{"inputTokens":5,"outputTokens":50,"cacheReadInputTokens":10,"cacheCreationInputTokens":7,"costUSD":0.4},"claude-haiku-5-5":{"inputTokens":3,"outputTokens":4,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.1}}}"#;
    let first = assistant("m1", Some("r1"), 30, json!({}));
    let row = usage(&[&first, state]);
    assert_eq!((&row["source"], &row["cost_usd"]), (&json!("cost-state"), &json!(0.5)));
    assert_eq!((&row["input_tokens"], &row["output_tokens"]), (&json!(8), &json!(54)));
    assert_eq!(row["unattributed"]["input_tokens"], 7);
    assert_eq!(row["unattributed"]["output_tokens"], 24);
    assert_eq!(row["models"][1]["cost_usd"], 0.1);
    // Messages after the count are added to it.
    let later = assistant("m2", Some("r2"), 100, json!({}));
    let row = usage(&[&first, state, &later]);
    assert_eq!((&row["input_tokens"], &row["output_tokens"]), (&json!(9), &json!(154)));
    assert_eq!(row["unattributed"]["output_tokens"], 24);
}

#[test]
fn restarted_cost_state_is_added() {
    let state = |cost: f64, output: u64| {
        json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": cost,
            "modelUsage": {"claude-sonnet-5-5": {"inputTokens": 1, "outputTokens": output,
                "cacheReadInputTokens": 10, "cacheCreationInputTokens": 7, "costUSD": cost}}})
        .to_string()
    };
    let messages = ["m1", "m2", "m3"].map(|id| assistant(id, Some(id), 30, json!({})));
    let [one, two, three] = &messages;
    // The second count starts at zero, the third continues it.
    let row = usage(&[one, &state(0.5, 30), two, &state(0.2, 29), three, &state(0.4, 59)]);
    assert_eq!((&row["cost_usd"], &row["output_tokens"]), (&json!(0.9), &json!(90)));
    let row = usage(&[one, &state(0.5, 30), two, &state(0.9, 60)]);
    assert_eq!((&row["cost_usd"], &row["output_tokens"]), (&json!(0.9), &json!(60)));
}

#[test]
fn torn_lines_and_runs_of_nul_are_skipped_and_reported() {
    let torn = &assistant("m1", None, 2, json!({}))[..200];
    let lines = [torn, "\0\0\0\0\0", &assistant("m2", None, 3, json!({})), "\0\0"];
    let reported = predicate::str::contains("not JSON").count(3);
    let usage = run(&["usage"], lines.join("\n")).success().stderr(reported);
    assert_eq!(usage.row()["output_tokens"], 3);
}

fn error_message(text: &str) -> String {
    let content = json!({"id": "e", "role": "assistant", "model": "<synthetic>",
        "content": [{"type": "text", "text": text}]});
    assistant(
        "e",
        None,
        0,
        json!({"message": content, "isApiErrorMessage": true,
        "error": "rate_limit", "apiErrorStatus": 429}),
    )
}

fn prompt(text: &str) -> String {
    assistant("p", None, 0, json!({"type": "user", "message": {"role": "user", "content": text}}))
}

#[test]
fn api_error_message_is_the_error_unless_the_turn_continued() {
    let failed = error_message("API Error: 429 too many");
    let row = read(&["error"], &[&prompt("Go."), &failed]).row();
    assert_eq!(row["category"], "rate_limit");
    assert_eq!((&row["source"], &row["status"]), (&json!("message"), &json!(429)));
    let answer = assistant(
        "m",
        None,
        1,
        json!({"message": {"id": "m", "role": "assistant",
        "model": "claude-sonnet-5-5", "content": [{"type": "text", "text": "Here."}]}}),
    );
    read(&["error"], &[&prompt("Go."), &failed, &answer]).stdout("");
    let later = read(&["error"], &[&prompt("Go."), &failed, &prompt("Again."), &answer]).row();
    assert_eq!(later["category"], "rate_limit");
}

#[test]
fn transcript_is_complete_when_it_ends_with_an_answer() {
    let answer = assistant(
        "m",
        None,
        1,
        json!({"message": {"id": "m", "role": "assistant",
        "model": "claude-sonnet-5-5", "content": [{"type": "text", "text": "Shall I?"}]}}),
    );
    let summary = read(&["summary"], &[&prompt("Go."), &answer]).row();
    assert_eq!((&summary["complete"], &summary["succeeded_cleanly"]), (&json!(true), &json!(true)));
    assert_eq!(summary["warnings"], json!([]));
    let cut = read(&["error"], &[&prompt("Go."), &answer, &prompt("Yes.")]).row();
    assert_eq!(cut["category"], "incomplete");
    assert!(cut["message"].as_str().unwrap().starts_with("the transcript ends"), "{cut}");
    // Slash commands are handled by the CLI and need no answer.
    let command = prompt("<command-name>/cost</command-name>");
    read(&["error"], &[&prompt("Go."), &answer, &command]).stdout("");
}

#[test]
fn sidechain_messages_belong_to_subagents() {
    let side = |id: &str, more: Value| {
        let mut line: Value = serde_json::from_str(&assistant(id, None, 1, more)).unwrap();
        line["isSidechain"] = json!(true);
        line["message"]["content"] = json!([{"type": "text", "text": "sub"}]);
        line.to_string()
    };
    let lines = [side("m1", json!({"agentId": "a1b2"})), side("m2", json!({}))];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    read(&["text"], &lines).stdout("sub\nsub\n");
    read(&["text", "--main-only"], &lines).stdout("");
    let events = read(&["events", "--unified"], &lines).rows();
    let parents: Vec<_> = events.iter().map(|event| &event["parent_id"]).collect();
    assert_eq!(parents, ["a1b2", "a1b2", "sidechain", "sidechain"]);
}

/// Builds the lines of a rollout. Timestamps are minutes and seconds of one hour.
struct Rollout(Vec<String>);

impl Rollout {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn line(mut self, timestamp: &str, kind: &str, payload: Value) -> Self {
        let timestamp = format!("2026-11-15T10:{timestamp}.000Z");
        self.0.push(json!({"timestamp": timestamp, "type": kind, "payload": payload}).to_string());
        self
    }

    fn meta(self, timestamp: &str, id: &str, more: Value) -> Self {
        let mut payload = json!({"id": id, "cwd": "/p", "cli_version": "0.1"});
        for (name, value) in more.as_object().unwrap() {
            payload[name] = value.clone();
        }
        self.line(timestamp, "session_meta", payload)
    }

    fn turn(self, timestamp: &str, id: &str) -> Self {
        self.line(timestamp, "event_msg", json!({"type": "task_started", "turn_id": id}))
    }

    fn model(self, timestamp: &str, model: &str) -> Self {
        self.line(timestamp, "turn_context", json!({"model": model}))
    }

    fn count(self, timestamp: &str, total: u64, last: u64) -> Self {
        let tokens = |input: u64| json!({"input_tokens": input, "cached_input_tokens": input / 2, "output_tokens": input / 10});
        self.line(timestamp, "event_msg", json!({"type": "token_count", "info": {
            "total_token_usage": tokens(total), "last_token_usage": tokens(last)},
            "rate_limits": {"primary": {"used_percent": 42.5, "window_minutes": 300, "resets_at": 1_800_000_000},
                "secondary": null}}))
    }

    fn usage(&self) -> Value {
        usage(&self.0.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

#[test]
fn repeated_rollout_total_is_not_counted_again() {
    let row = Rollout::new()
        .meta("00:00", "01a1-a", json!({}))
        .turn("00:01", "01a1-b")
        .model("00:02", "gpt-5.5")
        .count("00:03", 100, 100)
        .count("00:04", 100, 100)
        .model("00:05", "gpt-6-sol")
        .count("00:06", 250, 150)
        .count("00:07", 250, 150)
        .usage();
    assert_eq!(
        (&row["source"], &row["input_tokens"], &row["output_tokens"]),
        (&json!("turns"), &json!(250), &json!(25))
    );
    let models: Vec<_> = row["models"]
        .as_array()
        .unwrap()
        .iter()
        .map(|share| (&share["model"], &share["input_tokens"]))
        .collect();
    assert_eq!(models, [(&json!("gpt-5.5"), &json!(100)), (&json!("gpt-6-sol"), &json!(150))]);
    assert_eq!(
        row["rate_limits"],
        json!([{"limit": "primary", "used_percent": 42.5, "resets_at": 1_800_000_000}])
    );
}

#[test]
fn restarted_rollout_total_is_added() {
    let row = Rollout::new()
        .meta("00:00", "01a1-a", json!({}))
        .count("00:01", 100, 100)
        .count("00:02", 30, 30)
        .usage();
    assert_eq!(row["input_tokens"], 130);
}

#[test]
fn history_inherited_by_fork_is_not_counted() {
    // History rewritten when the fork began, with turn ids.
    let rewritten = Rollout::new()
        .meta("30:00", "01a1-5", json!({"forked_from_id": "01a1-1"}))
        .meta("30:00", "01a1-1", json!({}))
        .turn("30:00", "01a1-2")
        .count("30:00", 100, 100)
        .turn("30:01", "01a1-3")
        .count("30:01", 400, 300)
        .turn("31:00", "01a1-6")
        .count("31:01", 450, 50)
        .usage();
    assert_eq!(rewritten["input_tokens"], 50);
    assert_eq!(rewritten["session_id"], "01a1-5");
    // History with its original timestamps, without turn ids.
    let kept = Rollout::new()
        .meta(
            "30:00",
            "01a1-5",
            json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "01a1-1"}}}}),
        )
        .count("10:00", 100, 100)
        .count("11:00", 400, 300)
        .count("31:01", 450, 50)
        .usage();
    assert_eq!(kept["input_tokens"], 50);
    // History rewritten at once, without turn ids.
    let at_once = Rollout::new()
        .meta("30:00", "01a1-5", json!({"forked_from_id": "01a1-1"}))
        .meta("30:00", "01a1-1", json!({}))
        .count("30:00", 100, 100)
        .count("30:00", 400, 300)
        .count("31:01", 450, 50)
        .usage();
    assert_eq!(at_once["input_tokens"], 50);
}

#[test]
fn subagent_without_history_counts_from_zero() {
    let row = Rollout::new()
        .meta("30:00", "01a1-5", json!({"forked_from_id": "01a1-1", "parent_thread_id": "01a1-1"}))
        .turn("30:00", "01a1-6")
        .count("30:00", 100, 100)
        .count("30:09", 140, 40)
        .usage();
    assert_eq!(row["input_tokens"], 140);
    // A total that continues the parent's counts only the increase.
    let row = Rollout::new()
        .meta("30:00", "01a1-5", json!({"parent_thread_id": "01a1-1"}))
        .turn("30:00", "01a1-6")
        .count("30:05", 1100, 100)
        .count("30:09", 1140, 40)
        .usage();
    assert_eq!(row["input_tokens"], 140);
}

#[test]
fn rollout_calls_have_input_output_and_exit_status() {
    let rollout = Rollout::new()
        .line("00:01", "response_item", json!({"type": "function_call", "name": "shell_command", "call_id": "c1", "arguments": "{\"command\":\n\"ls\"}"}))
        .line("00:02", "response_item", json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": "c2", "input": "*** Begin Patch"}))
        .line("00:03", "response_item", json!({"type": "local_shell_call", "call_id": "c3", "status": "completed", "action": {"type": "exec", "command": ["ls"]}}))
        .line("00:04", "response_item", json!({"type": "function_call_output", "call_id": "c1", "output": "Exit code: 2\nWall time: 1.5 seconds\nOutput:\nno such file"}))
        .line("00:05", "response_item", json!({"type": "custom_tool_call_output", "call_id": "c2", "output": {"content": "Done", "success": false}}))
        .line("00:06", "response_item", json!({"type": "function_call_output", "call_id": "c3", "output": [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]}))
        .line("00:07", "response_item", json!({"type": "function_call", "name": "add", "namespace": "mcp__demo", "call_id": "c4", "arguments": "not JSON"}));
    let calls = read(&["tools"], &rollout.0.iter().map(String::as_str).collect::<Vec<_>>()).rows();
    let of = |row: &Value, names: &[&str]| -> Vec<Value> {
        names.iter().map(|name| row[*name].clone()).collect()
    };
    assert_eq!(calls[0]["input"], json!({"command": "ls"}));
    assert_eq!(
        of(&calls[0], &["name", "status", "exit_code", "duration_ms"]),
        [json!("shell_command"), json!("failed"), json!(2), json!(1500)]
    );
    assert_eq!(
        of(&calls[1], &["name", "status", "input", "output"]),
        [json!("apply_patch"), json!("failed"), json!("*** Begin Patch"), json!("Done")]
    );
    assert_eq!(
        of(&calls[2], &["name", "status", "output"]),
        [json!("local_shell"), json!("completed"), json!("a\nb")]
    );
    assert_eq!(
        of(&calls[3], &["name", "server", "status", "input"]),
        [json!("add"), json!("demo"), json!("pending"), json!("not JSON")]
    );
}

#[test]
fn view_shows_session_files_with_their_prompts() {
    let view = |path: &str| {
        run(&["view", root().join("examples/sessions").join(path).to_str().unwrap()], "")
    };
    view("projects/-home-demo-calc/7f3c2a90-5d1e-4b7a-9c44-2e8b6f0d1a35.jsonl").stdout(
        predicate::str::starts_with(
            "[session] claude, 7f3c2a90-5d1e-4b7a-9c44-2e8b6f0d1a35, /home/demo/calc\n\
             [prompt] Why does the test fail?\n\
             I'll run the tests first.\n",
        )
        .and(predicate::str::contains("[result] success, 1 min 24 s, $0.0313")),
    );
    view("sessions/2026/11/12/rollout-2026-11-12T15-10-00-019a77aa-3c10-7d42-b0a1-5e2f8c9d6b10.jsonl")
        .stdout(
            predicate::str::contains("[prompt] Fix the broken links.\n[tool] shell")
                .and(predicate::str::contains("[session]").count(1)),
        );
}
