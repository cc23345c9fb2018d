//! Killed anywhere: the store has whole runs only, and the next invocation goes
//! on.

use std::io::{PipeReader, PipeWriter};
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::*;

/// Everything is whole: a session with findings is over, one that is not has none.
fn assert_whole(tiers: &Tiers) {
    let store = tiers.store();
    let check: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let unfinished = "FROM sessions WHERE status IN ('running', 'interrupted') AND run_key IS NULL";
    for table in ["events", "memories", "cooldowns"] {
        let half = format!("SELECT 1 FROM {table} WHERE session_id IN (SELECT id {unfinished})");
        assert_eq!(rows(&store, &half), Vec::<Value>::new(), "{table}");
    }
    // Of each run that is over: one event of its own and the decision.
    let over = "SELECT sessions.id, count(*) FROM sessions LEFT JOIN events ON events.session_id = sessions.id
        WHERE run_key IS NOT NULL GROUP BY sessions.id HAVING count(*) != 2";
    assert_eq!(rows(&store, over), Vec::<Value>::new());
    let led_nowhere = "SELECT id FROM sessions WHERE status = 'escalated'
        AND id NOT IN (SELECT parent_session_id FROM sessions WHERE parent_session_id IS NOT NULL)";
    assert_eq!(rows(&store, led_nowhere), Vec::<Value>::new());
}

/// The writing end of a pipe that is full, and its reader, who does not read.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = std::io::pipe().unwrap();
    let flags = fcntl_getfl(&writer).unwrap();
    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
    while writer.write(b"\n").is_ok() {}
    fcntl_setfl(&writer, flags).unwrap();
    (reader, writer)
}

/// Two tiers whose decisions nobody reads: the second cannot begin before the first
/// decision is told. Waits until it is stored.
fn stuck_between_two_tiers(tiers: &Tiers) -> (Running, PipeReader) {
    let (reader, writer) = full_pipe();
    let process = tiers.usual().start(&BOTH, writer);
    wait_for(|| {
        let store = tiers.store();
        let is_there = "SELECT 1 FROM sqlite_schema WHERE name = 'sessions'";
        !rows(&store, is_there).is_empty()
            && !rows(&store, "SELECT 1 FROM sessions WHERE status = 'escalated'").is_empty()
    });
    (process, reader)
}

#[test]
fn killed_between_two_tiers() {
    let tiers = Tiers::new();
    let (process, _reader) = stuck_between_two_tiers(&tiers);
    assert!(is_alive(pid_of(&process.0)));
    process.kill();
    assert_eq!(tiers.runs("two/claude"), 0, "it was between the tiers");
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "running"])]);
    assert_whole(&tiers);
    let done = tiers.both(&[]);
    assert_eq!(
        (done.code, &*words(&done)),
        (Some(0), &["escalate", "settled"].map(String::from)[..])
    );
    let expected = [
        json!([1, "escalated"]),
        json!([2, "interrupted"]),
        json!([1, "escalated"]),
        json!([2, "completed"]),
    ];
    assert_eq!(tiers.statuses(), expected);
    assert_whole(&tiers);
}

/// What an agent does that says everything and does not end.
const STAYS: &str = "echo $$ > $STAGE/pid; cat $0.says; sleep 600";

#[test]
fn killed_within_a_tier() {
    let tiers = Tiers::new();
    let says = run_of_claude("s2", "", &answer(false));
    tiers.usual().agent_that("two/claude", &says, STAYS);
    let process = tiers.start(&BOTH, Stdio::null());
    let agent = tiers.stage.pid("pid");
    process.kill();
    wait_for(|| !is_alive(agent));
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "running"])]);
    assert_whole(&tiers);
    tiers.usual();
    assert_eq!(words(&tiers.both(&[])), ["escalate", "settled"]);
    assert_eq!(tiers.statuses()[1], json!([2, "interrupted"]));
    assert_whole(&tiers);
}

#[test]
fn killed_at_any_time() {
    let tiers = Tiers::new();
    tiers.usual();
    for round in 0..25 {
        let process = tiers.start(&[&BOTH[..], &["--every", "1ms"]].concat(), Stdio::null());
        std::thread::sleep(Duration::from_millis(20 + round * 17));
        process.kill();
        let is_made = tiers.rows("SELECT 1 FROM sqlite_schema WHERE name = 'sessions'");
        if !is_made.is_empty() {
            assert_whole(&tiers);
        }
    }
    let done = tiers.both(&[]);
    assert_eq!(words(&done), ["escalate", "settled"], "{done:?}");
    assert_whole(&tiers);
    let running = tiers.rows("SELECT 1 FROM sessions WHERE status = 'running'");
    assert_eq!(running, Vec::<Value>::new(), "all that were interrupted are marked");
}

