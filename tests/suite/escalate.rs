//! `escalate`, with shell scripts as agents.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::predicate;
use rusqlite::Connection;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::store::rows;
use crate::support::cli::Printed;
use crate::support::lines_of;
use crate::workspace::{Workspace, is_alive, pid_of, wait_for};

mod crash;
mod handoff;
mod policy;
mod repeat;
mod startup_errors;

/// An agent response that requests the next tier or not.
fn response(needed: bool) -> Value {
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

/// The lines of a Claude run with one text message and a structured output.
fn claude_run(id: &str, text: &str, document: &Value) -> String {
    lines_of(&[
        json!({"type": "system", "subtype": "init", "session_id": id, "model": "m-1", "uuid": "u"}),
        json!({"type": "assistant", "session_id": id, "parent_tool_use_id": null,
            "message": {"id": "m", "content": [{"type": "text", "text": text}]}}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": id,
            "uuid": format!("r-{id}"), "result": text, "num_turns": 2, "duration_ms": 10,
            "total_cost_usd": 0.5, "structured_output": document}),
    ])
}

const ONE_TIER: [&str; 2] = ["--tier", "one/claude -p look"];
const TWO_TIERS: [&str; 4] = ["--tier", "one/claude -p look", "--tier", "two/claude -p 'fix it'"];

/// The context that the second tier gets from `response(true)`.
const CONTEXT: &str = "Escalation reason: it's \"down\"\n\
    Investigation findings: first line\nsecond $HOME line\n\
    Failed checks: ping, http 502\n\
    Service status: db: down (refused); web: healthy";

/// A folder with agent scripts and a database.
struct Tiers {
    workspace: Workspace,
}

impl Tiers {
    fn new() -> Self {
        Self { workspace: Workspace::new() }
    }

    /// Adds an agent that saves its arguments and its standard input and then
    /// prints `output`.
    fn agent(&self, program: &str, output: &str) -> &Self {
        self.agent_with_script(program, output, "")
    }

    /// Adds an agent that also runs `script` before it prints `output`.
    fn agent_with_script(&self, program: &str, output: &str, script: &str) -> &Self {
        let path = self.workspace.path(program);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(self.workspace.path(&format!("{program}.output")), output).unwrap();
        let own = format!("\"$DIR/{program}\"");
        let body = format!(
            "printf '%s\\0' \"$@\" > {own}.args; cat > {own}.stdin\n\
             echo x >> {own}.runs; {script}\ncat {own}.output"
        );
        self.workspace.program(program, &body);
        self
    }

    /// Adds the agents of `TWO_TIERS`: the first requests the next tier, the
    /// second does not.
    fn two_agents(&self) -> &Self {
        self.agent("one/claude", &claude_run("s1", "looking", &response(true)));
        self.agent("two/claude", &claude_run("s2", "fixed", &response(false)))
    }

    fn command(&self, args: &[&str]) -> Command {
        let db = self.workspace.path("ops.db").display().to_string();
        let mut command = self.workspace.streamj(&["escalate", "--db", &db]);
        command.args(args).current_dir(self.workspace.folder.path());
        command.env_remove("CLAUDEOPS_MAX_TIER").env_remove("CLAUDEOPS_SCHEMA_PATH");
        command
    }

    fn run(&self, args: &[&str]) -> Assert {
        self.command(args).assert()
    }

    fn run_two(&self, args: &[&str]) -> Assert {
        self.run(&[&TWO_TIERS, args].concat())
    }

    /// Starts the program without waiting for it.
    fn start(&self, args: &[&str], stdout: impl Into<Stdio>) -> Running {
        let mut command = self.command(args);
        Running(command.stdout(stdout).stderr(Stdio::null()).spawn().unwrap())
    }

    /// Runs `findings --db` with the database on a file.
    fn store_findings(&self, file: &str) -> Assert {
        let db = self.workspace.path("ops.db").display().to_string();
        self.workspace.streamj(&["findings", "--db", &db, file]).assert()
    }

