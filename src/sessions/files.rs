//! Several files as one input, each read as lines.

use std::io;
use std::path::PathBuf;

use crate::input::{Input, InputSource};
use crate::reader::DocumentInput;

/// Reads files one after the other. A document becomes lines, and every file ends with a
/// newline.
pub(super) struct FilesInput {
    rest: std::vec::IntoIter<PathBuf>,
    current: Option<DocumentInput<InputSource>>,
    /// Whether the last byte that was read ends a line.
    is_line_end: bool,
}

impl FilesInput {
    pub(super) fn new(files: Vec<PathBuf>) -> Self {
        Self { rest: files.into_iter(), current: None, is_line_end: true }
    }
}

impl Input for FilesInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(current) = &mut self.current {
                let count = current.read(buffer)?;
                if count > 0 {
                    self.is_line_end = buffer[count - 1] == b'\n';
                    return Ok(count);
                }
                self.current = None;
                if !std::mem::replace(&mut self.is_line_end, true) {
                    buffer[0] = b'\n';
                    return Ok(1);
                }
            }
            let Some(path) = self.rest.next() else { return Ok(0) };
            match InputSource::open(&path) {
                Ok(source) => self.current = Some(DocumentInput::new(source)),
                // A running CLI may have replaced or removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn ready(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_in_order_as_lines() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let files = vec![
            write("meta.json", "{\n  \"id\": 1\n}"),
            folder.path().join("missing"),
            write("lines.jsonl", "{\"a\":1}\n{\"b\":2}"),
            write("last.json", "{\"c\":3}"),
        ];
        let mut input = FilesInput::new(files);
        let (mut all, mut buffer) = (Vec::new(), [0; 7]);
        loop {
            match input.read(&mut buffer).unwrap() {
                0 => break,
                count => all.extend_from_slice(&buffer[..count]),
            }
        }
        let text = String::from_utf8(all).unwrap();
        let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, [r#"{"id":1}"#, r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#]);
    }
}
