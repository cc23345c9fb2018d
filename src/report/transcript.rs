//! The items of a run as they are at its end, shortened for a text document.

use std::collections::BTreeMap;
use std::io;

use crate::event::ToolStatus;
use crate::json::Json;
use crate::page::{ChangeSink, DiffTag, ItemContent, NoteLevel, PageChange};

/// Bytes of one text that are kept.
const MAX_TEXT: usize = 16 << 10;

/// Bytes of a tool's input or output that are kept.
const MAX_DETAIL: usize = 2 << 10;

/// Collects the items of a run.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) items: BTreeMap<u64, TranscriptItem>,
}

/// An item.
#[derive(Debug)]
pub(super) struct TranscriptItem {
    /// Whether a subagent wrote it.
    pub(super) is_subagent: bool,
    pub(super) kind: TranscriptKind,
}

#[derive(Debug)]
pub(super) enum TranscriptKind {
    Prompt(Shortened),
    Text(Shortened),
    Reasoning(Shortened),
    Call(Box<Call>),
    Note(NoteLevel, String),
}

/// A tool call.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) input: Shortened,
    pub(super) diff: Option<Shortened>,
    pub(super) status: Option<ToolStatus>,
    pub(super) output: Shortened,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
}

/// The start of a text.
#[derive(Debug, Default)]
pub(super) struct Shortened {
    pub(super) text: String,
    /// Bytes that are left out.
    pub(super) omitted: usize,
}

impl Shortened {
    fn of(text: &str, most: usize) -> Self {
        let mut shortened = Self::default();
        shortened.push(text, most);
        shortened
    }

    /// Adds a text as far as there is room.
    fn push(&mut self, text: &str, most: usize) {
        let room = most.saturating_sub(self.text.len());
        let kept = if self.omitted > 0 { 0 } else { text.floor_char_boundary(room) };
        self.text.push_str(&text[..kept]);
        self.omitted += text.len() - kept;
    }
}

impl ChangeSink for Transcript {
    fn change(&mut self, change: &PageChange<'_>) -> io::Result<()> {
        if let Some(start) = change.start {
            let is_subagent = start.agent.is_some();
            let kind = match &change.content {
                ItemContent::Prompt { text, .. } => {
                    TranscriptKind::Prompt(Shortened::of(&text.prefix(MAX_TEXT), MAX_TEXT))
                }
                ItemContent::Text { .. } => TranscriptKind::Text(Shortened::default()),
                ItemContent::Reasoning { text } => {
                    TranscriptKind::Reasoning(Shortened::of(text, MAX_DETAIL))
                }
                ItemContent::Call(_) | ItemContent::Result(_) => {
                    TranscriptKind::Call(Box::default())
                }
                ItemContent::Note { level, text, .. } => {
                    TranscriptKind::Note(*level, (*text).to_owned())
                }
            };
            self.items.insert(change.item, TranscriptItem { is_subagent, kind });
        }
        let Some(item) = self.items.get_mut(&change.item) else { return Ok(()) };
        match (&mut item.kind, &change.content) {
            (TranscriptKind::Text(text), ItemContent::Text { added, .. }) => {
                text.push(added, MAX_TEXT);
            }
            (TranscriptKind::Call(call), ItemContent::Call(content)) => {
                content.name.clone_into(&mut call.name);
                content.summary.clone_into(&mut call.summary);
                call.input = content.input.map(input).unwrap_or_default();
                call.diff = content.diff.map(|ops| {
                    let mut shortened = Shortened::default();
                    for op in ops.iter().filter(|op| op.tag != DiffTag::Same) {
                        for line in op.text.lines() {
                            shortened.push(&format!("{}{line}\n", op.tag.sign()), MAX_DETAIL);
                        }
                    }
                    shortened
                });
            }
            (TranscriptKind::Call(call), ItemContent::Result(result)) => {
                call.status = Some(result.status);
                call.exit_code = result.exit_code.or(call.exit_code);
                call.duration_ms = result.duration_ms.or(call.duration_ms);
                if let Some(output) = result.output {
                    call.output = Shortened::of(&output.prefix(MAX_DETAIL), MAX_DETAIL);
                    call.output.omitted = output.len().saturating_sub(call.output.text.len());
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns an input as text: the command of a call with one member, else its JSON.
fn input(input: Json<'_>) -> Shortened {
    let mut members = input.members();
    match (members.next().and_then(|(_, value)| value.as_str()), members.next()) {
        (Some(text), None) => Shortened::of(&text, MAX_DETAIL),
        _ => Shortened::of(&String::from_utf8_lossy(input.bytes()), MAX_DETAIL),
    }
}