    fn args_of(&self, program: &str) -> Vec<String> {
        let bytes = std::fs::read(self.workspace.path(&format!("{program}.args"))).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        text.trim_end_matches('\0').split('\0').map(str::to_owned).collect()
    }

    fn stdin_of(&self, program: &str) -> String {
        std::fs::read_to_string(self.workspace.path(&format!("{program}.stdin"))).unwrap()
    }

    /// Number of times that an agent has been started.
    fn runs(&self, program: &str) -> usize {
        let runs = std::fs::read_to_string(self.workspace.path(&format!("{program}.runs")));
        runs.unwrap_or_default().lines().count()
    }

    fn database(&self) -> Connection {
        Connection::open(self.workspace.path("ops.db")).unwrap()
    }

    fn rows(&self, query: &str) -> Vec<Value> {
        rows(&self.database(), query)
    }

    /// Tier and status of every session, in order.
    fn statuses(&self) -> Vec<Value> {
        self.rows("SELECT tier, status FROM sessions ORDER BY id")
    }
}

/// A started program that is killed when the test ends.
struct Running(Child);

impl Running {
    fn signal(&self, signal: Signal) {
        kill_process(pid_of(&self.0), signal).unwrap();
    }

    /// The lines on its standard output.
    fn lines(&mut self) -> impl Iterator<Item = String> + use<> {
        BufReader::new(self.0.stdout.take().unwrap()).lines().map(Result::unwrap)
    }

    /// Waits for the program to end and returns its exit status.
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

/// Access to the decisions on standard output.
trait Decisions {
    /// Checks the decision on each line.
    fn decided(self, expected: &[&str]) -> Self;

    /// The reason on the first line.
    fn reason(&self) -> String;
}

impl Decisions for Assert {
    fn decided(self, expected: &[&str]) -> Self {
        let rows = self.rows();
        let decisions: Vec<_> = rows.iter().map(|row| row["decision"].as_str().unwrap()).collect();
        assert_eq!(decisions, expected, "{self}");
        self
    }

    fn reason(&self) -> String {
        self.rows()[0]["reason"].as_str().unwrap().to_owned()
    }
}

/// Returns the value of an option.
fn value<'a>(args: &'a [String], option: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| arg == option)?;
    args.get(at + 1).map(String::as_str)
}

#[test]
fn second_tier_receives_all_four_parts_of_the_context() {
    let tiers = Tiers::new();
    tiers.two_agents().run_two(&[]).code(0);
    let args = tiers.args_of("two/claude");
    assert_eq!(value(&args, "--append-system-prompt"), Some(CONTEXT));
    assert_eq!(args.last().unwrap(), "fix it");
    assert!(args.contains(&"stream-json".to_owned()), "the same arguments as from wrap");
    assert_eq!(value(&tiers.args_of("one/claude"), "--append-system-prompt"), None);
    let schema: Value = serde_json::from_str(value(&args, "--json-schema").unwrap()).unwrap();
    assert_eq!(schema["title"], "Claude Ops Agent Response", "the shipped schema");
}

