//! Bytes come in here and leave as lines.
//!
//! Owns the sources (files, standard input) and the framing: bounded lines,
//! byte-order mark, CRLF, a last line without a newline. Knows no JSON.

mod block;
mod follow;
mod lines;
mod packed;
mod source;

pub use block::{Block, Buffer, Content};
pub use follow::Follow;
pub use lines::{Frame, LARGEST_BLOCK, Lines};
pub use source::{Input, STDIN_NAME, Source};
