//! Subagents that were started in the background and have not finished.

use std::collections::HashSet;

use crate::event::{Event, TaskState};
use crate::harness::Record;

/// Follows background subagents.
#[derive(Debug, Default)]
pub(super) struct BackgroundAgents {
    started: usize,
    running: HashSet<String>,
    without_id: usize,
}

impl BackgroundAgents {
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        for event in record.events {
            match event {
                Event::ToolCall(call) if call.background && call.starts_agent => {
                    self.started += 1;
                    match call.id {
                        Some(id) => drop(self.running.insert(id.to_owned())),
                        None => self.without_id += 1,
                    }
                }
                // Old releases run it in the foreground regardless.
                Event::ToolResult(result) if !result.detached => self.finished(result.call.id),
                Event::Task(task) => {
                    if let TaskState::Ended("completed" | "failed") = task.state {
                        self.finished(task.tool_id);
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns how many were started if some have not finished, else zero.
    pub(super) fn unfinished(&self) -> usize {
        if self.running.is_empty() && self.without_id == 0 { 0 } else { self.started }
    }

    fn finished(&mut self, id: Option<&str>) {
        if let Some(id) = id {
            self.running.remove(id);
        }
    }
}
