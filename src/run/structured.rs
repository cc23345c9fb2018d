//! The document a run was asked for: the structured output of its last result
//! that has one; for a CLI whose last message is the document, that message.
//! On disk, where no result is, it is what the tool for it was given and took.

use super::tools::input_json;
use crate::event::{Event, Finished, Packet, Scope, Status, ToolResult};
use crate::json::{Memory, Parser};

/// Follows a run to its document.
#[derive(Debug, Default)]
pub struct Structured {
    /// The structured output of the last result that had one.
    told: Option<Vec<u8>>,
    /// The last message, where it can be the document.
    message: Option<String>,
    /// A document on disk that has not been taken yet, and the call with it.
    offered: Option<(String, Vec<u8>)>,
    seen: bool,
    end: Option<End>,
    memory: Memory,
}

/// How the last result, or turn, ended.
#[derive(Debug)]
enum End {
    Failed(Option<String>),
    Turn,
    Result { text: usize },
}

impl Structured {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        self.seen = true;
        for event in packet.events {
            match event {
                Event::Text { text, .. }
                    if packet.harness.rules().answers_with_document
                        && packet.parent_id.is_none() =>
                {
                    let message = self.message.get_or_insert_default();
                    message.clear();
                    message.push_str(text.read(&mut self.memory));
                }
                Event::ToolCall(call) if packet.on_disk && call.gives_document => {
                    let id = call.id.unwrap_or_default().to_owned();
                    self.offered = input_json(&call.input).map(|document| (id, document));
                }
                Event::ToolResult(result) if packet.on_disk => self.answered(result),
                Event::Error { .. } => self.end = Some(End::Failed(None)),
                Event::Finished(finished) => self.finished(finished),
                _ => {}
            }
        }
    }

    fn answered(&mut self, result: &ToolResult<'_>) {
        let answers = |(id, _): &mut (String, Vec<u8>)| result.call.id == Some(id);
        if let Some((_, document)) = self.offered.take_if(answers)
            && result.status == Status::Completed
        {
            self.told = Some(document);
        }
    }

    /// The CLI left this message in a file; it counts if the stream has none.
    pub fn left(&mut self, message: &str) {
        self.message.get_or_insert_with(|| message.to_owned());
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        if let Some(json) = finished.structured_output {
            self.told = Some(json.bytes().to_vec());
        }
        let subtype = finished.subtype.filter(|subtype| *subtype != "success");
        self.end = Some(match finished.scope {
            _ if finished.failed => End::Failed(subtype.map(str::to_owned)),
            Scope::Turn | Scope::Request => End::Turn,
            Scope::Result => End::Result { text: finished.text.as_deref().map_or(0, str::len) },
        });
    }

    /// The structured output the stream calls so.
    #[must_use]
    pub fn told(&self) -> Option<&[u8]> {
        self.told.as_deref()
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> Option<&[u8]> {
        self.told().or_else(|| self.last_message())
    }

    /// The last message, if it can be the document and is JSON.
    #[must_use]
    pub fn last_message(&self) -> Option<&[u8]> {
        let message = self.message.as_ref()?.trim();
        let message = message.strip_prefix('\u{feff}').unwrap_or(message);
        let is_json = Parser::default().parse(message.as_bytes(), |_| ()).is_ok();
        // Null is no document, as in a result.
        (is_json && message != "null").then_some(message.as_bytes())
    }

    /// What the run offers where a document was expected.
    #[must_use]
    pub fn instead(&self) -> String {
        match &self.end {
            None if !self.seen => "nothing was said".to_owned(),
            None => "the stream ends before its result".to_owned(),
            Some(End::Failed(Some(subtype))) => format!("the run failed: {subtype}"),
            Some(End::Failed(None)) => "the run failed".to_owned(),
            Some(_) if self.message.is_some() => "the last message is not JSON".to_owned(),
            Some(End::Turn) => "there is no message".to_owned(),
            Some(End::Result { text: 0 }) => "the result has no text either".to_owned(),
            Some(End::Result { text }) => format!("the result is a text of {text} bytes"),
        }
    }
}
