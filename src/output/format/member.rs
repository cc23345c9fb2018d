//! `--get POINTER`: one member of each row, strings without quotes.

use std::io;

use super::{FormatWriter, Row, Sink, plain};
use crate::json::Json;

pub(in crate::output) struct Member {
    pointer: String,
    /// Whether a row has, and whether a row lacks, the member.
    is_found: bool,
    is_missing: bool,
    buffer: Vec<u8>,
}

impl Member {
    pub(in crate::output) fn new(pointer: String) -> Self {
        Self { pointer, is_found: false, is_missing: false, buffer: Vec::new() }
    }
}

impl FormatWriter for Member {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        self.buffer.clear();
        row.write_json(&mut self.buffer);
        let Some(value) = Json::new(&self.buffer).pointer(&self.pointer) else {
            self.is_missing = true;
            return Ok(());
        };
        self.is_found = true;
        sink.print_input(&plain(value))?;
        sink.print("\n")
    }

    fn missing_member(&self) -> Option<&str> {
        (self.is_missing && !self.is_found).then_some(&self.pointer)
    }
}
