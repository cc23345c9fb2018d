//! Reads a JSON document that spans several lines as one line per element.
//!
//! Tools store a run as a pretty-printed array of its messages, or print its result as a
//! pretty-printed object. The document is rewritten as it is read: white space between
//! tokens is dropped, and every element of the outermost array, or every outermost
//! object, becomes a line. Blank lines between them keep the line numbers: an element has
//! the number of the line that it starts on. Memory does not depend on the size.
//!
//! The messages of a session in an object, the elements of its member `messages`, become
//! lines, too: between an object with the members before them, where the list is empty, and
//! one with those behind them.
//!
//! Any other input passes unchanged. What it is follows from its start: a document starts
//! with an array or an object that its first line does not close. An array without
//! elements is one line.
//!
//! A broken element does not affect those behind it. A string ends with its line, and an
//! element ends where a line starts like another element: with a brace in the same column
//! or further left. Outside of arrays and objects a line is a line.

mod splitter;

use std::io;
use std::time::Duration;

use self::splitter::Splitter;
use crate::input::Input;

/// Bytes of the first line that are held back until it is known to be no document. A
/// longer line is none.
const MAX_HELD: usize = 1 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An input whose documents are rewritten as lines.
pub(crate) struct DocumentInput<I> {
    input: I,
    mode: Mode,
    /// Bytes to return; those before `start` have been returned.
    rewritten: Vec<u8>,
    start: usize,
    /// Whether nothing precedes what is undecided.
    is_start: bool,
}

enum Mode {
    /// The start of the input behind white space, which is not complete enough to decide.
    Undecided(Vec<u8>),
    Document(Splitter),
    /// Lines, or anything else.
    Plain,
}

impl<I: Input> DocumentInput<I> {
    pub(crate) fn new(input: I) -> Self {
        let mode = Mode::Undecided(Vec::new());
        Self { input, mode, rewritten: Vec::new(), start: 0, is_start: true }
    }

    /// Continues an input that is no document.
    pub(crate) fn lines(input: I) -> Self {
        Self { mode: Mode::Plain, is_start: false, ..Self::new(input) }
    }

    /// Returns whether the input is no document.
    pub(crate) fn is_lines(&self) -> bool {
        matches!(self.mode, Mode::Plain)
    }

    /// Returns bytes that were rewritten, if there are any.
    fn take(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let rest = &self.rewritten[self.start..];
        if rest.is_empty() {
            return None;
        }
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.start += count;
        if self.start == self.rewritten.len() {
            self.rewritten.clear();
            self.start = 0;
        }
        Some(count)
    }

    /// Adds bytes of the input; none at its end.
    fn add(&mut self, bytes: &[u8]) {
        match &mut self.mode {
            Mode::Document(splitter) if bytes.is_empty() => splitter.finish(&mut self.rewritten),
            Mode::Document(splitter) => splitter.split(bytes, &mut self.rewritten),
            Mode::Plain => self.rewritten.extend_from_slice(bytes),
            Mode::Undecided(held) => {
                held.extend_from_slice(bytes);
                // What precedes a document passes unchanged, so that little is held.
                let before = leading_space(held, self.is_start);
                self.is_start &= before == 0;
                self.rewritten.extend(held.drain(..before));
                let is_end = bytes.is_empty() || held.len() > MAX_HELD;
                let is_document = match is_document(held) {
                    None if !is_end => return,
                    decided => decided == Some(true),
                };
                let held = std::mem::take(held);
                self.mode = if is_document { Mode::Document(Splitter::new()) } else { Mode::Plain };
                self.add(&held);
                if bytes.is_empty() && !held.is_empty() {
                    self.add(&[]);
                }
            }
        }
    }
}

impl<I: Input> Input for DocumentInput<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(count) = self.take(buffer) {
                return Ok(count);
            }
            let count = self.input.read(buffer)?;
            if matches!(self.mode, Mode::Plain) {
                return Ok(count);
            }
            self.add(&buffer[..count]);
            if count == 0 {
                return Ok(self.take(buffer).unwrap_or(0));
            }
        }
    }

    fn ready(&self) -> bool {
        self.start < self.rewritten.len() || self.input.ready()
    }

    fn wait(&self, limit: Duration) -> bool {
        self.start < self.rewritten.len() || self.input.wait(limit)
    }

    fn is_file(&self) -> bool {
        self.input.is_file()
    }
}

/// Returns the length of white space at the start, and of a byte-order mark if the input
/// starts with it.
fn leading_space(bytes: &[u8], is_start: bool) -> usize {
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_start).unwrap_or(bytes);
    bytes.len() - text.trim_ascii_start().len()
}

