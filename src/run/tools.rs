//! Pairs tool calls with their results by id: across parallel calls and subagents,
//! in any order.

use std::collections::HashMap;

use jiff::Timestamp;

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
    is_denied: bool,
    /// Position among all calls.
    order: u64,
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

/// Pairs calls with results. The memory grows with the number of open calls.
#[derive(Debug, Default)]
pub(crate) struct ToolPairing {
    open: HashMap<String, (Harness, PairedCall)>,
    /// Calls without an id, which cannot have a result.
    without_id: Vec<(Harness, PairedCall)>,
    call_count: u64,
    /// Whether times are parsed.
    has_times: bool,
    pool: StringPool,
    input_memory: Vec<Vec<u8>>,
}

/// Maximum number of reusable inputs, and the size above which one is not reused.
const MAX_INPUTS: usize = 64;
const MAX_INPUT_SIZE: usize = 256 << 10;

impl ToolPairing {
    /// Also parses the times of calls and results.
    pub fn with_times(self) -> Self {
        Self { has_times: true, ..self }
    }

    /// Reads a record and passes every call that ends with it to `ended`.
    pub fn apply<E>(
        &mut self,
        record: &Record<'_>,
        mut ended: impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for event in record.events {
            match event {
                Event::ToolCall(call) => self.call(record, call),
                Event::Denied { tool_id: Some(id), .. } => {
                    if let Some((_, call)) = self.open.get_mut(*id) {
                        call.is_denied = true;
                    }
                }
                Event::ToolResult(result) => {
                    let known = result.call.id.and_then(|id| self.open.remove_entry(id));
                    let (key, call) = known.map(|(key, (_, call))| (key, call)).unzip();
                    let mut call = call.unwrap_or_else(|| self.new_call(record, false));
                    call.update(&result.call, self);
                    ended(&ToolOutcome {
                        harness: record.harness,
                        status: if call.is_denied { ToolStatus::Denied } else { result.status },
                        call: &call,
                        result: Some(result),
                        ended_at: record.time().filter(|_| self.has_times),
                    })?;
                    self.recycle(key, call);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Passes the calls without a result to `each`, in the order they were made.
    pub fn pending<E>(
        &self,
        mut each: impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut calls: Vec<_> = self.open.values().chain(&self.without_id).collect();
        calls.sort_by_key(|(_, call)| call.order);
        calls.iter().try_for_each(|(harness, call)| {
            each(&ToolOutcome {
                harness: *harness,
                call,
                status: if call.is_denied { ToolStatus::Denied } else { ToolStatus::Pending },
                result: None,
                ended_at: None,
            })
        })
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
