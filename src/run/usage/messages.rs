//! One record per message; a line that repeats a message adds nothing.
//!
//! The lines of a message stand close together, so only the messages seen
//! last can still change. Older ones are summed up and forgotten: memory is
//! bounded however long a stream goes on without a result.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Shares;
use crate::event::{Event, Message, Part, Tokens};

/// Longer ids are remembered by what they begin with, and their hash.
const LONG: usize = 128;

/// How many messages are remembered one by one.
const REMEMBERED: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Messages {
    recent: HashMap<String, Record>,
    order: VecDeque<String>,
    /// The last one, and its tokens.
    last: Option<(String, Tokens)>,
    settled: Shares,
    /// The message each thread is writing.
    writing: HashMap<Option<String>, String>,
}

#[derive(Debug, Default)]
struct Record {
    model: String,
    tokens: Tokens,
}

/// What stands for an id.
fn key(id: &str) -> Cow<'_, str> {
    if id.len() <= LONG {
        return Cow::Borrowed(id);
    }
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let beginning = &id[..id.floor_char_boundary(LONG / 2)];
    Cow::Owned(format!("{beginning}\u{2026}{:016x}", hasher.finish()))
}

impl Messages {
    pub(super) fn apply(&mut self, thread: Option<&str>, event: &Event<'_>) {
        match event {
            Event::Message(message) => self.seen(message),
            Event::Partial { message_id, part } => match part {
                Part::MessageStart(message) => {
                    if let Some(id) = message.id {
                        // Nobody hears so many at once.
                        if self.writing.len() >= REMEMBERED {
                            self.writing.clear();
                        }
                        let thread = thread.map(|thread| key(thread).into_owned());
                        key(id).as_ref().clone_into(self.writing.entry(thread).or_default());
                    }
                    self.seen(message);
                }
                Part::MessageDelta(message) => {
                    let thread = thread.map(|thread| key(thread).into_owned());
                    let writing = self.writing.get(&thread).cloned();
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
        let Some(id) = message.id.map(key) else {
            return self.settled.add(model, &usage, None);
        };
        let id = &*id;
        // Mostly a line repeats what the one before it has said.
        let repeats =
            self.last.as_ref().is_some_and(|(last, tokens)| last == id && *tokens == usage);
        if repeats {
            return;
        }
        let (last, tokens) = self.last.get_or_insert_default();
        id.clone_into(last);
        *tokens = usage;
        if !self.recent.contains_key(id) {
            let (key, record) = self.forget_oldest();
            let [key, listed] = key.map(|mut text| {
                id.clone_into(&mut text);
                text
            });
            self.recent.insert(key, record);
            self.order.push_back(listed);
        }
        if let Some(record) = self.recent.get_mut(id) {
            if !model.is_empty() {
                model.clone_into(&mut record.model);
            }
            record.tokens.keep_largest(&usage);
        }
    }

    /// Sums up the oldest message if there are too many; its memory, or some.
    fn forget_oldest(&mut self) -> ([String; 2], Record) {
        let is_full = self.order.len() >= REMEMBERED;
        let oldest = if is_full { self.order.pop_front() } else { None };
        let known = oldest.as_ref().and_then(|id| self.recent.remove_entry(id));
        let (key, mut record) = known.unwrap_or_default();
        if let Some(oldest) = oldest {
            self.settled.add(&record.model, &record.tokens, None);
            record.model.clear();
            record.tokens = Tokens::default();
            return ([key, oldest], record);
        }
        Default::default()
    }
}
