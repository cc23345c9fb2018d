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
    guards_formulas: bool,
    buffer: Vec<u8>,
}

impl Table {
    pub(super) fn new(layout: RowLayout, separator: &'static str, escape: Escape) -> Self {
        let columns = layout.columns;
        let (has_header, guards_formulas) = (false, false);
        Self { columns, separator, escape, has_header, guards_formulas, buffer: Vec::new() }
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
            let guarded = guard(value).filter(|_| self.guards_formulas);
            sink.print_input(&(self.escape)(guarded.as_deref().unwrap_or(value)))?;
        }
        sink.print("\n")
    }

    fn guard_formulas(&mut self) {
        self.guards_formulas = true;
    }

    /// Writes the header of an empty table.
    fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.header(sink)
    }
}

/// Returns a value that a spreadsheet would compute, behind an apostrophe. Numbers are left
/// alone.
fn guard(value: &[u8]) -> Option<Vec<u8>> {
    let starts_formula = matches!(value, [b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r', ..]);
    let is_number = || std::str::from_utf8(value).is_ok_and(|text| text.parse::<f64>().is_ok());
    (starts_formula && !is_number()).then(|| [b"'", value].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        for formula in ["=1+1", "+x", "-cmd|x", "@SUM(A1)", "\t=1", "--1"] {
            assert_eq!(guard(formula.as_bytes()), Some(format!("'{formula}").into_bytes()));
        }
        for value in ["", "text", "-1.5", "-3", "a=b", "1e3"] {
            assert_eq!(guard(value.as_bytes()), None, "{value}");
        }
    }
}
