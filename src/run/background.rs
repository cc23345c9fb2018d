//! Subagents that were started in the background and have not come back.

use std::collections::HashSet;

use crate::event::{Event, Packet, TaskState};

/// Follows them.
#[derive(Debug, Default)]
pub struct Background {
    launches: usize,
    out: HashSet<String>,
    nameless: usize,
}

impl Background {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                Event::ToolCall(call) if call.background && call.starts_agent => {
                    self.launches += 1;
                    match call.id {
                        Some(id) => drop(self.out.insert(id.to_owned())),
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

    /// How many were started, if some of them are still out.
    #[must_use]
    pub fn launched_and_not_all_back(&self) -> usize {
        if self.out.is_empty() && self.nameless == 0 { 0 } else { self.launches }
    }

    fn came_back(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.out.remove(id);
        }
    }
}
