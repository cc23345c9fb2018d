//! One record per message; a line that repeats a message adds nothing.
//!
//! The lines of a message stand close together, so only the messages seen
//! last can still change. Older ones are summed up and forgotten: memory is
//! bounded however long a stream goes on without a result.

use std::collections::{HashMap, VecDeque};

use super::Shares;
use crate::event::{Event, Message, Part, Tokens};

/// How many messages are remembered one by one.
const REMEMBERED: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Messages {
    recent: HashMap<String, Record>,
    order: VecDeque<String>,
    settled: Shares,
    /// The message each thread is writing.
    writing: HashMap<Option<String>, String>,
}

#[derive(Debug, Default)]
struct Record {
    model: String,
    tokens: Tokens,
}

impl Messages {
    pub(super) fn apply(&mut self, thread: Option<&str>, event: &Event<'_>) {
        match event {
            Event::Message(message) => self.seen(message),
            Event::Partial { message_id, part } => match part {
                Part::MessageStart(message) => {
                    let thread = thread.map(str::to_owned);
                    let id = message.id.map(str::to_owned);
                    self.writing.extend(id.map(|id| (thread, id)));
                    self.seen(message);
                }
                Part::MessageDelta(message) => {
                    let writing = self.writing.get(&thread.map(str::to_owned)).cloned();
                    let id = message_id.map(str::to_owned).or(writing);
                    self.seen(&Message { id: id.as_deref(), ..*message });
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// What has been seen; none if there was no message at all.
    pub(super) fn shares(&self) -> Option<Shares> {
        let mut shares = self.settled.clone();
        for record in self.order.iter().filter_map(|id| self.recent.get(id)) {
            shares.add(&record.model, &record.tokens, None);
        }
        (!shares.is_empty()).then_some(shares)
    }

    fn seen(&mut self, message: &Message<'_>) {
        let Some(usage) = message.usage.filter(|_| !message.synthetic) else {
            return;
        };
        let model = message.model.unwrap_or_default();
        // Messages without an id cannot be told apart: each counts.
        let Some(id) = message.id else {
            return self.settled.add(model, &usage, None);
        };
        if !self.recent.contains_key(id) {
            self.recent.insert(id.to_owned(), Record::default());
            self.order.push_back(id.to_owned());
        }
        if let Some(record) = self.recent.get_mut(id) {
            if !model.is_empty() {
                model.clone_into(&mut record.model);
            }
            record.tokens.keep_largest(&usage);
        }
        if self.order.len() > REMEMBERED {
            let oldest = self.order.pop_front().and_then(|id| self.recent.remove(&id));
            if let Some(oldest) = oldest {
                self.settled.add(&oldest.model, &oldest.tokens, None);
            }
        }
    }
}
