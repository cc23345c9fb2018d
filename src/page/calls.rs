//! Tool calls of a page: created by their first line, completed by later ones.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use jiff::Timestamp;

use super::change::{
    CallContent, ChangeSink, ItemContent, ItemStart, NoteLevel, NoteTopic, PageChange,
    ResultContent,
};
use super::diff::diff;
use super::written_text::ItemCounter;
use crate::event::{Event, ToolCall, ToolResult, ToolStatus};
use crate::harness::{Harness, Record};
use crate::json::Json;
use crate::output::{one_line, sanitize};
use crate::phrases::MAX_LINE_WIDTH;
use crate::run::{combined_status, input_json};

/// The tool calls of a run by id.
#[derive(Debug, Default)]
pub(super) struct Calls {
    known: HashMap<String, KnownCall>,
}

/// A tool call that has an item.
#[derive(Debug)]
struct KnownCall {
    item: u64,
    /// The input, until the call has ended.
    input: Vec<u8>,
    started: Option<Timestamp>,
    /// How it ended by its result.
    result: Option<ToolStatus>,
    /// How it ended by other lines.
    reported: Option<ToolStatus>,
    has_duration: bool,
}

impl KnownCall {
    fn status(&self) -> ToolStatus {
        match self.result {
            Some(result) => combined_status(result, self.reported),
            None => self.reported.unwrap_or(ToolStatus::Pending),
        }
    }

    /// Sets how it ended by a line other than its result; that it was denied is final.
    fn report(&mut self, status: ToolStatus) {
        if self.reported != Some(ToolStatus::Denied) {
            self.reported = Some(status);
        }
    }
}

impl Calls {
    /// Returns whether a call has no result yet.
    pub(super) fn is_open(&self, id: &str) -> bool {
        self.known.get(id).is_some_and(|call| call.result.is_none())
    }

