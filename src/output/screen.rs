//! Lines of a terminal that are rewritten.

use bstr::ByteSlice;

/// What `view` prints to rewrite its last line.
const REWRITE: &[u8] = b"\r\x1b[2K";

/// Returns a text without the lines that are rewritten later in it.
pub(crate) fn without_rewritten(text: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(REWRITE) {
        kept.extend_from_slice(&rest[..at]);
        let line = kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        kept.truncate(line);
        rest = &rest[at + REWRITE.len()..];
    }
    kept.extend_from_slice(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewritten_lines_are_shown_once() {
        let text = b"a\n* run\r\x1b[2K+ ran\nb\n* x\r\x1b[2K* x 1 s\r\x1b[2K+ x";
        assert_eq!(without_rewritten(text), b"a\n+ ran\nb\n+ x");
    }
}
