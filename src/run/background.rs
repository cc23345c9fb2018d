//! Work that runs beside the conversation: subagents and commands that were started in
//! the background.

use std::collections::HashMap;

use crate::event::{Event, Task, TaskState, ToolCall, ToolResult, ToolStatus};
use crate::harness::Record;

/// Follows background work to its end.
#[derive(Debug, Default)]
pub(super) struct BackgroundWork {
    /// Calls that may have left work running, by id.
    open: HashMap<String, Job>,
    /// The call that started a task, by the id of the task.
    calls_of_tasks: HashMap<String, String>,
    /// Number of subagents that were requested to run in the background.
    agents_requested: usize,
    /// Number of these whose call has no id, so that no end can be assigned to them.
    agents_without_id: usize,
    /// Number of subagents in the CLI's last list of what is running. They may have been
    /// started before this stream.
    listed_agents: usize,
    /// Number of subagents that were running when the last result came: the agent has
    /// not seen their answers.
    alive_at_result: usize,
}

/// A call that may have left work running.
#[derive(Debug, Default)]
struct Job {
    is_agent: bool,
    /// Whether the call requested the background.
    is_requested: bool,
    /// Whether it is included in the number of requested subagents.
    is_counted: bool,
    /// Whether the CLI reported that the work runs in the background.
    is_launched: bool,
    /// Whether the subagent has written anything.
    has_spoken: bool,
    /// What it does, as far as the CLI describes it.
    description: String,
}

impl BackgroundWork {
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        if let Some(job) = record.parent_id.and_then(|id| self.open.get_mut(id)) {
            job.has_spoken = true;
        }
        for event in record.events {
            match event {
                Event::ToolCall(call) if call.background || call.starts_agent => self.call(call),
                Event::ToolResult(result) => self.result(result),
                Event::Task(task) => self.task(task),
                Event::BackgroundTasks { agents, .. } => self.listed_agents = *agents,
                Event::Finished(_) => {
                    self.alive_at_result = self.running_agents().max(self.listed_agents);
                }
                _ => {}
            }
        }
    }

    fn call(&mut self, call: &ToolCall<'_>) {
        let is_requested_agent = call.background && call.starts_agent;
        let Some(id) = call.id else {
            self.agents_requested += usize::from(is_requested_agent);
            self.agents_without_id += usize::from(is_requested_agent);
            return;
        };
        let job = self.open.entry(id.to_owned()).or_default();
        self.agents_requested += usize::from(is_requested_agent && !job.is_counted);
        job.is_counted |= is_requested_agent;
        job.is_agent = call.starts_agent;
        job.is_requested |= call.background;
    }

    /// A result ends a call unless it only reports that the work was started. Releases
    /// that ignore the request run a subagent in the foreground: then its messages, or
    /// the CLI's word that it has finished, precede the result.
    fn result(&mut self, result: &ToolResult<'_>) {
        let Some(id) = result.call.id else { return };
        if result.detached {
            self.open.entry(id.to_owned()).or_default().is_launched = true;
            if let Some(task) = result.task_id {
                self.calls_of_tasks.insert(task.to_owned(), id.to_owned());
            }
            return;
        }
        let Some(job) = self.open.get(id) else { return };
        let was_refused = result.status != ToolStatus::Completed;
        let is_over = was_refused || result.is_agents_answer || job.has_spoken;
        if is_over || !job.is_requested || !job.is_agent {
            self.agents_requested -= usize::from(was_refused && job.is_counted);
            self.open.remove(id);
        }
    }

    fn task(&mut self, task: &Task<'_>) {
        let known = task.id.and_then(|id| self.calls_of_tasks.get(id).map(String::as_str));
        let Some(call) = task.tool_id.or(known).map(str::to_owned) else { return };
        match task.state {
            TaskState::Started => {
                if let Some(job) = self.open.get_mut(&call) {
                    job.is_launched |= job.is_requested;
                    task.description.unwrap_or_default().clone_into(&mut job.description);
                    if let Some(id) = task.id {
                        self.calls_of_tasks.insert(id.to_owned(), call);
                    }
                }
            }
            TaskState::Ended("completed" | "failed") => {
                self.open.remove(&call);
                if let Some(id) = task.id {
                    self.calls_of_tasks.remove(id);
                }
            }
            // Work that was stopped or killed has not finished.
            TaskState::Ended(_) | TaskState::Progress => {}
        }
    }

    /// Returns how many subagents were requested to run in the background, if some of
    /// them have not finished, else zero.
    pub(super) fn unfinished_requests(&self) -> usize {
        let is_unfinished = |job: &Job| job.is_agent && job.is_requested;
        let some = self.agents_without_id > 0 || self.open.values().any(is_unfinished);
        if some { self.agents_requested } else { 0 }
    }

    /// Returns how many subagents the CLI has started and had not reported as finished
    /// when the last result came, or has not since.
    pub(super) fn lost_agents(&self) -> usize {
        self.running_agents().max(self.alive_at_result)
    }

    fn running_agents(&self) -> usize {
        self.open.values().filter(|job| job.is_agent && job.is_launched).count()
    }

    /// Returns the descriptions of commands that have not finished.
    pub(super) fn unfinished_commands(&self) -> Vec<&str> {
        self.unfinished(|job| !job.is_agent)
    }

    /// Returns the descriptions of commands and subagents that have not finished.
    pub(super) fn unfinished_work(&self) -> Vec<&str> {
        self.unfinished(|_| true)
    }

    fn unfinished(&self, matches: impl Fn(&Job) -> bool) -> Vec<&str> {
        let jobs = self.open.values().filter(|job| job.is_launched && matches(job));
        let mut descriptions: Vec<_> = jobs.map(|job| job.description.as_str()).collect();
        descriptions.sort_unstable();
        descriptions
    }
}