    /// Reads an event, and returns whether it is about a tool call.
    pub(super) fn event(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        start: ItemStart<'_>,
        items: &mut ItemCounter,
        sink: &mut impl ChangeSink,
    ) -> io::Result<bool> {
        match event {
            Event::ToolCall(call) => {
                self.call(record.harness, call, start, items, sink)?;
            }
            Event::ToolResult(result) => {
                self.result(record.harness, result, start, items, sink)?;
            }
            Event::ToolStatus { tool_id: Some(id), status, exit_code, duration_ms } => {
                let details = (*exit_code, *duration_ms);
                self.status(id, *status, details, start, sink)?;
            }
            Event::Denied { tool_id, name, message } => {
                let known = tool_id.filter(|id| self.known.contains_key(*id));
                match known {
                    Some(id) => {
                        self.status(id, ToolStatus::Denied, (None, None), start, sink)?;
                    }
                    None => denied(*name, *message, start, items, sink)?,
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Adds what a line says about a call, and returns its item.
    fn call(
        &mut self,
        harness: Harness,
        call: &ToolCall<'_>,
        start: ItemStart<'_>,
        items: &mut ItemCounter,
        sink: &mut impl ChangeSink,
    ) -> io::Result<u64> {
        let input = input_json(&call.input).unwrap_or_default();
        let known = call.id.and_then(|id| self.known.get_mut(id));
        let (item, is_new) = match &known {
            Some(known) if known.result.is_some() || known.input == input => {
                return Ok(known.item);
            }
            Some(known) => (known.item, false),
            None => (items.next(), true),
        };
        write_call(harness, call, &input, (item, is_new.then_some(start)), sink)?;
        match (known, call.id) {
            (Some(known), _) => known.input = input,
            (None, Some(id)) => {
                let (started, result, reported) = (start.at, None, None);
                let known =
                    KnownCall { item, input, started, result, reported, has_duration: false };
                self.known.insert(id.to_owned(), known);
            }
            (None, None) => {}
        }
        Ok(item)
    }

    fn result(
        &mut self,
        harness: Harness,
        result: &ToolResult<'_>,
        start: ItemStart<'_>,
        items: &mut ItemCounter,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        // A result may come without a call before it, or with a changed input.
        let known = result.call.id.and_then(|id| self.known.get(id));
        let says_more = match known {
            Some(_) => input_json(&result.call.input).is_some(),
            None => result.call.name.is_some(),
        };
        let item = match known.map(|known| known.item) {
            _ if says_more => self.call(harness, &result.call, start, items, sink)?,
            Some(item) => item,
            None => return Ok(()),
        };
        let known = result.call.id.and_then(|id| self.known.get_mut(id));
        let mut status = result.status;
        let mut duration_ms = result.duration_ms;
        if let Some(known) = known.filter(|_| result.status != ToolStatus::Pending) {
            known.result = Some(result.status);
            known.input = Vec::new();
            status = known.status();
            let measured = known.started.zip(start.at).and_then(|(started, ended)| {
                u64::try_from(ended.as_millisecond() - started.as_millisecond()).ok()
            });
            duration_ms = duration_ms.or(measured.filter(|_| !known.has_duration));
        }
        let content = ItemContent::Result(ResultContent {
            status,
            output: result.output.as_ref(),
            exit_code: result.exit_code,
            duration_ms,
            ended: start.at.filter(|_| status != ToolStatus::Pending),
            is_detached: result.detached,
        });
        sink.change(&PageChange { item, start: None, content })
    }

    /// Notes how a call ended by a line other than its result.
    fn status(
        &mut self,
        id: &str,
        status: ToolStatus,
        (exit_code, duration_ms): (Option<i64>, Option<u64>),
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        let Some(known) = self.known.get_mut(id) else { return Ok(()) };
        known.report(status);
        known.has_duration |= duration_ms.is_some();
        let content = ItemContent::Result(ResultContent {
            status: known.status(),
            output: None,
            exit_code,
            duration_ms,
            ended: start.at,
            is_detached: false,
        });
        sink.change(&PageChange { item: known.item, start: None, content })
    }
}

/// Passes a call on, described by the adapter of its CLI.
fn write_call(
    harness: Harness,
    call: &ToolCall<'_>,
    input: &[u8],
    (item, start): (u64, Option<ItemStart<'_>>),
    sink: &mut impl ChangeSink,
) -> io::Result<()> {
    let json = Json::new(input);
    let texts = &harness.adapter().tools;
    let name = one_line(&sanitize(call.name.unwrap_or("?")), MAX_LINE_WIDTH);
    let summary = if input.is_empty() { Cow::Borrowed("") } else { (texts.summary)(json) };
    let summary = one_line(&sanitize(&summary), MAX_LINE_WIDTH);
    let file_change = texts.file_change.filter(|_| !input.is_empty());
    let file_change = file_change.and_then(|change| change(json));
    let ops = file_change
        .as_ref()
        .map(|change| diff(change.old.as_deref().unwrap_or_default(), &change.new));
    let todo = texts.todo_items.filter(|_| !input.is_empty());
    let todo = todo.and_then(|items| items(&name, json));
    let content = ItemContent::Call(CallContent {
        id: call.id,
        name: &name,
        server: call.server,
        summary: &summary,
        input: (!input.is_empty()).then_some(json),
        diff: ops.as_deref(),
        diff_members: file_change.as_ref().map_or(&[], |change| change.members),
        todo: todo.as_deref(),
        starts_agent: call.starts_agent,
    });
    sink.change(&PageChange { item, start, content })
}

/// Notes a call that was denied before it became an item.
fn denied(
    name: Option<&str>,
    message: Option<&str>,
    start: ItemStart<'_>,
    items: &mut ItemCounter,
    sink: &mut impl ChangeSink,
) -> io::Result<()> {
    let parts: Vec<_> = [name, message].into_iter().flatten().map(sanitize).collect();
    let text = &one_line(&parts.join(": "), MAX_LINE_WIDTH);
    let (level, topic) = (NoteLevel::Warning, NoteTopic::Denied);
    let content = ItemContent::Note { level, topic, text, wait_ms: None };
    sink.change(&PageChange { item: items.next(), start: Some(start), content })
}
