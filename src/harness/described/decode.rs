//! Translates the lines of a described CLI into events.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::Description;
use super::events::{
    call, cost, error, finished, index, result, session, time, tokens, whole_text,
};
use super::lookup::Conditions;
use super::rules::{DeltaFields, Rule, UsageScope};
use crate::event::{Event, Message, MessagePart, Tokens};
use crate::harness::TextDelta;
use crate::harness::detector::Claim;
use crate::harness::envelope::{Envelope, Location};
use crate::json::Value;

impl Description {
    /// Returns how certain it is that the CLI printed an object.
    pub(in crate::harness) fn claim(&self, envelope: &Envelope<'_, '_>) -> Claim {
        let line = envelope.object;
        Claim::certain_if(match &self.recognise {
            Some(conditions) => conditions.hold(line),
            None => self.rules.any(|when| !when.is_empty() && when.hold(line)),
        })
    }

    /// Appends the events of an object. Their order does not depend on that of the rules.
    pub(in crate::harness) fn decode<'a>(
        &self,
        envelope: &Envelope<'_, 'a>,
        events: &mut Vec<Event<'a>>,
    ) -> Location<'a> {
        let line = envelope.object;
        let mut total = None;
        self.header(line, &mut total, events);
        for rule in &self.rules.session {
            rule.apply(line, |fields, value| events.push(session(fields, value)));
        }
        for rule in &self.rules.prompt {
            rule.apply(line, |fields, value| {
                let text = fields.text.find(value, Value::as_text);
                events.extend(text.map(|text| Event::Prompt {
                    text,
                    replay: true,
                    synthetic: false,
                }));
            });
        }
        self.reasoning(line, events);
        self.text(line, events);
        for rule in &self.rules.tool_call {
            rule.apply(line, |fields, value| events.push(Event::ToolCall(call(fields, value))));
        }
        for rule in &self.rules.tool_result {
            rule.apply(line, |fields, value| events.push(Event::ToolResult(result(fields, value))));
        }
        for rule in &self.rules.error {
            rule.apply(line, |fields, value| {
                let (message, error) = error(fields, value);
                events.push(Event::Error { message, error });
            });
        }
        let before = events.len();
        for rule in &self.rules.end {
            rule.apply(line, |fields, value| events.push(finished(fields, value, total)));
        }
        if events.len() == before {
            events.extend(total.map(|total| Event::Usage { total, last: None }));
        }
        Location {
            session_id: self.session.str(line),
            parent_id: self.parent.str(line),
            on_disk: false,
            time: self.time.find(line, time),
        }
    }

    /// Appends the header of a message, which counts a request, and returns the total.
    fn header<'a>(
        &self,
        line: Value<'_, 'a>,
        total: &mut Option<Tokens>,
        events: &mut Vec<Event<'a>>,
    ) {
        let mut message = Message::default();
        for rule in self.rules.text.iter().filter(|rule| rule.when.hold(line)) {
            message.id = message.id.or_else(|| rule.fields.message.str(line));
            message.model = message.model.or_else(|| rule.fields.model.str(line));
        }
        let first = events.len();
        for rule in &self.rules.usage {
            rule.apply(line, |fields, value| match fields.scope {
                UsageScope::Total => *total = tokens(fields, value).or(*total),
                UsageScope::Request => {
                    let usage = tokens(fields, value);
                    let cost_usd = cost(&fields.cost, value);
                    if usage.is_some() || cost_usd.is_some() {
                        events.push(Event::Message(Message {
                            id: fields.id.str(value).or(message.id),
                            model: fields.model.str(value).or(message.model),
                            usage: Some(usage.unwrap_or_default()),
                            cost_usd,
                            ..Message::default()
                        }));
                    }
                }
            });
        }
        if events.len() == first && (message.id.is_some() || message.model.is_some()) {
            events.push(Event::Message(message));
        }
    }

    fn text<'a>(&self, line: Value<'_, 'a>, events: &mut Vec<Event<'a>>) {
        let first = events.len();
        for rule in &self.rules.text {
            rule.apply(line, |fields, value| {
                let message_id = fields.message.str(line);
                let text = whole_text(fields, value);
                events.extend(text.map(|text| Event::Text { message_id, text, is_part: false }));
            });
        }
        // Deltas without a position would continue the text that is complete.
        let is_ambiguous =
            |rule: &Rule<DeltaFields>| rule.fields.is_repeated && rule.fields.index.is_empty();
        if events.len() > first && self.rules.delta.iter().any(is_ambiguous) {
            let part = MessagePart::MessageStop { abandoned: false };
            events.push(Event::Partial { message_id: None, part });
        }
        for rule in &self.rules.delta {
            rule.apply(line, |fields, value| {
                let message_id = fields.message.str(line);
                if fields.is_repeated {
                    let index = index(fields, value);
                    events.extend(fields.text.str(value).map(|text| Event::Partial {
                        message_id,
                        part: MessagePart::Text { index, text },
                    }));
                } else {
                    let text = fields.text.find(value, Value::as_text);
                    events.extend(text.map(|text| Event::Text { message_id, text, is_part: true }));
                }
            });
        }
    }

    fn reasoning<'a>(&self, line: Value<'_, 'a>, events: &mut Vec<Event<'a>>) {
        for rule in &self.rules.reasoning {
            rule.apply(line, |fields, value| {
                events.extend(whole_text(fields, value).map(|text| Event::Reasoning { text }));
            });
        }
        for rule in &self.rules.reasoning_delta {
            rule.apply(line, |fields, value| {
                if fields.is_repeated {
                    let message_id = fields.message.str(line);
                    let index = index(fields, value);
                    events.extend(fields.text.str(value).map(|text| Event::Partial {
                        message_id,
                        part: MessagePart::Reasoning { index, text },
                    }));
                } else {
                    let text = fields.text.find(value, Value::as_text);
                    events.extend(text.map(|text| Event::ReasoningPart { text }));
                }
            });
        }
    }

    /// Returns what a line adds to the texts that are being written. A text ends with a
    /// line of the same thread that is no part of it.
    pub(in crate::harness) fn text_delta<'a>(&self, line: Value<'_, 'a>) -> TextDelta<'a> {
        let is_own = |conditions: &Conditions| conditions.hold(line);
        if !self.recognise.as_ref().is_none_or(is_own) {
            return TextDelta::None;
        }
        let thread = || Cow::Borrowed(self.parent.str(line).unwrap_or_default());
        let kinds = [(&self.rules.delta, false), (&self.rules.reasoning_delta, true)];
        for (rules, is_reasoning) in kinds {
            for rule in rules.iter().filter(|rule| rule.when.hold(line)) {
                if let Some((part, place)) = part_of(rule, line) {
                    let index = hash((is_reasoning, place));
                    return TextDelta::append(thread(), index, Some(part));
                }
            }
        }
        if self.rules.end.iter().any(|rule| rule.when.hold(line)) {
            return TextDelta::EndAll;
        }
        let ends_text = self.rules.text.iter().map(|rule| &rule.when);
        let ends_text = ends_text
            .chain(self.rules.prompt.iter().map(|rule| &rule.when))
            .chain(self.rules.reasoning.iter().map(|rule| &rule.when))
            .chain(self.rules.tool_call.iter().map(|rule| &rule.when))
            .chain(self.rules.tool_result.iter().map(|rule| &rule.when));
        if ends_text.filter(|when| !when.is_empty()).any(|when| when.hold(line)) {
            return TextDelta::EndThread(thread());
        }
        TextDelta::None
    }
}

/// Returns the part of a text in a line, and a value that identifies the text. Of several
/// parts in one line the first.
fn part_of<'t, 'a>(
    rule: &Rule<DeltaFields>,
    line: Value<'t, 'a>,
) -> Option<(Value<'t, 'a>, impl Hash + use<'a>)> {
    let fields = &rule.fields;
    let message = fields.message.str(line);
    let find = |value: Value<'t, 'a>| {
        let part = fields.text.find(value, |text| text.is_string().then_some(text))?;
        let index = fields.index.find(value, |index| Some((index.as_str(), index.as_i64())));
        Some((part, (message, index)))
    };
    match &rule.each {
        None => find(line),
        Some(each) => {
            let mut elements = each.get(line)?.elements();
            elements.find_map(|element| find(element).filter(|_| rule.filter.hold(element)))
        }
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
