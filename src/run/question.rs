//! Questions to the user that were not answered.

use std::collections::HashSet;

use crate::event::{Event, ToolStatus};
use crate::harness::Record;

/// Follows calls of the tool that asks the user.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: HashSet<String>,
    was_refused: bool,
}

impl Questions {
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        for event in record.events {
            match event {
                Event::ToolCall(call) if call.asks_user => {
                    self.open.extend(call.id.map(str::to_owned));
                }
                Event::ToolResult(result) if !self.open.is_empty() => {
                    let is_question = result.call.id.is_some_and(|id| self.open.remove(id));
                    self.was_refused |= is_question && result.status != ToolStatus::Completed;
                }
                _ => {}
            }
        }
    }

    /// Returns whether a question could not be asked.
    pub(super) fn was_refused(&self) -> bool {
        self.was_refused
    }
}
