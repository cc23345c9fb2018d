//! Tool calls and their results, paired by id: across parallel calls, across
//! subagents, in whatever order they come.

use std::collections::HashMap;

use crate::event::{Event, Packet, Status, ToolCall, ToolInput, ToolResult};
use crate::harness::Harness;

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
}

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
                    let known = result.call.id.and_then(|id| self.open.remove(id));
                    let mut call = known.map_or_else(|| self.new_call(packet), |(_, call)| call);
                    call.learn(&result.call);
                    ended(&ToolRecord {
                        harness: packet.harness,
                        status: if call.denied { Status::Denied } else { result.status },
                        call: &call,
                        result: Some(result),
                    })?;
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
        let known = call.id.and_then(|id| self.open.get_mut(id));
        if let Some((_, known)) = known {
            return known.learn(call);
        }
        let mut new = self.new_call(packet);
        new.learn(call);
        match call.id {
            Some(id) => {
                self.open.insert(id.to_owned(), (packet.harness, new));
            }
            None => self.nameless.push((packet.harness, new)),
        }
    }

    fn new_call(&mut self, packet: &Packet<'_>) -> Call {
        self.calls += 1;
        Call {
            parent_id: packet.parent_id.map(str::to_owned),
            order: self.calls,
            ..Call::default()
        }
    }
}

impl Call {
    /// Takes over what a line says about the call.
    fn learn(&mut self, told: &ToolCall<'_>) {
        let owned = |text: &str| text.to_owned();
        self.id = told.id.map(owned).or(self.id.take());
        self.name = told.name.map(owned).or(self.name.take());
        self.server = told.server.map(owned).or(self.server.take());
        self.input = input_json(&told.input).or(self.input.take());
    }
}

/// The input as one JSON value.
#[must_use]
pub fn input_json(input: &ToolInput<'_>) -> Option<Vec<u8>> {
    match input {
        ToolInput::None => None,
        ToolInput::Json(json) => Some(json.bytes().to_vec()),
        ToolInput::Members(members) => {
            let mut object = vec![b'{'];
            for (name, json) in members.iter().flatten() {
                if object.len() > 1 {
                    object.push(b',');
                }
                object.extend_from_slice(format!("\"{name}\":").as_bytes());
                object.extend_from_slice(json.bytes());
            }
            object.push(b'}');
            Some(object)
        }
    }
}
