//! How `view` shows what failed.

use serde_json::json;

use super::{DONE, THREAD, plain};
use crate::support::{fixture_bytes, rendered};

#[test]
fn failed_file_change_has_no_output_instead_of_done() {
    let change = |kind: &str, status: &str| {
        let changes = json!([{"path": "a.txt", "kind": "update"}]);
        let item = json!({"id": "f", "type": "file_change", "changes": changes, "status": status});
        json!({"type": kind, "item": item}).to_string()
    };
    let start = change("item.started", "in_progress");
    let shown = |status| plain(&[], &[THREAD, &start, &change("item.completed", status), DONE]);
    assert!(shown("failed").contains("[tool] failed: no output\n"), "{}", shown("failed"));
    assert!(!shown("failed").contains("done"), "{}", shown("failed"));
    assert!(shown("completed").contains("[tool] ok: done\n"), "{}", shown("completed"));
}

#[test]
fn error_text_is_shown_once() {
    let failed = json!({"type": "turn.failed", "error": {"message": "it broke"}}).to_string();
    let error = json!({"type": "error", "message": "it broke"}).to_string();
    for lines in [vec![THREAD, &error, &failed], vec![THREAD, &failed], vec![THREAD, &error]] {
        let shown = plain(&[], &lines);
        assert_eq!(shown.matches("it broke").count(), 1, "{shown}");
    }
    // Claude Code reports a failed request in place of an answer.
    let shown = rendered(&["view"], &fixture_bytes("claude/err_401"));
    assert_eq!(shown.matches("Invalid API key").count(), 1, "{shown}");
}

#[test]
fn good_second_turn_after_an_interrupt_is_a_success() {
    // The older release has no reason for the end; its note to the model tells.
    for name in ["claude/control_interrupt", "claude_2_0_77/control_interrupt"] {
        let shown = rendered(&["view"], &fixture_bytes(name));
        assert!(shown.contains("[result] turn interrupted after"), "{name}: {shown}");
        assert!(shown.contains("[result] success, 4 turns"), "{name}: {shown}");
        assert!(shown.contains("[note] a turn was interrupted"), "{name}: {shown}");
        assert!(!shown.contains("[error]"), "{name}: {shown}");
    }
}

#[test]
fn failure_without_a_message_shows_its_reason() {
    let shown = rendered(&["view"], &fixture_bytes("claude_2_0_77/max_turns_1"));
    assert!(shown.contains("[error] api, max_turns: API error (no detail)\n"), "{shown}");
}

#[test]
fn error_with_a_blank_message_is_not_an_empty_line() {
    for message in ["", " ", "\n"] {
        let error = json!({"type": "error", "message": message}).to_string();
        let shown = plain(&[], &[THREAD, &error]);
        let expected = "[session] codex, th_1\n[error] API error (no detail)\n[result] failed\n[error] api\n\
             [resume] codex resume th_1\n";
        assert_eq!(shown, expected, "{message:?}");
    }
}

/// A failed command of Codex with this output.
fn failing(output: &str) -> String {
    let item = json!({"id": "c", "type": "command_execution", "command": "cargo test",
        "aggregated_output": output, "exit_code": 101, "status": "failed"});
    json!({"type": "item.completed", "item": item}).to_string()
}

fn numbered(count: usize) -> String {
    let lines: Vec<String> = (1..=count).map(|number| format!("line {number}")).collect();
    lines.join("\n") + "\n"
}

#[test]
fn failed_call_shows_the_end_of_its_output() {
    let output = format!("{}error: test failed\n\nexit code 101\n", numbered(50));
    let call = failing(&output);
    let shown = plain(&[], &[THREAD, &call, DONE]);
    let expected = "exit 101, 425 B\n    … 41 lines above\n    line 42\n";
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.contains("    line 50\n    error: test failed\n[result]"), "{shown}");
    let two = plain(&["--lines", "2"], &[THREAD, &call, DONE]);
    assert!(two.contains("    … 49 lines above\n    line 50\n    error: test failed\n"), "{two}");
    let none = plain(&["--lines", "0"], &[THREAD, &call, DONE]);
    assert!(!none.contains("line") && none.contains("exit 101"), "{none}");
}

#[test]
fn first_error_of_a_failed_call_is_shown() {
    let output = format!("{}error[E0308]: mismatched types\n{}", numbered(9), numbered(50));
    let shown = plain(&[], &[THREAD, &failing(&output), DONE]);
    let start = "    … 9 lines above\n    error[E0308]: mismatched types\n    line 1\n";
    assert!(shown.contains(start), "{shown}");
    assert!(shown.contains("    … 41 lines\n    line 46\n"), "{shown}");
}

#[test]
fn cut_line_of_an_output_ends_with_an_ellipsis() {
    let shown = plain(&["--width", "40"], &[THREAD, &failing(&"word ".repeat(20)), DONE]);
    assert!(shown.contains("    word word word word word word word…\n"), "{shown}");
}

#[test]
fn rows_for_people_show_the_end_of_an_output_too() {
    let output = format!("{}error: it broke\nexit code 101\n", numbered(50));
    let input = [THREAD, &failing(&output), DONE].join("\n");
    let shown = rendered(&["tools", "--format", "human", "--lines", "3"], input.as_bytes());
    let expected = "failed    command_execution  cargo test  exit 101\n          … 48 lines above\n          \
                    line 49\n          line 50\n          error: it broke\n";
    assert_eq!(shown, expected);
}
