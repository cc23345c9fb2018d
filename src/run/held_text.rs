//! Texts of a session file that may be the summary of a compaction.
//!
//! Some CLIs compact a conversation by a request like any other and write its answer
//! like any other; only the compaction after it shows that the text is the summary.

use crate::event::Event;
use crate::harness::Record;
use crate::json::Text;

/// Holds the last text back until an event shows what it is.
#[derive(Debug, Default)]
pub(super) struct HeldText(Option<String>);

impl HeldText {
    /// Returns whether the texts of a record have to be held back.
    pub(super) fn is_needed(record: &Record<'_>) -> bool {
        record.on_disk && record.harness.rules().writes_summary_as_text
    }

    /// Holds a text back.
    pub(super) fn hold(&mut self, text: &Text<'_>) {
        self.0 = Some(text.to_unescaped());
    }

    /// Returns the text if it is not a summary, given the next event.
    pub(super) fn release(&mut self, event: &Event<'_>) -> Option<String> {
        match event {
            // Counts are written between the summary and the compaction.
            Event::Usage { .. }
            | Event::Total(_)
            | Event::RateLimit(_)
            | Event::Model { .. }
            | Event::Other { .. } => None,
            Event::Compacted { summary: Some(summary), .. } => {
                self.take().filter(|text| !is_summary(text, summary))
            }
            _ => self.take(),
        }
    }

    /// Returns the text at the end of the file.
    pub(super) fn take(&mut self) -> Option<String> {
        self.0.take()
    }
}

/// Returns whether a text is the summary of a compaction, which contains it after an
/// introduction.
pub(super) fn is_summary(text: &str, summary: &str) -> bool {
    !text.trim().is_empty() && summary.trim_end().ends_with(text.trim())
}
