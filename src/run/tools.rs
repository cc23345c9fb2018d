//! Tool calls and their results, paired by id: across parallel calls, across
//! subagents, in whatever order they come.

use std::collections::HashMap;

use super::assign::Spare;
use crate::event::{Event, Packet, Status, ToolCall, ToolInput, ToolResult};
use crate::harness::Harness;
use crate::json::Parser;

/// A tool call as far as it is known.
#[derive(Debug, Default)]
pub struct Call {
    /// What its result names.
    pub id: Option<String>,
    /// The tool.
    pub name: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// What it was called with, as JSON.
    pub input: Option<Vec<u8>>,
    /// The call of the subagent that made it.
    pub parent_id: Option<String>,
    denied: bool,
    order: u64,
}

/// A tool call with what became of it.
#[derive(Debug)]
pub struct ToolRecord<'a> {
    /// Whose it is.
    pub harness: Harness,
    /// The call.
    pub call: &'a Call,
    /// How it ended.
    pub status: Status,
    /// Its result; none while it is pending.
    pub result: Option<&'a ToolResult<'a>>,
}

/// Pairs calls with results. A million open calls cost a million entries.
#[derive(Debug, Default)]
pub struct Tools {
    open: HashMap<String, (Harness, Call)>,
    /// Calls without an id can have no result.
    nameless: Vec<(Harness, Call)>,
    calls: u64,
    spare: Spare,
    spare_inputs: Vec<Vec<u8>>,
}

/// So much memory for inputs is kept: so many, and none that is long.
const SPARE_INPUTS: usize = 64;
const LONG_INPUT: usize = 256 << 10;

impl Tools {
    /// Takes in a packet and gives out every call that has ended with it.
    ///
    /// # Errors
    ///
    /// The first error of `ended`.
    pub fn apply<E>(
        &mut self,
        packet: &Packet<'_>,
        mut ended: impl FnMut(&ToolRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        for event in packet.events {
            match event {
                Event::ToolCall(call) => self.called(packet, call),
                Event::Denied { tool_id: Some(id), .. } => {
                    if let Some((_, call)) = self.open.get_mut(*id) {
                        call.denied = true;
                    }
                }
                Event::ToolResult(result) => {
                    let known = result.call.id.and_then(|id| self.open.remove_entry(id));
                    let (key, call) = known.map(|(key, (_, call))| (key, call)).unzip();
                    let mut call = call.unwrap_or_else(|| self.new_call(packet));
                    call.learn(&result.call, self);
                    ended(&ToolRecord {
                        harness: packet.harness,
                        status: if call.denied { Status::Denied } else { result.status },
                        call: &call,
                        result: Some(result),
                    })?;
                    self.give_back(key, call);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The calls that never ended, in the order they were made.
    ///
    /// # Errors
    ///
    /// The first error of `pending`.
    pub fn end<E>(
        self,
        mut pending: impl FnMut(&ToolRecord<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut calls: Vec<_> = self.open.into_values().chain(self.nameless).collect();
        calls.sort_by_key(|(_, call)| call.order);
        calls.iter().try_for_each(|(harness, call)| {
            pending(&ToolRecord {
                harness: *harness,
                call,
                status: if call.denied { Status::Denied } else { Status::Pending },
                result: None,
            })
        })
    }

    fn called(&mut self, packet: &Packet<'_>, call: &ToolCall<'_>) {
        let known = call.id.and_then(|id| self.open.remove_entry(id));
        if let Some((key, (harness, mut known))) = known {
            known.learn(call, self);
            self.open.insert(key, (harness, known));
            return;
        }
        let mut new = self.new_call(packet);
        new.learn(call, self);
        match call.id {
            Some(id) => {
                let key = self.spare.text(id);
                self.open.insert(key, (packet.harness, new));
            }
            None => self.nameless.push((packet.harness, new)),
        }
    }

    /// What a call that has ended leaves is used for the next.
    fn give_back(&mut self, key: Option<String>, call: Call) {
        for text in [key, call.id, call.name, call.server, call.parent_id] {
            self.spare.give_back(text);
        }
        let spare = |input: &Vec<u8>| input.capacity() <= LONG_INPUT;
        let input = call.input.filter(|_| self.spare_inputs.len() < SPARE_INPUTS);
        if let Some(mut input) = input.filter(spare) {
            input.clear();
            self.spare_inputs.push(input);
        }
    }

    fn new_call(&mut self, packet: &Packet<'_>) -> Call {
        self.calls += 1;
        Call {
            parent_id: packet.parent_id.map(|id| self.spare.text(id)),
            order: self.calls,
            ..Call::default()
        }
    }
}

impl Call {
    /// Takes over what a line says about the call.
    fn learn(&mut self, told: &ToolCall<'_>, tools: &mut Tools) {
        let slots =
            [(&mut self.id, told.id), (&mut self.name, told.name), (&mut self.server, told.server)];
        for (slot, text) in slots {
            match (slot, text) {
                (Some(known), Some(text)) => text.clone_into(known),
                (slot @ None, Some(text)) => *slot = Some(tools.spare.text(text)),
                (_, None) => {}
            }
        }
        let spare = || tools.spare_inputs.pop().unwrap_or_default();
        let mut input = self.input.take().unwrap_or_else(spare);
        let known = !input.is_empty();
        if write_input(&mut input, &told.input) || known {
            self.input = Some(input);
        } else {
            tools.spare_inputs.push(input);
        }
    }
}

/// The input as one JSON value.
#[must_use]
pub fn input_json(input: &ToolInput<'_>) -> Option<Vec<u8>> {
    let mut json = Vec::new();
    write_input(&mut json, input).then_some(json)
}

fn is_json(text: &str) -> bool {
    Parser::default().parse(text.as_bytes(), |_| ()).is_ok()
}

/// Writes the input over what is there. False: there is none.
fn write_input(to: &mut Vec<u8>, input: &ToolInput<'_>) -> bool {
    match input {
        ToolInput::None => return false,
        ToolInput::Json(json) => {
            to.clear();
            to.extend_from_slice(json.bytes());
        }
        ToolInput::Encoded(json) => {
            to.clear();
            match json.as_str().filter(|held| is_json(held)) {
                // Line ends between the values of a JSON text are mere space.
                Some(held) => to.extend(held.bytes().map(|byte| byte.max(b' '))),
                None => to.extend_from_slice(json.bytes()),
            }
        }
        ToolInput::Members { names, values } => {
            to.clear();
            to.push(b'{');
            for (name, json) in names.iter().zip(values) {
                let Some(json) = json else { continue };
                let comma = if to.len() > 1 { "," } else { "" };
                for piece in [comma, "\"", name, "\":"] {
                    to.extend_from_slice(piece.as_bytes());
                }
                to.extend_from_slice(json.bytes());
            }
            to.push(b'}');
        }
    }
    true
}
