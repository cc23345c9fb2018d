//! The way of a line: input → json → harness → projection → output.
//!
//! Small and slow inputs are read line by line. Large ones are cut into blocks
//! of whole lines, which several threads decode; folding and printing stay
//! here, in order, so that nothing shows how many threads there were.

mod crew;

use std::io;

use crate::exit::Exit;
use crate::harness::{Decoder, Harness, Reading};
use crate::input::{Content, Frame, Input, Lines};
use crate::output::{Kind, Output};
use crate::projection::{Manner, Projection};

use crew::Crew;

/// How lines are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Read every line as this CLI's.
    pub harness: Option<Harness>,
    /// The longest line.
    pub max_line: usize,
    /// How many threads may decode.
    pub threads: usize,
    /// What the projection takes upon itself.
    pub manner: Manner,
}

/// How a run was read.
#[derive(Debug)]
pub struct Outcome {
    /// What the projection makes of it.
    pub exit: Exit,
    /// Lines that were skipped.
    pub skipped: u64,
    /// Why reading stopped before the end, if it did.
    pub read_error: Option<io::Error>,
}

/// Carries a run through: reads `input`, called `name`, to its end.
///
/// What is wrong with a line is noted, and the next one read. Whatever is
/// ready to be seen is written before every read that would have to wait.
///
/// # Errors
///
/// Writing the output fails. A read error is no error of the pipeline: it is
/// part of the outcome, after the lines that came before it have been read.
pub fn run(
    name: &str,
    input: &mut impl Input,
    options: Options,
    mut projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<Outcome> {
    out.notes.begin(name);
    let read_error = stream(input, options, projection.as_mut(), out)?;
    let exit = projection.end(out)?;
    out.records.end_run(&mut out.sink)?;
    out.notes.end();
    Ok(Outcome { exit, skipped: out.notes.skipped(), read_error })
}

/// Threads are not worth their while before so much has come.
const LARGE: usize = 1 << 20;

/// How much a thread decodes at once.
const BLOCK: usize = 256 << 10;

fn stream(
    input: &mut impl Input,
    options: Options,
    projection: &mut dyn Projection,
    out: &mut Output,
) -> io::Result<Option<io::Error>> {
    let Manner { judges, whole_lines, .. } = options.manner;
    let mut lines = Lines::new(options.max_line);
    let decoder = Decoder::new(options.harness).whole_lines(whole_lines);
    let flow = Flow { projection, out, manner: options.manner, line: 0, events: 0, known: 0 };
    let mut reader = Reader { input, lines: &mut lines, decoder, flow, ended: None };
    let mut read = 0;
    while reader.ended.is_none() {
        reader.pass_lines()?;
        if !reader.input.ready() {
            reader.flow.out.sink.flush()?;
        } else if options.threads > 1 && read > LARGE {
            reader.with_threads(options.threads)?;
            break;
        }
        read += reader.fill();
    }
    let Reader { lines, mut decoder, mut flow, ended, .. } = reader;
    if let Some(frame) = lines.last() {
        flow.pass(&mut decoder, &frame)?;
    }
    if flow.events > 0 && flow.known == 0 && !judges {
        flow.out.note_about_input("no event of a known agent CLI; --harness names one")?;
    }
    Ok(ended.and_then(Result::err))
}

/// Reads, and passes on what it reads.
struct Reader<'a, I> {
    input: &'a mut I,
    lines: &'a mut Lines,
    decoder: Decoder,
    flow: Flow<'a>,
    /// The end, good or bad.
    ended: Option<io::Result<()>>,
}

impl<I: Input> Reader<'_, I> {
    /// Reads once; how much that was.
    fn fill(&mut self) -> usize {
        match self.lines.fill(self.input) {
            Ok(0) => self.ended = Some(Ok(())),
            Ok(count) => return count,
            Err(error) => self.ended = Some(Err(error)),
        }
        0
    }

    /// Passes all complete lines on.
    fn pass_lines(&mut self) -> io::Result<()> {
        while let Some(frame) = self.lines.next() {
            self.flow.pass(&mut self.decoder, &frame)?;
        }
        Ok(())
    }

    /// Reads to the end, with so many threads that decode.
    fn with_threads(&mut self, threads: usize) -> io::Result<()> {
        std::thread::scope(|scope| {
            let mut crew = Crew::start(scope, threads);
            loop {
                while self.ended.is_none() && crew.has_room() {
                    if !self.input.ready() {
                        // First show what there is.
                        if crew.is_busy() {
                            break;
                        }
                        self.flow.out.sink.flush()?;
                    }
                    self.fill();
                    let enough = self.lines.unread() >= BLOCK;
                    if enough || self.ended.is_some() || !self.input.ready() {
                        self.send_block(&mut crew)?;
                    }
                }
                if !self.receive_block(&mut crew)? && self.ended.is_some() {
                    return Ok(());
                }
            }
        })
    }

    fn send_block(&mut self, crew: &mut Crew) -> io::Result<()> {
        match self.lines.take_block(crew.memory()) {
            Ok(block) => crew.send(block, self.decoder.outlook(self.flow.manner.objects)),
            Err(memory) => {
                crew.keep(memory);
                // No end of a line yet, or that of one that is too long: what
                // came before it comes first.
                if self.lines.is_dropping() {
                    while self.receive_block(crew)? {}
                    self.lines.set_number(self.flow.line);
                    if let Some(frame) = self.lines.next() {
                        self.flow.pass(&mut self.decoder, &frame)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Folds the next block. False: none is under way.
    fn receive_block(&mut self, crew: &mut Crew) -> io::Result<bool> {
        let Some(decoded) = crew.receive() else { return Ok(false) };
        let Self { decoder, flow, .. } = self;
        let before = flow.line;
        decoder.fold(&decoded, |line, reading| flow.read(before + line, &reading))?;
        self.lines.set_number(flow.line);
        crew.recycle(decoded);
        Ok(true)
    }
}

/// What every line passes.
struct Flow<'a> {
    projection: &'a mut dyn Projection,
    out: &'a mut Output,
    manner: Manner,
    /// The line that was passed last.
    line: u64,
    events: u64,
    known: u64,
}

impl Flow<'_> {
    fn pass(&mut self, decoder: &mut Decoder, frame: &Frame<'_>) -> io::Result<()> {
        match frame.content {
            Content::Bytes(bytes) => {
                decoder.decode(bytes, |reading| self.read(frame.number, &reading))
            }
            Content::TooLong(bytes) => self.read(frame.number, &Reading::TooLong(bytes)),
        }
    }

    fn read(&mut self, line: u64, reading: &Reading<'_>) -> io::Result<()> {
        self.line = line;
        match reading {
            Reading::Malformed(_) | Reading::TooLong(_) if self.manner.judges => {}
            Reading::Malformed(malformed) => {
                self.out.note(Kind::Malformed, line, &malformed.to_string())?;
            }
            Reading::TooLong(bytes) => {
                self.out.note(Kind::TooLong, line, &format!("line too long: {bytes} bytes"))?;
            }
            Reading::Packet(packet) => {
                self.events += 1;
                self.known += u64::from(packet.harness != Harness::Unknown);
            }
            Reading::Blank | Reading::Ignored(_) => {}
        }
        self.projection.read(reading, line, self.out)
    }
}
