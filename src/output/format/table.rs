//! Tables with a header line, for the formats with separated values.

use std::borrow::Cow;
use std::io;

use super::{FormatWriter, Row, RowLayout, Sink, plain};
use crate::json::Json;

/// Escapes the value of a cell.
type Escape = fn(&[u8]) -> Cow<'_, [u8]>;

pub(super) struct Table {
    columns: Cow<'static, [&'static str]>,
    separator: &'static str,
    escape: Escape,
    has_header: bool,
    buffer: Vec<u8>,
}

impl Table {
    pub(super) fn new(layout: RowLayout, separator: &'static str, escape: Escape) -> Self {
        let columns = layout.columns;
        Self { columns, separator, escape, has_header: false, buffer: Vec::new() }
    }

    /// Writes the header once.
    fn header(&mut self, sink: &mut Sink) -> io::Result<()> {
        if std::mem::replace(&mut self.has_header, true) {
            return Ok(());
        }
        sink.print(&(self.columns.join(self.separator) + "\n"))
    }
}

impl FormatWriter for Table {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        self.header(sink)?;
        self.buffer.clear();
        row.write_json(&mut self.buffer);
        let mut cells = vec![Cow::Borrowed(b"".as_slice()); self.columns.len()];
        let members = Json::new(&self.buffer).members();
        for (name, value) in members.filter(|(_, value)| value.bytes() != b"null") {
            let name = name.as_str();
            let column = self.columns.iter().position(|column| name.as_deref() == Some(*column));
            if let Some(column) = column {
                cells[column] = plain(value);
            }
        }
        for (at, value) in cells.iter().enumerate() {
            if at > 0 {
                sink.print(self.separator)?;
            }
            sink.print_input(&(self.escape)(value))?;
        }
        sink.print("\n")
    }

    /// Writes the header of an empty table.
    fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.header(sink)
    }
}
