//! Pairs tool calls with their results by id: across parallel calls and subagents,
//! in any order.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;

use super::held_results::{HeldResult, goes_on};
use super::string_pool::StringPool;
use crate::event::{Event, ToolCall, ToolInput, ToolResult, ToolStatus};
use crate::harness::{Harness, Record};
use crate::json::Parser;

/// What is known about a tool call.
#[derive(Debug, Default)]
pub(crate) struct PairedCall {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    /// The MCP server.
    pub(crate) server: Option<String>,
    /// The input as JSON.
    pub(crate) input: Option<Vec<u8>>,
    /// The call that started the subagent it belongs to.
    pub(crate) parent_id: Option<String>,
    /// When the call was written.
    pub(crate) started_at: Option<Timestamp>,
    /// Whether it goes on after an output.
    is_running: bool,
    /// That output.
    pub(crate) output: Option<String>,
    /// What lines other than its result report.
    reported: Option<ReportedEnd>,
    /// Position among all calls.
    order: u64,
}

/// How a call ended, as lines other than its result report it.
#[derive(Clone, Copy, Debug)]
struct ReportedEnd {
    status: ToolStatus,
    exit_code: Option<i64>,
    duration_ms: Option<u64>,
}

/// A tool call and its outcome.
#[derive(Debug)]
pub(crate) struct ToolOutcome<'a> {
    pub(crate) harness: Harness,
    pub(crate) call: &'a PairedCall,
    pub(crate) status: ToolStatus,
    /// The result; `None` while the call is pending.
    pub(crate) result: Option<&'a ToolResult<'a>>,
    /// When the result was written.
    pub(crate) ended_at: Option<Timestamp>,
}

impl ToolOutcome<'_> {
    /// Returns the exit status of a command.
    pub fn exit_code(&self) -> Option<i64> {
        let reported = self.call.reported.and_then(|end| end.exit_code);
        self.result.and_then(|result| result.exit_code).or(reported)
    }

    /// Returns the duration that the CLI reports, or the time from the call to its result, if
    /// times are parsed.
    pub fn duration(&self) -> Option<Duration> {
        let measured = || {
            let elapsed = self.ended_at?.duration_since(self.call.started_at?);
            Duration::try_from(elapsed).ok()
        };
        self.duration_ms().map(Duration::from_millis).or_else(measured)
    }

    /// Returns the duration as the CLI reports it.
    pub fn duration_ms(&self) -> Option<u64> {
        let reported = self.call.reported.and_then(|end| end.duration_ms);
        self.result.and_then(|result| result.duration_ms).or(reported)
    }
}

/// Returns how a call ended by its result, if lines other than the result report how it
/// ended. Those are structured; a result may be a text only, but tells a refusal from
/// other failures.
pub(crate) fn combined_status(result: ToolStatus, reported: Option<ToolStatus>) -> ToolStatus {
    match (reported, result) {
        (Some(ToolStatus::Failed), ToolStatus::Denied) | (None, _) => result,
        (Some(reported), _) => reported,
    }
}

impl PairedCall {
    /// Returns how it ended, given how its result says it did.
    pub(super) fn combined_status(&self, result: ToolStatus) -> ToolStatus {
        combined_status(result, self.reported.map(|end| end.status))
    }
}

/// Pairs calls with results. The memory grows with the number of open calls.
#[derive(Debug, Default)]
pub(crate) struct ToolPairing {
    open: HashMap<String, (Harness, PairedCall)>,
    /// Calls without an id, which cannot have a result.
    without_id: Vec<(Harness, PairedCall)>,
    call_count: u64,
    /// Whether times are parsed.
    has_times: bool,
    /// Whether only ids and names are kept.
    counts_only: bool,
    /// Number of calls without an id that were only counted.
    counted: usize,
    /// Whether provisional results are held back.
    holds: bool,
    held: Vec<HeldResult>,
    pool: StringPool,
    input_memory: Vec<Vec<u8>>,
}

/// Maximum number of reusable inputs, and the size above which one is not reused.
const MAX_INPUTS: usize = 64;
const MAX_INPUT_SIZE: usize = 256 << 10;

/// Maximum number of results that are held back, and the size of their outputs above which
/// no more is.
const MAX_HELD: usize = 64;
const MAX_HELD_SIZE: usize = 1 << 20;

impl ToolPairing {
    /// Also parses the times of calls and results.
    pub fn with_times(self) -> Self {
        Self { has_times: true, ..self }
    }

