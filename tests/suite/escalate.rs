//! `escalate`: tiers of agents, played by scripts.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use rusqlite::Connection;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::stage::{Done, Stage, is_alive, pid_of, wait_for};
use crate::store::rows;
use crate::support::lines_of;

mod again_and_again;
mod crash;
mod handoff;
mod policy;
mod refused;

/// What an agent answers: whether it needs help, and how its service is.
fn answer(needed: bool) -> Value {
    json!({
        "summary": "one service looked at",
        "events": [{"level": "warning", "service": "db", "message": "slow"}],
        "memories": [{"key": "db:timing", "value": "takes 40 s"}],
        "escalation": {"needed": needed, "reason": "it's \"down\"", "context": "first line\nsecond $HOME line",
            "failed_checks": ["ping", "http 502"]},
        "services_checked": [
            {"name": "db", "status": "down", "detail": "refused"}, {"name": "web", "status": "healthy"}],
    })
}

/// The lines of a run of Claude's that says `text` and answers with `document`.
fn run_of_claude(id: &str, text: &str, document: &Value) -> String {
    lines_of(&[
        json!({"type": "system", "subtype": "init", "session_id": id, "model": "m-1", "uuid": "u"}),
        json!({"type": "assistant", "session_id": id, "parent_tool_use_id": null,
            "message": {"id": "m", "content": [{"type": "text", "text": text}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": id,
            "uuid": format!("r-{id}"), "result": text, "num_turns": 2, "duration_ms": 10,
            "total_cost_usd": 0.5, "structured_output": document}),
    ])
}

/// Two tiers.
const BOTH: [&str; 4] = ["--tier", "one/claude -p look", "--tier", "two/claude -p 'fix it'"];

/// A stage for tiers: what each says is in a file, what each got in another.
struct Tiers {
    stage: Stage,
}

impl Tiers {
    fn new() -> Self {
        Self { stage: Stage::new() }
    }

    /// A program that leaves its arguments and its standard input, and then says
    /// this.
    fn agent(&self, program: &str, said: &str) -> &Self {
        self.agent_that(program, said, "")
    }

    /// The same, and does something before.
    fn agent_that(&self, program: &str, said: &str, does: &str) -> &Self {
        let path = self.stage.path(program);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(self.stage.path(&format!("{program}.says")), said).unwrap();
        let own = format!("\"$STAGE/{program}\"");
        let body = format!(
            "printf '%s\\0' \"$@\" > {own}.args; cat > {own}.stdin\n\
             echo x >> {own}.runs; {does}\ncat {own}.says"
        );
        self.stage.program(program, &body);
        self
    }

    /// A first tier that asks for help, and a second that does not.
    fn usual(&self) -> &Self {
        self.agent("one/claude", &run_of_claude("s1", "looking", &answer(true)));
        self.agent("two/claude", &run_of_claude("s2", "fixed", &answer(false)))
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let db = self.stage.path("ops.db").display().to_string();
        let mut command = self.stage.streamj(&["escalate", "--db", &db]);
        command.args(args).current_dir(self.stage.folder.path()).env_remove("CLAUDEOPS_MAX_TIER");
        command.env_remove("CLAUDEOPS_SCHEMA_PATH");
        command
    }

    fn escalate(&self, args: &[&str]) -> Done {
        Done::of(&self.command(args).output().unwrap())
    }

    /// Starts it, and goes on.
    fn start(&self, args: &[&str], stdout: impl Into<Stdio>) -> Running {
        let mut command = self.command(args);
        Running(command.stdout(stdout).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Both tiers, with these options.
    fn both(&self, args: &[&str]) -> Done {
        self.escalate(&[&BOTH, args].concat())
    }

    fn args_of(&self, program: &str) -> Vec<String> {
        let bytes = std::fs::read(self.stage.path(&format!("{program}.args"))).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
    }

    fn stdin_of(&self, program: &str) -> String {
        std::fs::read_to_string(self.stage.path(&format!("{program}.stdin"))).unwrap()
    }

    fn runs(&self, program: &str) -> usize {
        let runs = std::fs::read_to_string(self.stage.path(&format!("{program}.runs")));
        runs.unwrap_or_default().lines().count()
    }

    fn store(&self) -> Connection {
        Connection::open(self.stage.path("ops.db")).unwrap()
    }

    fn rows(&self, query: &str) -> Vec<Value> {
        rows(&self.store(), query)
    }

    fn statuses(&self) -> Vec<Value> {
        self.rows("SELECT tier, status FROM sessions ORDER BY id")
    }
}

/// A program that runs, and does not outlive the test.
struct Running(Child);

impl Running {
    fn signal(&self, signal: Signal) {
        kill_process(pid_of(&self.0), signal).unwrap();
    }

    /// The lines it prints.
    fn lines(&mut self) -> impl Iterator<Item = String> + use<> {
        BufReader::new(self.0.stdout.take().unwrap()).lines().map(Result::unwrap)
    }

    /// Its exit status, once it has ended by itself.
    fn code(&mut self) -> Option<i32> {
        let child = std::cell::RefCell::new(&mut self.0);
        wait_for(|| child.borrow_mut().try_wait().unwrap().is_some());
        self.0.wait().unwrap().code()
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The value behind an option.
fn value<'a>(args: &'a [String], option: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| arg == option)?;
    args.get(at + 1).map(String::as_str)
}

fn decisions(done: &Done) -> Vec<Value> {
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn words(done: &Done) -> Vec<String> {
    let word = |line: Value| line["decision"].as_str().unwrap().to_owned();
    decisions(done).into_iter().map(word).collect()
}

const CONTEXT: &str = "Escalation reason: it's \"down\"\n\
    Investigation findings: first line\nsecond $HOME line\n\
    Failed checks: ping, http 502\n\
    Service status: db: down (refused); web: healthy";

#[test]
fn the_second_tier_is_told_the_four_parts_verbatim() {
    let tiers = Tiers::new();
    let done = tiers.usual().both(&[]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let args = tiers.args_of("two/claude");
    assert_eq!(value(&args, "--append-system-prompt"), Some(CONTEXT));
    assert_eq!(args.last().unwrap(), "fix it");
    assert!(args.contains(&"stream-json".to_owned()), "it is run as wrap runs it");
    assert_eq!(value(&tiers.args_of("one/claude"), "--append-system-prompt"), None);
    let schema: Value = serde_json::from_str(value(&args, "--json-schema").unwrap()).unwrap();
    assert_eq!(schema["title"], "Agent response", "the shipped schema");
}

#[test]
fn each_decision_is_a_line_an_event_and_a_status() {
    let tiers = Tiers::new();
    let done = tiers.usual().both(&[]);
    assert_eq!(
        decisions(&done),
        [
            json!({"tier": 1, "session_id": "s1", "needed": true, "decision": "escalate", "reason": "it's \"down\""}),
            json!({"tier": 2, "session_id": "s2", "needed": false, "decision": "settled", "reason": "it's \"down\""}),
        ]
    );
    let sessions =
        "SELECT id, session_id, run_key, harness, tier, model, parent_session_id, status,
        cost_usd, extraction_method, started_at IS NOT NULL FROM sessions";
    assert_eq!(
        tiers.rows(sessions),
        [
            json!([
                1,
                "s1",
                "s1:r-s1",
                "claude",
                1,
                "m-1",
                null,
                "escalated",
                0.5,
                "structured",
                1
            ]),
            json!([2, "s2", "s2:r-s2", "claude", 2, "m-1", 1, "completed", 0.5, "structured", 1]),
        ]
    );
    assert_eq!(
        tiers.rows("SELECT session_id, level, message FROM events WHERE service IS NULL"),
        [
            json!([1, "info", "tier 1: escalate: it's \"down\""]),
            json!([2, "info", "tier 2: settled: it's \"down\""]),
        ]
    );
    assert_eq!(tiers.rows("SELECT confidence, tier FROM memories"), [json!([0.8, 1])]);
    assert_eq!(tiers.rows("SELECT * FROM running"), Vec::<Value>::new());
    assert_eq!(done.stderr, "streamj: tier 1: one/claude\nstreamj: tier 2: two/claude\n");
}

#[test]
fn who_needs_nobody_is_alone() {
    let tiers = Tiers::new();
    tiers.usual().agent("one/claude", &run_of_claude("s1", "fine", &answer(false)));
    let done = tiers.both(&[]);
    assert_eq!((done.code, words(&done)), (Some(0), vec!["settled".to_owned()]));
    assert_eq!(tiers.runs("two/claude"), 0);
    assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
}

#[test]
fn a_tier_that_times_out_is_stored_and_nobody_follows() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("one/claude", &run_of_claude("s1", "", &answer(true)), "sleep 600");
    let done = tiers.both(&["--timeout", "500ms", "--kill-after", "1s"]);
    assert_eq!((done.code, words(&done)), (Some(124), vec!["failed".to_owned()]), "{done:?}");
    assert_eq!(decisions(&done)[0]["reason"], "timeout");
    assert_eq!(decisions(&done)[0]["session_id"], Value::Null);
    let stored = "SELECT tier, harness, status, error, error_category FROM sessions";
    assert_eq!(tiers.rows(stored), [json!([1, "claude", "timed_out", "timeout", "timeout"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
    assert_eq!(tiers.rows("SELECT level FROM events"), [json!(["critical"])]);
    // It took as long as it was measured, whatever it told before.
    tiers.stage.program("one/claude", "cat \"$STAGE/one/claude.says\"; exec sleep 600");
    let done = tiers.both(&["--timeout", "500ms", "--kill-after", "1s"]);
    assert_eq!(done.code, Some(124), "{done:?}");
    let took = "SELECT session_id, duration_ms >= 500 FROM sessions WHERE id = 2";
    assert_eq!(tiers.rows(took), [json!(["s1", 1])]);
}

#[test]
fn a_tier_that_fails_ends_the_round_with_its_status() {
    let tiers = Tiers::new();
    tiers.usual().agent_that(
        "one/claude",
        &run_of_claude("s1", "", &answer(true)),
        "echo oh >&2; exit 7",
    );
    let done = tiers.both(&[]);
    assert_eq!((done.code, words(&done)), (Some(7), vec!["failed".to_owned()]), "{done:?}");
    assert_eq!(decisions(&done)[0]["reason"], "oh");
    // A stream that just stops settles nothing.
    let cut = run_of_claude("s3", "all is", &Value::Null).lines().next().unwrap().to_owned();
    tiers.agent("one/claude", &cut);
    let done = tiers.both(&[]);
    assert_eq!((done.code, words(&done)), (Some(1), vec!["failed".to_owned()]), "{done:?}");
    assert_eq!(tiers.statuses(), [json!([1, "failed"]), json!([1, "incomplete"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn an_answer_that_is_not_what_was_asked_for_settles_nothing() {
    let tiers = Tiers::new();
    let mut wrong = answer(true);
    wrong["escalation"]["needed"] = json!("true");
    tiers.usual().agent("one/claude", &run_of_claude("s1", "", &wrong));
    let done = tiers.both(&[]);
    assert_eq!((done.code, words(&done)), (Some(1), vec!["failed".to_owned()]), "{done:?}");
    let reason = decisions(&done)[0]["reason"].as_str().unwrap().to_owned();
    let start = "the answer violates the schema: /escalation/needed: ";
    assert!(reason.starts_with(start), "{reason}");
    let stored = tiers.rows("SELECT status, error FROM sessions");
    assert_eq!(stored, [json!(["failed", reason])]);
    assert_eq!(tiers.runs("two/claude"), 0);
    // One without an answer may have marked everything in its text.
    tiers.agent("one/claude", &run_of_claude("s3", "fine", &Value::Null));
    assert_eq!(words(&tiers.both(&[])), ["settled"]);
}

#[test]
fn all_results_of_a_run_are_stored_and_the_last_wish_counts() {
    let tiers = Tiers::new();
    let mut later = answer(true);
    later["memories"][0]["value"] = json!("takes 50 s");
    let says = run_of_claude("s1", "", &answer(false)) + &run_of_claude("s1", "", &later);
    let done = tiers.usual().agent("one/claude", &says).both(&[]);
    assert_eq!(words(&done), ["escalate", "settled"], "{done:?}");
    let first = "SELECT message FROM events WHERE session_id = 1 AND service IS NOT NULL";
    assert_eq!(tiers.rows(first), [json!(["slow"]), json!(["slow"])]);
    let args = tiers.args_of("two/claude");
    assert_eq!(value(&args, "--append-system-prompt"), Some(CONTEXT), "each service once");
}

#[test]
fn a_context_of_any_length_can_be_told() {
    let tiers = Tiers::new();
    let mut long = answer(true);
    long["escalation"]["context"] = json!("c".repeat(300_000));
    long["escalation"]["reason"] = json!("r".repeat(300_000));
    tiers.usual().agent("one/claude", &run_of_claude("s1", "", &long));
    let own = "a".repeat(100_000);
    let config = format!(
        "[[tier]]\ncommand = 'one/claude -p look'\n\
         [[tier]]\ncommand = ['two/claude', '-p', 'fix', '--append-system-prompt', '{own}']\n"
    );
    std::fs::write(tiers.stage.path("tiers.toml"), config).unwrap();
    let done = tiers.escalate(&["--config", "tiers.toml"]);
    assert_eq!(words(&done), ["escalate", "settled"]);
    let args = tiers.args_of("two/claude");
    let told = value(&args, "--append-system-prompt").unwrap();
    assert!(told.starts_with(&own));
    for label in
        ["reason: r", "findings: c", "Failed checks: ping, http 502\n", "db: down (refused)"]
    {
        assert!(told.contains(label), "{label}");
    }
}

#[test]
fn a_record_that_cannot_be_written_is_the_reason() {
    let tiers = Tiers::new();
    let says = run_of_claude("s1", "", &answer(true));
    tiers.usual().agent_that("one/claude", &says, "rm -r $STAGE/records");
    let done = tiers.both(&["--record-dir", "records"]);
    assert_eq!((done.code, words(&done)), (Some(125), vec!["failed".to_owned()]), "{done:?}");
    assert_eq!(decisions(&done)[0]["reason"], "the record could not be written");
    let stored = tiers.rows("SELECT status, error FROM sessions");
    assert_eq!(stored, [json!(["failed", "the record could not be written"])]);
}

#[test]
fn a_tier_that_says_nothing_is_told_so() {
    let tiers = Tiers::new();
    tiers.agent("codex", "").agent("claude", "");
    for tier in ["codex exec look", "claude -p look"] {
        let done = tiers.escalate(&["--tier", tier]);
        assert_eq!((done.code, words(&done)), (Some(1), vec!["failed".to_owned()]), "{done:?}");
        assert_eq!(decisions(&done)[0]["reason"], "no output", "{tier}");
    }
}

#[test]
fn a_tier_that_cannot_be_started_is_stored_as_such() {
    let tiers = Tiers::new();
    tiers.usual();
    let done = tiers.escalate(&["--tier", "one/claude -p look", "--tier", "missing/claude -p fix"]);
    assert_eq!(done.code, Some(127), "{done:?}");
    assert_eq!(words(&done), ["escalate", "failed"]);
    assert!(done.stderr.ends_with("streamj: Claude CLI not found: missing/claude\n"), "{done:?}");
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "failed"])]);
    let error = tiers.rows("SELECT error, run_key FROM sessions WHERE tier = 2");
    assert_eq!(error, [json!(["Claude CLI not found: missing/claude", null])]);
    std::fs::write(tiers.stage.path("plain"), "no program").unwrap();
    let done = tiers.escalate(&["--tier", "./plain"]);
    assert_eq!((done.code, words(&done)), (Some(126), vec!["failed".to_owned()]));
}

#[test]
fn a_config_names_tiers_models_and_clocks() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("two/claude", &run_of_claude("s2", "", &answer(false)), "sleep 600");
    let config = "[[tier]]\nname = 'observe'\ncommand = \"one/claude -p 'look around'\"\nmodel = 'small'\n\
                  [[tier]]\nname = 'repair'\ncommand = ['two/claude', '-p', 'a b']\nmodel = 'large'\ntimeout = '500ms'\n";
    std::fs::write(tiers.stage.path("tiers.toml"), config).unwrap();
    let done = tiers.escalate(&["--config", "tiers.toml", "--kill-after", "1s", "--timeout", "1h"]);
    assert_eq!(done.code, Some(124), "{done:?}");
    let told: Vec<_> = decisions(&done).iter().map(|line| line["name"].clone()).collect();
    assert_eq!(told, ["observe", "repair"]);
    assert!(done.stderr.contains("streamj: tier 2 (repair): two/claude\n"), "{done:?}");
    let (one, two) = (tiers.args_of("one/claude"), tiers.args_of("two/claude"));
    assert_eq!((value(&one, "--model"), value(&two, "--model")), (Some("small"), Some("large")));
    assert_eq!(
        (one.last().unwrap().as_str(), two.last().unwrap().as_str()),
        ("look around", "a b")
    );
    // The model is the one that answered, else the one that was asked for.
    let models = tiers.rows("SELECT model, status FROM sessions");
    assert_eq!(models, [json!(["m-1", "escalated"]), json!(["large", "timed_out"])]);
}

#[test]
fn codex_is_told_before_its_prompt_and_a_stranger_on_standard_input() {
    let tiers = Tiers::new();
    tiers.usual().agent("codex", &{
        let mut answer = answer(true);
        // What is strict has all members.
        answer["services_checked"][1]["detail"] = Value::Null;
        let message = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message",
            "text": answer.to_string()}});
        format!(
            "{}\n{message}\n{}\n",
            r#"{"type":"thread.started","thread_id":"t1"}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#
        )
    });
    tiers.agent("helper", &run_of_claude("s3", "done", &answer(false)));
    let done = tiers.escalate(&[
        "--tier",
        "one/claude -p look",
        "--tier",
        "codex exec 'fix it'",
        "--tier",
        "helper --now",
    ]);
    assert_eq!(words(&done), ["escalate", "escalate", "settled"], "{done:?}");
    assert_eq!(*tiers.args_of("codex").last().unwrap(), format!("{CONTEXT}\n\nfix it"));
    assert_eq!(tiers.args_of("helper"), ["--now"]);
    assert_eq!(tiers.stdin_of("helper"), CONTEXT);
    let parents = "SELECT tier, harness, parent_session_id, run_key LIKE 'sha256:%' FROM sessions";
    assert_eq!(
        tiers.rows(parents),
        [json!([1, "claude", null, 0]), json!([2, "codex", 1, 1]), json!([3, "claude", 2, 0])]
    );
}

#[test]
fn a_prompt_on_standard_input_is_for_all_tiers() {
    let tiers = Tiers::new();
    tiers.usual().agent("helper", &run_of_claude("s3", "", &answer(true)));
    let run = |more: &[&str]| {
        let mut command = tiers.command(&["--tier", "helper", "--tier", "two/claude -p"]);
        command.args(more).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"check all services").unwrap();
        Done::of(&child.wait_with_output().unwrap())
    };
    assert_eq!(words(&run(&[])), ["escalate", "settled"]);
    assert_eq!(tiers.stdin_of("helper"), "check all services");
    assert_eq!(tiers.stdin_of("two/claude"), "check all services");
    assert_eq!(words(&run(&["--no-stdin"])), ["escalate", "settled"]);
    assert_eq!(
        (tiers.stdin_of("helper"), tiers.stdin_of("two/claude")),
        (String::new(), String::new())
    );
}

#[test]
fn every_run_leaves_its_record_and_its_stream() {
    let tiers = Tiers::new();
    let done = tiers.usual().both(&["--record-dir", "kept/records"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let entries = std::fs::read_dir(tiers.stage.path("kept/records")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let ends: Vec<&str> = names.iter().map(|name| name.split_once("Z-").unwrap().1).collect();
    assert_eq!(
        ends,
        [
            "tier-1-session-1.json",
            "tier-1-session-1.jsonl",
            "tier-2-session-2.json",
            "tier-2-session-2.jsonl"
        ]
    );
    let read =
        |at: usize| std::fs::read(tiers.stage.path("kept/records").join(&names[at])).unwrap();
    let record: Value = serde_json::from_slice(&read(0)).unwrap();
    assert_eq!((&record["session_id"], &record["output"]), (&json!("s1"), &json!("looking")));
    assert_eq!(read(3), std::fs::read(tiers.stage.path("two/claude.says")).unwrap());
    // The stream is that of a run which is stored already.
    let stream = tiers.stage.path("kept/records").join(&names[1]);
    let db = tiers.stage.path("ops.db");
    let mut again =
        tiers.stage.streamj(&["findings", "--db", db.to_str().unwrap(), stream.to_str().unwrap()]);
    assert!(Done::of(&again.output().unwrap()).stderr.ends_with("already stored\n"));
}

#[test]
fn a_schema_of_ones_own_is_asked_for() {
    let tiers = Tiers::new();
    std::fs::write(tiers.stage.path("own.json"), r#"{"type":"object","title":"Mine"}"#).unwrap();
    let done = tiers.usual().both(&["--schema", "own.json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(value(&tiers.args_of("two/claude"), "--json-schema").unwrap().contains("Mine"));
}
