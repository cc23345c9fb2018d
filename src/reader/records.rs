//! An iterator over the records of any reader.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::{error, fmt};

use self_cell::{MutBorrow, self_cell};

use super::decoder::{Decoder, LineMeta, is_blank, is_message_array, split_document};
use super::document::DocumentInput;
use super::options::{DEFAULT_MAX_LINE, DecodeOptions};
use crate::event::Event;
use crate::harness::Record;
use crate::input::{LineBuffer, LineContent, ReadInput};
use crate::json::{self, Arena, Json, Malformed, TapeStore};

/// Iterates over the records of a stream or session file.
///
/// A line that cannot be decoded is an error; the iterator continues behind it.
/// Blank lines, JSON that is not an object, and text that a CLI prints between its events
/// are skipped.
///
/// ```
/// use streamj::event::Event;
///
/// let stream = br#"{"type":"thread.started","thread_id":"th_1"}
/// not JSON
/// {"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}"#;
///
/// let mut texts = Vec::new();
/// for record in streamj::records(stream.as_slice()) {
///     match record {
///         Ok(record) => {
///             for event in record.get().events {
///                 if let Event::Text { text, .. } = event {
///                     texts.push(text.to_string());
///                 }
///             }
///         }
///         Err(error) => assert_eq!(error.to_string(), "line 2: not JSON: expected value at byte 0"),
///     }
/// }
/// assert_eq!(texts, ["Done."]);
/// ```
pub struct Records<R> {
    input: DocumentInput<ReadInput<R>>,
    lines: LineBuffer,
    decoder: Decoder,
    /// Records of a line that is an array of messages.
    pending: VecDeque<Result<OwnedRecord, RecordError>>,
    has_ended: bool,
    /// A read error, returned after the lines before it.
    error: Option<io::Error>,
}

/// Why a record is missing.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// Reading failed; there are no more records.
    Io(io::Error),
    /// A line is not JSON.
    Malformed {
        /// The line number, counted from 1.
        line: u64,
        /// What is wrong.
        error: Malformed,
    },
    /// A line exceeds the limit.
    TooLong {
        /// The line number, counted from 1.
        line: u64,
        /// The length of the line.
        bytes: u64,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(formatter),
            Self::Malformed { line, error } => write!(formatter, "line {line}: {error}"),
            Self::TooLong { line, bytes } => {
                write!(formatter, "line {line}: line too long: {bytes} bytes")
            }
        }
    }
}

impl error::Error for RecordError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Malformed { error, .. } => Some(error),
            Self::TooLong { .. } => None,
        }
    }
}

/// A record that owns its line.
pub struct OwnedRecord {
    line: u64,
    /// The line as it was read, if it had to be repaired.
    original: Option<Vec<u8>>,
    cell: RecordCell,
}

impl OwnedRecord {
    /// Returns the record.
    #[must_use]
    pub fn get(&self) -> Record<'_> {
        let parts = self.cell.borrow_dependent();
        let bytes = self.original.as_ref().unwrap_or(&self.cell.borrow_owner().bytes);
        parts.meta.record(&parts.events, None, bytes, self.original.is_some())
    }

    /// Returns the line number, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }
}

impl fmt::Debug for OwnedRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OwnedRecord")
            .field("line", &self.line)
            .field("record", &self.get())
            .finish_non_exhaustive()
    }
}

self_cell!(
    struct RecordCell {
        owner: RecordOwner,
        #[covariant]
        dependent: RecordParts,
    }
);

struct RecordOwner {
    bytes: Vec<u8>,
    arena: MutBorrow<Vec<u8>>,
}

struct RecordParts<'a> {
    meta: LineMeta<'a>,
    events: Vec<Event<'a>>,
}

impl<R: Read> Records<R> {
    /// Creates an iterator over the records of `reader`. It reads in large chunks,
    /// so `reader` needs no buffer.
    pub fn new(reader: R, options: DecodeOptions) -> Self {
        Self {
            input: DocumentInput::new(ReadInput(reader)),
            lines: LineBuffer::new(DEFAULT_MAX_LINE),
            decoder: Decoder::new(options),
            pending: VecDeque::new(),
            has_ended: false,
            error: None,
        }
    }

