//! Reasoning as blocks: parts are joined, and a block that is printed twice counts once.

use crate::event::Event;
use crate::harness::Record;

/// Assembles blocks of reasoning. Call [`end`](Self::end) after the last event.
#[derive(Debug, Default)]
pub(crate) struct ReasoningBlocks {
    /// The thread of the block whose parts are being read.
    thread: Option<String>,
    /// Its text so far.
    text: String,
    /// The last line, if it was reasoning and nothing else; else empty.
    line: Vec<u8>,
}

impl ReasoningBlocks {
    /// Returns whether a line repeats the one before it, which was reasoning.
    pub fn repeats(&self, record: &Record<'_>) -> bool {
        !self.line.is_empty() && self.line == record.json.bytes()
    }

    /// Reads an event of a record, and passes each block that is complete to `show`, with
    /// its thread; the name of the main thread is empty.
    pub fn apply<E>(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        show: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.interrupt(record, event, show)?;
        let thread = record.parent_id.unwrap_or_default();
        match event {
            Event::Reasoning { text } if !self.repeats(record) => {
                self.line.clear();
                if matches!(record.events, [Event::Reasoning { .. }]) {
                    self.line.extend_from_slice(record.json.bytes());
                }
                return show(thread, text);
            }
            Event::ReasoningPart { text } => {
                if self.thread.is_none() {
                    self.thread = Some(thread.to_owned());
                    self.text.clear();
                }
                self.text.push_str(text);
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends the block whose parts are being read, unless the event continues it or has no
    /// effect on it.
    pub fn interrupt<E>(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        show: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        match event {
            // Counts, the model and lines without a meaning may come between two parts.
            Event::Other { .. }
            | Event::Model { .. }
            | Event::Usage { .. }
            | Event::Total(_)
            | Event::RateLimit(_) => Ok(()),
            Event::ReasoningPart { .. }
                if self.thread.as_deref() == Some(record.parent_id.unwrap_or_default()) =>
            {
                Ok(())
            }
            Event::Reasoning { .. } if self.repeats(record) => Ok(()),
            _ => {
                self.line.clear();
                self.end(show)
            }
        }
    }

    /// Ends the block whose parts are being read.
    pub fn end<E>(&mut self, show: &mut impl FnMut(&str, &str) -> Result<(), E>) -> Result<(), E> {
        self.thread.take().map_or(Ok(()), |thread| show(&thread, &self.text))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::reader::{DecodedLine, Decoder};

    /// Returns the blocks of a stream. Reasoning of the thread `""` is in parts.
    fn blocks(lines: &[&str]) -> Vec<String> {
        let (mut blocks, mut shown) = (ReasoningBlocks::default(), Vec::new());
        let mut show = |thread: &str, text: &str| {
            shown.push(format!("{thread}:{text}"));
            Ok::<_, Infallible>(())
        };
        let mut decoder = Decoder::default();
        for line in lines {
            let each = |line: DecodedLine<'_>| {
                let DecodedLine::Record(record) = line else { panic!("{line:?}") };
                for event in record.events {
                    let part = match event {
                        Event::Reasoning { text } if text.ends_with('+') => {
                            Some(Event::ReasoningPart {
                                text: text.trim_end_matches('+').to_owned().into(),
                            })
                        }
                        _ => None,
                    };
                    blocks.apply(&record, part.as_ref().unwrap_or(event), &mut show)?;
                }
                Ok::<_, Infallible>(())
            };
            let Ok(()) = decoder.decode_line(line.as_bytes(), each);
        }
        let Ok(()) = blocks.end(&mut show);
        shown
    }

    fn reasoning(id: u32, text: &str) -> String {
        let item = format!(r#"{{"id":"item_{id}","type":"reasoning","text":"{text}"}}"#);
        format!(r#"{{"type":"item.completed","item":{item}}}"#)
    }

    #[test]
    fn parts_of_reasoning_are_one_block() {
        let (other, turn) = (r#"{"type":"new"}"#, r#"{"type":"turn.started"}"#);
        let [a, b, c] = ["a+", "b+", "c+"].map(|text| reasoning(1, text));
        let whole = reasoning(2, "d");
        assert_eq!(blocks(&[&a, other, &b, turn, &c, &whole]), [":ab", ":c", ":d"]);
        let of_agent = r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"x+"}]},"parent_tool_use_id":"t"}"#;
        assert_eq!(blocks(&[&a, of_agent, of_agent, &b]), [":a", "t:x", "t:x", ":b"]);
    }

    #[test]
    fn line_of_reasoning_that_is_printed_twice_counts_once() {
        let [one, two] = [1, 2].map(|id| reasoning(id, "a"));
        let turn = r#"{"type":"turn.started"}"#;
        assert_eq!(blocks(&[&one, &one, &one, turn, &one]), [":a", ":a"]);
        assert_eq!(blocks(&[&one, &two, &one]), [":a", ":a", ":a"], "other blocks");
    }
}
