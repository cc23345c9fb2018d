//! Private keys of several lines, as files contain them and as tools print them: with
//! line numbers, names of files, quotes, signs of a difference, or on one line with
//! escaped newlines.

use memchr::memmem;

/// Longest label between `-----BEGIN ` and `-----`.
const MAX_LABEL: usize = 40;

/// A shorter run of letters may be a word.
const MIN_RUN: usize = 16;

/// A longer line is judged in parts of this size.
const MAX_LINE: usize = 1024;

/// Bytes of a line that are examined for the end of the block: a key on one line is shorter.
/// With this bound a search takes linear time however many blocks start in a line.
const MAX_EXAMINED: usize = 4 * MAX_LINE;

/// Backslashes of an escaped newline that are counted: escaped again it has twice as many.
const MAX_SLASHES: usize = 16;

/// Longest text before the first line that is expected before the others, too.
pub(super) const MAX_PREFIX: usize = 64;

/// A private key of which the first line was found.
#[derive(Clone, Debug)]
pub(super) struct KeyBlock {
    /// What comes before the first line, without digits and spaces.
    prefix: Vec<u8>,
    /// Whether a line of the key itself was found, so no headers follow.
    has_body: bool,
}

/// How far a block extends into a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Bytes that belong to the block.
    pub(super) length: usize,
    /// Whether the block ends there.
    pub(super) is_complete: bool,
    /// Bytes that were examined.
    pub(super) examined: usize,
}

/// What a line is, for a block that it may continue.
enum KeyLine {
    /// It belongs to the block, up to this byte.
    Body(usize),
    /// The block ends in it.
    EndsAt(usize),
    /// It is something else.
    Other,
}

/// The first line of a block at the end of a text, or all of it.
pub(super) enum KeyStart {
    /// A complete line, with its length.
    Complete(usize),
    /// The text ends in it.
    Open,
    /// It is none.
    None,
}

impl KeyStart {
    /// Examines a text that starts with `-----BEGIN `.
    pub(super) fn of(text: &[u8]) -> Self {
        let label = &text["-----begin ".len().min(text.len())..];
        let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b' ';
        let length = label.iter().take(MAX_LABEL).take_while(is_label).count();
        let dashes = label[length..].iter().take(5).take_while(|byte| **byte == b'-').count();
        let label = &label[..length];
        let is_private = memmem::find(&label.to_ascii_lowercase(), b"private key").is_some();
        let end = "-----begin ".len() + length + dashes;
        match dashes {
            5 if is_private => Self::Complete(end),
            ..5 if end >= text.len() => Self::Open,
            _ => Self::None,
        }
    }
}

impl KeyBlock {
    /// Starts a block behind `before`, of which the last line counts.
    pub(super) fn new(before: &[u8]) -> Self {
        let before = &before[before.len().saturating_sub(MAX_PREFIX)..];
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = &before[start..];
        let is_kept = |byte: &u8| !byte.is_ascii_digit() && !byte.is_ascii_whitespace();
        let prefix = line.iter().copied().filter(is_kept).map(joint).collect();
        Self { prefix, has_body: false }
    }

    /// Returns how much of `text`, which follows the block so far, belongs to it. Without
    /// `is_end` the last line is judged only when it is complete, or long enough.
    pub(super) fn extend(&mut self, text: &[u8], is_end: bool) -> Extent {
        let (mut length, mut examined) = (0, 0);
        let mut is_complete = false;
        while !is_complete && length < text.len() {
            let start = length + newline_length(&text[length..]);
            let rest = &text[start..];
            let line = &rest[..rest.len().min(MAX_EXAMINED)];
            examined = start + line.len();
            let newline = find_newline(line);
            if newline.is_none() && !is_end && line.len() < MAX_EXAMINED {
                break;
            }
            match self.line(&line[..newline.unwrap_or(line.len())]) {
                KeyLine::Body(end) => length = start + end,
                KeyLine::EndsAt(end) => {
                    length = start + end;
                    is_complete = true;
                }
                KeyLine::Other => is_complete = true,
            }
        }
        Extent { length, is_complete, examined }
    }

    fn line(&mut self, line: &[u8]) -> KeyLine {
        if let Some(end) = end_of_block(line) {
            return KeyLine::EndsAt(end);
        }
        let line = &line[..line.len().min(MAX_LINE)];
        let rest = self.without_prefix(line);
        let offset = line.len() - rest.len();
        if rest.is_empty() || !self.has_body && is_header(rest) {
            return KeyLine::Body(line.len());
        }
        let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        let run = rest.iter().take_while(|byte| is_key(byte)).count();
        let is_other = |byte: &u8| {
            !is_key(byte)
                && !matches!(
                    byte,
                    b' ' | b'\t' | b'\r' | b'"' | b'\'' | b'`' | b'\\' | b',' | b';' | b'|'
                )
        };
        let looks_random = |run: &[u8]| {
            run.len() >= MIN_RUN
                || !run.is_empty() && run.iter().any(|byte| !byte.is_ascii_lowercase())
        };
        let has_words =
            || rest.split(|byte| !is_key(byte)).any(|run| !run.is_empty() && !looks_random(run));
        if !rest.iter().any(is_other) && !has_words() {
            self.has_body = true;
            return KeyLine::Body(line.len());
        }
        if run >= MIN_RUN { KeyLine::EndsAt(offset + run) } else { KeyLine::Other }
    }

