//! Background agents that were started and have not come back.

use std::collections::HashSet;

use crate::event::{Event, Packet, TaskState};

/// The subagent tool, by its two names.
const SUBAGENT: [&str; 2] = ["Task", "Agent"];

/// Follows the launches of subagents with `run_in_background: true`.
#[derive(Debug, Default)]
pub struct Background {
    open: HashSet<String>,
    nameless: usize,
}

impl Background {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                Event::ToolCall(call) if call.background => {
                    if !call.name.is_some_and(|name| SUBAGENT.contains(&name)) {
                        continue;
                    }
                    match call.id {
                        Some(id) => drop(self.open.insert(id.to_owned())),
                        None => self.nameless += 1,
                    }
                }
                // Old releases run it in the foreground whatever was asked.
                Event::ToolResult(result) if !result.detached => self.came_back(result.call.id),
                Event::Task(task) => {
                    if let TaskState::Ended("completed" | "failed") = task.state {
                        self.came_back(task.tool_id);
                    }
                }
                _ => {}
            }
        }
    }

    /// How many are still out.
    #[must_use]
    pub fn left_behind(&self) -> usize {
        self.open.len() + self.nameless
    }

    fn came_back(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.open.remove(id);
        }
    }
}
