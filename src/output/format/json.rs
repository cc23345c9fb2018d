//! `json`: one document per run, indented on a terminal.

use std::io;

use super::super::json_layout::{compact, indent};
use super::{FormatWriter, Row, RowLayout, Sink};

pub(super) struct JsonDocument {
    layout: RowLayout,
    /// Whether this run has rows.
    has_rows: bool,
    buffer: Vec<u8>,
}

impl JsonDocument {
    pub(super) fn new(layout: RowLayout) -> Self {
        Self { layout, has_rows: false, buffer: Vec::new() }
    }
}

impl FormatWriter for JsonDocument {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        self.buffer.clear();
        row.write_json(&mut self.buffer);
        let is_first = !std::mem::replace(&mut self.has_rows, true);
        if self.layout.is_array {
            sink.print(if is_first { "[" } else { "," })?;
        }
        if sink.is_terminal() {
            sink.print_input(&indent(&self.buffer))?;
        } else if self.buffer.contains(&b'\n') {
            sink.print_input(&compact(&self.buffer))?;
        } else {
            sink.print_input(&self.buffer)?;
        }
        if self.layout.is_array { Ok(()) } else { sink.print("\n") }
    }

    fn end_run(&mut self, sink: &mut Sink) -> io::Result<()> {
        let has_rows = std::mem::take(&mut self.has_rows);
        if self.layout.is_array {
            sink.print(if has_rows { "]\n" } else { "[]\n" })?;
        }
        Ok(())
    }
}