#[test]
fn decision_is_printed_and_stored_as_event_and_status() {
    let tiers = Tiers::new();
    let run = tiers.two_agents().run_two(&[]);
    assert_eq!(
        run.rows(),
        [
            json!({"tier": 1, "session_id": "s1", "needed": true, "decision": "escalate", "reason": "it's \"down\""}),
            json!({"tier": 2, "session_id": "s2", "needed": false, "decision": "settled", "reason": "it's \"down\""}),
        ]
    );
    run.stderr("streamj: tier 1: one/claude\nstreamj: tier 2: two/claude\n");
    assert_eq!(
        tiers.rows(
            "SELECT id, session_id, run_key, harness, tier, model, parent_session_id FROM sessions"
        ),
        [
            json!([1, "s1", "s1:r-s1", "claude", 1, "m-1", null]),
            json!([2, "s2", "s2:r-s2", "claude", 2, "m-1", 1]),
        ]
    );
    assert_eq!(
        tiers.rows(
            "SELECT status, cost_usd, extraction_method, started_at IS NOT NULL FROM sessions"
        ),
        [json!(["escalated", 0.5, "structured", 1]), json!(["completed", 0.5, "structured", 1])]
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
}

#[test]
fn second_tier_runs_only_on_request() {
    let tiers = Tiers::new();
    tiers.two_agents().agent("one/claude", &claude_run("s1", "fine", &response(false)));
    tiers.run_two(&[]).code(0).decided(&["settled"]);
    assert_eq!(tiers.runs("two/claude"), 0);
    assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
}

#[test]
fn timed_out_tier_is_stored_and_ends_the_round() {
    let tiers = Tiers::new();
    let output = claude_run("s1", "", &response(true));
    tiers.two_agents().agent_with_script("one/claude", &output, "sleep 600");
    let run = tiers.run_two(&["--timeout", "500ms", "--kill-after", "1s"]);
    let run = run.code(124).decided(&["failed"]);
    assert_eq!(run.reason(), "timeout");
    assert_eq!(run.rows()[0]["session_id"], Value::Null);
    let stored = "SELECT tier, harness, status, error, error_category FROM sessions";
    assert_eq!(tiers.rows(stored), [json!([1, "claude", "timed_out", "timeout", "timeout"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
    assert_eq!(tiers.rows("SELECT level FROM events"), [json!(["critical"])]);
    // The measured duration replaces the one in a result printed before.
    tiers.workspace.program("one/claude", "cat \"$DIR/one/claude.output\"; exec sleep 600");
    tiers.run_two(&["--timeout", "500ms", "--kill-after", "1s"]).code(124);
    let duration = "SELECT session_id, duration_ms >= 500 FROM sessions WHERE id = 2";
    assert_eq!(tiers.rows(duration), [json!(["s1", 1])]);
}

#[test]
fn failed_tier_ends_the_round_with_its_exit_status() {
    let tiers = Tiers::new();
    let output = claude_run("s1", "", &response(true));
    tiers.two_agents().agent_with_script("one/claude", &output, "echo oh >&2; exit 7");
    let run = tiers.run_two(&[]).code(7).decided(&["failed"]);
    assert_eq!(run.reason(), "oh");
    // A stream without a result is a failure, too.
    let cut = claude_run("s3", "all is", &Value::Null).lines().next().unwrap().to_owned();
    tiers.agent("one/claude", &cut);
    tiers.run_two(&[]).code(1).decided(&["failed"]);
    assert_eq!(tiers.statuses(), [json!([1, "failed"]), json!([1, "incomplete"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn response_that_violates_the_schema_fails_the_tier() {
    let tiers = Tiers::new();
    let mut wrong = response(true);
    wrong["escalation"]["needed"] = json!("true");
    tiers.two_agents().agent("one/claude", &claude_run("s1", "", &wrong));
    let reason = tiers.run_two(&[]).code(1).decided(&["failed"]).reason();
    let start = "the answer violates the schema: /escalation/needed: ";
    assert!(reason.starts_with(start), "{reason}");
    let stored = tiers.rows("SELECT status, error FROM sessions");
    assert_eq!(stored, [json!(["failed", reason])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn tier_that_answers_plain_text_instead_of_the_document_fails() {
    let tiers = Tiers::new();
    tiers.two_agents().agent("one/claude", &claude_run("s1", "all is fine", &Value::Null));
    let run = tiers.run_two(&[]).code(1).decided(&["failed"]);
    assert_eq!(run.reason(), "no structured output: the result is a text of 11 bytes");
    assert_eq!(tiers.statuses(), [json!([1, "failed"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
    // Findings may also be markers in the text.
    let marked = "[EVENT:info:db] fine";
    tiers.agent("one/claude", &claude_run("s2", marked, &Value::Null));
    tiers.run_two(&[]).code(0).decided(&["settled"]);
    // A command without an option for the schema was not asked for a document.
    tiers.agent("other", &claude_run("s3", "fine", &Value::Null));
    tiers.run(&["--tier", "other"]).code(0).decided(&["settled"]);
}

#[test]
fn unknown_level_of_an_event_is_corrected_and_the_request_counts() {
    let tiers = Tiers::new();
    let mut odd = response(true);
    odd["events"][0]["level"] = json!("FATAL");
    tiers.two_agents().agent("one/claude", &claude_run("s1", "", &odd));
    let run = tiers.run_two(&[]).code(0).decided(&["escalate", "settled"]);
    assert!(run.errors().contains("/events/0/level is not info, warning or critical; read as"));
    let levels = "SELECT level FROM events WHERE session_id = 1 AND service IS NOT NULL";
    assert_eq!(tiers.rows(levels), [json!(["critical"])]);
    for level in [Value::Null, json!(""), json!(3), json!(["info"])] {
        odd["events"][0]["level"] = level;
        tiers.agent("one/claude", &claude_run("s3", "", &odd));
        tiers.run_two(&[]).code(0).decided(&["escalate", "settled"]);
    }
    odd["events"][0].as_object_mut().unwrap().remove("level");
    tiers.agent("one/claude", &claude_run("s4", "", &odd));
    tiers.run_two(&[]).code(0).decided(&["escalate", "settled"]);
    // Other violations still fail the tier.
    odd["services_checked"] = json!("none");
    tiers.agent("one/claude", &claude_run("s2", "", &odd));
    tiers.run_two(&[]).code(1).decided(&["failed"]);
}

/// The lines of a Codex run whose last message is a document.
fn codex_run(id: &str, document: &Value) -> String {
    lines_of(&[
        json!({"type": "thread.started", "thread_id": id}),
        json!({"type": "turn.started"}),
        json!({"type": "item.completed",
            "item": {"id": "i", "type": "agent_message", "text": document.to_string()}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0,
            "output_tokens": 1}}),
    ])
}

#[test]
fn action_in_a_document_of_the_strict_form_counts_for_the_cooldown() {
    let tiers = Tiers::new();
    let mut acting = response(true);
    acting["events"][0]["action"] = json!("restart");
    for check in acting["services_checked"].as_array_mut().unwrap() {
        check.as_object_mut().unwrap().entry("detail").or_insert(Value::Null);
    }
    tiers.two_agents().agent("one/codex", &codex_run("t1", &acting));
    let limit =
        ["--tier", "one/codex exec look", "--tier", "two/claude -p fix", "--cooldown-limit", "1"];
    let run = tiers.run(&limit).code(3).decided(&["cooldown"]);
    assert!(!run.errors().contains("violates"), "{}", run.errors());
    assert_eq!(
        tiers.rows("SELECT action_type, service FROM cooldowns"),
        [json!(["restart", "db"])]
    );
}

#[test]
fn runs_are_shown_with_as_and_decisions_go_elsewhere() {
    let tiers = Tiers::new();
    tiers.two_agents();
    let run = tiers.run_two(&["-q", "--as", "text"]).code(0).stdout("looking\nfixed\n");
    let decisions: Vec<Value> =
        run.errors().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decided: Vec<_> = decisions.iter().map(|line| line["decision"].clone()).collect();
    assert_eq!(decided, ["escalate", "settled"]);
    let args = ["-q", "--as", "text", "--decisions", "decisions.jsonl"];
    tiers.run_two(&args).code(0).stdout("looking\nfixed\n").stderr("");
    assert_eq!(tiers.workspace.read("decisions.jsonl").lines().count(), 2);
    tiers.run_two(&["--decisions", "-"]).code(0).decided(&["escalate", "settled"]);
    tiers.run_two(&["--as", "text", "--decisions", "-"]).code(125);
    tiers.run_two(&["--as", "raw"]).code(125);
    tiers.run_two(&["--as", "wrap -- x"]).code(125);
    tiers.run_two(&["--decisions", "no/such/folder"]).code(125);
}

#[test]
fn all_results_of_a_tier_are_stored_and_the_last_request_decides() {
    let tiers = Tiers::new();
    let mut later = response(true);
    later["memories"][0]["value"] = json!("takes 50 s");
    let output = claude_run("s1", "", &response(false)) + &claude_run("s1", "", &later);
    let run = tiers.two_agents().agent("one/claude", &output).run_two(&[]);
    run.decided(&["escalate", "settled"]);
    let first = "SELECT message FROM events WHERE session_id = 1 AND service IS NOT NULL";
    assert_eq!(tiers.rows(first), [json!(["slow"]), json!(["slow"])]);
    let args = tiers.args_of("two/claude");
    assert_eq!(value(&args, "--append-system-prompt"), Some(CONTEXT), "each service once");
}

#[test]
fn context_longer_than_an_argument_keeps_all_four_parts() {
    let tiers = Tiers::new();
    let mut long = response(true);
    long["escalation"]["context"] = json!("c".repeat(300_000));
    long["escalation"]["reason"] = json!("r".repeat(300_000));
    tiers.two_agents().agent("one/claude", &claude_run("s1", "", &long));
    let own = "a".repeat(100_000);
    let config = format!(
        "[[tier]]\ncommand = 'one/claude -p look'\n\
         [[tier]]\ncommand = ['two/claude', '-p', 'fix', '--append-system-prompt', '{own}']\n"
    );
    std::fs::write(tiers.workspace.path("tiers.toml"), config).unwrap();
    tiers.run(&["--config", "tiers.toml"]).decided(&["escalate", "settled"]);
    let args = tiers.args_of("two/claude");
    let prompt = value(&args, "--append-system-prompt").unwrap();
    assert!(prompt.starts_with(&own));
    for part in
        ["reason: r", "findings: c", "Failed checks: ping, http 502\n", "db: down (refused)"]
    {
        assert!(prompt.contains(part), "{part}");
    }
}

#[test]
fn unwritable_record_fails_the_tier() {
    let tiers = Tiers::new();
    let output = claude_run("s1", "", &response(true));
    tiers.two_agents().agent_with_script("one/claude", &output, "rm -r $DIR/records");
    let run = tiers.run_two(&["--record-dir", "records"]).code(125).decided(&["failed"]);
    assert_eq!(run.reason(), "the record could not be written");
    let stored = tiers.rows("SELECT status, error FROM sessions");
    assert_eq!(stored, [json!(["failed", "the record could not be written"])]);
}

#[test]
fn tier_without_output_fails() {
    let tiers = Tiers::new();
    tiers.agent("codex", "").agent("claude", "");
    for tier in ["codex exec look", "claude -p look"] {
        let run = tiers.run(&["--tier", tier]).code(1).decided(&["failed"]);
        assert_eq!(run.reason(), "no output", "{tier}");
    }
}

#[test]
fn tier_that_cannot_be_started_is_stored_as_failed() {
    let tiers = Tiers::new();
    tiers.two_agents();
    tiers
        .run(&["--tier", "one/claude -p look", "--tier", "missing/claude -p fix"])
        .code(127)
        .stderr(predicate::str::ends_with("streamj: Claude CLI not found: missing/claude\n"))
        .decided(&["escalate", "failed"]);
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "failed"])]);
    let error = tiers.rows("SELECT error, run_key FROM sessions WHERE tier = 2");
    assert_eq!(error, [json!(["Claude CLI not found: missing/claude", null])]);
    std::fs::write(tiers.workspace.path("plain"), "no program").unwrap();
    tiers.run(&["--tier", "./plain"]).code(126).decided(&["failed"]);
}

#[test]
fn config_sets_names_models_and_timeouts() {
    let tiers = Tiers::new();
    let output = claude_run("s2", "", &response(false));
    tiers.two_agents().agent_with_script("two/claude", &output, "sleep 600");
    let config = "[[tier]]\nname = 'observe'\ncommand = \"one/claude -p 'look around'\"\nmodel = 'small'\n\
                  [[tier]]\nname = 'repair'\ncommand = ['two/claude', '-p', 'a b']\nmodel = 'large'\ntimeout = '500ms'\n";
    std::fs::write(tiers.workspace.path("tiers.toml"), config).unwrap();
    let run = tiers.run(&["--config", "tiers.toml", "--kill-after", "1s", "--timeout", "1h"]);
    let run =
        run.code(124).stderr(predicate::str::contains("streamj: tier 2 (repair): two/claude\n"));
    let names: Vec<_> = run.rows().iter().map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["observe", "repair"]);
    let (one, two) = (tiers.args_of("one/claude"), tiers.args_of("two/claude"));
    assert_eq!((value(&one, "--model"), value(&two, "--model")), (Some("small"), Some("large")));
    assert_eq!((&**one.last().unwrap(), &**two.last().unwrap()), ("look around", "a b"));
    // The model in the stream, or without one the configured model.
    let models = tiers.rows("SELECT model, status FROM sessions");
    assert_eq!(models, [json!(["m-1", "escalated"]), json!(["large", "timed_out"])]);
}

#[test]
fn codex_gets_the_context_before_its_prompt_and_other_programs_on_stdin() {
    let tiers = Tiers::new();
    let mut codex_response = response(true);
    // In strict mode Codex prints every member of the schema.
    codex_response["services_checked"][1]["detail"] = Value::Null;
    tiers.two_agents().agent(
        "codex",
        &lines_of(&[
            json!({"type": "thread.started", "thread_id": "t1"}),
            json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message",
                "text": codex_response.to_string()}}),
            json!({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}),
        ]),
    );
    tiers.agent("helper", &claude_run("s3", "done", &response(false)));
    let more = ["--tier", "codex exec 'fix it'", "--tier", "helper --now"];
    tiers.run(&[&ONE_TIER[..], &more].concat()).decided(&["escalate", "escalate", "settled"]);
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
fn prompt_on_stdin_goes_to_every_tier() {
    let tiers = Tiers::new();
    tiers.two_agents().agent("helper", &claude_run("s3", "", &response(true)));
    for (more, stdin) in [(&[][..], "check all services"), (&["--no-stdin"], "")] {
        let mut command = tiers.command(&["--tier", "helper", "--tier", "two/claude -p"]);
        command.args(more);
        let mut command = assert_cmd::Command::from_std(command);
        command.write_stdin("check all services").assert().decided(&["escalate", "settled"]);
        assert_eq!(tiers.stdin_of("helper"), stdin, "{more:?}");
        assert_eq!(tiers.stdin_of("two/claude"), stdin, "{more:?}");
    }
}

#[test]
fn record_dir_has_the_record_and_the_stream_of_every_run() {
    let tiers = Tiers::new();
    tiers.two_agents().run_two(&["--record-dir", "kept/records"]).code(0);
    let folder = tiers.workspace.path("kept/records");
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let suffixes: Vec<&str> = names.iter().map(|name| name.split_once("Z-").unwrap().1).collect();
    assert_eq!(
        suffixes,
        [
            "tier-1-session-1.json",
            "tier-1-session-1.jsonl",
            "tier-2-session-2.json",
            "tier-2-session-2.jsonl"
        ]
    );
    let read = |at: usize| std::fs::read(folder.join(&names[at])).unwrap();
    let record: Value = serde_json::from_slice(&read(0)).unwrap();
    assert_eq!((&record["session_id"], &record["output"]), (&json!("s1"), &json!("looking")));
    assert_eq!(read(3), std::fs::read(tiers.workspace.path("two/claude.output")).unwrap());
    // The recorded stream has the key of the stored run.
    let stream = folder.join(&names[1]);
    let run = tiers.store_findings(stream.to_str().unwrap());
    run.stderr(predicate::str::ends_with("already stored\n"));
}

#[test]
fn custom_schema_is_passed_to_the_agent() {
    let tiers = Tiers::new();
    std::fs::write(tiers.workspace.path("own.json"), r#"{"type":"object","title":"Mine"}"#)
        .unwrap();
    tiers.two_agents().run_two(&["--schema", "own.json"]).code(0);
    assert!(value(&tiers.args_of("two/claude"), "--json-schema").unwrap().contains("Mine"));
}
