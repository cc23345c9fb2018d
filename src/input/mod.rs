//! Opens inputs and splits their bytes into bounded lines.
//!
//! Covers files, standard input, compressed files, files that grow, and
//! folders. Handles the byte-order mark, CRLF, a last line without a newline,
//! and lines over the limit. Knows nothing about JSON.

mod compressed;
mod folder;
mod follow;
mod limited;
mod line_block;
mod line_buffer;
pub(crate) mod pipe;
mod source;

pub(crate) use compressed::is_compressed;
pub(crate) use folder::{find_files, has_line_extension};
pub(crate) use follow::{FollowedFile, KeepGoing};
pub(crate) use limited::read_limited;
pub(crate) use line_block::{LineBlock, LineContent};
pub(crate) use line_buffer::{Line, LineBuffer, MAX_POOLED_BUFFER, lazy_size};
pub(crate) use source::{Input, InputSource, ReadInput, STDIN_NAME};
