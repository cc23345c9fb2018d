//! What `view --full` and `--thinking` show of long texts.

use serde_json::json;

use crate::support::rendered;

#[test]
fn prompt_and_thinking_are_whole_and_wrapped_between_words() {
    let words = "Please read every file in the folder and explain what each of them does.";
    let prompt = json!({"type": "user", "sessionId": "s", "uuid": "u", "isSidechain": false,
        "timestamp": "2026-11-01T10:00:00Z", "message": {"role": "user",
        "content": format!("{words} {words}\nThe last line.")}});
    let thinking = json!({"type": "assistant", "sessionId": "s", "uuid": "v",
        "isSidechain": false, "timestamp": "2026-11-01T10:00:02Z", "message": {"id": "m",
        "role": "assistant", "model": "x", "content": [{"type": "thinking", "thinking": words}]}});
    let input = format!("{prompt}\n{thinking}\n");
    let shown = rendered(&["view", "--full", "--thinking", "--width", "40"], input.as_bytes());
    assert!(shown.lines().all(|line| line.chars().count() <= 40), "{shown}");
    let joined: Vec<&str> = shown.split_whitespace().collect();
    let joined = joined.join(" ");
    assert!(joined.contains(&format!("{words} {words} The last line.")), "{shown}");
    assert_eq!(joined.matches(words).count(), 3, "{shown}");
    let short = rendered(&["view", "--width", "40"], input.as_bytes());
    assert!(!short.contains("The last line."), "{short}");
}
