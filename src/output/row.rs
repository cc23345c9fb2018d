//! Rows: what a command prints, independent of the format.
//!
//! A row writes itself as one compact JSON object, and every machine-readable
//! format, and `--get`, is derived from that, so they cannot disagree. Only the
//! human form is the row's own.

use std::borrow::Cow;
use std::io;

use super::format::{Format, FormatWriter, Member};
use super::origin::RowOrigin;
use super::sink::Sink;

/// Something that is printed as a row.
pub(crate) trait Row {
    /// Returns the name of the row in an event stream.
    fn kind(&self) -> Cow<'_, str>;

    /// Writes the row as one JSON value.
    fn write_json(&self, to: &mut Vec<u8>);

    /// Writes the row for a person.
    fn write_human(&self, sink: &mut Sink) -> io::Result<()>;
}

/// How the rows of a command are arranged.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowLayout {
    /// The members that are columns of a table.
    pub(crate) columns: Cow<'static, [&'static str]>,
    /// Whether a run can have many rows, so that its JSON document is an array.
    pub(crate) is_array: bool,
    /// Whether no blank line separates runs in the human form.
    pub(crate) is_dense: bool,
}

/// Writes rows in the selected format.
pub(crate) struct RowWriter {
    writer: Box<dyn FormatWriter>,
    is_human: bool,
    /// Where the next row comes from, if rows say so.
    origin: Option<RowOrigin>,
}

impl Default for RowWriter {
    fn default() -> Self {
        Self::new(Format::Jsonl, None, RowLayout::default())
    }
}

impl RowWriter {
    /// Creates a writer for `format`, or for one member of each row.
    pub fn new(format: Format, member: Option<String>, layout: RowLayout) -> Self {
        let is_human = member.is_none() && format == Format::Human;
        let writer = match member {
            Some(pointer) => Box::new(Member::new(pointer)),
            None => format.writer(layout),
        };
        Self::through(writer, is_human)
    }

    /// Creates a row writer for any format.
    pub(super) fn through(writer: Box<dyn FormatWriter>, is_human: bool) -> Self {
        Self { writer, is_human, origin: None }
    }

    /// Adds to every row where it comes from.
    pub fn add_origins(&mut self) {
        self.origin = Some(RowOrigin::default());
    }

    /// Returns whether rows say where they come from.
    pub fn has_origin(&self) -> bool {
        self.origin.is_some()
    }

    /// Returns where the next row comes from, if rows say so.
    pub fn origin_mut(&mut self) -> Option<&mut RowOrigin> {
        self.origin.as_mut()
    }

    /// Returns whether rows are written in the human form.
    pub fn is_human(&self) -> bool {
        self.is_human
    }

    /// Makes cells of tables safe for spreadsheets.
    pub fn guard_formulas(&mut self) {
        self.writer.guard_formulas();
    }

    /// Returns the requested member if no row has it.
    pub fn missing_member(&self) -> Option<&str> {
        self.writer.missing_member()
    }

    /// Writes a row.
    pub fn write(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        match &self.origin {
            Some(origin) => self.writer.row(&RowWithOrigin { row, origin }, sink),
            None => self.writer.row(row, sink),
        }
    }

    /// Writes a row as it was recorded.
    pub(super) fn write_recorded(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        self.writer.row(row, sink)
    }

    /// Ends a run.
    pub fn end_run(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.writer.end_run(sink)
    }

    /// Ends the output.
    pub fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.writer.end(sink)
    }
}

/// A row that says where it comes from.
struct RowWithOrigin<'a> {
    row: &'a dyn Row,
    origin: &'a RowOrigin,
}

impl Row for RowWithOrigin<'_> {
    fn kind(&self) -> Cow<'_, str> {
        self.row.kind()
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        self.origin.write_with(self.row, to);
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        self.row.write_human(sink)
    }
}
