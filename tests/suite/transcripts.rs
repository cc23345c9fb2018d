//! What the CLIs keep on disk, read like a stream.

#![allow(clippy::needless_pass_by_value)] // `json!` reads better without a reference

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{read, recordings_under, run, shared};

fn rows(args: &[&str], path: &Path) -> Vec<Value> {
    let run = run(&[args, &["-q", path.to_str().unwrap()]].concat(), "");
    assert_eq!(run.code, 0, "{args:?} {}", path.display());
    run.rows()
}

fn text(path: &Path) -> String {
    run(&["-q", "text", "--main-only", path.to_str().unwrap()], "").text().to_owned()
}

const TOKENS: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"];

fn tokens(row: &Value) -> [u64; 4] {
    TOKENS.map(|name| row[name].as_u64().unwrap_or(0))
}

/// A run that was recorded and has kept a transcript of its session.
struct Twice {
    /// The runs of the session, in order.
    streams: Vec<PathBuf>,
    transcript: PathBuf,
    is_claude: bool,
}

/// `resume.jsonl`, `resume.2.jsonl`, `resume.3.jsonl`.
fn in_order(path: &Path) -> (String, u32) {
    let name = path.file_stem().unwrap().to_str().unwrap();
    let (name, number) = name.rsplit_once('.').unwrap_or((name, "1"));
    (name.to_owned(), number.parse().unwrap())
}

fn recorded_twice(captures: &Path) -> Vec<Twice> {
    let transcripts = captures.join("transcripts");
    let mut twice = Vec::new();
    for tool in std::fs::read_dir(&transcripts).unwrap() {
        let tool = tool.unwrap().file_name().into_string().unwrap();
        let mut sessions: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for stream in recordings_under(&captures.join(&tool)) {
            let id = run(&["-q", "session", "--get", "/session_id", stream.to_str().unwrap()], "");
            sessions.entry(id.text().trim().to_owned()).or_default().push(stream);
        }
        for transcript in recordings_under(&transcripts.join(&tool)) {
            let name = transcript.file_stem().unwrap().to_str().unwrap();
            let of_it = |(id, _): &(&String, &Vec<PathBuf>)| !id.is_empty() && name.ends_with(*id);
            if let Some((_, streams)) = sessions.iter().find(of_it) {
                let mut streams = streams.clone();
                streams.sort_by_key(|path| in_order(path));
                let is_claude = tool.starts_with("claude");
                twice.push(Twice { streams, transcript: transcript.clone(), is_claude });
            }
        }
    }
    twice
}

/// Whether the stream tells the whole of the session: it came to its end, it is
/// lines of events, and it is not a fork, which has its parent's history on disk.
fn tells_all(twice: &Twice) -> bool {
    twice.streams.iter().all(|stream| {
        let summary = &rows(&["summary"], stream)[0];
        let bytes = std::fs::read(stream).unwrap();
        let name = stream.file_stem().unwrap().to_str().unwrap();
        let only_a_result = name.ends_with("_json") || name.ends_with("_json_format");
        summary["complete"] == true
            && !only_a_result
            && !name.ends_with(".3")
            // Answers of the CLI itself are not kept as messages.
            && !name.starts_with("slash_command")
            && !name.starts_with("hooks_prompt_blocked")
            && !bytes.is_empty()
    })
}

