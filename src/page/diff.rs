//! The difference between two texts, by line.

use similar::{ChangeTag, TextDiff};

/// Texts with more bytes than this together are not compared line by line.
const MAX_BYTES: usize = 1 << 20;

/// Lines that follow each other and changed in the same way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DiffOp<'t> {
    pub(crate) tag: DiffTag,
    /// The lines; the last one may lack its newline.
    pub(crate) text: &'t str,
}

/// How lines changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffTag {
    Same,
    Removed,
    Added,
}

impl DiffTag {
    /// Returns the sign used in the data.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Same => " ",
            Self::Removed => "-",
            Self::Added => "+",
        }
    }
}

/// Returns what changed from `old` to `new`, all lines included.
pub(crate) fn diff<'t>(old: &'t str, new: &'t str) -> Vec<DiffOp<'t>> {
    let whole = |tag, text| DiffOp { tag, text };
    let mut ops: Vec<DiffOp<'t>> = Vec::new();
    if old.is_empty() || old.len() + new.len() > MAX_BYTES {
        ops.extend([whole(DiffTag::Removed, old), whole(DiffTag::Added, new)]);
    } else {
        // Lines of one operation are adjacent in their text, so each is a part of it.
        let (mut old_at, mut new_at) = (0, 0);
        let mut start = 0;
        for change in TextDiff::from_lines(old, new).iter_all_changes() {
            let length = change.value().len();
            let (tag, text, at) = match change.tag() {
                ChangeTag::Equal => (DiffTag::Same, new, new_at),
                ChangeTag::Delete => (DiffTag::Removed, old, old_at),
                ChangeTag::Insert => (DiffTag::Added, new, new_at),
            };
            old_at += if tag == DiffTag::Added { 0 } else { length };
            new_at += if tag == DiffTag::Removed { 0 } else { length };
            if let Some(op) = ops.last_mut().filter(|op| op.tag == tag) {
                op.text = &text[start..at + length];
            } else {
                start = at;
                ops.push(whole(tag, &text[at..at + length]));
            }
        }
    }
    ops.retain(|op| !op.text.is_empty());
    ops
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        diff(old, new).iter().map(|op| format!("{}{}", op.tag.sign(), op.text)).collect()
    }

    #[test]
    fn adjacent_lines_are_one_operation() {
        let shown = shown("a\nb\nc\nd\n", "a\nX\nY\nd\ne");
        assert_eq!(shown, [" a\n", "-b\nc\n", "+X\nY\n", " d\n", "+e"]);
    }

    #[test]
    fn new_and_removed_files_are_one_operation() {
        assert_eq!(shown("", "é\nb"), ["+é\nb"]);
        assert_eq!(shown("a\n", ""), ["-a\n"]);
        assert_eq!(shown("", ""), [""; 0]);
    }

    #[test]
    fn large_texts_are_not_compared() {
        let (old, new) = ("a\n".repeat(300_000), "b\n".repeat(300_000));
        assert_eq!(diff(&old, &new).len(), 2);
    }
}
