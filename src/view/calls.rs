//! Tool calls and tasks: a line when one starts, and its outcome when it ends.

use std::io;

use jiff::Timestamp;

use super::agents::Subagent;
use super::changes::CallChanges;
use super::theme::{Marker, Span, Tone};
use super::{MAX_LINE_WIDTH, View, details};
use crate::event::{Task, TaskState, ToolCall, ToolStatus};
use crate::harness::{Record, changes};
use crate::json::Json;
use crate::output::{Output, one_line, sanitize};
use crate::run::input_json;

/// Maximum indentation.
const MAX_DEPTH: usize = 16;

/// A call that has not ended.
pub(super) struct OpenCall {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) depth: usize,
    pub(super) input: Vec<u8>,
    /// The files that it would change.
    pub(super) changes: CallChanges,
    /// How it ended by lines other than its result.
    pub(super) reported: Option<ToolStatus>,
    /// Its duration as those report it.
    pub(super) reported_ms: Option<u64>,
    /// When it was called.
    pub(super) started_at: Option<Timestamp>,
    /// Whether it updates a to-do list.
    pub(super) is_todo_list: bool,
    /// Position among all calls.
    pub(super) order: usize,
}

impl OpenCall {
    /// Sets how it ended; that it was denied is final.
    pub(super) fn report(&mut self, status: ToolStatus) {
        if self.reported != Some(ToolStatus::Denied) {
            self.reported = Some(status);
        }
    }
}

impl View {
    pub(super) fn tool_call(
        &mut self,
        record: &Record<'_>,
        call: &ToolCall<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        self.start_call(record, call, true, depth, out)
    }

    /// Shows a call. If `is_start` is false the line is that of its result.
    pub(super) fn start_call(
        &mut self,
        record: &Record<'_>,
        call: &ToolCall<'_>,
        is_start: bool,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        let id = call.id.unwrap_or_default();
        let input = input_json(&call.input).unwrap_or_default();
        let known = self.calls.get(id).filter(|known| known.input == input);
        if known.is_some() && !id.is_empty() {
            return Ok(());
        }
        let json = Json::new(&input);
        let texts = &record.harness.adapter().tools;
        let tool = call.name.unwrap_or("?");
        let file_changes = if call.server.is_none() { texts.changes(json) } else { Vec::new() };
        let text = texts.describe_call(tool, call.server, json);
        let path = changes::path(json).filter(|_| call.server.is_none());
        let paths =
            path.iter().chain(file_changes.iter().filter_map(|change| change.path.as_ref()));
        let summary = self.relative(&text.summary, paths.map(AsRef::as_ref));
        let summary = one_line(&sanitize(&summary), MAX_LINE_WIDTH);
        let name = one_line(&sanitize(&text.name), MAX_LINE_WIDTH);
        if call.starts_agent {
            let depth = (depth + 1).min(MAX_DEPTH);
            self.agents.insert(id.to_owned(), Subagent { summary: summary.clone(), depth });
        }
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        Self::show_turn_end(renderer, &mut self.turn_end, out)?;
        let spans = call_spans(&name, &summary);
        let todo = texts.todo_items.and_then(|items| items(tool, json));
        let is_full = self.options.is_full;
        // A snapshot of the message may complete the input of a call that is shown.
        let known = self.calls.get_mut(id).filter(|_| !id.is_empty() && todo.is_none());
        if let Some(known) = known.filter(|_| !is_full) {
            if known.summary != summary {
                renderer.update_item(id, Marker::Tool, depth, &spans, out)?;
            }
            known.changes = CallChanges::new(&file_changes);
            (known.summary, known.input) = (summary, input);
            return Ok(());
        }
        if todo.is_some() || is_full || id.is_empty() || call.starts_agent {
            renderer.item(Marker::Tool, depth, &spans, out)?;
        } else {
            renderer.open_item(id, Marker::Tool, depth, &spans, out)?;
        }
        match &todo {
            Some(items) => {
                let theme = renderer.theme;
                details::todo_list(items, &theme, &mut |line| renderer.detail(depth, line, out))?;
            }
            None if is_full => {
                details::input(json, &file_changes, &summary, &mut |line| {
                    renderer.wrapped_detail(depth, line, out)
                })?;
            }
            None => {}
        }
        if !id.is_empty() {
            self.call_count += 1;
            let known = self.calls.get(id);
            let started_at = is_start.then(|| self.clock.time(record)).flatten();
            let changes = CallChanges::new(&file_changes);
            let call = OpenCall {
                name,
                summary,
                depth,
                changes,
                input,
                reported: known.and_then(|known| known.reported),
                reported_ms: known.and_then(|known| known.reported_ms),
                started_at: known.and_then(|known| known.started_at).or(started_at),
                is_todo_list: todo.is_some(),
                order: self.call_count,
            };
            self.calls.insert(id.to_owned(), call);
        }
        Ok(())
    }

    /// Returns a summary with the paths of files relative to the folder of the session.
    fn relative<'p>(&self, summary: &str, paths: impl Iterator<Item = &'p str>) -> String {
        let description = self.run.session.description();
        let folder = description.and_then(|description| description.cwd.as_deref());
        let Some(folder) = folder.filter(|folder| !folder.is_empty()) else {
            return summary.to_owned();
        };
        paths.fold(summary.to_owned(), |summary, path| {
            let inside = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            inside.map_or(summary.clone(), |inside| summary.replace(path, inside))
        })
    }

    /// Shows a background task. A task that a call waits for is shown by the call.
    pub(super) fn task(
        &mut self,
        task: &Task<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        let id = task.id.unwrap_or_default();
        // Lines about a task are incomplete, so what was known before is kept.
        let known = self.tasks.entry(id.to_owned()).or_default();
        known.0 = task.tool_id.map(str::to_owned).or(known.0.take());
        known.1 = known
            .1
            .take()
            .or_else(|| task.description.map(|text| one_line(&sanitize(text), MAX_LINE_WIDTH)));
        let is_awaited = known.0.as_deref().is_some_and(|id| self.calls.contains_key(id));
        let description = known.1.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        let state = match task.state {
            TaskState::Progress => return Ok(()),
            TaskState::Started => "started",
            TaskState::Ended(status) => status,
        };
        // The end may be reported twice.
        let has_ended = matches!(task.state, TaskState::Ended(_));
        if has_ended && !self.ended_tasks.insert(id.to_owned()) || is_awaited {
            return Ok(());
        }
        let text = format!("task {}{description}", sanitize(state));
        self.dim_item(Marker::Task, depth, text, out)
    }
}

/// Returns the name and the summary of a call.
pub(super) fn call_spans(name: &str, summary: &str) -> Vec<Span> {
    vec![
        Span(name.to_owned(), Tone::Bold),
        Span(format!("  {summary}").trim_end().to_owned(), Tone::Plain),
    ]
}