#[test]
fn the_recorded_stream_and_the_transcript_of_a_run_agree() {
    let Some(captures) = shared("captures") else { return };
    let twice = recorded_twice(&captures);
    assert!(twice.len() > 250, "{}", twice.len());
    let [mut texts, mut calls, mut counts] = [0; 3];
    for twice in twice.iter().filter(|twice| tells_all(twice)) {
        let name = twice.transcript.strip_prefix(&captures).unwrap().display();
        let said: String = twice.streams.iter().map(|stream| text(stream)).collect();
        assert_eq!(text(&twice.transcript), said, "{name}");
        texts += 1;

        let tools = |path: &Path| -> Vec<(Value, Value)> {
            let rows = rows(&["tools"], path);
            let own = rows.into_iter().filter(|row| row["parent_id"].is_null());
            own.map(|row| (row["name"].clone(), row["status"].clone())).collect()
        };
        let commands = |path: &Path| -> Vec<(i64, String)> {
            let rows = rows(&["tools", "--max-output", "1000"], path);
            let told = rows.iter().filter(|row| row["truncated"].is_null());
            told.filter_map(|row| {
                Some((row["exit_code"].as_i64()?, row["output"].as_str()?.to_owned()))
            })
            .collect()
        };
        let nested = name.to_string().contains("code_mode");
        if twice.is_claude {
            let ran: Vec<_> = twice.streams.iter().flat_map(|stream| tools(stream)).collect();
            assert_eq!(tools(&twice.transcript), ran, "{name}");
            calls += ran.len();
        } else if !nested {
            // The tools have other names on disk; commands are told by their exit and
            // what they printed. What failed for the sandbox is not in the stream.
            let ran: Vec<_> = twice.streams.iter().flat_map(|stream| commands(stream)).collect();
            let kept = commands(&twice.transcript);
            assert!(ran.iter().all(|call| kept.contains(call)), "{name}: {ran:?} {kept:?}");
            calls += ran.len();
        }

        let told: Vec<_> =
            twice.streams.iter().flat_map(|stream| rows(&["usage"], stream)).collect();
        // Claude tells what each run used, Codex what the thread has used so far.
        let counted = if twice.is_claude { &told[..] } else { &told[told.len() - 1..] };
        let mut sum = [0; 4];
        for row in counted {
            tokens(row).iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
        }
        let kept = &rows(&["usage"], &twice.transcript)[0];
        // Without a count of its own a transcript lacks what no message carries.
        let exact = kept["source"] == "cost-state"
            || kept["source"] == "turns" && told.iter().all(|row| row["source"] == "turns");
        if exact {
            assert_eq!(tokens(kept), sum, "{name}");
            counts += 1;
        } else if twice.is_claude {
            let no_more = tokens(kept).iter().zip(&sum).all(|(kept, told)| kept <= told);
            assert!(no_more, "{name}: {kept} {sum:?}");
        }
    }
    // What is compared at all must not become nothing.
    assert!(texts > 180 && calls > 120 && counts > 120, "{texts} {calls} {counts}");
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
fn a_request_counts_once_with_its_largest_figures() {
    let lines = [
        assistant("m1", Some("r1"), 1, json!({})),
        assistant("m2", Some("r2"), 5, json!({})),
        assistant("m1", Some("r1"), 30, json!({})),
        assistant("m1", Some("r1"), 20, json!({})),
        // The same answer to another request is another one.
        assistant("m2", Some("r3"), 5, json!({})),
        // A copy that has lost the id of its request is still a copy.
        assistant("m1", None, 30, json!({})),
        // Without a request the id alone counts.
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
fn synthetic_is_no_model() {
    let mut synthetic: Value = serde_json::from_str(&assistant("m1", None, 9, json!({}))).unwrap();
    synthetic["message"]["model"] = json!("<synthetic>");
    let row = usage(&[&synthetic.to_string(), &assistant("m2", None, 2, json!({}))]);
    assert_eq!((&row["output_tokens"], &row["models"][1]), (&json!(2), &Value::Null));
}

#[test]
fn the_clis_own_count_is_the_total_and_tells_what_no_message_carries() {
    let state = r#"{"type":"cost-state","sessionId":"s","totalCostUSD":0.5,"totalDuration":900,"modelUsage":{"claude-sonnet-5-5":{"inputTokens":5,"outputTokens":50,"cacheReadInputTokens":10,"cacheCreationInputTokens":7,"costUSD":0.4},"claude-haiku-5-5":{"inputTokens":3,"outputTokens":4,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.1}}}"#;
    let first = assistant("m1", Some("r1"), 30, json!({}));
    let row = usage(&[&first, state]);
    assert_eq!((&row["source"], &row["cost_usd"]), (&json!("cost-state"), &json!(0.5)));
    assert_eq!((&row["input_tokens"], &row["output_tokens"]), (&json!(8), &json!(54)));
    assert_eq!(row["unattributed"]["input_tokens"], 7);
    assert_eq!(row["unattributed"]["output_tokens"], 24);
    assert_eq!(row["models"][1]["cost_usd"], 0.1);
    // What comes after the count comes on top.
    let later = assistant("m2", Some("r2"), 100, json!({}));
    let row = usage(&[&first, state, &later]);
    assert_eq!((&row["input_tokens"], &row["output_tokens"]), (&json!(9), &json!(154)));
    assert_eq!(row["unattributed"]["output_tokens"], 24);
}

#[test]
fn a_count_that_begins_anew_comes_on_top() {
    let state = |cost: f64, output: u64| {
        json!({"type": "cost-state", "sessionId": "s", "totalCostUSD": cost,
            "modelUsage": {"claude-sonnet-5-5": {"inputTokens": 1, "outputTokens": output,
                "cacheReadInputTokens": 10, "cacheCreationInputTokens": 7, "costUSD": cost}}})
        .to_string()
    };
    let messages = ["m1", "m2", "m3"].map(|id| assistant(id, Some(id), 30, json!({})));
    let [one, two, three] = &messages;
    // Counted on, begun anew, counted on.
    let row = usage(&[one, &state(0.5, 30), two, &state(0.2, 29), three, &state(0.4, 59)]);
    assert_eq!((&row["cost_usd"], &row["output_tokens"]), (&json!(0.9), &json!(90)));
    let row = usage(&[one, &state(0.5, 30), two, &state(0.9, 60)]);
    assert_eq!((&row["cost_usd"], &row["output_tokens"]), (&json!(0.9), &json!(60)));
}

#[test]
fn torn_lines_and_runs_of_nul_harm_nobody() {
    let torn = &assistant("m1", None, 2, json!({}))[..200];
    let lines = [torn, "\0\0\0\0\0", &assistant("m2", None, 3, json!({})), "\0\0"];
    let run = run(&["usage"], lines.join("\n"));
    assert_eq!((run.code, &run.row()["output_tokens"]), (0, &json!(3)));
    assert_eq!(run.stderr.matches("not JSON").count(), 3, "{}", run.stderr);
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
fn a_message_about_a_failed_request_is_the_error_unless_the_turn_went_on() {
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
    assert_eq!(read(&["error"], &[&prompt("Go."), &failed, &answer]).text(), "");
    let later = read(&["error"], &[&prompt("Go."), &failed, &prompt("Again."), &answer]).row();
    assert_eq!(later["category"], "rate_limit");
}

#[test]
fn a_transcript_is_complete_when_the_agent_had_the_last_word() {
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
    // Words for the CLI itself ask nothing of the agent.
    let command = prompt("<command-name>/cost</command-name>");
    assert_eq!(read(&["error"], &[&prompt("Go."), &answer, &command]).text(), "");
}

#[test]
fn subagents_are_told_apart() {
    let side = |id: &str, more: Value| {
        let mut line: Value = serde_json::from_str(&assistant(id, None, 1, more)).unwrap();
        line["isSidechain"] = json!(true);
        line["message"]["content"] = json!([{"type": "text", "text": "sub"}]);
        line.to_string()
    };
    let lines = [side("m1", json!({"agentId": "a1b2"})), side("m2", json!({}))];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    assert_eq!(read(&["text"], &lines).text(), "sub\nsub\n");
    assert_eq!(read(&["text", "--main-only"], &lines).text(), "");
    let events = read(&["events", "--unified"], &lines).rows();
    let parents: Vec<_> = events.iter().map(|event| &event["parent_id"]).collect();
    assert_eq!(parents, ["a1b2", "a1b2", "sidechain", "sidechain"]);
}

/// A rollout: its lines, a second apart unless they say otherwise.
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
fn a_rollouts_total_grows_and_is_not_counted_again_when_told_again() {
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
fn a_total_that_starts_anew_is_counted_anew() {
    let row = Rollout::new()
        .meta("00:00", "01a1-a", json!({}))
        .count("00:01", 100, 100)
        .count("00:02", 30, 30)
        .usage();
    assert_eq!(row["input_tokens"], 130);
}

#[test]
fn a_forks_inherited_history_is_not_its_own() {
    // Written anew when the fork began, with ids of turns.
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
    // Kept with its old times, without ids of turns.
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
    // All at once, when there were no ids of turns.
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
fn a_subagent_that_starts_from_nothing_counts_from_nothing() {
    let row = Rollout::new()
        .meta("30:00", "01a1-5", json!({"forked_from_id": "01a1-1", "parent_thread_id": "01a1-1"}))
        .turn("30:00", "01a1-6")
        .count("30:00", 100, 100)
        .count("30:09", 140, 40)
        .usage();
    assert_eq!(row["input_tokens"], 140);
    // And one that goes on counting where its parent was has spent its own part.
    let row = Rollout::new()
        .meta("30:00", "01a1-5", json!({"parent_thread_id": "01a1-1"}))
        .turn("30:00", "01a1-6")
        .count("30:05", 1100, 100)
        .count("30:09", 1140, 40)
        .usage();
    assert_eq!(row["input_tokens"], 140);
}

#[test]
fn calls_of_a_rollout_have_their_input_output_and_exit_status() {
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
fn a_person_sees_the_conversation_with_its_prompts() {
    let shown = |path: &str| {
        let path = crate::support::root().join("examples/sessions").join(path);
        run(&["view", path.to_str().unwrap()], "").text().to_owned()
    };
    let claude = shown("projects/-home-demo-calc/7f3c2a90-5d1e-4b7a-9c44-2e8b6f0d1a35.jsonl");
    assert_eq!(
        claude.lines().take(3).collect::<Vec<_>>(),
        [
            "[session] claude, 7f3c2a90-5d1e-4b7a-9c44-2e8b6f0d1a35, /home/demo/calc",
            "[prompt] Why does the test fail?",
            "I'll run the tests first.",
        ]
    );
    assert!(claude.contains("[result] success, 1 min 24 s, $0.0313"), "{claude}");
    let codex = shown(
        "sessions/2026/11/12/rollout-2026-11-12T15-10-00-019a77aa-3c10-7d42-b0a1-5e2f8c9d6b10.jsonl",
    );
    assert!(codex.contains("[prompt] Fix the broken links.\n[tool] exec_command"), "{codex}");
    assert_eq!(codex.matches("[session]").count(), 1);
}
