//! The final answer: the last message, and what the result repeats of it.

use super::assign::assign;
use crate::event::{Event, Message, Packet, Part, Scope};
use crate::json::{Memory, Text};

/// Follows the main thread to its last words.
#[derive(Debug, Default)]
pub struct Answer {
    message_id: Option<String>,
    /// The text blocks of the last message.
    text: String,
    blocks: usize,
    /// The text of the last message before it that had any.
    before: String,
    stop_reason: Option<String>,
    asks_user: bool,
    result: ResultText,
    memory: Memory,
}

/// What the last result says, and whether anything else was said.
#[derive(Debug, Default)]
pub struct ResultText {
    /// Whether there was an assistant message at all.
    spoke: bool,
    /// The text of the last result, if that succeeded.
    text: Option<String>,
}

impl ResultText {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                // Deltas are the words of a message, too.
                Event::Message(_)
                | Event::Text { .. }
                | Event::Partial { part: Part::Text { .. }, .. } => self.spoke = true,
                Event::Finished(finished) if finished.scope == Scope::Result => {
                    let text = finished.text.as_deref().filter(|_| !finished.failed);
                    self.text = text.map(str::to_owned);
                }
                _ => {}
            }
        }
    }

    /// What stands for the text of a stream that is a result only, as
    /// `--output-format json` prints it.
    #[must_use]
    pub fn instead_of_messages(&self) -> Option<&str> {
        self.text.as_deref().filter(|_| !self.spoke)
    }

    /// Whether there was an assistant message at all.
    #[must_use]
    pub fn spoke(&self) -> bool {
        self.spoke
    }
}

impl Answer {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        self.result.apply(packet);
        if packet.parent_id.is_some() {
            return;
        }
        for event in packet.events {
            match event {
                Event::Message(message) => self.message(message),
                Event::Text { message_id, text } => {
                    let continues =
                        message_id.is_some() && *message_id == self.message_id.as_deref();
                    if !continues && !packet.has_header() {
                        self.begin(*message_id);
                    }
                    self.block(text);
                }
                Event::ToolCall(call) => self.asks_user |= call.asks_user,
                _ => {}
            }
        }
    }

    /// The final answer: the successful result's text, else the last message
    /// that said something.
    #[must_use]
    pub fn last(&self) -> &str {
        match &self.result.text {
            Some(text) if !text.is_empty() => text,
            _ if self.text.is_empty() => &self.before,
            _ => &self.text,
        }
    }

    /// What stands for the text of a stream that is a result only.
    #[must_use]
    pub fn instead_of_messages(&self) -> Option<&str> {
        self.result.instead_of_messages()
    }

    /// Whether there was an assistant message at all.
    #[must_use]
    pub fn spoke(&self) -> bool {
        self.result.spoke()
    }

    /// The text of the last message, which may be none.
    pub(super) fn closing_words(&self) -> &str {
        &self.text
    }

    pub(super) fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    pub(super) fn asks_user(&self) -> bool {
        self.asks_user
    }

    fn message(&mut self, message: &Message<'_>) {
        if message.id.is_none() || message.id != self.message_id.as_deref() {
            self.begin(message.id);
        }
        if let Some(reason) = message.stop_reason {
            self.stop_reason = Some(reason.to_owned());
        }
    }

    fn begin(&mut self, id: Option<&str>) {
        if !self.text.is_empty() {
            std::mem::swap(&mut self.before, &mut self.text);
            self.text.clear();
        }
        self.blocks = 0;
        assign(&mut self.message_id, id);
        self.stop_reason = None;
        self.asks_user = false;
    }

    fn block(&mut self, text: &Text<'_>) {
        if self.blocks > 0 {
            self.text.push('\n');
        }
        self.blocks += 1;
        self.text.push_str(text.read(&mut self.memory));
    }
}
