//! Messages whose lines repeat their blocks so far.

use serde_json::{Value, json};

use super::{plain, pretty};
use crate::in_memory::{self, Chunks};

fn message(id: &str, blocks: &Value) -> String {
    json!({"type": "assistant", "session_id": "s", "message": {"id": id, "content": blocks}})
        .to_string()
}

fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(input: &Value) -> Value {
    json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": input})
}

fn result() -> String {
    let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": "total 0"});
    json!({"type": "user", "session_id": "s", "message": {"content": [block]}}).to_string()
}

fn growing_thoughts() -> [String; 4] {
    [
        message("m", &json!([thinking("hm")])),
        message("m", &json!([thinking("hm hm")])),
        message("m", &json!([thinking("hm hm"), text("Par")])),
        message("m", &json!([thinking("hm hm"), text("Part one")])),
    ]
}

#[test]
fn thinking_of_snapshots_is_shown_once_and_text_in_one_piece() {
    let lines = growing_thoughts();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let shown = plain(&[], &lines);
    assert!(shown.starts_with("[thinking] hm\nPart one\n[result]"), "{shown}");

    // The same if each line arrives alone.
    let bytes = lines.join("\n") + "\n";
    let [stdout, _] = in_memory::project(&["view", "--color", "never"], Chunks::new(bytes, &[40]));
    assert_eq!(String::from_utf8(stdout).unwrap(), shown);
}

#[test]
fn thinking_of_another_message_or_block_is_shown() {
    let lines = [
        message("m", &json!([thinking("hm")])),
        message("n", &json!([thinking("hm")])),
        message("n", &json!([text("So.")])),
        message("n", &json!([thinking("hm hm")])),
    ];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let shown = plain(&[], &lines);
    let expected = "[thinking] hm\n[thinking] hm\nSo.\n[thinking] hm hm\n";
    assert!(shown.starts_with(expected), "{shown}");
}

#[test]
fn input_that_a_later_snapshot_completes_is_shown() {
    let lines = [
        message("m", &json!([call(&json!({}))])),
        message("m", &json!([call(&json!({"command": "ls -l"}))])),
        result(),
    ];
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    let shown = plain(&[], &lines);
    assert!(shown.starts_with("[tool] Bash\n[tool] ok: Bash  ls -l (7 B)\n"), "{shown}");
    let shown = plain(&["--full"], &lines);
    assert!(shown.contains("[tool] Bash  ls -l\n"), "{shown}");
    let shown = pretty(&["--width", "80"], &lines);
    assert!(shown.contains("ls -l"), "{shown:?}");
}
