//! Tool calls and tasks: a line when one starts, and its outcome when it ends.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::agents::Subagent;
use super::theme::{Marker, Span, Tone};
use super::{View, details};
use crate::event::{Task, TaskState, ToolCall, ToolResult, ToolStatus};
use crate::harness::Harness;
use crate::json::Json;
use crate::output::{Output, one_line, sanitize, seconds};
use crate::phrases::MAX_LINE_WIDTH;
use crate::run::{combined_status, input_json};

/// Lines of a failed call's output that are shown.
const FAILED_LINES: usize = 3;

/// Maximum indentation.
const MAX_DEPTH: usize = 16;

/// A call that has not ended.
pub(super) struct OpenCall {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) depth: usize,
    pub(super) input: Vec<u8>,
    /// How it ended by lines other than its result.
    reported: Option<ToolStatus>,
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

/// A result that is shown as a success.
pub(super) struct ShownResult {
    id: String,
    name: String,
    summary: String,
    depth: usize,
}

/// Maximum number of results that can be corrected.
const MAX_SHOWN_RESULTS: usize = 64;

impl View {
    /// Shows how a call ended by a line other than its result: with the result, or after
    /// it.
    pub(super) fn tool_status(
        &mut self,
        id: &str,
        status: ToolStatus,
        out: &mut Output,
    ) -> io::Result<()> {
        if let Some(call) = self.calls.get_mut(id) {
            call.report(status);
            return Ok(());
        }
        let marker = marker_of(status);
        let index = self.shown_results.iter().rposition(|shown| shown.id == id);
        let index = index.filter(|_| marker != Marker::Done);
        let Some(shown) = index.and_then(|index| self.shown_results.remove(index)) else {
            return Ok(());
        };
        self.item(marker, shown.depth, &call_spans(&shown.name, &shown.summary), out)
    }

    /// Remembers a result that later lines may correct.
    fn remember_result(&mut self, id: &str, call: &OpenCall) {
        if self.shown_results.len() == MAX_SHOWN_RESULTS {
            self.shown_results.pop_front();
        }
        self.shown_results.push_back(ShownResult {
            id: id.to_owned(),
            name: call.name.clone(),
            summary: call.summary.clone(),
            depth: call.depth,
        });
    }

