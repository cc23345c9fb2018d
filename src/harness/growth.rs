//! Texts that come in several lines, as who masks them has to know them:
//! before a line is decoded, and with the place of the piece it brings.

use std::borrow::Cow;

use super::{claude, codex_envelope};
use crate::json::Json;

/// What a line does to the texts that are being written.
#[derive(Debug)]
pub enum Growth<'a> {
    /// It brings a piece of one.
    Piece {
        /// Who writes it.
        thread: Cow<'a, str>,
        /// Which of the writer's texts it is.
        index: u64,
        /// The piece, a string of the line.
        piece: Json<'a>,
    },
    /// Those of this writer are complete.
    Ends(Cow<'a, str>),
    /// All are complete.
    EndsAll,
    /// Nothing.
    None,
}

impl<'a> Growth<'a> {
    /// What this line does.
    #[must_use]
    pub fn of(line: Json<'a>) -> Self {
        match claude::growth(line) {
            Self::None => codex_envelope::growth(line),
            growth => growth,
        }
    }

    pub(super) fn piece(thread: Cow<'a, str>, index: u64, piece: Option<Json<'a>>) -> Self {
        let string = piece.filter(|piece| piece.bytes().starts_with(b"\""));
        string.map_or(Self::None, |piece| Self::Piece { thread, index, piece })
    }
}