    /// Keeps only what is needed to count calls.
    pub fn counting(self) -> Self {
        Self { counts_only: true, ..self }
    }

    /// Holds back results until the agent goes on, if a line after them may report how the
    /// call ended.
    pub fn holding(self) -> Self {
        Self { holds: true, ..self }
    }

    /// Returns the number of calls without a result.
    pub fn pending_count(&self) -> usize {
        self.open.len() + self.without_id.len() + self.counted
    }

    /// Reads a record and passes every call that ends with it to `ended`.
    pub fn apply<E>(
        &mut self,
        record: &Record<'_>,
        mut ended: impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.held.is_empty() && goes_on(record) {
            self.release(&mut ended)?;
        }
        for event in record.events {
            match event {
                Event::ToolCall(call) => self.call(record, call),
                Event::Denied { tool_id: Some(id), .. } => {
                    let status = ToolStatus::Denied;
                    self.report(id, ReportedEnd { status, exit_code: None, duration_ms: None });
                }
                Event::ToolStatus { tool_id: Some(id), status, exit_code, duration_ms } => {
                    let (status, exit_code, duration_ms) = (*status, *exit_code, *duration_ms);
                    self.report(id, ReportedEnd { status, exit_code, duration_ms });
                    self.end_running(id, record, &mut ended)?;
                }
                // The call goes on; how it ends is reported later.
                Event::ToolResult(result) if result.status == ToolStatus::Pending => {
                    let id = result.call.id.unwrap_or_default();
                    if let Some((_, call)) = self.open.get_mut(id) {
                        call.is_running = true;
                        let output = result.output.as_deref().filter(|_| !self.counts_only);
                        call.output = output.map(str::to_owned);
                    }
                }
                // A result of nothing that can be named is not a call.
                Event::ToolResult(ToolResult { call, .. })
                    if call.id.is_none() && call.name.is_none() => {}
                Event::ToolResult(result) => {
                    let known = result.call.id.and_then(|id| self.open.remove_entry(id));
                    let (key, call) = known.map(|(key, (_, call))| (key, call)).unzip();
                    let mut call = call.unwrap_or_else(|| self.new_call(record, false));
                    call.update(&result.call, self);
                    let ended_at = record.time().filter(|_| self.has_times);
                    if self.holds && result.is_provisional && call.reported.is_none() {
                        let key = key.or_else(|| call.id.clone()).unwrap_or_default();
                        let size: usize = self.held.iter().map(HeldResult::size).sum();
                        if self.held.len() >= MAX_HELD || size > MAX_HELD_SIZE {
                            self.release(&mut ended)?;
                        }
                        self.held.push(HeldResult::new(key, call, record, result, ended_at));
                        continue;
                    }
                    // In the order of the results.
                    self.release(&mut ended)?;
                    ended(&ToolOutcome {
                        harness: record.harness,
                        status: call.combined_status(result.status),
                        call: &call,
                        result: Some(result),
                        ended_at,
                    })?;
                    self.recycle(key, call);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Ends the calls whose results were held back.
    fn release<E>(
        &mut self,
        ended: &mut impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for held in std::mem::take(&mut self.held) {
            held.end(ended)?;
            self.recycle(Some(held.key), held.call);
        }
        Ok(())
    }

    /// Ends a call that went on after its output, when its end is reported.
    fn end_running<E>(
        &mut self,
        id: &str,
        record: &Record<'_>,
        ended: &mut impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.open.get(id).is_some_and(|(_, call)| call.is_running) {
            return Ok(());
        }
        let Some((key, (harness, call))) = self.open.remove_entry(id) else { return Ok(()) };
        ended(&ToolOutcome {
            harness,
            call: &call,
            status: call.reported.map_or(ToolStatus::Pending, |end| end.status),
            result: None,
            ended_at: record.time().filter(|_| self.has_times),
        })?;
        self.recycle(Some(key), call);
        Ok(())
    }

    /// Passes the calls whose results are held back to `each`, and then those without a
    /// result, in the order they were made.
    pub fn pending<E>(
        &self,
        mut each: impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.held.iter().try_for_each(|held| held.end(&mut each))?;
        let mut calls: Vec<_> = self.open.values().chain(&self.without_id).collect();
        calls.sort_by_key(|(_, call)| call.order);
        calls.iter().try_for_each(|(harness, call)| {
            each(&ToolOutcome {
                harness: *harness,
                call,
                status: call.reported.map_or(ToolStatus::Pending, |end| end.status),
                result: None,
                ended_at: None,
            })
        })
    }

    /// Sets how a call ended that is open or held back; that it was denied is final.
    fn report(&mut self, id: &str, end: ReportedEnd) {
        let held = self.held.iter_mut().rev().find(|held| held.key == id);
        let held = held.map(|held| &mut held.call);
        let call = held.or_else(|| self.open.get_mut(id).map(|(_, call)| call));
        let is_denied = |end: ReportedEnd| end.status == ToolStatus::Denied;
        if let Some(call) = call.filter(|call| !call.reported.is_some_and(is_denied)) {
            call.reported = Some(end);
        }
    }

    fn call(&mut self, record: &Record<'_>, call: &ToolCall<'_>) {
        let known = call.id.and_then(|id| self.open.remove_entry(id));
        if let Some((key, (harness, mut known))) = known {
            known.update(call, self);
            self.open.insert(key, (harness, known));
            return;
        }
        let mut new = self.new_call(record, true);
        new.update(call, self);
        match call.id {
            Some(id) => {
                let key = self.pool.copy(id);
                self.open.insert(key, (record.harness, new));
            }
            None if self.counts_only => self.counted += 1,
            None => self.without_id.push((record.harness, new)),
        }
    }

    /// Reuses the memory of a call that has ended.
    fn recycle(&mut self, key: Option<String>, call: PairedCall) {
        for text in [key, call.id, call.name, call.server, call.parent_id] {
            self.pool.recycle(text);
        }
        let is_small = |input: &Vec<u8>| input.capacity() <= MAX_INPUT_SIZE;
        let input = call.input.filter(|_| self.input_memory.len() < MAX_INPUTS);
        if let Some(mut input) = input.filter(is_small) {
            input.clear();
            self.input_memory.push(input);
        }
    }

    fn new_call(&mut self, record: &Record<'_>, is_start: bool) -> PairedCall {
        self.call_count += 1;
        PairedCall {
            parent_id: record.parent_id.map(|id| self.pool.copy(id)),
            started_at: record.time().filter(|_| self.has_times && is_start),
            order: self.call_count,
            ..PairedCall::default()
        }
    }
}

impl PairedCall {
    /// Adds what a line says about the call.
    fn update(&mut self, call: &ToolCall<'_>, pairing: &mut ToolPairing) {
        let slots =
            [(&mut self.id, call.id), (&mut self.name, call.name), (&mut self.server, call.server)];
        for (slot, text) in slots {
            match (slot, text) {
                (Some(known), Some(text)) => text.clone_into(known),
                (slot @ None, Some(text)) => *slot = Some(pairing.pool.copy(text)),
                (_, None) => {}
            }
        }
        if pairing.counts_only {
            return;
        }
        let memory = || pairing.input_memory.pop().unwrap_or_default();
        let mut input = self.input.take().unwrap_or_else(memory);
        let was_known = !input.is_empty();
        if write_input(&mut input, &call.input) || was_known {
            self.input = Some(input);
        } else {
            pairing.input_memory.push(input);
        }
    }
}

/// Returns the input as one JSON value.
pub(crate) fn input_json(input: &ToolInput<'_>) -> Option<Vec<u8>> {
    let mut json = Vec::new();
    write_input(&mut json, input).then_some(json)
}

fn is_json(text: &str) -> bool {
    Parser::default().parse(text.as_bytes(), |_| ()).is_ok()
}

/// Replaces the content of `to` by the input. Returns false if it is unknown.
fn write_input(to: &mut Vec<u8>, input: &ToolInput<'_>) -> bool {
    match input {
        ToolInput::None => return false,
        ToolInput::Json(json) => {
            to.clear();
            to.extend_from_slice(json.bytes());
        }
        ToolInput::Encoded(json) => {
            to.clear();
            match json.as_str().filter(|decoded| is_json(decoded)) {
                // Control characters in valid JSON are white space between tokens.
                Some(decoded) => to.extend(decoded.bytes().map(|byte| byte.max(b' '))),
                None => to.extend_from_slice(json.bytes()),
            }
        }
        ToolInput::Members { names, values } => {
            to.clear();
            to.push(b'{');
            for (name, json) in names.iter().zip(values) {
                let Some(json) = json else { continue };
                let comma = if to.len() > 1 { "," } else { "" };
                for part in [comma, "\"", name, "\":"] {
                    to.extend_from_slice(part.as_bytes());
                }
                to.extend_from_slice(json.bytes());
            }
            to.push(b'}');
        }
    }
    true
}
