//! The final answer.

use super::held_text::is_summary;
use super::snapshot::{BlockText, MessageBlocks};
use super::string_pool::assign;
use crate::event::{Event, Message, MessagePart, Scope};
use crate::harness::Record;
use crate::json::{Scratch, Text};

/// Follows the main thread to its last message.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    message_id: Option<String>,
    /// The text blocks of the last message.
    text: String,
    blocks: usize,
    /// The text of the last message before it that has any.
    previous: String,
    stop_reason: Option<String>,
    asks_user: bool,
    result: ResultText,
    message_blocks: MessageBlocks,
    scratch: Scratch,
}

/// The text of the last result, and whether there was an assistant message.
#[derive(Debug, Default)]
pub(crate) struct ResultText {
    has_message: bool,
    /// The text of the last result, if it succeeded.
    text: Option<String>,
    /// The error that the last result has in place of an answer.
    error: Option<String>,
    /// Whether `text` contains all messages.
    has_all_text: bool,
}

impl ResultText {
    pub fn apply(&mut self, record: &Record<'_>) {
        for event in record.events {
            match event {
                Event::Message(_)
                | Event::Text { .. }
                | Event::Partial { part: MessagePart::Text { .. }, .. } => self.has_message = true,
                Event::Finished(finished) if finished.scope == Scope::Result => {
                    let text = finished.text.as_deref();
                    let is_error = finished.failed && finished.has_answer;
                    self.text = text.filter(|_| !finished.failed).map(str::to_owned);
                    self.error = text.filter(|_| is_error).map(str::to_owned);
                    self.has_all_text = finished.has_all_text;
                }
                _ => {}
            }
        }
    }

    /// Returns the text of a stream that is a result only, as `--output-format json`
    /// prints it.
    pub fn without_messages(&self) -> Option<&str> {
        self.text.as_deref().filter(|_| !self.has_message)
    }

    /// Returns the error in place of an answer of a stream that is a result only. In a
    /// stream with messages it is the last of them.
    pub fn error_without_messages(&self) -> Option<&str> {
        self.error.as_deref().filter(|_| !self.has_message)
    }

    /// Returns the text of the last message by the result, if that has it.
    fn last_message(&self) -> Option<&str> {
        let is_last = !self.has_all_text || !self.has_message;
        self.text.as_deref().filter(|text| is_last && !text.is_empty())
    }

    /// Returns whether there was an assistant message.
    pub fn has_message(&self) -> bool {
        self.has_message
    }
}

impl Answer {
    pub fn apply(&mut self, record: &Record<'_>) {
        self.result.apply(record);
        if record.parent_id.is_some() {
            return;
        }
        self.message_blocks.start_line(record);
        for event in record.events {
            match event {
                Event::Message(message) => self.message(message),
                Event::Text { text, is_part: true, .. } => self.append_part(text),
                Event::Text { message_id, text, .. } => {
                    let continues =
                        message_id.is_some() && *message_id == self.message_id.as_deref();
                    if !continues && !record.has_header() {
                        self.start_message(*message_id);
                    }
                    self.append(*message_id, text);
                }
                Event::ToolCall(call) => self.asks_user |= call.asks_user,
                Event::Compacted { summary: Some(summary), .. }
                    if is_summary(&self.text, summary) =>
                {
                    self.text = std::mem::take(&mut self.previous);
                    self.message_id = None;
                }
                _ => {}
            }
        }
    }

    /// Returns the text of the successful result, or of the last message that has
    /// any.
    pub fn last(&self) -> &str {
        match self.result.last_message() {
            Some(text) => text,
            None if self.text.is_empty() => &self.previous,
            None => &self.text,
        }
    }

    /// Returns the text of a stream that is a result only.
    pub fn without_messages(&self) -> Option<&str> {
        self.result.without_messages()
    }

    /// Returns the error in place of an answer of a stream that is a result only.
    pub fn error_without_messages(&self) -> Option<&str> {
        self.result.error_without_messages()
    }

    /// Returns whether there was an assistant message.
    pub fn has_message(&self) -> bool {
        self.result.has_message()
    }

    /// Returns the text of the last message, which may be empty.
    pub(crate) fn last_message(&self) -> &str {
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
            self.start_message(message.id);
        }
        if let Some(reason) = message.stop_reason {
            self.stop_reason = Some(reason.to_owned());
        }
    }

    fn start_message(&mut self, id: Option<&str>) {
        if !self.text.is_empty() {
            std::mem::swap(&mut self.previous, &mut self.text);
            self.text.clear();
        }
        self.blocks = 0;
        assign(&mut self.message_id, id);
        self.stop_reason = None;
        self.asks_user = false;
    }

    fn append_part(&mut self, text: &Text<'_>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        match self.message_blocks.add_part(None, text.read(&mut scratch)) {
            BlockText::New(text) => {
                self.start_message(None);
                self.blocks = 1;
                self.text.push_str(text);
            }
            BlockText::Rest(rest) => self.text.push_str(rest),
            BlockText::Repeated => {}
        }
        self.scratch = scratch;
    }

    fn append(&mut self, message_id: Option<&str>, text: &Text<'_>) {
        let text = text.read(&mut self.scratch);
        match self.message_blocks.add(None, message_id, text) {
            BlockText::New(text) => {
                if self.blocks > 0 {
                    self.text.push('\n');
                }
                self.blocks += 1;
                self.text.push_str(text);
            }
            BlockText::Rest(rest) => self.text.push_str(rest),
            BlockText::Repeated => {}
        }
    }
}
