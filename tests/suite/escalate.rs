//! `escalate`: tiers of agents, played by scripts.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use rusqlite::Connection;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::stage::{Done, Stage, is_alive, pid_of, wait_for};
use crate::store::rows;

mod crash;
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
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": id, "model": "m-1", "uuid": "u"}),
        json!({"type": "assistant", "session_id": id, "parent_tool_use_id": null,
            "message": {"id": "m", "content": [{"type": "text", "text": text}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": id,
            "uuid": format!("r-{id}"), "result": text, "num_turns": 2, "duration_ms": 10,
            "total_cost_usd": 0.5, "structured_output": document}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

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

    /// Both tiers, with these options.
    fn both(&self, args: &[&str]) -> Done {
        let tiers = ["--tier", "one/claude -p look", "--tier", "two/claude -p 'fix it'"];
        self.escalate(&[&tiers, args].concat())
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
fn the_highest_tier_is_named_by_option_or_environment() {
    for named in [&["--max-tier", "1"][..], &[]] {
        let tiers = Tiers::new();
        let mut command = tiers.usual().command(named);
        command.args(["--tier", "one/claude -p look", "--tier", "two/claude -p fix"]);
        if named.is_empty() {
            command.env("CLAUDEOPS_MAX_TIER", "1");
        }
        let done = Done::of(&command.output().unwrap());
        assert_eq!((done.code, words(&done)), (Some(3), vec!["max-tier".to_owned()]), "{done:?}");
        assert_eq!(tiers.runs("two/claude"), 0);
        assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
    }
    // Without more tiers the last one is the highest.
    let tiers = Tiers::new();
    tiers.usual().agent("two/claude", &run_of_claude("s2", "", &answer(true)));
    let done = tiers.both(&["--max-tier", "7"]);
    assert_eq!(
        (done.code, words(&done)),
        (Some(3), vec!["escalate".to_owned(), "max-tier".to_owned()])
    );
}

#[test]
fn a_dry_run_starts_no_second_tier_and_writes_nothing() {
    let tiers = Tiers::new();
    let before = |tiers: &Tiers| {
        let entries = std::fs::read_dir(tiers.stage.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    tiers.usual().agent_that("one/claude", &run_of_claude("s1", "", &answer(true)), "");
    let (names, args) = (before(&tiers), ["--dry-run", "--record-dir", "records"]);
    let done = tiers.both(&args);
    assert_eq!((done.code, words(&done)), (Some(3), vec!["dry-run".to_owned()]), "{done:?}");
    assert_eq!(decisions(&done)[0]["reason"], "tier 2 would run: it's \"down\"");
    assert_eq!((tiers.runs("one/claude"), tiers.runs("two/claude")), (1, 0));
    assert_eq!(before(&tiers), names, "no database, no records");
    // With a database: its bytes stay, and its cooldowns count.
    let text = "[COOLDOWN:restart:db] success — up\n[COOLDOWN:restart:db] success — up again";
    let recorded = tiers.stage.path("recorded.jsonl");
    std::fs::write(&recorded, run_of_claude("s0", text, &answer(false))).unwrap();
    let db = tiers.stage.path("ops.db");
    let stored = tiers.stage.streamj(&[
        "findings",
        "--db",
        db.to_str().unwrap(),
        recorded.to_str().unwrap(),
    ]);
    assert!({ stored }.output().unwrap().status.success());
    let (names, bytes) = (before(&tiers), std::fs::read(&db).unwrap());
    let done = tiers.both(&args);
    assert_eq!((done.code, words(&done)), (Some(3), vec!["cooldown".to_owned()]), "{done:?}");
    assert_eq!((before(&tiers), std::fs::read(&db).unwrap()), (names, bytes));
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn a_third_restart_within_four_hours_is_stopped_by_what_others_recorded() {
    let tiers = Tiers::new();
    tiers.usual();
    let restart = "[COOLDOWN:restart:db] failure — still down";
    tiers.agent("two/claude", &run_of_claude("s2", restart, &answer(false)));
    for _ in 0..2 {
        let done = tiers.both(&[]);
        assert_eq!(words(&done), ["escalate", "settled"], "{done:?}");
    }
    let done = tiers.both(&[]);
    assert_eq!((done.code, words(&done)), (Some(3), vec!["cooldown".to_owned()]));
    assert_eq!(decisions(&done)[0]["reason"], "db: 2 actions within 4 h, the limit is 2");
    assert_eq!(tiers.runs("two/claude"), 2);
    let told = "SELECT level, message FROM events WHERE message LIKE 'tier 1: cooldown%'";
    assert_eq!(tiers.rows(told).len(), 1);
    assert_eq!(
        tiers.rows("SELECT service, tier FROM cooldowns"),
        [json!(["db", 2]), json!(["db", 2])]
    );
    // The user can allow more, or a shorter time.
    assert_eq!(words(&tiers.both(&["--cooldown-limit", "3"])), ["escalate", "settled"]);
    let ago =
        "UPDATE cooldowns SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-241 minutes')";
    tiers.store().execute(ago, []).unwrap();
    assert_eq!(
        words(&tiers.both(&[])),
        ["escalate", "settled"],
        "that was more than four hours ago"
    );
    assert_eq!(words(&tiers.both(&["--cooldown", "5h"])), ["cooldown"]);
}

#[test]
fn a_cooldown_of_another_service_stops_nobody() {
    let tiers = Tiers::new();
    let restarts = "[COOLDOWN:restart:web] success — up\n[COOLDOWN:restart:web] success — up";
    tiers.usual().agent("two/claude", &run_of_claude("s2", restarts, &answer(false)));
    for _ in 0..2 {
        assert_eq!(words(&tiers.both(&[])), ["escalate", "settled"]);
    }
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
        let message = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message",
            "text": answer(true).to_string()}});
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
    assert!(Done::of(&again.output().unwrap()).stderr.ends_with("stored before\n"));
}

#[test]
fn a_schema_of_ones_own_is_asked_for() {
    let tiers = Tiers::new();
    std::fs::write(tiers.stage.path("own.json"), r#"{"type":"object","title":"Mine"}"#).unwrap();
    let done = tiers.usual().both(&["--schema", "own.json"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(value(&tiers.args_of("two/claude"), "--json-schema").unwrap().contains("Mine"));
}

mod handoff {
    use super::*;

    const HANDED: &str = r#"{"schema_version":1,"recommended_tier":2,"services_affected":["db"],
        "check_results":[{"service":"db","check_type":"http","status":"down","error":"502"}],
        "investigation_findings":"out of memory"}"#;

    fn marked() -> String {
        run_of_claude("s1", "[EVENT:critical:db] down", &Value::Null)
    }

    #[test]
    fn it_is_read_and_deleted_when_findings_are_marked() {
        let tiers = Tiers::new();
        tiers.usual().agent_that("one/claude", &marked(), "cp handed handoff.json");
        std::fs::write(tiers.stage.path("handed"), HANDED).unwrap();
        let done = tiers.both(&["--handoff", "handoff.json"]);
        assert_eq!(words(&done), ["escalate", "settled"], "{done:?}");
        assert!(!tiers.stage.path("handoff.json").exists());
        let args = tiers.args_of("two/claude");
        let expected = "Escalation reason: affected: db\nInvestigation findings: out of memory\n\
                        Failed checks: db/http\nService status: db: down (502)";
        assert_eq!(value(&args, "--append-system-prompt"), Some(expected));
        let methods = tiers.rows("SELECT extraction_method FROM sessions");
        assert_eq!(methods, [json!(["markers"]), json!(["structured"])]);
        // Without it, and without the option, nobody asks for help.
        assert_eq!(words(&tiers.both(&[])), ["settled"]);
    }

    #[test]
    fn it_is_not_touched_when_findings_are_structured() {
        let tiers = Tiers::new();
        tiers.usual().agent("one/claude", &run_of_claude("s1", "", &answer(false)));
        std::fs::write(tiers.stage.path("handoff.json"), HANDED).unwrap();
        assert_eq!(words(&tiers.both(&["--handoff", "handoff.json"])), ["settled"]);
        assert_eq!(std::fs::read_to_string(tiers.stage.path("handoff.json")).unwrap(), HANDED);
    }

    #[test]
    fn a_dry_run_reads_it_and_leaves_it() {
        let tiers = Tiers::new();
        tiers.usual().agent("one/claude", &marked());
        std::fs::write(tiers.stage.path("handoff.json"), HANDED).unwrap();
        assert_eq!(words(&tiers.both(&["--handoff", "handoff.json", "--dry-run"])), ["dry-run"]);
        assert!(tiers.stage.path("handoff.json").exists());
    }

    #[test]
    fn one_that_cannot_be_understood_is_a_failure_and_stays() {
        let tiers = Tiers::new();
        tiers.usual().agent("one/claude", &marked());
        std::fs::write(tiers.stage.path("handoff.json"), "soon").unwrap();
        let done = tiers.both(&["--handoff", "handoff.json"]);
        assert_eq!((done.code, words(&done)), (Some(1), vec!["failed".to_owned()]));
        let reason = decisions(&done)[0]["reason"].as_str().unwrap().to_owned();
        assert!(reason.starts_with("handoff.json: not a JSON object: "), "{reason}");
        assert!(tiers.stage.path("handoff.json").exists());
        assert_eq!(tiers.runs("two/claude"), 0);
    }
}

mod again_and_again {
    use super::*;

    #[test]
    fn rounds_follow_each_other_until_a_signal_comes_and_leave_no_threads() {
        let tiers = Tiers::new();
        tiers.usual().agent("one/claude", &run_of_claude("s1", "", &answer(false)));
        let mut child = tiers
            .command(&["--tier", "one/claude -p look", "--every", "1ms"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let status = format!("/proc/{}/status", child.id());
        let threads = || {
            let status = std::fs::read_to_string(&status).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
            line.map_or(0, |count| count.trim().parse::<usize>().unwrap())
        };
        for _ in 0..30 {
            assert!(lines.next().unwrap().unwrap().contains("settled"));
        }
        // What is left of a round may take a moment; it does not add up.
        wait_for(|| threads() < 15);
        kill_process(pid_of(&child), Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(143));
        let sessions = tiers.statuses();
        assert!(sessions.len() >= 30, "each round is a run: {}", sessions.len());
    }

    #[test]
    fn a_signal_ends_the_sleep_at_once() {
        let tiers = Tiers::new();
        tiers.usual().agent("one/claude", &run_of_claude("s1", "", &answer(false)));
        let mut child = tiers
            .command(&["--tier", "one/claude -p look", "--every", "1h"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        kill_process(pid_of(&child), Signal::HUP).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(129));
        assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
    }

    #[test]
    fn a_round_that_fails_is_not_the_last() {
        let tiers = Tiers::new();
        tiers.usual();
        let mut child = tiers
            .command(&["--tier", "missing/claude", "--every", "1ms"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(
            lines.take(3).filter(|line| line.as_ref().unwrap().contains("failed")).count(),
            3
        );
        kill_process(pid_of(&child), Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(143));
    }
}
