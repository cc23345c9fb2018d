//! Finds the block of deltas that a complete text belongs to.

use super::open_messages::OpenBlock;

/// Returns the block that `text` completes, and the part that it lacks: a block with
/// the same text, or the last one if it is a prefix.
pub(super) fn find<'a>(blocks: &[OpenBlock], text: &'a str) -> Option<(usize, &'a str)> {
    let same = blocks.iter().position(|block| block.text == text);
    same.map(|at| (at, "")).or_else(|| {
        let last = blocks.last()?;
        Some((blocks.len() - 1, rest_of(text, &last.text)?))
    })
}

/// Stands for a character that was split between deltas.
const SPLIT: char = char::REPLACEMENT_CHARACTER;

/// Returns what follows `shown` in `text`, if it is a prefix.
fn rest_of<'a>(text: &'a str, shown: &str) -> Option<&'a str> {
    if let Some(rest) = text.strip_prefix(shown) {
        return Some(rest);
    }
    // The CLI may trim the complete block.
    if text.trim() == shown.trim() {
        return Some("");
    }
    let mut rest = text.chars();
    let mut shown = shown.chars().peekable();
    let mut has_split = false;
    while let Some(c) = shown.next() {
        if c == SPLIT {
            while shown.next_if_eq(&SPLIT).is_some() {}
            has_split = true;
            rest.next()?;
        } else if rest.next()? != c {
            return None;
        }
    }
    has_split.then_some(rest.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_block_continues_its_deltas() {
        assert_eq!(rest_of("Hello", "Hel"), Some("lo"));
        assert_eq!(rest_of("Hello", "Help"), None);
        assert_eq!(rest_of("Hello", " Hello \n"), Some(""));
        assert_eq!(rest_of("a😀bc", "a\u{fffd}\u{fffd}b"), Some("c"));
        assert_eq!(rest_of("a😀bc", "a\u{fffd}\u{fffd}x"), None);
        assert_eq!(rest_of("", "a"), None);
    }
}
