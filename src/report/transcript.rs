//! The items of a run as they are at its end, shortened for a text document.

use std::collections::BTreeMap;
use std::io;

use crate::event::ToolStatus;
use crate::json::Json;
use crate::page::{Change, ChangeSink, Content, DiffTag, NoteLevel};

/// Bytes of one text that are kept.
const MAX_TEXT: usize = 16 << 10;

/// Bytes of a tool's input or output that are kept.
const MAX_DETAIL: usize = 2 << 10;

/// Collects the items of a run.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    pub(super) items: BTreeMap<u64, Item>,
}

/// An item.
#[derive(Debug)]
pub(super) struct Item {
    /// Whether a subagent wrote it.
    pub(super) is_subagent: bool,
    pub(super) kind: ItemKind,
}

#[derive(Debug)]
pub(super) enum ItemKind {
    Prompt(Excerpt),
    Text(Excerpt),
    Reasoning(Excerpt),
    Call(Box<Call>),
    Note(NoteLevel, String),
}

/// A tool call.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) input: Excerpt,
    pub(super) diff: Option<Excerpt>,
    pub(super) status: Option<ToolStatus>,
    pub(super) output: Excerpt,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
}

/// The start of a text.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// Bytes that are left out.
    pub(super) omitted: usize,
}

impl Excerpt {
    fn of(text: &str, most: usize) -> Self {
        let mut excerpt = Self::default();
        excerpt.push(text, most);
        excerpt
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
    fn change(&mut self, change: &Change<'_>) -> io::Result<()> {
        if let Some(start) = change.start {
            let is_subagent = start.agent.is_some();
            let kind = match &change.content {
                Content::Prompt { text, .. } => {
                    ItemKind::Prompt(Excerpt::of(&text.prefix(MAX_TEXT), MAX_TEXT))
                }
                Content::Text { .. } => ItemKind::Text(Excerpt::default()),
                Content::Reasoning { text } => ItemKind::Reasoning(Excerpt::of(text, MAX_DETAIL)),
                Content::Call(_) | Content::Result(_) => ItemKind::Call(Box::default()),
                Content::Note { level, text, .. } => ItemKind::Note(*level, (*text).to_owned()),
            };
            self.items.insert(change.item, Item { is_subagent, kind });
        }
        let Some(item) = self.items.get_mut(&change.item) else { return Ok(()) };
        match (&mut item.kind, &change.content) {
            (ItemKind::Text(text), Content::Text { added, .. }) => text.push(added, MAX_TEXT),
            (ItemKind::Call(call), Content::Call(content)) => {
                content.name.clone_into(&mut call.name);
                content.summary.clone_into(&mut call.summary);
                call.input = content.input.map(input).unwrap_or_default();
                call.diff = content.diff.map(|ops| {
                    let mut excerpt = Excerpt::default();
                    for op in ops.iter().filter(|op| op.tag != DiffTag::Same) {
                        for line in op.text.lines() {
                            excerpt.push(&format!("{}{line}\n", op.tag.sign()), MAX_DETAIL);
                        }
                    }
                    excerpt
                });
            }
            (ItemKind::Call(call), Content::Result(result)) => {
                call.status = Some(result.status);
                call.exit_code = result.exit_code.or(call.exit_code);
                call.duration_ms = result.duration_ms.or(call.duration_ms);
                if let Some(output) = result.output {
                    call.output = Excerpt::of(&output.prefix(MAX_DETAIL), MAX_DETAIL);
                    call.output.omitted = output.len().saturating_sub(call.output.text.len());
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns an input as text: the command of a call with one member, else its JSON.
fn input(input: Json<'_>) -> Excerpt {
    let mut members = input.members();
    match (members.next().and_then(|(_, value)| value.as_str()), members.next()) {
        (Some(text), None) => Excerpt::of(&text, MAX_DETAIL),
        _ => Excerpt::of(&String::from_utf8_lossy(input.bytes()), MAX_DETAIL),
    }
}
