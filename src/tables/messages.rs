//! Prompts, texts and reasoning as rows.

use std::io;

use super::schema::{ExportRow, MessageRecord, TableOrigin};
use super::text::{CutText, MaxText, cut};
use crate::event::Event;
use crate::harness::Record;
use crate::json::Scratch;
use crate::run::{LiveText, ReasoningBlocks, TextPiece};

/// Assembles the rows of `messages`.
pub(super) struct MessageRows {
    live: LiveText,
    reasoning: ReasoningBlocks,
    texts: OpenTexts,
    scratch: Scratch,
}

/// The block of text that was read last, which may go on.
struct OpenTexts {
    max_text: MaxText,
    block: Option<(TableOrigin, MessageRecord, CutText)>,
}

/// What a line says about the blocks on it.
struct LineHeader<'a> {
    origin: TableOrigin,
    message_id: Option<&'a str>,
    model: Option<&'a str>,
}

impl MessageRows {
    pub(super) fn new(max_text: MaxText) -> Self {
        Self {
            live: LiveText::default(),
            reasoning: ReasoningBlocks::default(),
            texts: OpenTexts { max_text, block: None },
            scratch: Scratch::default(),
        }
    }

    /// Reads a record and passes on the rows that are complete.
    pub(super) fn apply(
        &mut self,
        record: &Record<'_>,
        origin: &impl Fn() -> TableOrigin,
        row: &mut impl FnMut(ExportRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { live, reasoning, texts, scratch } = self;
        let max_text = texts.max_text;
        live.start_line(record);
        let mut header = LineHeader { origin: origin(), message_id: None, model: None };
        for event in record.events {
            if let Event::Message(message) = event {
                (header.message_id, header.model) = (message.id, message.model);
            }
            if let Event::Text { message_id: Some(id), .. } = event {
                header.message_id = Some(id);
            }
            reasoning.apply(record, event, &mut |thread: &str, text: &str| {
                texts.end(row)?;
                row(message("reasoning", &header, thread, text, max_text))
            })?;
            live.event(record, event, &mut |piece| texts.piece(&piece, &header, row))?;
            if let Event::Prompt { text, synthetic: false, .. } = event {
                texts.end(row)?;
                let thread = record.parent_id.unwrap_or_default();
                row(message("user", &header, thread, text.read(scratch), max_text))?;
            }
        }
        Ok(())
    }

    /// Ends the file.
    pub(super) fn end(
        &mut self,
        origin: &TableOrigin,
        row: &mut impl FnMut(ExportRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { live, reasoning, texts, .. } = self;
        let max_text = texts.max_text;
        let header = LineHeader { origin: origin.clone(), message_id: None, model: None };
        reasoning.end(&mut |thread: &str, text: &str| {
            row(message("reasoning", &header, thread, text, max_text))
        })?;
        live.end(&mut |piece| texts.piece(&piece, &header, row))?;
        texts.end(row)
    }
}

impl OpenTexts {
    fn piece(
        &mut self,
        piece: &TextPiece<'_>,
        header: &LineHeader<'_>,
        row: &mut impl FnMut(ExportRow) -> io::Result<()>,
    ) -> io::Result<()> {
        match piece {
            TextPiece::Block(thread) => {
                self.end(row)?;
                let record = MessageRecord {
                    role: "assistant",
                    message_id: header.message_id.map(str::to_owned),
                    model: header.model.map(str::to_owned),
                    parent_id: parent(thread),
                    ..MessageRecord::default()
                };
                self.block = Some((header.origin.clone(), record, CutText::default()));
            }
            TextPiece::Text(part) => {
                if let Some((_, _, text)) = &mut self.block {
                    text.push(part, self.max_text);
                }
            }
            TextPiece::End => {
                if let Some((origin, record, _)) = &mut self.block {
                    *origin = header.origin.clone();
                    record.model = header.model.map(str::to_owned).or(record.model.take());
                }
            }
            TextPiece::Continue(_) | TextPiece::Abandoned => {}
        }
        Ok(())
    }

    /// Passes on the last block.
    fn end(&mut self, row: &mut impl FnMut(ExportRow) -> io::Result<()>) -> io::Result<()> {
        let Some((origin, record, text)) = self.block.take() else { return Ok(()) };
        let record = MessageRecord {
            text_bytes: text.length as u64,
            is_truncated: text.start.len() < text.length,
            text: text.start,
            ..record
        };
        row(ExportRow { origin, record: record.into() })
    }
}

fn message(
    role: &'static str,
    header: &LineHeader<'_>,
    thread: &str,
    text: &str,
    max_text: MaxText,
) -> ExportRow {
    let (kept, is_truncated) = cut(Some(text), max_text);
    let record = MessageRecord {
        role,
        message_id: header.message_id.map(str::to_owned),
        model: header.model.map(str::to_owned),
        parent_id: parent(thread),
        text: kept.unwrap_or_default(),
        text_bytes: text.len() as u64,
        is_truncated,
    };
    ExportRow { origin: header.origin.clone(), record: record.into() }
}

/// Returns the thread of a subagent.
fn parent(thread: &str) -> Option<String> {
    (!thread.is_empty()).then(|| thread.to_owned())
}
