//! Tables as text: JSON lines and CSV.

use std::borrow::Cow;
use std::fs::File;
use std::io;

use super::super::schema::{Cell, Column, ExportRow, TableName};
use super::{RowFile, TableFormat, WriteOptions, each_kept};
use crate::output::{ColorChoice, Format, ObjectWriter, Row, RowLayout, RowWriter, Sink, Style};

/// A file of text. What it keeps in memory is bounded by the buffer of its sink.
pub(super) struct TextFile {
    table: TableName,
    columns: Vec<Column>,
    is_kept: Vec<bool>,
    rows: RowWriter,
    sink: Sink,
    file: File,
}

impl TextFile {
    pub(super) fn new(
        table: TableName,
        columns: Vec<Column>,
        is_kept: Vec<bool>,
        file: File,
        options: &WriteOptions,
    ) -> io::Result<Self> {
        let is_csv = options.format == TableFormat::Csv;
        let format = if is_csv { Format::Csv } else { Format::Jsonl };
        let names = columns.iter().map(|column| column.name).collect::<Vec<_>>();
        let layout = RowLayout { columns: names.into(), ..RowLayout::default() };
        let mut rows = RowWriter::new(format, None, layout);
        if options.guards_formulas {
            rows.guard_formulas();
        }
        let style = Style::from_environment(ColorChoice::Never, false);
        let sink = Sink::new(Box::new(file.try_clone()?), false, style);
        Ok(Self { table, columns, is_kept, rows, sink, file })
    }
}

impl RowFile for TextFile {
    fn write(&mut self, row: &ExportRow) -> io::Result<usize> {
        let Self { table, columns, is_kept, rows, sink, .. } = self;
        rows.write(&JsonRow { table: *table, columns, is_kept, row }, sink)?;
        Ok(0)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.rows.end(&mut self.sink)?;
        self.sink.flush()?;
        self.file.sync_all()
    }
}

/// A row with the members of a file.
struct JsonRow<'a> {
    table: TableName,
    columns: &'a [Column],
    is_kept: &'a [bool],
    row: &'a ExportRow,
}

impl Row for JsonRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.table.name())
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        let mut columns = self.columns.iter();
        ObjectWriter::write(to, |object| {
            each_kept(self.row, self.is_kept, |cell| {
                let name = columns.next().map_or("", |column| column.name);
                match cell {
                    Cell::Null => {}
                    Cell::Text(text) => drop(object.text(name, text)),
                    Cell::Integer(number) => drop(object.integer(name, i128::from(number))),
                    Cell::Dollars(usd) => drop(object.cost(name, usd)),
                    Cell::Flag(flag) => drop(object.flag(name, flag)),
                    Cell::Time(time) => drop(object.text(name, time.to_string().as_str())),
                    Cell::Day(day) => drop(object.text(name, day.to_string().as_str())),
                }
            });
        });
    }

    /// Tables have no form for people.
    fn write_human(&self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }
}
