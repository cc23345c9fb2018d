//! Blocks of text, joined with newlines.

use super::snapshot::BlockText;
use crate::json::{Scratch, Text};

/// Blocks of text, joined with newlines.
#[derive(Debug, Default)]
pub(super) struct JoinedBlocks {
    text: String,
    count: usize,
    /// Offset of the last block.
    last: usize,
}

impl JoinedBlocks {
    /// Appends what a text adds: a block, the rest of the last one, or nothing, as `compare`
    /// says. It is compared where it is appended, so that a long text is in memory once.
    pub(super) fn push(
        &mut self,
        text: &Text<'_>,
        scratch: &mut Scratch,
        compare: impl FnOnce(&str) -> BlockText<'_>,
    ) {
        let end = self.text.len();
        self.separate();
        let start = self.text.len();
        text.append_to(&mut self.text, scratch);
        let own = &self.text[start..];
        let (added, is_block) = compare(own).added();
        let known = own.len() - added;
        if is_block {
            self.text.drain(start..start + known);
            self.start_block(start);
        } else {
            self.text.drain(end..start + known);
        }
    }

    /// Appends a part of a block: of a new one, or of the last one.
    pub(super) fn push_part(&mut self, text: &Text<'_>, scratch: &mut Scratch, is_new: bool) {
        if is_new {
            self.separate();
            self.start_block(self.text.len());
        }
        text.append_to(&mut self.text, scratch);
    }

    /// Removes the last block.
    pub(super) fn remove_last(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.text.truncate(self.last.saturating_sub(1));
        self.last = self.text.len();
    }

    /// Starts again with `text`, and returns the text so far.
    pub(super) fn replace(&mut self, text: String) -> String {
        (self.count, self.last) = (0, 0);
        std::mem::replace(&mut self.text, text)
    }

    /// Starts again without text.
    pub(super) fn clear(&mut self) {
        (self.count, self.last) = (0, 0);
        self.text.clear();
    }

    /// Returns the last block.
    pub(super) fn last(&self) -> &str {
        &self.text[self.last..]
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    fn separate(&mut self) {
        if self.count > 0 {
            self.text.push('\n');
        }
    }

    fn start_block(&mut self, offset: usize) {
        self.count += 1;
        self.last = offset;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_joined_and_only_what_is_new_is_kept() {
        let mut blocks = JoinedBlocks::default();
        let mut scratch = Scratch::default();
        let mut push = |text: &str, compare: fn(&str) -> BlockText<'_>| {
            blocks.push(&text.into(), &mut scratch, compare);
            (blocks.as_str().to_owned(), blocks.last().to_owned())
        };
        let expect = |text: &str, last: &str| (text.to_owned(), last.to_owned());
        assert_eq!(push("ab", |text| BlockText::New(text)), expect("ab", "ab"));
        assert_eq!(push("ab", |_| BlockText::Repeated), expect("ab", "ab"));
        assert_eq!(push("abc", |text| BlockText::Rest(&text[2..])), expect("abc", "abc"));
        assert_eq!(push("de", |text| BlockText::New(&text[1..])), expect("abc\ne", "e"));
        blocks.push_part(&"f".into(), &mut scratch, false);
        blocks.push_part(&"g".into(), &mut scratch, true);
        assert_eq!(blocks.as_str(), "abc\nef\ng");
        blocks.remove_last();
        assert_eq!(blocks.as_str(), "abc\nef");
        assert_eq!(blocks.replace("x".to_owned()), "abc\nef");
        assert_eq!(blocks.as_str(), "x");
    }
}