#[test]
fn a_run_that_goes_on_elsewhere_is_not_interrupted() {
    let tiers = Tiers::new();
    let says = run_of_claude("s9", "", &answer(false));
    let waits = "echo $$ > $STAGE/pid; while [ ! -e $STAGE/go ]; do sleep 0.05; done";
    tiers.usual().agent_that("slow/claude", &says, waits);
    let mut process = tiers.start(&["--tier", "slow/claude -p look"], Stdio::null());
    tiers.stage.pid("pid");
    assert_eq!(words(&tiers.both(&[])), ["escalate", "settled"]);
    assert_eq!(tiers.statuses()[0], json!([1, "running"]));
    std::fs::write(tiers.stage.path("go"), "").unwrap();
    assert_eq!(process.code(), Some(0));
    assert_eq!(tiers.statuses()[0], json!([1, "completed"]));
}

#[test]
fn a_signal_within_a_tier_ends_the_round_and_is_stored() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("one/claude", &run_of_claude("s1", "", &answer(true)), STAYS);
    let mut process = tiers.start(&[&BOTH[..], &["--every", "1h"]].concat(), Stdio::piped());
    let agent = tiers.stage.pid("pid");
    process.signal(Signal::TERM);
    let told: Vec<String> = process.lines().collect();
    assert_eq!(process.code(), Some(143));
    let told: Value = serde_json::from_str(&told.concat()).unwrap();
    assert_eq!(
        (&told["decision"], &told["reason"]),
        (&json!("failed"), &json!("ended by signal 15"))
    );
    assert!(!is_alive(agent));
    assert_eq!(tiers.statuses(), [json!([1, "interrupted"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn a_signal_between_two_tiers_is_heard() {
    let tiers = Tiers::new();
    let (mut process, _reader) = stuck_between_two_tiers(&tiers);
    process.signal(Signal::TERM);
    assert_eq!(process.code(), Some(143));
    assert_eq!(tiers.runs("two/claude"), 0);
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "interrupted"])]);
}

#[test]
fn that_nobody_reads_the_decisions_stops_nobody() {
    let tiers = Tiers::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(tiers.usual().start(&BOTH, writer).code(), Some(0));
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "completed"])]);
}

#[cfg(target_os = "linux")]
/// Whether a process has got to where it listens to a signal to end.
fn listens(process: &Running) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let caught = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    caught.is_some_and(|bits| bits & (1 << (15 - 1)) != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_while_the_first_tier_waits_for_the_store_is_heard() {
    let tiers = Tiers::new();
    tiers.usual().both(&[]);
    let store = tiers.store();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut process = tiers.start(&BOTH, Stdio::null());
    wait_for(|| listens(&process));
    // It looks for signals once more before it begins.
    std::thread::sleep(Duration::from_millis(200));
    process.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(50));
    store.execute_batch("ROLLBACK").unwrap();
    assert_eq!(process.code(), Some(143));
    assert_eq!((tiers.runs("one/claude"), tiers.runs("two/claude")), (1, 1), "as before");
    assert_eq!(tiers.statuses().get(2), Some(&json!([1, "interrupted"])));
    assert_eq!(tiers.rows("SELECT * FROM running"), Vec::<Value>::new());
}

#[test]
fn a_run_that_is_over_waits_for_the_store() {
    let tiers = Tiers::new();
    let waits = "echo $$ > $STAGE/pid; while [ ! -e $STAGE/go ]; do sleep 0.05; done";
    tiers.agent_that("one/claude", &run_of_claude("s1", "", &answer(false)), waits);
    let mut command = tiers.command(&["--tier", "one/claude -p look"]);
    let process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut process = Running(process);
    tiers.stage.pid("pid");
    let store = tiers.store();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::fs::write(tiers.stage.path("go"), "").unwrap();
    let told = BufReader::new(process.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    let told = { told }.find(|line| line.contains("the store is locked"));
    assert!(told.is_some(), "it says that it waits");
    store.execute_batch("ROLLBACK").unwrap();
    assert_eq!(process.code(), Some(0));
    assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_decision_that_cannot_be_written_leaves_nobody_running() {
    let tiers = Tiers::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(tiers.usual().start(&BOTH, full).code(), Some(125));
    assert_eq!(tiers.statuses(), [json!([1, "escalated"]), json!([2, "interrupted"])]);
    assert_eq!(tiers.rows("SELECT * FROM running"), Vec::<Value>::new());
}
