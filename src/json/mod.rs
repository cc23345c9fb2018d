//! Tokenises lines of JSON.
//!
//! simd-json does the work, with buffers that are reused from line to line.
//! This module adds a view over the tape, the byte ranges of values inside a
//! line, and a lossless fallback for lines that simd-json rejects. It knows
//! nothing about harnesses.

mod density;
mod elide;
mod foreign;
mod parser;
mod raw;
mod repair;
mod text;
mod utf8;
mod value;

pub(crate) use parser::{Arena, Document, Parser, TapeStore, TapeView};
pub use raw::Json;
pub use repair::Malformed;
pub(crate) use repair::{repair_line as repair, replace_lone_surrogates};
pub use text::{Scratch, Text};
pub(crate) use value::{Member, Value};
