//! A line of bytes becomes a JSON document.
//!
//! Owns tokenising (simd-json, with buffers that live from line to line), the
//! view over the resulting tape, the byte ranges of values inside a line, and
//! the second look at lines simd-json refuses. Knows nothing about harnesses.

mod check;
mod parser;
mod raw;
mod skeleton;
mod text;
mod value;

pub use check::Malformed;
pub use parser::{Document, MAX_DEPTH, Parser};
pub(crate) use parser::{OnTape, Room, Tapes, Tokeniser};
pub use raw::Json;
pub use text::{Memory, Text};
pub use value::{Elements, Member, Members, Value};
