//! Counts each message once, however often a line repeats it.
//!
//! The lines of a message are close together, so only recent messages can still
//! change. Older ones are added up and forgotten, which bounds the memory of a
//! stream without a result.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::ModelShares;
use crate::event::{Event, Message, MessagePart, Tokens};

/// Longer ids are shortened to a prefix and a hash.
const MAX_ID: usize = 128;

/// Messages that can still change.
const MAX_RECENT: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Messages {
    recent: HashMap<String, MessageUsage>,
    /// Ids of the recent messages, oldest first.
    order: VecDeque<String>,
    /// The last message and its tokens.
    last: Option<(String, Tokens)>,
    /// Messages that are not recent any more.
    settled: ModelShares,
    /// The message that each thread is writing.
    current: HashMap<Option<String>, String>,
}

#[derive(Debug, Default)]
struct MessageUsage {
    model: String,
    tokens: Tokens,
    cost_usd: Option<f64>,
}

/// Returns an id of bounded length.
fn short_id(id: &str) -> Cow<'_, str> {
    if id.len() <= MAX_ID {
        return Cow::Borrowed(id);
    }
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    let prefix = &id[..id.floor_char_boundary(MAX_ID / 2)];
    Cow::Owned(format!("{prefix}\u{2026}{:016x}", hasher.finish()))
}

impl Messages {
    pub(super) fn apply(&mut self, thread: Option<&str>, event: &Event<'_>) {
        match event {
            Event::Message(message) => self.count(message),
            Event::Partial { part: MessagePart::MessageStart(message), .. } => {
                if let Some(id) = message.id {
                    if self.current.len() >= MAX_RECENT {
                        self.current.clear();
                    }
                    let thread = thread.map(|thread| short_id(thread).into_owned());
                    short_id(id).as_ref().clone_into(self.current.entry(thread).or_default());
                }
                self.count(message);
            }
            Event::Partial { message_id, part: MessagePart::MessageDelta(message) } => {
                let thread = thread.map(|thread| short_id(thread).into_owned());
                let current = self.current.get(&thread).cloned();
                let id = message_id.map(str::to_owned).or(current);
                self.count(&Message { id: id.as_deref(), ..*message });
            }
            _ => {}
        }
    }

    /// Returns the usage per model; `None` without any message.
    pub(super) fn shares(&self) -> Option<ModelShares> {
        let mut shares = self.settled.clone();
        for usage in self.order.iter().filter_map(|id| self.recent.get(id)) {
            shares.add(&usage.model, &usage.tokens, usage.cost_usd);
        }
        (!shares.is_empty()).then_some(shares)
    }

    fn count(&mut self, message: &Message<'_>) {
        if message.synthetic || message.usage.is_none() && message.cost_usd.is_none() {
            return;
        }
        let tokens = message.usage.unwrap_or_default();
        let model = message.model.unwrap_or_default();
        // Messages without an id cannot be distinguished: each counts.
        let Some(id) = message.id.map(short_id) else {
            return self.settled.add(model, &tokens, message.cost_usd);
        };
        let id = &*id;
        // Most lines repeat the line before them.
        let is_repeated = |last: &(String, Tokens)| last.0 == id && last.1 == tokens;
        if message.cost_usd.is_none() && self.last.as_ref().is_some_and(is_repeated) {
            return;
        }
        let (last_id, last_tokens) = self.last.get_or_insert_default();
        id.clone_into(last_id);
        *last_tokens = tokens;
        if !self.recent.contains_key(id) {
            let (memory, usage) = self.settle_oldest();
            let [key, ordered] = memory.map(|mut text| {
                id.clone_into(&mut text);
                text
            });
            self.recent.insert(key, usage);
            self.order.push_back(ordered);
        }
        if let Some(usage) = self.recent.get_mut(id) {
            if !model.is_empty() {
                model.clone_into(&mut usage.model);
            }
            usage.tokens.keep_largest(&tokens);
            usage.cost_usd = message.cost_usd.or(usage.cost_usd);
        }
    }

    /// Settles the oldest message if there are too many, and returns its memory.
    fn settle_oldest(&mut self) -> ([String; 2], MessageUsage) {
        let is_full = self.order.len() >= MAX_RECENT;
        let Some(oldest) = (if is_full { self.order.pop_front() } else { None }) else {
            return Default::default();
        };
        let (key, mut usage) = self.recent.remove_entry(&oldest).unwrap_or_default();
        self.settled.add(&usage.model, &usage.tokens, usage.cost_usd);
        usage.model.clear();
        usage.tokens = Tokens::default();
        usage.cost_usd = None;
        ([key, oldest], usage)
    }
}