    pub(super) fn tool_call(
        &mut self,
        harness: Harness,
        call: &ToolCall<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        let id = call.id.unwrap_or_default();
        let input = input_json(&call.input).unwrap_or_default();
        let name = one_line(&sanitize(call.name.unwrap_or("?")), MAX_LINE_WIDTH);
        let known = self.calls.get(id).filter(|known| known.input == input);
        if known.is_some() && !id.is_empty() {
            return Ok(());
        }
        let json = Json::new(&input);
        let texts = &harness.adapter().tools;
        let summary = (texts.summary)(json);
        let summary = one_line(&sanitize(&summary), MAX_LINE_WIDTH);
        if call.starts_agent {
            let depth = (depth + 1).min(MAX_DEPTH);
            self.agents.insert(id.to_owned(), Subagent { summary: summary.clone(), depth });
        }
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        Self::show_turn_end(renderer, &mut self.turn_end, out)?;
        let spans = call_spans(&name, &summary);
        let todo = texts.todo_items.and_then(|items| items(&name, json));
        let is_full = self.options.is_full;
        // A snapshot of the message may complete the input of a call that is shown.
        let known = self.calls.get_mut(id).filter(|_| !id.is_empty() && todo.is_none());
        if let Some(known) = known.filter(|_| !is_full) {
            if known.summary != summary {
                renderer.update_item(id, Marker::Tool, depth, &spans, out)?;
            }
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
                details::todo_list(items, &theme, &mut |line| {
                    renderer.detail(depth, line, false, out)
                })?;
            }
            None if is_full => {
                let change = texts.file_change.and_then(|change| change(json));
                details::input(json, change.as_ref(), &summary, &mut |line| {
                    renderer.detail(depth, line, true, out)
                })?;
            }
            None => {}
        }
        if !id.is_empty() {
            self.call_count += 1;
            let call = OpenCall {
                name,
                summary,
                depth,
                input,
                reported: self.calls.get(id).and_then(|known| known.reported),
                is_todo_list: todo.is_some(),
                order: self.call_count,
            };
            self.calls.insert(id.to_owned(), call);
        }
        Ok(())
    }

    pub(super) fn tool_result(
        &mut self,
        harness: Harness,
        result: &ToolResult<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        // A result may come without a call before it, or with a changed list.
        let id = result.call.id.unwrap_or_default();
        if result.call.name.is_some() && !self.calls.contains_key(id)
            || self.calls.get(id).is_some_and(|call| is_changed_list(call, result))
        {
            self.tool_call(harness, &result.call, depth, out)?;
        }
        if result.status == ToolStatus::Pending {
            return Ok(());
        }
        let Some(call) = self.calls.remove(id) else { return Ok(()) };
        let status = combined_status(result.status, call.reported);
        if result.is_provisional && status == ToolStatus::Completed {
            self.remember_result(id, &call);
        }
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        let output = result.output.as_deref().unwrap_or_default();
        let marker = marker_of(status);
        let is_failed = matches!(status, ToolStatus::Failed | ToolStatus::Denied);
        if call.is_todo_list && !is_failed {
            return Ok(());
        }
        let facts = facts(result, status, output.len(), renderer.theme.is_terminal);
        let separator = renderer.theme.separator();
        if renderer.is_last(id) {
            // The line above names the call.
            let facts = match facts.as_slice() {
                [] if is_failed => "no output".to_owned(),
                [] => "done".to_owned(),
                facts => facts.join(separator),
            };
            renderer.item(marker, call.depth, &[Span(facts, Tone::Dim)], out)?;
            return self.show_output(call.depth, output, is_failed, out);
        }
        let mut spans = call_spans(&call.name, &call.summary);
        if !facts.is_empty() {
            let (open, close) = if renderer.theme.is_terminal { ("  ", "") } else { (" (", ")") };
            spans.push(Span(format!("{open}{}{close}", facts.join(separator)), Tone::Dim));
        }
        // The facts matter more than the end of a long summary.
        if let Some(width) = renderer.theme.width {
            let facts = spans.get(2).map_or(0, |span| span.0.width());
            let marker = renderer.theme.marker_width(marker) + 2 * call.depth;
            let used = facts + call.name.width() + marker + 3;
            let summary = one_line(spans[1].0.trim_start(), width.saturating_sub(used).max(8));
            format!("  {summary}").trim_end().clone_into(&mut spans[1].0);
        }
        if renderer.is_open(id, out) {
            renderer.rewrite(marker, call.depth, &spans, out)?;
        } else {
            Self::show_turn_end(renderer, &mut self.turn_end, out)?;
            renderer.item(marker, call.depth, &spans, out)?;
        }
        self.show_output(call.depth, output, is_failed, out)
    }

    fn show_output(
        &mut self,
        depth: usize,
        output: &str,
        is_failed: bool,
        out: &mut Output,
    ) -> io::Result<()> {
        let is_full = self.options.is_full;
        if !is_full && !is_failed {
            return Ok(());
        }
        let most = (!is_full).then_some(FAILED_LINES);
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        details::output(output, most, &mut |line| renderer.detail(depth, line, is_full, out))
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

fn marker_of(status: ToolStatus) -> Marker {
    match status {
        ToolStatus::Completed | ToolStatus::Pending => Marker::Done,
        ToolStatus::Failed => Marker::Failed,
        ToolStatus::Denied => Marker::Denied,
    }
}

/// Returns the facts about an outcome.
fn facts(
    result: &ToolResult<'_>,
    status: ToolStatus,
    bytes: usize,
    is_terminal: bool,
) -> Vec<String> {
    let mut facts = Vec::new();
    // In a log the tag says it.
    facts.extend((status == ToolStatus::Denied && is_terminal).then(|| "denied".to_owned()));
    facts.extend(result.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
    facts.extend(result.duration_ms.map(seconds));
    facts.extend((bytes > 0).then(|| details::size(bytes)));
    facts.extend(result.detached.then(|| "goes on in the background".to_owned()));
    facts
}

/// Returns the name and the summary of a call.
pub(super) fn call_spans(name: &str, summary: &str) -> Vec<Span> {
    vec![
        Span(name.to_owned(), Tone::Bold),
        Span(format!("  {summary}").trim_end().to_owned(), Tone::Plain),
    ]
}

/// Returns whether a to-do list has changed with the line that ends it.
fn is_changed_list(call: &OpenCall, result: &ToolResult<'_>) -> bool {
    let input = input_json(&result.call.input);
    call.is_todo_list && input.is_some_and(|input| input != call.input)
}
