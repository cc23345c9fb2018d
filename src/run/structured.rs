//! The document a run was asked for: the structured output of its last result
//! that has one; for a CLI whose last message is the document, that message.

use crate::event::{Event, Finished, Packet, Scope};
use crate::json::Parser;

/// Follows a run to its document.
#[derive(Debug, Default)]
pub struct Structured {
    /// The structured output of the last result that had one.
    told: Option<Vec<u8>>,
    /// The last message, where it can be the document.
    message: Option<String>,
    spoke: bool,
    /// How the last result, or turn, ended.
    end: Option<End>,
}

#[derive(Debug)]
struct End {
    failed: bool,
    subtype: Option<String>,
    text: usize,
}

impl Structured {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        for event in packet.events {
            match event {
                Event::Text { text, .. } => {
                    self.spoke = true;
                    if packet.harness.rules().answers_with_document && packet.parent_id.is_none() {
                        let message = self.message.get_or_insert_default();
                        message.clear();
                        text.append_to(message);
                    }
                }
                Event::Finished(finished) => self.finished(finished),
                _ => {}
            }
        }
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        if let Some(json) = finished.structured_output {
            self.told = Some(json.bytes().to_vec());
        }
        self.end = Some(End {
            failed: finished.failed,
            subtype: finished.subtype.map(str::to_owned),
            text: finished
                .text
                .as_deref()
                .filter(|_| finished.scope == Scope::Result)
                .map_or(0, str::len),
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
        let is_json = |text: &&[u8]| {
            Parser::default().parse(text, |document| !document.mended).unwrap_or(false)
        };
        let message = || Some(self.message.as_ref()?.trim().as_bytes()).filter(is_json);
        self.told().or_else(message)
    }

    /// What the run offers where a document was expected.
    #[must_use]
    pub fn instead(&self) -> String {
        match &self.end {
            None if !self.spoke => "nothing was said".to_owned(),
            None => "the stream ends before its result".to_owned(),
            Some(End { failed: true, subtype: Some(subtype), .. }) if subtype != "success" => {
                format!("the run failed: {subtype}")
            }
            Some(End { failed: true, .. }) => "the run failed".to_owned(),
            _ if self.message.is_some() => "the last message is not JSON".to_owned(),
            Some(End { text: 0, .. }) => "the result has no text either".to_owned(),
            Some(End { text, .. }) => format!("the result is a text of {text} bytes"),
        }
    }
}
