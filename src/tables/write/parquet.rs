//! Tables as Parquet: columns with types, compressed with Zstandard.

use std::fs::File;
use std::io;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use jiff::civil::Date;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::super::schema::{Cell, Column, ColumnKind, ExportRow, VERSION};
use super::{RowFile, each_kept};

/// Rows and bytes of a row group; a reader decodes one at a time.
const MAX_ROWS: usize = 64 << 10;
const MAX_BYTES: usize = 8 << 20;

/// A Parquet file.
pub(super) struct ParquetFile {
    writer: ArrowWriter<File>,
    schema: SchemaRef,
    is_kept: Vec<bool>,
    columns: Vec<ColumnBuilder>,
    row_count: usize,
    bytes: usize,
}

enum ColumnBuilder {
    Text(StringBuilder),
    Integer(Int64Builder),
    Dollars(Float64Builder),
    Flag(BooleanBuilder),
    Time(TimestampMicrosecondBuilder),
    Day(Date32Builder),
}

impl ParquetFile {
    pub(super) fn new(columns: &[Column], is_kept: Vec<bool>, file: File) -> io::Result<Self> {
        let field =
            |column: &Column| Field::new(column.name, data_type(column.kind), !column.is_required);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let version = KeyValue::new("streamj.tables.version".to_owned(), VERSION.to_string());
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("streamj ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata(Some(vec![version]))
            .build();
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties));
        Ok(Self {
            writer: writer.map_err(to_io)?,
            schema,
            is_kept,
            columns: columns.iter().map(|column| ColumnBuilder::new(column.kind)).collect(),
            row_count: 0,
            bytes: 0,
        })
    }
}

impl RowFile for ParquetFile {
    fn write(&mut self, row: &ExportRow) -> io::Result<usize> {
        let mut columns = self.columns.iter_mut();
        let bytes = &mut self.bytes;
        each_kept(row, &self.is_kept, |cell| {
            if let Some(column) = columns.next() {
                *bytes += column.push(cell);
            }
        });
        self.row_count += 1;
        if self.row_count >= MAX_ROWS || self.bytes >= MAX_BYTES {
            self.flush()?;
        }
        Ok(self.bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.row_count == 0 {
            return Ok(());
        }
        let arrays = self.columns.iter_mut().map(ColumnBuilder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
        let batch = batch.map_err(io::Error::other)?;
        (self.row_count, self.bytes) = (0, 0);
        self.writer.write(&batch).and_then(|()| self.writer.flush()).map_err(to_io)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.flush()?;
        self.writer.into_inner().map_err(to_io)?.sync_all()
    }
}

impl ColumnBuilder {
    fn new(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::Text => Self::Text(StringBuilder::with_capacity(0, 0)),
            ColumnKind::Integer => Self::Integer(Int64Builder::with_capacity(0)),
            ColumnKind::Dollars => Self::Dollars(Float64Builder::with_capacity(0)),
            ColumnKind::Flag => Self::Flag(BooleanBuilder::with_capacity(0)),
            ColumnKind::Time => {
                let times = TimestampMicrosecondBuilder::with_capacity(0);
                Self::Time(times.with_timezone("UTC"))
            }
            ColumnKind::Day => Self::Day(Date32Builder::with_capacity(0)),
        }
    }

    /// Adds a value and returns its size. A value of another type is null.
    fn push(&mut self, cell: Cell<'_>) -> usize {
        match (self, cell) {
            (Self::Text(column), Cell::Text(text)) => {
                column.append_value(text);
                return text.len() + size_of::<i32>();
            }
            (Self::Integer(column), Cell::Integer(number)) => column.append_value(number),
            (Self::Dollars(column), Cell::Dollars(usd)) => column.append_value(usd),
            (Self::Flag(column), Cell::Flag(flag)) => column.append_value(flag),
            (Self::Time(column), Cell::Time(time)) => column.append_value(time.as_microsecond()),
            (Self::Day(column), Cell::Day(day)) => column.append_value(days_since_1970(day)),
            (Self::Text(column), _) => column.append_null(),
            (Self::Integer(column), _) => column.append_null(),
            (Self::Dollars(column), _) => column.append_null(),
            (Self::Flag(column), _) => column.append_null(),
            (Self::Time(column), _) => column.append_null(),
            (Self::Day(column), _) => column.append_null(),
        }
        size_of::<i64>()
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(column) => ArrayBuilder::finish(column),
            Self::Integer(column) => ArrayBuilder::finish(column),
            Self::Dollars(column) => ArrayBuilder::finish(column),
            Self::Flag(column) => ArrayBuilder::finish(column),
            Self::Time(column) => ArrayBuilder::finish(column),
            Self::Day(column) => ArrayBuilder::finish(column),
        }
    }
}

fn data_type(kind: ColumnKind) -> DataType {
    match kind {
        ColumnKind::Text => DataType::Utf8,
        ColumnKind::Integer => DataType::Int64,
        ColumnKind::Dollars => DataType::Float64,
        ColumnKind::Flag => DataType::Boolean,
        ColumnKind::Time => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        ColumnKind::Day => DataType::Date32,
    }
}

fn days_since_1970(day: Date) -> i32 {
    (day - Date::constant(1970, 1, 1)).get_days()
}

fn to_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(source) => io::Error::other(source),
        },
        error => io::Error::other(error),
    }
}
