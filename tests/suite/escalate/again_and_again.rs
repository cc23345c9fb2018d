//! `--every`: one round after the other.

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
    assert_eq!(lines.take(3).filter(|line| line.as_ref().unwrap().contains("failed")).count(), 3);
    kill_process(pid_of(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
