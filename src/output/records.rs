//! Records in the format asked for.
//!
//! A record writes itself as one compact JSON object; every machine-readable
//! format, and `--get`, is derived from that, so they cannot disagree. Only
//! the form for people is the record's own.

use std::borrow::Cow;
use std::io;

use super::object::Object;
use super::pretty::indented;
use super::sink::Sink;
use crate::json::Json;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people; may change at any time.
    Human,
    /// One document per run.
    Json,
    /// One line per record.
    Jsonl,
    /// Tab-separated values with a header line.
    Tsv,
    /// Comma-separated values with a header line.
    Csv,
}

/// Something that is printed as a record.
pub trait Record {
    /// The members that make the columns of a table.
    const COLUMNS: &'static [&'static str];

    /// Writes the members.
    fn json(&self, object: &mut Object<'_>);

    /// Writes the record for a person.
    ///
    /// # Errors
    ///
    /// Writing fails.
    fn human(&self, sink: &mut Sink) -> io::Result<()>;
}

/// Writes records.
#[derive(Debug)]
pub struct Records {
    format: Format,
    /// Print this member only.
    get: Option<String>,
    /// A run has many records: its JSON document is an array.
    many: bool,
    header_written: bool,
    /// Records of this run so far, and runs that had any.
    in_run: usize,
    runs: usize,
    /// Records that had, and had not, the member asked for.
    found: usize,
    missed: usize,
    json: Vec<u8>,
}

impl Records {
    /// Records in `format`; `many` if a run can have more than one.
    #[must_use]
    pub fn new(format: Format, get: Option<String>, many: bool) -> Self {
        Self {
            format,
            get,
            many,
            header_written: false,
            in_run: 0,
            runs: 0,
            found: 0,
            missed: 0,
            json: Vec::new(),
        }
    }

    /// Whether there were records and none had the member asked for.
    #[must_use]
    pub fn get_failed(&self) -> bool {
        self.found == 0 && self.missed > 0
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn put<R: Record>(&mut self, sink: &mut Sink, record: &R) -> io::Result<()> {
        let mut json = std::mem::take(&mut self.json);
        json.clear();
        Object::write(&mut json, |object| record.json(object));
        let written = match self.format {
            _ if self.get.is_some() => self.put_json(sink, &json),
            Format::Human => {
                if self.in_run == 0 && self.runs > 0 {
                    sink.print("\n")?;
                }
                self.in_run += 1;
                record.human(sink)
            }
            Format::Tsv => self.row(sink, Json::new(&json), R::COLUMNS, "\t", tsv),
            Format::Csv => self.row(sink, Json::new(&json), R::COLUMNS, ",", csv),
            Format::Json | Format::Jsonl => self.put_json(sink, &json),
        };
        self.json = json;
        written
    }

    /// Writes a record that is JSON already, as such or by its member.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn put_json(&mut self, sink: &mut Sink, json: &[u8]) -> io::Result<()> {
        if let Some(pointer) = &self.get {
            let Some(value) = Json::new(json).pointer(pointer) else {
                self.missed += 1;
                return Ok(());
            };
            self.found += 1;
            sink.show(&plain(value))?;
            return sink.print("\n");
        }
        let first = self.in_run == 0;
        self.in_run += 1;
        let as_array = self.many && self.format == Format::Json;
        if as_array {
            sink.print(if first { "[" } else { "," })?;
        }
        if self.format == Format::Json && sink.is_terminal() {
            sink.show(&indented(json))?;
        } else {
            sink.show(json)?;
        }
        if as_array { Ok(()) } else { sink.print("\n") }
    }

    /// A run is over.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn end_run(&mut self, sink: &mut Sink) -> io::Result<()> {
        if self.many && self.format == Format::Json && self.get.is_none() {
            sink.print(if self.in_run == 0 { "[]\n" } else { "]\n" })?;
        }
        self.runs += usize::from(self.in_run > 0);
        self.in_run = 0;
        Ok(())
    }

    fn row(
        &mut self,
        sink: &mut Sink,
        json: Json<'_>,
        columns: &[&str],
        separator: &str,
        cell: fn(&[u8]) -> Cow<'_, [u8]>,
    ) -> io::Result<()> {
        if !std::mem::replace(&mut self.header_written, true) {
            sink.print(&columns.join(separator))?;
            sink.print("\n")?;
        }
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                sink.print(separator)?;
            }
            let value = json.get(column).filter(|value| value.bytes() != b"null");
            let value = value.map(plain).unwrap_or_default();
            sink.show(&cell(&value))?;
        }
        sink.print("\n")
    }
}

/// A string's text, any other value's JSON.
fn plain(value: Json<'_>) -> Cow<'_, [u8]> {
    match value.as_str() {
        Some(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        None => Cow::Borrowed(value.bytes()),
    }
}

/// Backslash escapes for what would break the row.
fn tsv(value: &[u8]) -> Cow<'_, [u8]> {
    if !value
        .iter()
        .any(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\'))
    {
        return Cow::Borrowed(value);
    }
    let escaped = value.iter().flat_map(|byte| match byte {
        b'\t' => b"\\t".to_vec(),
        b'\n' => b"\\n".to_vec(),
        b'\r' => b"\\r".to_vec(),
        b'\\' => b"\\\\".to_vec(),
        byte => vec![*byte],
    });
    Cow::Owned(escaped.collect())
}

/// Quotes as in RFC 4180.
fn csv(value: &[u8]) -> Cow<'_, [u8]> {
    if !value
        .iter()
        .any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r'))
    {
        return Cow::Borrowed(value);
    }
    let mut quoted = vec![b'"'];
    for byte in value {
        if *byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    Cow::Owned(quoted)
}
