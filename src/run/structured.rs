//! The document that a run was asked for.
//!
//! It is the structured output of the last result that has one, or, for a CLI that
//! answers with the document, the last message. In a session file it is the input
//! of the tool that delivers it.

use super::tools::input_json;
use crate::event::{Event, Finished, Scope, ToolResult, ToolStatus};
use crate::harness::Record;
use crate::json::{Parser, Scratch, Text};

/// Follows a run to its document.
#[derive(Debug, Default)]
pub(crate) struct StructuredOutput {
    /// The structured output of the last result that has one.
    output: Option<Vec<u8>>,
    /// The last message, if it can be the document.
    message: Option<String>,
    /// A document in a session file that has not been accepted, and its call.
    offered: Option<(String, Vec<u8>)>,
    has_records: bool,
    end: Option<EndKind>,
    scratch: Scratch,
}

/// How the last result or turn ended.
#[derive(Debug)]
enum EndKind {
    Failed(Option<String>),
    Turn,
    Result { text_length: usize },
}

impl StructuredOutput {
    pub fn apply(&mut self, record: &Record<'_>) {
        self.has_records = true;
        for event in record.events {
            match event {
                Event::Text { text, .. }
                    if record.harness.rules().answers_with_document
                        && record.parent_id.is_none() =>
                {
                    let message = self.message.get_or_insert_default();
                    message.clear();
                    text.append_to(message, &mut self.scratch);
                }
                Event::ToolCall(call) if record.on_disk && call.gives_document => {
                    let id = call.id.unwrap_or_default().to_owned();
                    self.offered = input_json(&call.input).map(|document| (id, document));
                }
                Event::ToolResult(result) if record.on_disk => self.tool_result(result),
                Event::Error { .. } => self.end = Some(EndKind::Failed(None)),
                Event::Finished(finished) => self.finished(finished),
                _ => {}
            }
        }
    }

    fn tool_result(&mut self, result: &ToolResult<'_>) {
        let is_offered = |(id, _): &mut (String, Vec<u8>)| result.call.id == Some(id);
        if let Some((_, document)) = self.offered.take_if(is_offered)
            && result.status == ToolStatus::Completed
        {
            self.output = Some(document);
        }
    }

    /// Sets the last message from a file, unless the stream has one.
    pub fn set_last_message(&mut self, message: &str) {
        self.message.get_or_insert_with(|| message.to_owned());
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        if let Some(json) = finished.structured_output {
            self.output = Some(json.bytes().to_vec());
        }
        let subtype = finished.subtype.filter(|subtype| *subtype != "success");
        self.end = Some(match finished.scope {
            _ if finished.failed => EndKind::Failed(subtype.map(str::to_owned)),
            Scope::Turn | Scope::Request => EndKind::Turn,
            Scope::Result => {
                EndKind::Result { text_length: finished.text.as_ref().map_or(0, Text::len) }
            }
        });
    }

    /// Returns the structured output of a result.
    pub fn output(&self) -> Option<&[u8]> {
        self.output.as_deref()
    }

    /// Returns the document.
    pub fn document(&self) -> Option<&[u8]> {
        self.output().or_else(|| self.last_message())
    }

    /// Returns the last message if it can be the document and is JSON.
    pub fn last_message(&self) -> Option<&[u8]> {
        let message = self.message.as_ref()?.trim();
        let message = message.strip_prefix('\u{feff}').unwrap_or(message);
        let is_json = Parser::default().parse(message.as_bytes(), |_| ()).is_ok();
        // Null is not a document, as in a result.
        (is_json && message != "null").then_some(message.as_bytes())
    }

    /// Describes what the run has in place of a document.
    pub fn describe_missing(&self) -> String {
        match &self.end {
            None if !self.has_records => "the stream has no events".to_owned(),
            None => "the stream ends before its result".to_owned(),
            Some(EndKind::Failed(Some(subtype))) => format!("the run failed: {subtype}"),
            Some(EndKind::Failed(None)) => "the run failed".to_owned(),
            Some(_) if self.message.is_some() => "the last message is not JSON".to_owned(),
            Some(EndKind::Turn) => "there is no message".to_owned(),
            Some(EndKind::Result { text_length: 0 }) => "the result has no text either".to_owned(),
            Some(EndKind::Result { text_length }) => {
                format!("the result is a text of {text_length} bytes")
            }
        }
    }
}
