//! The label of `--subject`, sanitised as the contract asks for.

use crate::redact::escape_sequence;

/// Maximum length in characters.
const MAX_LENGTH: usize = 200;

/// Removes escape sequences and control characters, replaces line breaks by spaces,
/// and truncates the rest; `None` if nothing is left.
pub(super) fn sanitize_subject(text: &str) -> Option<String> {
    let end = escape_sequence::find_incomplete(text.as_bytes()).unwrap_or(text.len());
    let stripped = escape_sequence::strip(&text.as_bytes()[..end]);
    let text = String::from_utf8_lossy(&stripped).replace("\r\n", "\n").replace('\r', "\n");
    let plain: String =
        text.chars().map(|c| if c == '\n' { ' ' } else { c }).filter(|c| !c.is_control()).collect();
    let label: String = plain.trim().chars().take(MAX_LENGTH).collect();
    (!label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_cannot_control_a_terminal() {
        let label = |text: &str| sanitize_subject(text).unwrap_or_default();
        assert_eq!(label("L2 extraction"), "L2 extraction");
        assert_eq!(label("\x1b[1;31mred\x1b[0m"), "red");
        assert_eq!(label("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07!"), "link!");
        assert_eq!(label("a\r\nb\nc\rd"), "a b c d");
        assert_eq!(label(" \x00a\x07\x7fb\u{9b} "), "ab");
        assert_eq!(label("open \x1b]0;title"), "open");
        assert_eq!(label(&"é".repeat(300)), "é".repeat(200));
        assert_eq!(sanitize_subject("\x1b[2J\n "), None);
        assert_eq!(sanitize_subject("\x1b"), None);
    }
}
