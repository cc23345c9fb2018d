//! Reads an input and decodes its lines: the only loop from bytes to records.
//!
//! Files, folders, `wrap` and the library all use it. A document that spans several
//! lines is read as one line per element. Small and slow inputs are read line by line;
//! large ones are split into blocks that several threads decode. The results are passed
//! on in order, so the output does not depend on the number of threads.

mod decoded_block;
mod decoder;
mod document;
mod filter;
mod long_line;
mod options;
mod parallel;
mod recognition;
mod records;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::codec::codec_struct;
use crate::harness::Harness;
use crate::input::{Input, Line, LineBuffer, LineContent};
use crate::redact::{LineCheck, LineRedactor};
pub(crate) use document::DocumentInput;
use long_line::{LONG, LongLine};

pub use decoder::{DecodedLine, Decoder};
pub use options::{DEFAULT_MAX_LINE, DecodeOptions};
pub use records::{OwnedRecord, RecordError, Records};

pub(crate) use options::{LineFilter, Objects, ReaderOptions};
pub(crate) use recognition::Recognition;

/// Bytes read before threads are started: below this, starting them costs more
/// than it saves.
const PARALLEL_THRESHOLD: usize = if cfg!(test_hooks) { 0 } else { 1 << 20 };

/// More threads than this do not make reading one input faster.
const MAX_THREADS: usize = 8;

/// Lines that a filter does not affect: the CLI and the session are recognised by them.
pub(crate) const UNFILTERED_LINES: u64 = 32;

/// Receives the decoded lines of an input, in order.
pub(crate) trait LineSink {
    /// Receives a line, or one message of a line that contains several.
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()>;

    /// Called before a read that may wait; returns how long it may.
    fn before_wait(&mut self) -> io::Result<Wait> {
        Ok(Wait::Forever)
    }
}

/// How long a reader waits for more input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Until there is some.
    Forever,
    /// At most this long, before the sink is asked again.
    AtMost(Duration),
    /// Not at all: what has been read is everything.
    End,
}

/// Returns the number of threads to use: `requested`, or one per core. Asking the
/// system takes time, so this is called only when there is work for them.
pub(crate) fn thread_count(requested: Option<usize>) -> usize {
    if cfg!(test_hooks) {
        return requested.unwrap_or(4);
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    requested.unwrap_or_else(|| cores().min(MAX_THREADS))
}

/// Reads `input` to its end, large inputs on several threads.
///
/// An error of the sink ends the reading and is returned. A read error ends the
/// input; it is the value, after the lines before it have been passed on.
pub(crate) fn read<I: Input + Send, S: LineSink>(
    input: &mut I,
    options: &ReaderOptions,
    sink: &mut S,
) -> io::Result<Option<io::Error>> {
    let mut input = DocumentInput::new(input);
    let mut reader = Reader::new(&mut input, options, sink);
    let requested = options.threads;
    let mut is_serial = requested == Some(1);
    // Counted since the last long line, which is read serially.
    let mut bytes_read = 0;
    while reader.source.end.is_none() {
        if reader.source.lines.is_long() {
            bytes_read = 0;
        } else if !is_serial && bytes_read >= PARALLEL_THRESHOLD && reader.source.input.ready() {
            let threads = thread_count(requested);
            if threads > 1 {
                parallel::read(&mut reader, threads)?;
                break;
            }
            is_serial = true;
        }
        bytes_read += reader.stage.step(&mut reader.source)?;
    }
    reader.finish()
}

/// Where the reading of lines ended, and can continue when there are more of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// Number of the last line.
    line: u64,
    /// The dialect that the lines have shown.
    shown: Option<(Harness, usize)>,
}

codec_struct!(Position { line, shown });

/// Reads `input` to its end on the calling thread.
pub(crate) fn read_serial<I: Input, S: LineSink>(
    input: &mut I,
    options: &ReaderOptions,
    sink: &mut S,
) -> io::Result<Option<io::Error>> {
    read_from(None, input, options, sink).map(|(_, error)| error)
}

/// Reads the rest of an input to its end on the calling thread. Returns where that is,
/// unless the input is a document or its last line is not complete.
pub(crate) fn read_from<I: Input, S: LineSink>(
    start: Option<Position>,
    input: &mut I,
    options: &ReaderOptions,
    sink: &mut S,
) -> io::Result<(Option<Position>, Option<io::Error>)> {
    let mut input = match start {
        Some(_) => DocumentInput::lines(input),
        None => DocumentInput::new(input),
    };
    let mut reader = Reader::new(&mut input, options, sink);
    if let Some(Position { line, shown }) = start {
        reader.source.lines.set_number(line);
        reader.stage.decoder.detector.show(shown);
    }
    while reader.source.end.is_none() {
        reader.stage.step(&mut reader.source)?;
    }
    let Reader { source, stage } = &mut reader;
    stage.decode_complete(&mut source.lines)?;
    let is_complete = source.lines.is_empty() && source.input.is_lines();
    let shown = stage.decoder.detector.shown();
    let end = is_complete.then(|| Position { line: source.lines.number(), shown });
    Ok((end, reader.finish()?))
}

