//! The output of one input, kept until those before it have been printed.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use super::diagnostics::Diagnostics;
use super::format::FormatWriter;
use super::row::{Row, RowWriter};
use super::sink::{Sink, SinkSettings};
use super::{Output, OutputSafety};

/// What an input has written, in order.
#[derive(Debug, Default)]
pub(crate) struct Transcript(Vec<TranscriptPart>);

#[derive(Debug)]
enum TranscriptPart {
    Stdout(Vec<u8>),
    Stderr(Vec<u8>),
    Row(RecordedRow),
    EndOfRun,
}

/// A row, as JSON or for a person.
#[derive(Debug)]
struct RecordedRow {
    kind: String,
    content: Vec<u8>,
}

/// Shared by the writers of an output.
#[derive(Clone, Default)]
struct SharedTranscript(Rc<RefCell<Transcript>>);

/// The settings of an output whose parts are recorded on another thread.
#[derive(Clone, Copy)]
pub(crate) struct RecordingSettings {
    sink: SinkSettings,
    is_human: bool,
    has_origin: bool,
    is_quiet: bool,
}

impl RecordingSettings {
    pub(crate) fn new(out: &Output, is_quiet: bool) -> Self {
        let (is_human, has_origin) = (out.rows.is_human(), out.rows.has_origin());
        Self { sink: out.sink.settings(), is_human, has_origin, is_quiet }
    }

    /// Returns what `write` writes to an output.
    pub(crate) fn record<T>(
        self,
        write: impl FnOnce(&mut Output) -> io::Result<T>,
    ) -> io::Result<(Transcript, T)> {
        let shared = SharedTranscript::default();
        let writer = |is_error| Box::new(PartWriter { to: shared.clone(), is_error });
        let recorder = RowRecorder { to: shared.clone(), is_human: self.is_human };
        let mut rows = RowWriter::through(Box::new(recorder), self.is_human);
        if self.has_origin {
            rows.add_origins();
        }
        let mut out = Output::new(
            Sink::with_settings(writer(false), self.sink),
            Diagnostics::new(writer(true), self.is_quiet),
            rows,
            OutputSafety::default(),
        );
        let result = write(&mut out)?;
        out.sink.flush()?;
        drop(out);
        let transcript = std::mem::take(&mut *shared.0.borrow_mut());
        Ok((transcript, result))
    }
}

impl Transcript {
    /// Writes everything to an output.
    pub(crate) fn print(self, out: &mut Output) -> io::Result<()> {
        for part in self.0 {
            match part {
                TranscriptPart::Stdout(bytes) => out.sink.write_recorded(&bytes)?,
                TranscriptPart::Stderr(bytes) => {
                    out.sink.flush()?;
                    out.diagnostics.write_recorded(&bytes);
                }
                TranscriptPart::Row(row) => out.rows.write_recorded(&row, &mut out.sink)?,
                TranscriptPart::EndOfRun => out.rows.end_run(&mut out.sink)?,
            }
        }
        Ok(())
    }
}

impl Row for RecordedRow {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.kind)
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.content);
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        sink.write_recorded(&self.content)
    }
}

/// Records what is written to standard output or to standard error.
struct PartWriter {
    to: SharedTranscript,
    is_error: bool,
}

impl Write for PartWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut transcript = self.to.0.borrow_mut();
        match (transcript.0.last_mut(), self.is_error) {
            _ if bytes.is_empty() => {}
            (Some(TranscriptPart::Stdout(part)), false)
            | (Some(TranscriptPart::Stderr(part)), true) => {
                part.extend_from_slice(bytes);
            }
            (_, false) => transcript.0.push(TranscriptPart::Stdout(bytes.to_vec())),
            (_, true) => transcript.0.push(TranscriptPart::Stderr(bytes.to_vec())),
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Records rows.
struct RowRecorder {
    to: SharedTranscript,
    is_human: bool,
}

impl FormatWriter for RowRecorder {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        sink.flush()?;
        let mut content = Vec::new();
        if self.is_human {
            // What the sink writes until it is flushed belongs to the row.
            let before = std::mem::take(&mut *self.to.0.borrow_mut());
            row.write_human(sink)?;
            sink.flush()?;
            let written = std::mem::replace(&mut *self.to.0.borrow_mut(), before);
            for part in written.0 {
                if let TranscriptPart::Stdout(bytes) = part {
                    content.extend(bytes);
                }
            }
        } else {
            row.write_json(&mut content);
        }
        let row = RecordedRow { kind: row.kind().into_owned(), content };
        self.to.0.borrow_mut().0.push(TranscriptPart::Row(row));
        Ok(())
    }

    fn end_run(&mut self, sink: &mut Sink) -> io::Result<()> {
        sink.flush()?;
        self.to.0.borrow_mut().0.push(TranscriptPart::EndOfRun);
        Ok(())
    }
}
