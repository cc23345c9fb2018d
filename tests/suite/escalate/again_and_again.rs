//! `--every`: one round after the other.

use super::*;

/// How many threads a process has, where that can be known.
fn threads(process: &Running) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    line.map_or(0, |count| count.trim().parse().unwrap())
}

#[test]
fn rounds_follow_each_other_until_a_signal_comes_and_leave_no_threads() {
    let tiers = Tiers::new();
    tiers.usual().agent("one/claude", &run_of_claude("s1", "", &answer(false)));
    let args = ["--tier", "one/claude -p look", "--every", "1ms"];
    let mut process = tiers.start(&args, Stdio::piped());
    let mut lines = process.lines();
    for _ in 0..30 {
        assert!(lines.next().unwrap().contains("settled"));
    }
    // What is left of a round may take a moment; it does not add up.
    wait_for(|| threads(&process) < 15);
    process.signal(Signal::TERM);
    assert_eq!(process.code(), Some(143));
    let sessions = tiers.statuses();
    assert!(sessions.len() >= 30, "each round is a run: {}", sessions.len());
}

#[test]
fn a_signal_ends_the_sleep_at_once() {
    let tiers = Tiers::new();
    tiers.usual().agent("one/claude", &run_of_claude("s1", "", &answer(false)));
    let args = ["--tier", "one/claude -p look", "--every", "1h"];
    let mut process = tiers.start(&args, Stdio::piped());
    assert!(process.lines().next().unwrap().contains("settled"));
    process.signal(Signal::HUP);
    assert_eq!(process.code(), Some(129));
    assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
}

#[test]
fn a_round_that_fails_is_not_the_last() {
    let tiers = Tiers::new();
    let mut process = tiers.start(&["--tier", "missing/claude", "--every", "1ms"], Stdio::piped());
    assert!(process.lines().take(3).all(|line| line.contains("failed")));
    process.signal(Signal::TERM);
    assert_eq!(process.code(), Some(143));
    assert!(tiers.statuses().len() >= 3);
}