    /// Skips lines longer than this, with an error; [`DEFAULT_MAX_LINE`] by default.
    #[must_use]
    pub fn with_max_line(self, bytes: usize) -> Self {
        Self { lines: LineBuffer::new(bytes), ..self }
    }

    /// Decodes the next line into `pending`. Returns false at the end.
    fn decode_next(&mut self) -> bool {
        let Self { input, lines, decoder, pending, has_ended, error } = self;
        // Borrows from the buffer end before it is filled, so the line is copied.
        let next = loop {
            if *has_ended {
                break lines.last().map(|line| (line.number, owned(&line.content)));
            }
            if let Some(line) = lines.next() {
                break Some((line.number, owned(&line.content)));
            }
            *has_ended = match lines.fill(input) {
                Ok(count) => count == 0,
                Err(failed) => {
                    *error = Some(failed);
                    true
                }
            };
        };
        let Some((line, content)) = next else { return false };
        match content {
            Ok(bytes) => decoder.own_records(line, bytes, pending),
            Err(bytes) => pending.push_back(Err(RecordError::TooLong { line, bytes })),
        }
        true
    }
}

fn owned(content: &LineContent<'_>) -> Result<Vec<u8>, u64> {
    match content {
        LineContent::Bytes(bytes) => Ok(bytes.to_vec()),
        LineContent::TooLong(length) => Err(*length),
    }
}

impl<R: Read> Iterator for Records<R> {
    type Item = Result<OwnedRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.pending.pop_front() {
                return Some(record);
            }
            if !self.decode_next() {
                return self.error.take().map(|error| Err(RecordError::Io(error)));
            }
        }
    }
}

/// Why a line could not be decoded in one way; another may succeed.
enum Attempt {
    /// An elided string is needed.
    Elided,
    NotAnObject,
    Rejected,
}

impl Decoder {
    /// Decodes a line into records that own it.
    fn own_records(
        &mut self,
        line: u64,
        bytes: Vec<u8>,
        records: &mut VecDeque<Result<OwnedRecord, RecordError>>,
    ) {
        if is_blank(&bytes) {
            return;
        }
        let attempt = self.own_record(bytes, true);
        let attempt = attempt.or_else(|(bytes, failed)| match failed {
            Attempt::Elided => self.own_record(bytes, false),
            _ => Err((bytes, failed)),
        });
        match attempt {
            Ok(cell) => self.push_record(OwnedRecord { line, original: None, cell }, records),
            Err((bytes, Attempt::Rejected)) => match json::repair(&bytes) {
                Err(_) if self.detector.text_reader(&bytes).is_some() => {}
                Err(error) => records.push_back(Err(RecordError::Malformed { line, error })),
                Ok(repaired) => match self.own_record(repaired, false) {
                    Ok(cell) => {
                        self.push_record(
                            OwnedRecord { line, original: Some(bytes), cell },
                            records,
                        );
                    }
                    Err(_) => self.own_messages(line, &bytes, records),
                },
            },
            Err((bytes, _)) => self.own_messages(line, &bytes, records),
        }
    }

    /// Adds a record. A document is added as an object with an empty list, and its elements.
    fn push_record(
        &mut self,
        record: OwnedRecord,
        records: &mut VecDeque<Result<OwnedRecord, RecordError>>,
    ) {
        let line = record.line;
        let Some(member) = record.cell.borrow_dependent().meta.elements else {
            return records.push_back(Ok(record));
        };
        let (header, list) = split_document(record.get().json.bytes(), member);
        self.own_records(line, header, records);
        for element in list.elements() {
            self.own_records(line, element.bytes().to_vec(), records);
        }
    }

    /// Decodes the elements of a line if it is an array of messages.
    fn own_messages(
        &mut self,
        line: u64,
        bytes: &[u8],
        records: &mut VecDeque<Result<OwnedRecord, RecordError>>,
    ) {
        if self.options.split_arrays && is_message_array(bytes) {
            for element in Json::new(bytes).elements() {
                self.own_records(line, element.bytes().to_vec(), records);
            }
        }
    }

