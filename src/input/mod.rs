//! Opens inputs and splits their bytes into bounded lines.
//!
//! Covers files, standard input, compressed files, files that grow, and
//! folders. Handles the byte-order mark, CRLF, a last line without a newline,
//! and lines over the limit. Knows nothing about JSON.

#[cfg(feature = "cli")]
mod arguments;
mod compressed;
mod folder;
mod follow;
mod limited;
mod line_block;
mod line_buffer;
pub(crate) mod pipe;
mod source;

#[cfg(feature = "cli")]
pub(crate) use arguments::{expand, parse_list};
pub(crate) use compressed::is_compressed;
pub(crate) use folder::{find_files, has_line_extension};
pub(crate) use follow::FollowedFile;
pub(crate) use limited::read_limited;
pub(crate) use line_block::{LineBlock, LineContent};
pub(crate) use line_buffer::{Line, LineBuffer, MAX_POOLED_BUFFER, lazy_size};
pub(crate) use source::{Input, InputSource, ReadInput, STDIN_NAME};
