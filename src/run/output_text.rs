//! Everything that the agent wrote.

use super::held_text::is_summary;
use super::joined_blocks::JoinedBlocks;
use super::snapshot::MessageBlocks;
use crate::harness::Record;
use crate::json::{Scratch, Text};

/// The text blocks of a run, joined with newlines.
#[derive(Debug, Default)]
pub(super) struct OutputText {
    blocks: JoinedBlocks,
    message_blocks: MessageBlocks,
}

impl OutputText {
    /// Starts a line.
    pub(super) fn start_line(&mut self, record: &Record<'_>) {
        self.message_blocks.start_line(record);
    }

    /// Adds a block of text, or a part of one.
    pub(super) fn push(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        text: &Text<'_>,
        is_part: bool,
        scratch: &mut Scratch,
    ) {
        let Self { blocks, message_blocks } = self;
        if is_part {
            blocks.push_part(text, scratch, message_blocks.starts_block(thread));
        } else {
            blocks.push(text, scratch, |text| message_blocks.add(thread, message_id, text));
        }
    }

    /// Removes the last block if it is the summary of a compaction.
    pub(super) fn remove_summary(&mut self, summary: &str) {
        if is_summary(self.blocks.last(), summary) {
            self.blocks.remove_last();
        }
    }

    /// Returns the text.
    pub(super) fn as_str(&self) -> &str {
        self.blocks.as_str()
    }
}