/// Returns whether an input that starts with these bytes is a document; `None` if more
/// of it is needed.
fn is_document(bytes: &[u8]) -> Option<bool> {
    if bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes) {
        return None;
    }
    let (opening, rest) = bytes.split_first()?;
    match opening {
        b'{' => {
            let (line, rest) = bytes.split_at(memchr::memchr(b'\n', bytes)?);
            if !is_open(line) {
                return Some(false);
            }
            // The next member, or the end of the object; else the line is broken.
            let next = rest.trim_ascii_start().first()?;
            Some(matches!(next, b'"' | b'}' | b']'))
        }
        b'[' => {
            let line = rest[..memchr::memchr(b'\n', rest)?].trim_ascii_end();
            // An array of values that are no objects is not a list of messages.
            let is_list = line.is_empty() || line.trim_ascii_start().starts_with(b"{");
            Some(is_list && !line.ends_with(b"]"))
        }
        _ => Some(false),
    }
}

/// Returns whether an array or an object is open behind `line`, outside of a string.
fn is_open(line: &[u8]) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0_i64, false, false);
    for byte in line {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    depth > 0 && !in_string
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::ReadInput;

    /// Reads `text` in pieces of every size up to eight bytes.
    fn rewritten(text: &str) -> String {
        let read = |size: usize| {
            struct Pieces<'t>(&'t [u8], usize);
            impl io::Read for Pieces<'_> {
                fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                    let count = self.1.min(self.0.len()).min(buffer.len());
                    let (piece, rest) = self.0.split_at(count);
                    buffer[..count].copy_from_slice(piece);
                    self.0 = rest;
                    Ok(count)
                }
            }
            let mut input = DocumentInput::new(ReadInput(Pieces(text.as_bytes(), size)));
            let (mut all, mut buffer) = (Vec::new(), [0; 16]);
            loop {
                match input.read(&mut buffer).unwrap() {
                    0 => return String::from_utf8(all).unwrap(),
                    count => all.extend_from_slice(&buffer[..count]),
                }
            }
        };
        let whole = read(usize::MAX);
        for size in 1..8 {
            assert_eq!(read(size), whole, "{text:?} in pieces of {size}");
        }
        whole
    }

    #[test]
    fn elements_of_a_pretty_printed_array_become_lines() {
        let text = "[\n  {\n    \"type\": \"a\",\n    \"x\": [1, {\"y\": 2}]\n  },\n  {\n    \"type\": \"b, ]\\\" }\"\n  }\n]\n";
        let lines =
            "\n{\"type\":\"a\",\"x\":[1,{\"y\":2}]}\n\n\n\n{\"type\":\"b, ]\\\" }\"}\n\n\n\n";
        assert_eq!(rewritten(text), lines);
        assert_eq!(rewritten(&text.replace('\n', "\r\n")), lines);
        assert_eq!(rewritten(&format!("\u{feff}\n {text}")), format!("\u{feff}\n {lines}"));
    }

    #[test]
    fn pretty_printed_objects_become_lines() {
        let text = "{\n  \"a\": 1\n}\n{ \n \"b\": {}\n}";
        assert_eq!(rewritten(text), "{\"a\":1}\n\n\n{\"b\":{}}\n\n");
        let text = "{ \"a\": \"[\\\"\",\n  \"b\": {\n} }\n";
        assert_eq!(rewritten(text), "{\"a\":\"[\\\"\",\"b\":{}}\n\n\n");
    }

    #[test]
    fn messages_of_an_object_become_lines() {
        let text = "{\n  \"id\": \"a\",\n  \"messages\": [\n    {\n      \"x\": [1]\n    },\n    {\n      \"y\": {}\n    }\n  ],\n  \"end\": 1,\n  \"z\": \"messages\"\n}\n{\n  \"b\": 2\n}\n";
        let lines: Vec<String> = rewritten(text).lines().map(str::to_owned).collect();
        let numbered: Vec<_> =
            lines.iter().enumerate().filter(|(_, line)| !line.is_empty()).collect();
        let expected = [
            (0, r#"{"id":"a","messages":[]}"#),
            (3, r#"{"x":[1]}"#),
            (6, r#"{"y":{}}"#),
            (9, r#"{"end":1,"z":"messages"}"#),
            (13, r#"{"b":2}"#),
        ];
        assert_eq!(
            numbered.iter().map(|(at, line)| (*at, line.as_str())).collect::<Vec<_>>(),
            expected
        );
        let last = "{\n\"messages\": [\n{\n\"x\": 1\n},\n{\"x\": 2}\n]\n}\n";
        let lines = rewritten(last);
        let lines: Vec<_> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, [r#"{"messages":[]}"#, r#"{"x":1}"#, r#"{"x":2}"#]);
    }

    #[test]
    fn other_lists_stay_in_their_object() {
        for (text, line) in [
            ("{\n \"messages\": []\n}", r#"{"messages":[]}"#),
            ("{\n \"messages\": [1,\n {}]\n}", r#"{"messages":[1,{}]}"#),
            ("{\n \"messages2\": [\n {}]\n}", r#"{"messages2":[{}]}"#),
            ("{\n \"a\": {\"messages\": [\n {}]}\n}", r#"{"a":{"messages":[{}]}}"#),
        ] {
            assert_eq!(rewritten(text).trim_end(), line);
        }
    }

    #[test]
    fn broken_message_does_not_affect_the_next() {
        let text =
            "{\n  \"messages\": [\n    {\n      \"x\": [\n    {\n      \"y\": 1\n    }\n  ]\n}\n";
        let lines = rewritten(text);
        assert!(lines.lines().any(|line| line == r#"{"y":1}"#), "{lines}");
    }

    #[test]
    fn array_without_elements_is_a_line() {
        assert_eq!(rewritten("[\n]\n"), "\n[]\n");
        assert_eq!(rewritten("[\n"), "\n[\n");
        assert_eq!(rewritten("[\n{}\n"), "\n{}\n");
    }

    #[test]
    fn array_with_an_element_per_line_is_a_document() {
        assert_eq!(
            rewritten("[{\"a\":1},\n{\"b\":2},\n{\"c\":3}]\n"),
            "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"
        );
    }

    #[test]
    fn lines_pass_unchanged() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "{\"a\": 1}\n{\"b\": 2}\n",
            "[{\"a\": 1}, {\"b\": 2}]\n{\"c\": 3}\n",
            "[1,\n2]\n",
            "{\"a\": {\n{\"b\": 2}\n",
            "{\n{\"b\": 2}\n",
            "{\n\nx\n",
            "text\n[\n",
            "\n\u{feff}[\n{\"b\": 2}\n]",
        ] {
            assert_eq!(rewritten(text), text);
        }
    }

    #[test]
    fn broken_element_does_not_affect_the_others() {
        assert_eq!(
            rewritten("[\n {\"a\": \"x\ny\"},\n {\"b\": tru},\n {\"c\": 1}\n"),
            "\n{\"a\":\"x\u{1}y\"},\u{1}\n\n{\"b\":tru}\n{\"c\":1}\n"
        );
        assert_eq!(rewritten("[\n}, ],\n{\"c\": 1}"), "\n}\n{\"c\":1}\n", "stray brackets");
        assert_eq!(rewritten("[\n{\"a\": {\"b\": 1"), "\n{\"a\":{\"b\":1", "incomplete");
    }

    #[test]
    fn element_without_its_end_does_not_affect_the_next() {
        let pretty = "[\n  {\n    \"a\": {\n      \"b\": [\n        {}\n      ]\n    }\n  },\n  {\n    \"c\": 1\n  }\n]\n";
        let last =
            |text: &str| rewritten(text).lines().rfind(|line| !line.is_empty()).unwrap().to_owned();
        assert_eq!(last(pretty), r#"{"c":1}"#);
        let end = pretty.find("  },\n  {").unwrap();
        for (at, byte) in pretty[4..end + 3].bytes().enumerate() {
            if !byte.is_ascii_whitespace() {
                let mut broken = pretty.to_owned();
                broken.remove(4 + at);
                assert_eq!(last(&broken), r#"{"c":1}"#, "{broken}");
            }
        }
        for broken in [
            "[\n{\"a\": {\n{\"c\": 1}\n]",
            "[\n{\"a\": \"x\n{\"c\": 1}\n",
            "{\n  \"a\": 1\n\n{\"c\": 1}\n",
            "{\n  \"a\": 1\n}\nadded { 1 \"package\n{\"c\": 1}",
        ] {
            assert_eq!(last(broken), r#"{"c":1}"#, "{broken}");
        }
    }

    #[test]
    fn document_without_indentation_is_complete() {
        let text = "[\n{\n\"a\": [\n{\n\"b\": 1\n},\n{}\n]\n},\n{\n\"c\": 1\n}\n]\n";
        let lines = rewritten(text);
        let lines: Vec<_> = lines.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, [r#"{"a":[{"b":1},{}]}"#, r#"{"c":1}"#]);
    }

    #[test]
    fn text_between_documents_is_a_line() {
        assert_eq!(
            rewritten("{\n \"a\": 1\n}\nadded 1 package\n{\"c\": 1}\n[info] x\n"),
            "{\"a\":1}\n\n\nadded 1 package\n{\"c\":1}\ninfo\nx\n"
        );
    }

    #[test]
    fn memory_does_not_depend_on_the_size() {
        for start in [&b"[\n"[..], b"{\n \"messages\": [\n"] {
            assert_bounded_memory(start);
        }
    }

    fn assert_bounded_memory(start: &[u8]) {
        let element = b"{\n \"type\": \"a\",\n \"x\": [1, 2]\n},\n";
        let repeated = element.iter().copied().cycle().take(element.len() << 18);
        let document: Vec<u8> = start.iter().copied().chain(repeated).collect();
        let mut input = DocumentInput::new(ReadInput(&document[..]));
        let mut buffer = [0; 1 << 12];
        let mut elements = 0;
        loop {
            match input.read(&mut buffer).unwrap() {
                0 => break,
                count => elements += memchr::memchr_iter(b'{', &buffer[..count]).count(),
            }
        }
        assert_eq!(elements, (1 << 18) + usize::from(start[0] == b'{'));
        assert!(input.rewritten.capacity() <= 1 << 14, "{}", input.rewritten.capacity());
    }
}
