//! Subagents: how deep their work is indented, and whose work is shown.

use std::io;

use super::View;
use super::theme::Marker;
use crate::event::{Event, MessagePart};
use crate::output::Output;

/// A subagent.
pub(super) struct Subagent {
    /// The summary of the call that started it.
    pub(super) summary: String,
    pub(super) depth: usize,
}

impl View {
    pub(super) fn depth_of(&self, parent: &str) -> usize {
        self.agents.get(parent).map_or(1, |agent| agent.depth)
    }

    /// Names the subagent before its work, if several are running.
    pub(super) fn label_subagent(
        &mut self,
        parent: Option<&str>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let is_work = matches!(
            event,
            Event::Text { .. }
                | Event::ToolCall(_)
                | Event::ToolResult(_)
                | Event::Reasoning { .. }
                | Event::ReasoningPart { .. }
                | Event::Partial { part: MessagePart::Text { .. }, .. }
        );
        if !is_work || self.shown_agent.as_deref() == parent {
            return Ok(());
        }
        self.shown_agent = parent.map(str::to_owned);
        let Some(agent) = parent.and_then(|id| self.agents.get(id)) else { return Ok(()) };
        if self.agents.len() < 2 {
            return Ok(());
        }
        let (depth, label) = (agent.depth, format!("{}:", agent.summary));
        self.dim_item(Marker::Task, depth - 1, label, out)
    }
}