struct Reader<'a, I, S> {
    source: LineSource<'a, I>,
    stage: DecodeStage<'a, S>,
}

impl<'a, I: Input, S: LineSink> Reader<'a, I, S> {
    fn new(input: &'a mut I, options: &ReaderOptions, sink: &'a mut S) -> Self {
        let lines = LineBuffer::new(options.max_line);
        Self {
            source: LineSource { input, lines, end: None, long: None },
            stage: DecodeStage {
                decoder: Decoder::new(options.decode),
                redactor: options.redactor.clone().map(|redactor| {
                    LineRedactor::new(LineCheck::new(redactor, options.decode.described))
                }),
                filter: options.line_filter.clone(),
                sink,
                last_line: 0,
            },
        }
    }

    /// Decodes what is left in memory.
    fn finish(self) -> io::Result<Option<io::Error>> {
        let Self { source: LineSource { mut lines, end, long: _long, .. }, mut stage } = self;
        stage.decode_complete(&mut lines)?;
        if let Some(line) = lines.last() {
            stage.decode(&line)?;
        }
        stage.finish_redaction()?;
        Ok(end.and_then(Result::err))
    }
}

/// An input and the lines that have been read from it.
struct LineSource<'a, I> {
    input: &'a mut I,
    lines: LineBuffer,
    /// Set at the end of the input, or on a read error.
    end: Option<io::Result<()>>,
    /// Held while a line is long.
    long: Option<LongLine>,
}

impl<I: Input> LineSource<'_, I> {
    /// Reads once and returns the number of bytes.
    fn fill(&mut self) -> usize {
        if self.lines.unread() < LONG {
            self.long = None;
        } else if self.long.is_none() {
            self.long = Some(LongLine::acquire());
        }
        match self.lines.fill(self.input) {
            Ok(0) => self.end = Some(Ok(())),
            Ok(count) => return count,
            Err(error) => self.end = Some(Err(error)),
        }
        0
    }
}

/// Redacts, decodes and passes on one line after the other.
struct DecodeStage<'a, S> {
    decoder: Decoder,
    redactor: Option<LineRedactor>,
    filter: Option<Arc<dyn LineFilter>>,
    sink: &'a mut S,
    /// Number of the line passed on last.
    last_line: u64,
}

impl<S: LineSink> DecodeStage<'_, S> {
    /// Decodes all complete lines in memory.
    fn decode_complete(&mut self, lines: &mut LineBuffer) -> io::Result<()> {
        while let Some(line) = lines.next() {
            self.decode(&line)?;
        }
        Ok(())
    }

    /// Decodes all complete lines, then reads once and returns the number of bytes.
    fn step<I: Input>(&mut self, source: &mut LineSource<'_, I>) -> io::Result<usize> {
        self.decode_complete(&mut source.lines)?;
        if self.wait(source)? { Ok(source.fill()) } else { Ok(0) }
    }

    /// Waits for input; returns whether more of it is wanted.
    fn wait<I: Input>(&mut self, source: &mut LineSource<'_, I>) -> io::Result<bool> {
        while !source.input.ready() {
            let limit = match self.sink.before_wait()? {
                Wait::Forever => break,
                Wait::AtMost(limit) => limit,
                Wait::End => Duration::ZERO,
            };
            if source.input.wait(limit) {
                break;
            }
            if limit.is_zero() {
                source.end = Some(Ok(()));
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn decode(&mut self, line: &Line<'_>) -> io::Result<()> {
        let Self { decoder, redactor, filter, sink, last_line } = self;
        let number = line.number;
        *last_line = number;
        let bytes = match line.content {
            LineContent::Bytes(bytes) => bytes,
            LineContent::TooLong(length) => {
                return sink.line(number, &DecodedLine::TooLong(length));
            }
        };
        if let Some(filter) = filter
            && number > UNFILTERED_LINES
            && !filter.can_matter(bytes)
        {
            return Ok(());
        }
        let each = |line: DecodedLine<'_>| sink.line(number, &line);
        match redactor {
            Some(redactor) => decoder.decode_redacted(bytes, redactor, each),
            None => decoder.decode_line(bytes, each),
        }
    }

    /// Passes on the text that the redactor holds back.
    fn finish_redaction(&mut self) -> io::Result<()> {
        let Self { decoder, redactor, sink, last_line, .. } = self;
        let Some(redactor) = redactor else { return Ok(()) };
        redactor.finish();
        decoder.decode_output(redactor, |line| sink.line(*last_line, &line))
    }
}
