//! What `view` shows of time: durations, the time that a call has run, and what a silent run
//! waits for.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::on_a_terminal::{CALL, Interactive, OUTCOME};
use super::{DONE, THREAD, agent_message, plain};
use crate::support::{BIN, fixture, fixture_bytes, rendered};

#[test]
fn duration_of_a_call_is_the_time_between_its_lines() {
    let at = |line: &str, time: &str| line.replacen('{', &format!(r#"{{"timestamp":"{time}","#), 1);
    let call = at(CALL, "2026-01-01T00:00:00Z");
    let outcome = at(OUTCOME, "2026-01-01T00:01:05.500Z");
    let shown = plain(&[], &[&call, &outcome]);
    assert!(shown.contains("[tool] ok: 1 min 5 s, 2 B\n"), "{shown}");
    // Lines without times, of a recording.
    let shown = plain(&[], &[CALL, OUTCOME]);
    assert!(shown.contains("[tool] ok: 2 B\n"), "{shown}");
}

#[test]
fn duration_of_a_call_in_a_pipe_is_the_time_between_reads() {
    let mut child = Command::new(BIN)
        .args(["view", "--color", "never"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    writeln!(stdin, "{CALL}").unwrap();
    assert!(next().starts_with("[tool] Bash"));
    std::thread::sleep(Duration::from_millis(1100));
    writeln!(stdin, "{OUTCOME}").unwrap();
    let shown = next();
    let duration = shown.strip_prefix("[tool] ok: ").unwrap().strip_suffix(", 2 B").unwrap();
    let seconds: f64 = duration.strip_suffix(" s").unwrap().parse().unwrap();
    assert!(seconds >= 1.0, "{shown}");
    drop(stdin);
    child.wait().unwrap();
}

#[test]
fn recording_in_a_pipe_has_no_durations_of_the_pipe() {
    let bytes = fixture_bytes("codex/command_parallel");
    let expected = rendered(&["view"], &bytes);
    for _ in 0..3 {
        let mut command = assert_cmd::Command::new(BIN);
        let shown = command.args(["view", "--color", "never"]).write_stdin(bytes.clone());
        let shown = String::from_utf8(shown.output().unwrap().stdout).unwrap();
        assert_eq!(shown, expected);
    }
}

#[test]
fn running_call_shows_how_long_it_has_run() {
    let mut view = Interactive::new(80);
    view.feed(CALL);
    view.wait_for("--all-features  1 s");
    view.wait_for("\r\u{1b}[2K● Bash  cargo test --workspace --all-features  2 s");
    view.feed(OUTCOME);
    let rest = view.rest();
    assert!(
        rest.contains("\r\u{1b}[2K✓ Bash  cargo test --workspace --all-features  2."),
        "{rest}"
    );
}

#[test]
fn time_of_a_call_replaces_the_end_of_a_long_summary() {
    let mut view = Interactive::new(40);
    view.feed(CALL);
    view.wait_for("…  1 s");
    assert!(view.shown.contains("● Bash  cargo test --workspace -…  1 s"), "{}", view.shown);
    view.rest();
}

#[test]
fn silence_shows_what_is_waited_for() {
    let retry = r#"{"type":"system","subtype":"api_retry","session_id":"s","attempt":2,"max_retries":10,"retry_delay_ms":60000,"error_status":529,"error":"overloaded"}"#;
    let mut view = Interactive::new(80);
    view.feed(THREAD);
    view.feed(&agent_message("Hello."));
    view.wait_for("nothing for 3 s\u{1b}[15D");
    view.feed(retry);
    view.wait_for("retry 2 of 10 in ");
    // The status disappears when the run goes on.
    view.feed(&agent_message("Going on."));
    view.wait_for("\u{1b}[K");
    view.wait_for("Going on.");
    view.feed(DONE);
    let rest = view.rest();
    assert!(rest.contains("success"), "{rest}");
}

#[test]
fn silence_during_parallel_calls_names_them() {
    let other = CALL.replace("t1", "t2").replace("Bash", "Grep");
    let mut view = Interactive::new(80);
    view.feed(CALL);
    view.feed(&other);
    view.feed(&agent_message("x"));
    view.wait_for("waiting for 2 tools  3 s");
    view.rest();
}

#[test]
fn rows_of_a_supervised_run_have_times() {
    let path = fixture("codex/command_parallel");
    let script = format!(
        "while read -r line; do printf '%s\\n' \"$line\"; sleep 0.05; done < {}",
        path.display()
    );
    let mut command = assert_cmd::Command::new(BIN);
    let output = command
        .args(["wrap", "--harness", "codex", "--as", "tools", "--", "sh", "-c", &script])
        .output()
        .unwrap();
    let rows = String::from_utf8(output.stdout).unwrap();
    assert!(rows.lines().count() == 2, "{rows}");
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        assert!(row["started_at"].is_string(), "{row}");
        assert!(row["duration_ms"].as_u64().is_some_and(|time| time >= 50), "{row}");
    }
}
