//! Terminal escape sequences, which may split a secret or hide in a label.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

/// A complete sequence: CSI, OSC, or a short one.
static COMPLETE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-Z\\^-~])").ok()
});

/// The start of a sequence at the end of a text.
static INCOMPLETE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?-u)\x1b(\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[ -/]*)?$").ok());

/// Returns the pattern of complete sequences if there may be one in `text`.
pub(super) fn pattern_for(text: &[u8]) -> Option<&'static Regex> {
    COMPLETE.as_ref().filter(|_| text.contains(&0x1b))
}

/// Removes complete sequences.
pub(crate) fn strip(text: &[u8]) -> Cow<'_, [u8]> {
    match pattern_for(text) {
        Some(pattern) => pattern.replace_all(text, b"".as_slice()),
        None => Cow::Borrowed(text),
    }
}

/// Returns the position of an incomplete sequence at the end of `text`.
pub(crate) fn find_incomplete(text: &[u8]) -> Option<usize> {
    INCOMPLETE.as_ref()?.find(text).map(|found| found.start())
}
