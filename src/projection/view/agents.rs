//! Subagents: how deep their work is shown, and whose turn it is.

use std::io;

use super::View;
use super::look::Mark;
use crate::event::{Event, Part};
use crate::output::Output;

/// A subagent.
pub(super) struct Agent {
    pub(super) gist: String,
    /// How deep its work is shown.
    pub(super) depth: usize,
}

impl View {
    pub(super) fn depth_of(&self, parent: &str) -> usize {
        self.agents.get(parent).map_or(1, |agent| agent.depth)
    }

    /// With several subagents at work, says whose turn it is.
    pub(super) fn attribute(
        &mut self,
        parent: Option<&str>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let tells = matches!(
            event,
            Event::Text { .. }
                | Event::ToolCall(_)
                | Event::ToolResult(_)
                | Event::Reasoning { .. }
                | Event::Partial { part: Part::Text { .. }, .. }
        );
        if !tells || self.speaker.as_deref() == parent {
            return Ok(());
        }
        self.speaker = parent.map(str::to_owned);
        let Some(agent) = parent.and_then(|id| self.agents.get(id)) else { return Ok(()) };
        if self.agents.len() < 2 {
            return Ok(());
        }
        let (depth, label) = (agent.depth, format!("{}:", agent.gist));
        self.said(Mark::Task, depth - 1, label, out)
    }
}
