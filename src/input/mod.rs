//! Bytes come in here and leave as lines.
//!
//! Owns the sources (files, standard input) and the framing: bounded lines,
//! byte-order mark, CRLF, a last line without a newline. Knows no JSON.

mod follow;
mod lines;
mod packed;
mod source;

pub use follow::Follow;
pub use lines::{Block, Buffer, Content, Frame, LARGEST_BLOCK, Lines};
pub use source::{Input, STDIN_NAME, Source};
