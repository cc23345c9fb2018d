//! Text that arrives over several lines, for the redaction of secrets that are
//! split between them.

use std::borrow::Cow;

use super::Harness;
use super::described::description_of;
use crate::json::{Text, Value};

/// What a line adds to the texts that are being written.
#[derive(Debug)]
pub(crate) enum TextDelta<'a> {
    /// It continues a text.
    Append {
        /// The thread that writes it.
        thread: Cow<'a, str>,
        /// The position of the text in the thread's message.
        index: u64,
        /// The added part.
        part: Text<'a>,
        /// The text with the part, if the line repeats it.
        so_far: Option<Text<'a>>,
    },
    /// It completes the texts of a thread.
    EndThread(Cow<'a, str>),
    /// It completes the texts of the thread that this member names; of the main thread if
    /// there is none.
    EndThreadOf(&'static str),
    /// It starts a message of a thread, whose texts are new.
    StartMessage(Cow<'a, str>),
    /// It completes all texts.
    EndAll,
    /// It does not affect them.
    None,
}

impl<'a> TextDelta<'a> {
    /// Returns what a line of any CLI adds, given those that are not built in. A line that
    /// continues a text of one CLI may look like the end of another one's. Without open
    /// texts none can be completed, and the thread of the line is not looked up.
    pub(crate) fn of(line: Value<'_, 'a>, described: &[Harness], has_open: bool) -> Self {
        let own = described.iter().filter_map(|harness| description_of(*harness));
        let own = own.map(|description| description.text_delta(line));
        let kind = line.get("type").and_then(Value::as_str).unwrap_or_default();
        let deltas = Harness::ALL.iter().filter_map(|harness| harness.adapter().text_delta);
        let mut end = Self::None;
        for delta in own.chain(deltas.map(|delta| delta(kind, line))) {
            match delta {
                Self::Append { .. } => return delta,
                Self::None => {}
                _ if matches!(end, Self::None) => end = delta,
                _ => {}
            }
        }
        match end {
            _ if !has_open => Self::None,
            Self::EndThreadOf(member) => {
                let thread = line.get(member).and_then(Value::as_str).unwrap_or_default();
                Self::EndThread(Cow::Borrowed(thread))
            }
            end => end,
        }
    }

    /// Returns `Append` if `part` is a string.
    pub(super) fn append(thread: Cow<'a, str>, index: u64, part: Option<Value<'_, 'a>>) -> Self {
        Self::append_to(thread, index, part, None)
    }

    /// Returns `Append` if `part` is a string, for a line that repeats the text so far.
    pub(super) fn append_to(
        thread: Cow<'a, str>,
        index: u64,
        part: Option<Value<'_, 'a>>,
        so_far: Option<Value<'_, 'a>>,
    ) -> Self {
        let so_far = so_far.and_then(Value::as_text);
        let append = |part| Self::Append { thread, index, part, so_far };
        part.and_then(Value::as_text).map_or(Self::None, append)
    }
}
