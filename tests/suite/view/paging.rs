//! `view` through a pager.

use std::fs::File;

use super::{DONE, THREAD, agent_message};
use crate::support::{fixture, on_terminal, terminal_command};

/// A pager that marks the lines that go through it.
const PAGER: &str = "sed s/^/P:/";

fn long_recording(folder: &tempfile::TempDir) -> String {
    let lines: Vec<String> =
        (0..40).map(|number| agent_message(&format!("line {number}"))).collect();
    let path = folder.path().join("long.jsonl");
    std::fs::write(&path, format!("{THREAD}\n{}\n{DONE}\n", lines.join("\n"))).unwrap();
    path.to_str().unwrap().to_owned()
}

fn view(args: &[&str], pager: &str) -> String {
    let mut command = terminal_command(&["view", "--color", "never"]);
    on_terminal(command.args(args).env("PAGER", pager), 80, b"")
}

#[test]
fn recording_longer_than_the_screen_is_paged() {
    let folder = tempfile::tempdir().unwrap();
    let path = long_recording(&folder);
    let shown = view(&[&path], PAGER);
    assert!(shown.starts_with("P:codex · th_1\n"), "{shown}");
    assert!(
        shown.contains("P:line 39\n") && shown.contains("P:resume  codex resume th_1\n"),
        "{shown}"
    );
    assert!(shown.lines().all(|line| line.starts_with("P:")), "{shown}");
}

#[test]
fn pager_is_optional() {
    let folder = tempfile::tempdir().unwrap();
    let long = long_recording(&folder);
    let short = fixture("codex/text_success");
    let short = short.to_str().unwrap();
    for (args, pager) in [
        (vec![short], PAGER),
        (vec!["--no-pager", &long], PAGER),
        (vec![&*long], ""),
        (vec![&*long], "cat"),
    ] {
        let shown = view(&args, pager);
        assert!(!shown.contains("P:") && shown.contains("success"), "{args:?} {pager:?}: {shown}");
    }
    // A pager that cannot be started, and one that reads nothing.
    assert!(view(&[&long], "true").lines().count() < 2);
}

#[test]
fn outcome_in_a_pager_replaces_its_call() {
    let shown = view(&["--full", "examples/claude.jsonl"], PAGER);
    assert!(shown.contains("P:") && !shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn live_input_is_not_paged() {
    let folder = tempfile::tempdir().unwrap();
    let path = long_recording(&folder);
    let mut command = terminal_command(&["view", "--color", "never"]);
    let input = std::fs::read(&path).unwrap();
    let shown = on_terminal(command.env("PAGER", PAGER), 80, &input);
    assert!(!shown.contains("P:") && shown.contains("line 39"), "{shown}");
    // A log is never paged.
    let log = folder.path().join("log");
    let mut command = terminal_command(&["view", &path]);
    command.env("PAGER", PAGER).stdout(File::create(&log).unwrap()).status().unwrap();
    assert!(std::fs::read_to_string(&log).unwrap().starts_with("[session]"));
}
