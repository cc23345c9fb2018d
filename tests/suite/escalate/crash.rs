//! Kills and signals at any time: the database has complete runs only, and the
//! next invocation continues.

use std::io::{PipeReader, PipeWriter};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::*;

/// Checks that the database is consistent: sessions without a run key have no
/// findings, sessions with one have all of them.
fn assert_consistent(tiers: &Tiers) {
    let database = tiers.database();
    assert_eq!(rows(&database, "PRAGMA integrity_check"), [json!(["ok"])]);
    let unfinished = "FROM sessions WHERE status IN ('running', 'interrupted') AND run_key IS NULL";
    for table in ["events", "memories", "cooldowns"] {
        let partial = format!("SELECT 1 FROM {table} WHERE session_id IN (SELECT id {unfinished})");
        assert_eq!(rows(&database, &partial), Vec::<Value>::new(), "{table}");
    }
    // A finished run has the event in its response and the decision.
    let finished = "SELECT sessions.id, count(*) FROM sessions LEFT JOIN events ON events.session_id = sessions.id
        WHERE run_key IS NOT NULL GROUP BY sessions.id HAVING count(*) != 2";
    assert_eq!(rows(&database, finished), Vec::<Value>::new());
    let without_child = "SELECT id FROM sessions WHERE status = 'escalated'
        AND id NOT IN (SELECT parent_session_id FROM sessions WHERE parent_session_id IS NOT NULL)";
    assert_eq!(rows(&database, without_child), Vec::<Value>::new());
}

/// Returns a pipe whose buffer is full.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let flags = fcntl_getfl(&writer).unwrap();
    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
    while writer.write(b"\n").is_ok() {}
    fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}

/// Starts two tiers and waits until the first decision is stored. The second tier
/// does not start: printing the decision blocks on a full pipe.
fn start_blocked_between_tiers(tiers: &Tiers) -> (Running, PipeReader) {
    let (reader, writer) = full_pipe();
    let process = tiers.two_agents().start(&TWO_TIERS, writer);
    wait_for(|| {
        has_sessions_table(tiers)
            && !tiers.rows("SELECT 1 FROM sessions WHERE status = 'escalated'").is_empty()
    });
    (process, reader)
}

fn has_sessions_table(tiers: &Tiers) -> bool {
    !tiers.rows("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'").is_empty()
}

#[test]
fn kill_between_two_tiers_leaves_complete_runs() {
    let tiers = Tiers::new();
    let (process, _reader) = start_blocked_between_tiers(&tiers);
    assert!(is_alive(pid_of(&process.0)));
    process.kill();
    assert_eq!(tiers.runs("two/claude"), 0, "killed before the second tier");
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "running"])]);
    assert_consistent(&tiers);
    tiers.run_two(&[]).code(0).decided(&["escalate", "settled"]);
    let expected = [
        json!([1, "escalated"]),
        json!([2, "interrupted"]),
        json!([1, "escalated"]),
        json!([2, "completed"]),
    ];
    assert_eq!(tiers.statuses(), expected);
    assert_consistent(&tiers);
}

/// Script of an agent that prints everything and does not end.
const PRINT_AND_SLEEP: &str = "echo $$ > $DIR/pid; cat $0.output; sleep 600";

/// Script of an agent that waits for the file `go`.
const WAIT_FOR_GO: &str = "echo $$ > $DIR/pid; while [ ! -e $DIR/go ]; do sleep 0.05; done";

#[test]
fn kill_within_a_tier_leaves_complete_runs() {
    let tiers = Tiers::new();
    let output = claude_run("s2", "", &response(false));
    tiers.two_agents().agent_with_script("two/claude", &output, PRINT_AND_SLEEP);
    let process = tiers.start(&TWO_TIERS, Stdio::null());
    let agent = tiers.workspace.pid("pid");
    process.kill();
    wait_for(|| !is_alive(agent));
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "running"])]);
    assert_consistent(&tiers);
    tiers.two_agents().run_two(&[]).decided(&["escalate", "settled"]);
    assert_eq!(tiers.statuses()[1], json!([2, "interrupted"]));
    assert_consistent(&tiers);
}