    /// Returns a line without what tools print before it.
    fn without_prefix<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let mut rest = line;
        let mut expected = self.prefix.as_slice();
        while let ([wanted, more @ ..], [byte, others @ ..]) = (expected, rest) {
            if joint(*byte) == *wanted {
                expected = more;
            } else if !byte.is_ascii_digit() && !byte.is_ascii_whitespace() {
                break;
            }
            rest = others;
        }
        let mut rest = if expected.is_empty() { rest } else { line };
        // A line number, and signs that mark or quote a line.
        let digits =
            rest.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let behind = &rest.trim_ascii_start()[digits..];
        if digits > 0
            && (behind.starts_with("→".as_bytes())
                || behind.starts_with(b"\t")
                || behind.starts_with(b":")
                || behind.starts_with(b"|"))
        {
            rest = behind;
        }
        while let Some(byte) = rest.first() {
            if rest.starts_with("→".as_bytes()) {
                rest = &rest["→".len()..];
            } else if matches!(
                byte,
                b' ' | b'\t'
                    | b'\r'
                    | b'>'
                    | b'|'
                    | b'#'
                    | b'*'
                    | b'"'
                    | b'\''
                    | b'`'
                    | b','
                    | b'-'
                    | b':'
                    | b'\\'
            ) {
                rest = &rest[1..];
            } else {
                break;
            }
        }
        rest
    }
}

/// `grep` prints `:` behind the name of a file, or `-` if a line is context.
fn joint(byte: u8) -> u8 {
    if byte == b'-' { b':' } else { byte }
}

/// Returns the end of the last line of a block.
fn end_of_block(line: &[u8]) -> Option<usize> {
    const END: &[u8] = b"-----END";
    let at = memmem::find(line, END).or_else(|| memmem::find(line, b"-----end"))?;
    let label = at + END.len();
    let dashes = memmem::find(&line[label..], b"-----").map(|dashes| label + dashes + 5);
    Some(dashes.unwrap_or(line.len()))
}

/// Returns whether a line is a header: `Proc-Type: 4,ENCRYPTED`.
fn is_header(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'-').count();
    (3..32).contains(&name) && line[name..].starts_with(b": ")
}

/// Returns the length of the newline at the start of a text: a real one, or an escape.
fn newline_length(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        [b'\\', ..] => {
            let slashes = text.iter().take(MAX_SLASHES).take_while(|byte| **byte == b'\\').count();
            if matches!(text.get(slashes), Some(b'n' | b'r')) { slashes + 1 } else { 0 }
        }
        _ => 0,
    }
}

fn find_newline(text: &[u8]) -> Option<usize> {
    memchr::memchr3_iter(b'\n', b'\r', b'\\', text).find(|at| newline_length(&text[*at..]) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(before: &str, text: &str) -> Extent {
        KeyBlock::new(before.as_bytes()).extend(text.as_bytes(), true)
    }

    #[test]
    fn block_ends_with_its_last_line_or_before_other_text() {
        let body = "MIIEpAIBAAKCAQEA75";
        for (before, text, rest) in [
            ("", format!("\n{body}\nab+/=\n-----END RSA PRIVATE KEY-----"), "\nmore"),
            ("     1→", format!("\n     2→{body}\n     3→-----END EC PRIVATE KEY-----"), ""),
            ("id_rsa:1:", format!("\nid_rsa-2-{body}\nid_rsa-3-a1="), "\nid_rsa2: x"),
            ("> ", format!("\n> {body}\n> {body}"), "\nand more words"),
            ("", format!("\\n{body}\\n{body}"), "\\nand more words"),
            ("", format!("\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n{body}"), "."),
        ] {
            let whole = text.clone() + rest;
            assert_eq!(extent(before, &whole).length, text.len(), "{whole}");
        }
    }

    #[test]
    fn long_line_ends_with_its_block() {
        let body = "MIIEpAIBAAKCAQEA75 ".repeat(170);
        for text in [
            format!("<br>{body}-----END RSA PRIVATE KEY-----"),
            format!("{body}-----END RSA PRIVATE KEY-----"),
            body.repeat(3) + "-----END RSA PRIVATE KEY-----",
        ] {
            assert_eq!(extent("", &(text.clone() + " and more")).length, text.len(), "{text}");
        }
        let other = format!("abc{}", "-----BEGIN RSA PRIVATE KEY-----abc".repeat(1000));
        let Extent { length, is_complete, examined } = extent("", &other);
        assert_eq!((length, is_complete, examined), (0, true, MAX_EXAMINED));
    }
}
