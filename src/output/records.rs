//! Records in the format asked for.
//!
//! A record writes itself as one compact JSON object; every machine-readable
//! format, and `--get`, is derived from that, so they cannot disagree. Only
//! the form for people is the record's own.

use std::borrow::Cow;
use std::io;

use super::object::Object;
use super::pretty::{compact, indented};
use super::sink::Sink;
use crate::json::Json;

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people; may change at any time.
    #[value(alias = "text")]
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
    /// Writes the members.
    fn json(&self, object: &mut Object<'_>);

    /// Writes the record for a person.
    ///
    /// # Errors
    ///
    /// Writing fails.
    fn human(&self, sink: &mut Sink) -> io::Result<()>;
}

/// What kind of records a command prints.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// The members that make the columns of a table.
    pub columns: &'static [&'static str],
    /// A run can have many records: its JSON document is an array.
    pub many: bool,
    /// For people, nothing stands between the runs.
    pub dense: bool,
}

/// Writes records.
#[derive(Debug)]
pub struct Records {
    format: Format,
    /// Print this member only.
    get: Option<String>,
    shape: Shape,
    header_written: bool,
    /// Records of this run so far, and runs that had any.
    in_run: usize,
    runs: usize,
    /// Records that had, and had not, the member asked for.
    found: usize,
    missed: usize,
    json: Vec<u8>,
}

impl Default for Records {
    fn default() -> Self {
        Self::new(Format::Jsonl, None, Shape::default())
    }
}

impl Records {
    /// Records of this shape in `format`, or one member of each.
    #[must_use]
    pub fn new(format: Format, get: Option<String>, shape: Shape) -> Self {
        Self {
            format,
            get,
            shape,
            header_written: false,
            in_run: 0,
            runs: 0,
            found: 0,
            missed: 0,
            json: Vec::new(),
        }
    }

    /// The member that was asked for and that no record had.
    #[must_use]
    pub fn missed(&self) -> Option<&str> {
        let missed = self.found == 0 && self.missed > 0;
        self.get.as_deref().filter(|_| missed)
    }

    /// Whether they are for people, not for programs.
    #[must_use]
    pub fn are_for_people(&self) -> bool {
        self.get.is_none() && self.format == Format::Human
    }

    /// Whether every record is just a line of JSON.
    #[must_use]
    pub fn are_plain_lines(&self) -> bool {
        self.get.is_none() && self.format == Format::Jsonl
    }

    /// Writes a record.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn put(&mut self, sink: &mut Sink, record: &impl Record) -> io::Result<()> {
        if self.are_plain_lines() {
            self.in_run += 1;
            return sink.compose(|to| {
                Object::write(to, |object| record.json(object));
                to.gathered().push(b'\n');
            });
        }
        let mut json = std::mem::take(&mut self.json);
        json.clear();
        Object::write(&mut json, |object| record.json(object));
        let written = match self.format {
            _ if self.get.is_some() => self.put_json(sink, &json),
            Format::Human => {
                if self.in_run == 0 && self.runs > 0 && !self.shape.dense {
                    sink.print("\n")?;
                }
                self.in_run += 1;
                record.human(sink)
            }
            Format::Tsv | Format::Csv => self.row(sink, Json::new(&json)),
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
        let as_array = self.shape.many && self.format == Format::Json;
        if as_array {
            sink.print(if first { "[" } else { "," })?;
        }
        if self.format == Format::Json && sink.is_terminal() {
            sink.show(&indented(json))?;
        } else if json.contains(&b'\n') {
            sink.show(&compact(json))?;
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
        if self.shape.many && self.format == Format::Json && self.get.is_none() {
            sink.print(if self.in_run == 0 { "[]\n" } else { "]\n" })?;
        }
        self.runs += usize::from(self.in_run > 0);
        self.in_run = 0;
        Ok(())
    }

    /// All runs are over.
    ///
    /// # Errors
    ///
    /// Writing fails.
    pub fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        let table = matches!(self.format, Format::Tsv | Format::Csv) && self.get.is_none();
        if table { self.header(sink) } else { Ok(()) }
    }

    /// The header of a table, once.
    fn header(&mut self, sink: &mut Sink) -> io::Result<()> {
        if std::mem::replace(&mut self.header_written, true) {
            return Ok(());
        }
        let separator = if self.format == Format::Tsv { "\t" } else { "," };
        sink.print(&(self.shape.columns.join(separator) + "\n"))
    }

    fn row(&mut self, sink: &mut Sink, json: Json<'_>) -> io::Result<()> {
        self.header(sink)?;
        let columns = self.shape.columns;
        let mut cells = vec![Cow::Borrowed(b"".as_slice()); columns.len()];
        for (name, value) in json.members().filter(|(_, value)| value.bytes() != b"null") {
            let name = name.as_str();
            let column = columns.iter().position(|column| name.as_deref() == Some(*column));
            if let Some(column) = column {
                cells[column] = plain(value);
            }
        }
        let (separator, cell) = match self.format {
            Format::Tsv => ("\t", tsv as fn(&[u8]) -> Cow<'_, [u8]>),
            _ => (",", csv as fn(&[u8]) -> Cow<'_, [u8]>),
        };
        for (at, value) in cells.iter().enumerate() {
            if at > 0 {
                sink.print(separator)?;
            }
            sink.show(&cell(value))?;
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
    if !value.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b'\\')) {
        return Cow::Borrowed(value);
    }
    let mut escaped = Vec::with_capacity(value.len() + 16);
    for byte in value {
        match byte {
            b'\t' => escaped.extend_from_slice(br"\t"),
            b'\n' => escaped.extend_from_slice(br"\n"),
            b'\r' => escaped.extend_from_slice(br"\r"),
            b'\\' => escaped.extend_from_slice(br"\\"),
            byte => escaped.push(*byte),
        }
    }
    Cow::Owned(escaped)
}

/// Quotes as in RFC 4180.
fn csv(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
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
