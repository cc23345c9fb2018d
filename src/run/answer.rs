//! The final answer.

use super::held_text::is_summary;
use super::joined_blocks::JoinedBlocks;
use super::snapshot::MessageBlocks;
use super::string_pool::assign;
use crate::event::{Event, Finished, Message, MessagePart, Scope};
use crate::harness::Record;
use crate::json::{Scratch, Text};

/// Follows the main thread to its last message.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    message_id: Option<String>,
    /// The text blocks of the last message.
    text: JoinedBlocks,
    /// The text of the last message before it that has any.
    previous: String,
    stop_reason: Option<String>,
    asks_user: bool,
    /// Whether there was an assistant message, of a subagent, too.
    has_message: bool,
    result: ResultAnswer,
    /// Whether the result contains all messages.
    has_all_text: bool,
    /// The error that the last result has in place of an answer.
    error: Option<String>,
    message_blocks: MessageBlocks,
    scratch: Scratch,
}

/// Where the text of the last result is, if it succeeded. Most results repeat the last
/// message, which may be long.
#[derive(Debug, Default)]
enum ResultAnswer {
    #[default]
    None,
    /// It is that of the last message.
    Last,
    /// It is that of the message before.
    Previous,
    Own(String),
}

impl Answer {
    pub fn apply(&mut self, record: &Record<'_>) {
        self.has_message |= has_message(record);
        let is_main = record.parent_id.is_none();
        if is_main {
            self.message_blocks.start_line(record);
        }
        for event in record.events {
            match event {
                Event::Finished(finished) if finished.scope == Scope::Result => {
                    self.finished(finished);
                }
                _ if !is_main => {}
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
                    if is_summary(self.text.as_str(), summary) =>
                {
                    self.remove_last_message();
                }
                _ => {}
            }
        }
    }

    /// Returns the text of the successful result, or of the last message that has
    /// any.
    pub fn last(&self) -> &str {
        let is_last = !self.has_all_text || !self.has_message;
        let result = self.result_text().filter(|text| is_last && !text.is_empty());
        result.unwrap_or_else(|| match self.last_message() {
            "" => &self.previous,
            text => text,
        })
    }

    /// Returns the text of a stream that is a result only, as `--output-format json`
    /// prints it.
    pub fn without_messages(&self) -> Option<&str> {
        self.result_text().filter(|_| !self.has_message)
    }

    /// Returns the error in place of an answer of a stream that is a result only. In a
    /// stream with messages it is the last of them.
    pub fn error_without_messages(&self) -> Option<&str> {
        self.error.as_deref().filter(|_| !self.has_message)
    }

    /// Returns whether there was an assistant message.
    pub fn has_message(&self) -> bool {
        self.has_message
    }

    /// Returns the text of the last message, which may be empty.
    pub(crate) fn last_message(&self) -> &str {
        self.text.as_str()
    }

    pub(super) fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    pub(super) fn asks_user(&self) -> bool {
        self.asks_user
    }

    fn result_text(&self) -> Option<&str> {
        match &self.result {
            ResultAnswer::None => None,
            ResultAnswer::Last => Some(self.last_message()),
            ResultAnswer::Previous => Some(&self.previous),
            ResultAnswer::Own(text) => Some(text),
        }
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        let text = finished.text.as_ref();
        let answer = text.filter(|_| !finished.failed);
        self.result = match answer {
            None => ResultAnswer::None,
            Some(text) if text.is(self.last_message()) => ResultAnswer::Last,
            Some(text) => ResultAnswer::Own(text.to_unescaped()),
        };
        let error = text.filter(|_| finished.failed && finished.has_answer && !self.has_message);
        self.error = error.map(Text::to_unescaped);
        self.has_all_text = finished.has_all_text;
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
        if !self.last_message().is_empty() {
            let mut before = std::mem::take(&mut self.previous);
            match self.result {
                ResultAnswer::Previous => {
                    self.result = ResultAnswer::Own(std::mem::take(&mut before));
                }
                ResultAnswer::Last => self.result = ResultAnswer::Previous,
                ResultAnswer::None | ResultAnswer::Own(_) => {}
            }
            self.previous = self.text.replace(before);
        }
        self.text.clear();
        assign(&mut self.message_id, id);
        self.stop_reason = None;
        self.asks_user = false;
    }

    /// Removes the last message, which is the summary of a compaction.
    fn remove_last_message(&mut self) {
        let summary = self.text.replace(std::mem::take(&mut self.previous));
        match self.result {
            ResultAnswer::Last => self.result = ResultAnswer::Own(summary),
            ResultAnswer::Previous => self.result = ResultAnswer::Last,
            ResultAnswer::None | ResultAnswer::Own(_) => {}
        }
        self.message_id = None;
    }

    fn append_part(&mut self, text: &Text<'_>) {
        let is_new = self.message_blocks.starts_block(None);
        if is_new {
            self.start_message(None);
        }
        self.keep_result();
        self.text.push_part(text, &mut self.scratch, is_new);
    }

    fn append(&mut self, message_id: Option<&str>, text: &Text<'_>) {
        self.keep_result();
        let Self { text: blocks, message_blocks, scratch, .. } = self;
        blocks.push(text, scratch, |text| message_blocks.add(None, message_id, text));
    }

    /// Copies the result if it is the text that changes now.
    fn keep_result(&mut self) {
        if matches!(self.result, ResultAnswer::Last) {
            self.result = ResultAnswer::Own(self.last_message().to_owned());
        }
    }
}

/// The text of the last result, for a stream that is a result only.
#[derive(Debug, Default)]
pub(crate) struct ResultText {
    has_message: bool,
    /// The text, if it succeeded.
    text: Option<String>,
    /// The error that it has in place of an answer.
    error: Option<String>,
}

impl ResultText {
    pub fn apply(&mut self, record: &Record<'_>) {
        if self.has_message {
            return;
        }
        if has_message(record) {
            *self = Self { has_message: true, ..Self::default() };
            return;
        }
        for event in record.events {
            if let Event::Finished(finished) = event
                && finished.scope == Scope::Result
            {
                let text = finished.text.as_ref();
                let is_error = finished.failed && finished.has_answer;
                self.text = text.filter(|_| !finished.failed).map(Text::to_unescaped);
                self.error = text.filter(|_| is_error).map(Text::to_unescaped);
            }
        }
    }

    /// Returns the text of a stream that is a result only, as `--output-format json`
    /// prints it.
    pub fn without_messages(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the error in place of an answer of a stream that is a result only.
    pub fn error_without_messages(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Returns whether there was an assistant message.
    pub fn has_message(&self) -> bool {
        self.has_message
    }
}

/// Returns whether a record belongs to an assistant message.
fn has_message(record: &Record<'_>) -> bool {
    record.events.iter().any(|event| {
        matches!(
            event,
            Event::Message(_)
                | Event::Text { .. }
                | Event::Partial { part: MessagePart::Text { .. }, .. }
        )
    })
}
