//! Text that arrives over several lines, for the redaction of secrets that are
//! split between them. Looked up before a line is decoded.

use std::borrow::Cow;

use super::Harness;
use crate::json::Json;

/// What a line adds to the texts that are being written.
#[derive(Debug)]
pub(crate) enum TextDelta<'a> {
    /// It continues a text.
    Append {
        /// The thread that writes it.
        thread: Cow<'a, str>,
        /// The position of the text in the thread's message.
        index: u64,
        /// The added part, a string of the line.
        part: Json<'a>,
    },
    /// It completes the texts of a thread.
    EndThread(Cow<'a, str>),
    /// It completes all texts.
    EndAll,
    /// It does not affect them.
    None,
}

impl<'a> TextDelta<'a> {
    /// Returns what a line of any CLI adds.
    pub(crate) fn of(line: Json<'a>) -> Self {
        let deltas = Harness::ALL.iter().map(|harness| harness.adapter().text_delta(line));
        let mut deltas = deltas.filter(|delta| !matches!(delta, Self::None));
        deltas.next().unwrap_or(Self::None)
    }

    /// Returns `Append` if `part` is a string.
    pub(super) fn append(thread: Cow<'a, str>, index: u64, part: Option<Json<'a>>) -> Self {
        let string = part.filter(|part| part.bytes().starts_with(b"\""));
        string.map_or(Self::None, |part| Self::Append { thread, index, part })
    }
}
