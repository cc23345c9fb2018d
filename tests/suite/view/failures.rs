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
    assert!(shown.ends_with("[error] api, max_turns: API error (no detail)\n"), "{shown}");
}

#[test]
fn error_with_a_blank_message_is_not_an_empty_line() {
    for message in ["", " ", "\n"] {
        let error = json!({"type": "error", "message": message}).to_string();
        let shown = plain(&[], &[THREAD, &error]);
        let expected =
            "[session] codex, th_1\n[error] API error (no detail)\n[result] failed\n[error] api\n";
        assert_eq!(shown, expected, "{message:?}");
    }
}