    fn own_record(
        &mut self,
        bytes: Vec<u8>,
        elide: bool,
    ) -> Result<RecordCell, (Vec<u8>, Attempt)> {
        let arena = MutBorrow::new(vec![0; Arena::size_for(bytes.len(), 1)]);
        let Self { parser, detector, options, .. } = self;
        let cell = RecordCell::try_new_or_recover(RecordOwner { bytes, arena }, |owner| {
            let mut tapes = TapeStore::default();
            let mut arena = Arena(owner.arena.borrow_mut());
            if !parser.tokenise(&owner.bytes, elide, &mut arena, &mut tapes) {
                return Err(Attempt::Rejected);
            }
            let tape = tapes.last();
            let object = tape.value();
            if !object.is_object() {
                return Err(Attempt::NotAnObject);
            }
            let mut events = Vec::new();
            let mut updated = *detector;
            let meta = LineMeta::decode(object, options.filter, &mut updated, &mut events);
            if object.touched_elided() {
                return Err(Attempt::Elided);
            }
            *detector = updated;
            Ok(RecordParts { meta, events })
        });
        cell.map_err(|(owner, attempt)| (owner.bytes, attempt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Harness;

    fn lines(stream: &[u8]) -> Vec<Result<(u64, String), String>> {
        Records::new(stream, DecodeOptions::default())
            .map(|record| match record {
                Ok(record) => {
                    assert_eq!(record.get().harness, Harness::Claude);
                    let texts = record.get().events.iter().filter_map(|event| match event {
                        Event::Text { text, .. } => Some(text.to_string()),
                        _ => None,
                    });
                    Ok((record.line(), texts.collect()))
                }
                Err(error) => Err(error.to_string()),
            })
            .collect()
    }

    fn message(text: &str) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{text}"}}]}},"session_id":"s"}}"#
        )
    }

    #[test]
    fn every_kind_of_line_gives_its_records() {
        let long = "word ".repeat(100);
        let stream = [
            format!("\u{feff}{}", message("one")),
            String::new(),
            "{broken".to_owned(),
            message(r"lone \ud83d"),
            format!("[{},{}]", message("two"), message(&long)),
            format!("[{},{}]", message("three"), message(r"lone \ud83d")),
            "[1]".to_owned(),
            message("last"),
        ];
        let expected = [
            Ok((1, "one".to_owned())),
            Err("line 3: not JSON: expected a member name at byte 1".to_owned()),
            Ok((4, "lone \u{fffd}".to_owned())),
            Ok((5, "two".to_owned())),
            Ok((5, long)),
            Ok((6, "three".to_owned())),
            Ok((6, "lone \u{fffd}".to_owned())),
            Ok((8, "last".to_owned())),
        ];
        assert_eq!(lines(stream.join("\r\n").as_bytes()), expected);
    }

    #[test]
    fn repaired_record_has_its_original_bytes() {
        let line = message(r"lone \ud83d");
        let record = Records::new(line.as_bytes(), DecodeOptions::default()).next();
        let record = record.unwrap().unwrap();
        assert!(record.get().repaired);
        assert_eq!(record.get().json.bytes(), line.as_bytes());
    }

    #[test]
    fn read_error_follows_the_lines_before_it() {
        struct Failing<'a>(&'a [u8]);
        impl Read for Failing<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                match self.0.read(buffer)? {
                    0 => Err(io::ErrorKind::PermissionDenied.into()),
                    count => Ok(count),
                }
            }
        }
        let lines = format!("{}\n{}", message("one"), message("two"));
        let mut records = Records::new(Failing(lines.as_bytes()), DecodeOptions::default());
        assert!(records.by_ref().take(2).all(|record| record.is_ok()));
        assert!(matches!(records.next(), Some(Err(RecordError::Io(_)))));
        assert!(records.next().is_none());
    }
}
