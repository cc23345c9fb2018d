//! The outcomes of tool calls.

use std::io;
use std::time::Duration;

use super::calls::{OpenCall, call_spans};
use super::changes::LineChanges;
use super::theme::{Marker, Span, Theme, Tone};
use super::{View, ViewOptions, details, github, phrases};
use crate::event::{ToolResult, ToolStatus};
use crate::harness::Record;
use crate::output::Output;
use crate::run::{combined_status, elapsed, input_json};

/// A shorter time between two lines without times is not shown.
const MIN_MEASURED: Duration = Duration::from_millis(100);

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
        duration_ms: Option<u64>,
        out: &mut Output,
    ) -> io::Result<()> {
        if let Some(call) = self.calls.get_mut(id) {
            call.report(status);
            call.reported_ms = duration_ms.or(call.reported_ms);
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

    pub(super) fn tool_result(
        &mut self,
        record: &Record<'_>,
        result: &ToolResult<'_>,
        depth: usize,
        out: &mut Output,
    ) -> io::Result<()> {
        // A result may come without a call before it, or with a changed list.
        let id = result.call.id.unwrap_or_default();
        if result.call.name.is_some() && !self.calls.contains_key(id)
            || self.calls.get(id).is_some_and(|call| is_changed_list(call, result))
        {
            self.start_call(record, &result.call, false, depth, out)?;
        }
        if result.status == ToolStatus::Pending {
            return Ok(());
        }
        let Some(mut call) = self.calls.remove(id) else { return Ok(()) };
        let status = combined_status(result.status, call.reported);
        if result.is_provisional && status == ToolStatus::Completed {
            self.remember_result(id, &call);
        }
        let duration = self.duration(record, result, &call);
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        let marker = marker_of(status);
        let is_failed = is_failure(status);
        if call.is_todo_list && !is_failed {
            return Ok(());
        }
        let changes = call.changes.total().filter(|_| status == ToolStatus::Completed);
        let outcome = Outcome { status, duration, changes };
        let facts = facts(result, &outcome, &renderer.theme);
        if status == ToolStatus::Completed {
            self.files.add(std::mem::take(&mut call.changes));
        }
        let separator = renderer.theme.separator();
        if renderer.is_last(id) {
            // The line above names the call.
            let facts = match facts.as_slice() {
                [] if is_failed => "no output".to_owned(),
                [] => "done".to_owned(),
                facts => facts.join(separator),
            };
            renderer.item(marker, call.depth, &[Span(facts, Tone::Dim)], out)?;
            return self.show_output(&call, result, status, out);
        }
        let facts = match (facts.is_empty(), renderer.theme.is_terminal) {
            (true, _) => String::new(),
            (false, true) => format!("  {}", facts.join(separator)),
            (false, false) => format!(" ({})", facts.join(separator)),
        };
        let spans = renderer.call_spans(marker, &call, facts);
        if renderer.is_open(id, out) {
            renderer.rewrite(marker, call.depth, &spans, out)?;
        } else {
            Self::show_turn_end(renderer, &mut self.turn_end, out)?;
            renderer.item(marker, call.depth, &spans, out)?;
        }
        self.show_output(&call, result, status, out)
    }

    /// Returns how long a call took: as the CLI reports it, or from its line to that of the
    /// result. If only the times of reading are known, they may be those of a pipe with a
    /// recording, so a short time says nothing.
    fn duration(
        &self,
        record: &Record<'_>,
        result: &ToolResult<'_>,
        call: &OpenCall,
    ) -> Option<Duration> {
        let reported = result.duration_ms.or(call.reported_ms);
        let measured = || elapsed(call.started_at?, self.clock.time(record)?);
        let is_meaningful = |time: &Duration| record.has_time() || *time >= MIN_MEASURED;
        reported.map(Duration::from_millis).or_else(|| measured().filter(is_meaningful))
    }

    /// Shows the output of a call: all of it, or the end if the call failed.
    fn show_output(
        &mut self,
        call: &OpenCall,
        result: &ToolResult<'_>,
        status: ToolStatus,
        out: &mut Output,
    ) -> io::Result<()> {
        let ViewOptions { is_full, failed_lines, .. } = self.options;
        let output = result.output.as_deref().unwrap_or_default();
        let is_github = Self::is_github(&self.options, out);
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        if is_github {
            let failed = &mut self.failed_calls;
            return github::show_output(renderer, failed, call, result, status, out);
        }
        let (depth, is_failed) = (call.depth, is_failure(status));
        if is_full {
            return details::output(output, &mut |line| renderer.wrapped_detail(depth, line, out));
        }
        if !is_failed {
            return Ok(());
        }
        let exit_code = result.exit_code.filter(|code| *code != 0);
        details::failed_output(output, failed_lines, exit_code, &mut |line| {
            renderer.detail(depth, line, out)
        })
    }
}

fn is_failure(status: ToolStatus) -> bool {
    matches!(status, ToolStatus::Failed | ToolStatus::Denied)
}

fn marker_of(status: ToolStatus) -> Marker {
    match status {
        ToolStatus::Completed | ToolStatus::Pending => Marker::Done,
        ToolStatus::Failed => Marker::Failed,
        ToolStatus::Denied => Marker::Denied,
    }
}

/// How a call ended.
struct Outcome {
    status: ToolStatus,
    duration: Option<Duration>,
    /// Lines that it changed.
    changes: Option<LineChanges>,
}

/// A narrower view shows no sizes.
const MIN_WIDTH_OF_SIZES: usize = 60;

/// Returns the facts about an outcome.
fn facts(result: &ToolResult<'_>, outcome: &Outcome, theme: &Theme) -> Vec<String> {
    let Outcome { status, duration, changes } = outcome;
    let is_narrow = theme.width.is_some_and(|width| width < MIN_WIDTH_OF_SIZES);
    let bytes = result.output.as_deref().map_or(0, str::len);
    let has_size = bytes > 0 && changes.is_none() && (!is_narrow || duration.is_none());
    let mut facts = Vec::new();
    // In a log the tag says it.
    let is_denied = *status == ToolStatus::Denied && theme.is_terminal;
    facts.extend(is_denied.then(|| "denied".to_owned()));
    facts.extend(result.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}")));
    facts.extend(changes.map(|changes| changes.to_string()));
    facts.extend(duration.map(phrases::call_duration));
    facts.extend(has_size.then(|| details::size(bytes)));
    facts.extend(result.detached.then(|| "goes on in the background".to_owned()));
    facts
}

/// Returns whether a to-do list has changed with the line that ends it.
fn is_changed_list(call: &OpenCall, result: &ToolResult<'_>) -> bool {
    let input = input_json(&result.call.input);
    call.is_todo_list && input.is_some_and(|input| input != call.input)
}
