//! `--every`: repeated rounds.

use super::*;

/// Number of threads of a process, or 0 where `/proc` does not exist.
fn threads(process: &Running) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id()));
    let status = status.unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    line.map_or(0, |count| count.trim().parse().unwrap())
}

/// Starts rounds of one tier that settles.
fn start_rounds(tiers: &Tiers, every: &str) -> Running {
    tiers.agent("one/claude", &claude_run("s1", "", &response(false)));
    tiers.start(&[&ONE_TIER[..], &["--every", every]].concat(), Stdio::piped())
}

#[test]
fn rounds_repeat_until_a_signal_and_leak_no_threads() {
    let tiers = Tiers::new();
    let mut process = start_rounds(&tiers, "1ms");
    let mut lines = process.lines();
    for _ in 0..30 {
        assert!(lines.next().unwrap().contains("settled"));
    }
    // The threads of the last round may still be ending.
    wait_for(|| threads(&process) < 15);
    process.signal(Signal::TERM);
    assert_eq!(process.code(), Some(143));
    let sessions = tiers.statuses();
    assert!(sessions.len() >= 30, "each round is stored: {}", sessions.len());
}

#[test]
fn signal_ends_the_sleep_between_rounds() {
    let tiers = Tiers::new();
    let mut process = start_rounds(&tiers, "1h");
    assert!(process.lines().next().unwrap().contains("settled"));
    process.signal(Signal::HUP);
    assert_eq!(process.code(), Some(129));
    assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
}

#[test]
fn rounds_go_on_after_a_failure() {
    let tiers = Tiers::new();
    let mut process = tiers.start(&["--tier", "missing/claude", "--every", "1ms"], Stdio::piped());
    assert!(process.lines().take(3).all(|line| line.contains("failed")));
    process.signal(Signal::TERM);
    assert_eq!(process.code(), Some(143));
    assert!(tiers.statuses().len() >= 3);
}