#[test]
fn kill_at_any_time_leaves_complete_runs() {
    let tiers = Tiers::new();
    tiers.two_agents();
    for round in 0..25 {
        let process = tiers.start(&[&TWO_TIERS[..], &["--every", "1ms"]].concat(), Stdio::null());
        std::thread::sleep(Duration::from_millis(20 + round * 17));
        process.kill();
        if has_sessions_table(&tiers) {
            assert_consistent(&tiers);
        }
    }
    tiers.run_two(&[]).decided(&["escalate", "settled"]);
    assert_consistent(&tiers);
    let running = tiers.rows("SELECT 1 FROM sessions WHERE status = 'running'");
    assert_eq!(running, Vec::<Value>::new(), "every killed session is marked as interrupted");
}

#[test]
fn session_of_a_live_process_is_not_marked_as_interrupted() {
    let tiers = Tiers::new();
    let output = claude_run("s9", "", &response(false));
    tiers.two_agents().agent_with_script("slow/claude", &output, WAIT_FOR_GO);
    let mut process = tiers.start(&["--tier", "slow/claude -p look"], Stdio::null());
    tiers.workspace.pid("pid");
    tiers.run_two(&[]).decided(&["escalate", "settled"]);
    assert_eq!(tiers.statuses()[0], json!([1, "running"]));
    std::fs::write(tiers.workspace.path("go"), "").unwrap();
    assert_eq!(process.code(), Some(0));
    assert_eq!(tiers.statuses()[0], json!([1, "completed"]));
}

#[test]
fn signal_within_a_tier_ends_the_round_and_is_stored() {
    let tiers = Tiers::new();
    let output = claude_run("s1", "", &response(true));
    tiers.two_agents().agent_with_script("one/claude", &output, PRINT_AND_SLEEP);
    let args = [&TWO_TIERS[..], &["--every", "1h"]].concat();
    let mut process = tiers.start(&args, Stdio::piped());
    let agent = tiers.workspace.pid("pid");
    process.signal(Signal::TERM);
    let lines: Vec<String> = process.lines().collect();
    assert_eq!(process.code(), Some(143));
    let decision: Value = serde_json::from_str(&lines.concat()).unwrap();
    assert_eq!(
        (&decision["decision"], &decision["reason"]),
        (&json!("failed"), &json!("ended by signal 15"))
    );
    assert!(!is_alive(agent));
    assert_eq!(tiers.statuses(), [json!([1, "interrupted"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn signal_between_two_tiers_ends_the_round() {
    let tiers = Tiers::new();
    let (mut process, _reader) = start_blocked_between_tiers(&tiers);
    process.signal(Signal::TERM);
    assert_eq!(process.code(), Some(143));
    assert_eq!(tiers.runs("two/claude"), 0);
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "interrupted"])]);
}

#[test]
fn closed_stdout_does_not_stop_the_tiers() {
    let tiers = Tiers::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(tiers.two_agents().start(&TWO_TIERS, writer).code(), Some(0));
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "completed"])]);
}

/// Whether a process has installed its handler for SIGTERM.
#[cfg(target_os = "linux")]
fn catches_sigterm(process: &Running) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    caught.is_some_and(|bits| bits & (1 << (15 - 1)) != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn signal_while_the_database_is_locked_ends_the_round() {
    let tiers = Tiers::new();
    tiers.two_agents().run_two(&[]);
    let database = tiers.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut process = tiers.start(&TWO_TIERS, Stdio::null());
    wait_for(|| catches_sigterm(&process));
    // The program checks for signals once more before it waits for the lock.
    std::thread::sleep(Duration::from_millis(200));
    process.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(50));
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(process.code(), Some(143));
    assert_eq!((tiers.runs("one/claude"), tiers.runs("two/claude")), (1, 1), "first round only");
    assert_eq!(tiers.statuses().get(2), Some(&json!([1, "interrupted"])));
    assert_eq!(tiers.rows("SELECT * FROM running"), Vec::<Value>::new());
}

#[test]
fn finished_run_waits_for_a_locked_database() {
    let tiers = Tiers::new();
    let output = claude_run("s1", "", &response(false));
    tiers.agent_with_script("one/claude", &output, WAIT_FOR_GO);
    let mut command = tiers.command(&ONE_TIER);
    let process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut process = Running(process);
    tiers.workspace.pid("pid");
    let database = tiers.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::fs::write(tiers.workspace.path("go"), "").unwrap();
    let mut messages = BufReader::new(process.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(messages.any(|line| line.contains("the store is locked")));
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(process.code(), Some(0));
    assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_decision_leaves_no_running_session() {
    let tiers = Tiers::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(tiers.two_agents().start(&TWO_TIERS, full).code(), Some(125));
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "interrupted"])]);
    assert_eq!(tiers.rows("SELECT * FROM running"), Vec::<Value>::new());
}
