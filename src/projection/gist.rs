//! What matters about a tool call, in a few words.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use crate::json::Json;

/// Members a person wants to see, the most telling first.
const TELLING: [&str; 15] = [
    "command",
    "cmd",
    "pattern",
    "file_path",
    "notebook_path",
    "path",
    "query",
    "url",
    "description",
    "prompt",
    "skill",
    "changes",
    "tool",
    "items",
    "todos",
];

/// The part of a tool's input a person wants to see.
pub(super) fn gist(input: &[u8]) -> Cow<'_, str> {
    let json = Json::new(input);
    let told = |value: &Json<'_>| !matches!(value.bytes(), b"null" | b"\"\"" | b"[]");
    // Who speaks to another agent says what for.
    if let Some(tool) = json.get("receiver_thread_ids").and_then(|_| json.get("tool")?.as_str()) {
        let prompt = json.get("prompt").and_then(Json::as_str).unwrap_or_default();
        return Cow::Owned(format!("{tool} {prompt}").trim_end().to_owned());
    }
    let found = TELLING.iter().find_map(|key| Some((*key, json.get(key).filter(told)?)));
    match found {
        Some(("changes", changes)) => Cow::Owned(changed_files(changes)),
        Some(("items" | "todos", items)) => {
            let count = items.elements().count();
            Cow::Owned(format!("{count} item{}", if count == 1 { "" } else { "s" }))
        }
        Some((_, value)) => spelled(value),
        None if json.bytes() == b"{}" => Cow::Borrowed(""),
        None => spelled(json),
    }
}

fn spelled(value: Json<'_>) -> Cow<'_, str> {
    value.as_str().unwrap_or_else(|| String::from_utf8_lossy(value.bytes()))
}

/// `update src/lib.rs, add src/new.rs`.
fn changed_files(changes: Json<'_>) -> String {
    let change = |change: Json<'_>| {
        let word = |key| change.get(key).and_then(Json::as_str).unwrap_or_default();
        format!("{} {}", word("kind"), word("path"))
    };
    changes.elements().map(change).collect::<Vec<_>>().join(", ")
}

/// The first line of a text, cut to a width.
pub(super) fn one_line(text: &str, width: usize) -> String {
    let mut line = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if c == '\n' || used > width {
            // Room for the sign that there is more.
            while used > width.max(1) || line.ends_with(' ') {
                let Some(last) = line.pop() else { break };
                used = used.saturating_sub(last.width().unwrap_or(0));
            }
            line.push('…');
            break;
        }
        line.push(if c == '\t' { ' ' } else { c });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_telling_member_is_shown() {
        for (input, expected) in [
            (r#"{"description":"Run","command":"ls -l"}"#, "ls -l"),
            (r#"{"file_path":"/a.rs","old_string":"x"}"#, "/a.rs"),
            (
                r#"{"changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"}]}"#,
                "add a, update b",
            ),
            (r#"{"todos":[{},{}]}"#, "2 items"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"command":null,"path":"p"}"#, "p"),
            (r#"{"tool":"wait","prompt":null,"receiver_thread_ids":["x"]}"#, "wait"),
            ("{}", ""),
        ] {
            assert_eq!(gist(input.as_bytes()), expected);
        }
    }

    #[test]
    fn a_line_is_cut_to_its_width() {
        assert_eq!(one_line("short", 10), "short");
        assert_eq!(one_line("two\nlines", 10), "two…");
        assert_eq!(one_line("exactly10!", 10), "exactly10!");
        assert_eq!(one_line("more than ten", 10), "more than…");
        assert_eq!(one_line("日本語日本語", 6), "日本…");
    }
}
