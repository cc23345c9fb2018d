//! Everything that the agent wrote.

use super::held_text::is_summary;
use super::snapshot::{BlockText, MessageBlocks};
use crate::harness::Record;

/// The text blocks of a run, joined with newlines.
#[derive(Debug, Default)]
pub(super) struct OutputText {
    text: String,
    blocks: usize,
    /// Offset of the last block.
    last_block: usize,
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
        text: &str,
        is_part: bool,
    ) {
        let added = if is_part {
            self.message_blocks.add_part(thread, text)
        } else {
            self.message_blocks.add(thread, message_id, text)
        };
        match added {
            BlockText::New(text) => {
                if self.blocks > 0 {
                    self.text.push('\n');
                }
                self.blocks += 1;
                self.last_block = self.text.len();
                self.text.push_str(text);
            }
            BlockText::Rest(rest) => self.text.push_str(rest),
            BlockText::Repeated => {}
        }
    }

    /// Removes the last block if it is the summary of a compaction.
    pub(super) fn remove_summary(&mut self, summary: &str) {
        if is_summary(&self.text[self.last_block..], summary) {
            self.blocks -= 1;
            self.text.truncate(self.last_block.saturating_sub(1));
            self.last_block = self.text.len();
        }
    }

    /// Returns the text.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }
}
