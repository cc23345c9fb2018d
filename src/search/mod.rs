//! Searches what was said and done in sessions.
//!
//! Texts are searched as they were said, without the escapes of JSON. Only lines that can
//! match are decoded: [`Pattern::can_match`] looks at the bytes of a line.

mod file;
mod matches;
mod pattern;

pub(crate) use file::{FileMatches, SearchOptions, search};
pub(crate) use matches::{Excerpt, MatchingText, SearchedPlace, for_each_excerpt};
pub(crate) use pattern::{Pattern, PatternOptions};
