//! The way of a line: input → json → harness → projection → output.
//!
//! Small and slow inputs are read line by line. Large ones are cut into blocks
//! of whole lines, which several threads decode; folding and printing stay
//! here, in order, so that nothing shows how many threads there were.

mod crew;

use std::io;

use crate::exit::Exit;
use crate::harness::{Decoder, Habits, Harness, Reading};
use crate::input::{Content, Frame, Input, Lines};
use crate::output::{Kind, Output};
use crate::projection::{Manner, Projection};
use crate::redact::{LineMask, Redactor};

use crew::{Crew, Step};

/// How lines are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Read every line as this CLI's.
    pub harness: Option<Harness>,
    /// The longest line.
    pub max_line: usize,
    /// How many threads may decode, if the user says.
    pub threads: Option<usize>,
    /// Recognises the secrets to be masked; none are without it.
    pub redactor: Option<Redactor>,
    /// What the projection takes upon itself.
    pub manner: Manner,
}

/// More threads than this do not make one reader faster.
const MOST_THREADS: usize = 8;

/// How many threads to use: those asked for, else one per core. Call it only once
/// there is work for them: asking the system takes a while.
#[must_use]
pub fn threads(asked: Option<usize>) -> usize {
    if cfg!(feature = "_threads") {
        return asked.unwrap_or(4);
    }
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(|| cores().min(MOST_THREADS))
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
    input: &mut (impl Input + Send),
    options: Options,
    projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<Outcome> {
    carry(name, input, options, on_threads, projection, out)
}

/// The same for an input that stays on its thread.
///
/// # Errors
///
/// As for [`run`].
pub fn run_here(
    name: &str,
    input: &mut impl Input,
    options: Options,
    projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<Outcome> {
    let options = Options { threads: Some(1), ..options };
    carry(name, input, options, |_, _| Ok(()), projection, out)
}

fn carry<I: Input>(
    name: &str,
    input: &mut I,
    options: Options,
    many: Many<I>,
    mut projection: Box<dyn Projection>,
    out: &mut Output,
) -> io::Result<Outcome> {
    out.notes.begin(name);
    let read_error = stream(input, options, many, projection.as_mut(), out)?;
    let exit = projection.end(out)?;
    out.records.end_run(&mut out.sink)?;
    out.end_notes()?;
    Ok(Outcome { exit, skipped: out.notes.skipped(), read_error })
}

/// Threads do not pay before so much has been read; but the tests can be run on
/// threads throughout.
const LARGE: usize = if cfg!(feature = "_threads") { 0 } else { 1 << 20 };

/// Goes on to the end with several threads.
type Many<I> = fn(&mut Reader<'_, I>, threads: usize) -> io::Result<()>;

fn stream<I: Input>(
    input: &mut I,
    options: Options,
    many: Many<I>,
    projection: &mut dyn Projection,
    out: &mut Output,
) -> io::Result<Option<io::Error>> {
    let manner = options.manner;
    let Manner { judges, whole_lines, objects, interest } = manner;
    let habits = Habits { whole_lines, objects, interest };
    let decoder = Decoder::new(options.harness).with(habits);
    let supply = Supply { input, lines: Lines::new(options.max_line), ended: None };
    // A secret may be in two lines: these are masked in order.
    let asked = if options.redactor.is_some() { Some(1) } else { options.threads };
    let mask = options.redactor.map(LineMask::new);
    let flow = Flow { projection, out, manner, mask, line: 0, events: 0, known: 0 };
    let mut reader = Reader { supply, decoder, flow };
    let mut alone = asked == Some(1);
    // Since the last long line: such are none for threads.
    let mut read = 0;
    while reader.supply.ended.is_none() {
        if reader.supply.lines.is_long() {
            read = 0;
        } else if !alone && read >= LARGE && reader.supply.input.ready() {
            let threads = threads(asked);
            if threads > 1 {
                many(&mut reader, threads)?;
                break;
            }
            alone = true;
        }
        read += reader.flow.step(&mut reader.supply, &mut reader.decoder)?;
    }
    let Reader { supply, mut decoder, mut flow } = reader;
    let Supply { mut lines, ended, .. } = supply;
    while let Some(frame) = lines.next() {
        flow.pass(&mut decoder, &frame)?;
    }
    if let Some(frame) = lines.last() {
        flow.pass(&mut decoder, &frame)?;
    }
    flow.end_mask(&mut decoder)?;
    if flow.events > 0 && flow.known == 0 && !judges {
        flow.out.note_about_input("no event of a known agent CLI; --harness names one")?;
    }
    Ok(ended.and_then(Result::err))
}

/// What is read, and how far.
struct Supply<'a, I> {
    input: &'a mut I,
    lines: Lines,
    /// The end, good or bad.
    ended: Option<io::Result<()>>,
}

impl<I: Input> Supply<'_, I> {
    /// Reads once; how much that was.
    fn fill(&mut self) -> usize {
        match self.lines.fill(self.input) {
            Ok(0) => self.ended = Some(Ok(())),
            Ok(count) => return count,
            Err(error) => self.ended = Some(Err(error)),
        }
        0
    }
}

/// Reads, and passes on what it reads.
struct Reader<'a, I> {
    supply: Supply<'a, I>,
    decoder: Decoder,
    flow: Flow<'a>,
}

/// Reads to the end on so many threads.
fn on_threads<I: Input + Send>(reader: &mut Reader<'_, I>, threads: usize) -> io::Result<()> {
    let Reader { supply, decoder, flow } = reader;
    let crew = Crew::new(supply, decoder.outlook(), threads);
    std::thread::scope(|scope| -> io::Result<()> {
        let mut leader = crew.start(scope, threads);
        while let Some(step) = leader.step() {
            match step {
                Step::Fold(taker, decoded) => {
                    flow.out.sink.begin_block(decoded.block().buffer());
                    let before = flow.line;
                    let each = |line, reading: Reading<'_>| flow.read(before + line, &reading);
                    decoder.fold(&decoded, each)?;
                    flow.out.sink.end_block()?;
                    leader.folded(taker, decoded, decoder.outlook());
                }
                Step::Alone => leader.alone(|supply| {
                    supply.lines.set_number(flow.line);
                    let read = flow.step(supply, decoder)?;
                    Ok::<_, io::Error>((read, decoder.outlook()))
                })?,
            }
        }
        Ok(())
    })?;
    supply.lines.set_number(flow.line);
    Ok(())
}

/// What every line passes.
struct Flow<'a> {
    projection: &'a mut dyn Projection,
    out: &'a mut Output,
    manner: Manner,
    mask: Option<LineMask>,
    /// The line that was passed last.
    line: u64,
    events: u64,
    known: u64,
}

impl Flow<'_> {
    /// Passes all complete lines on, shows what there is if the input is not ready,
    /// and reads once. How much was read.
    fn step<I: Input>(
        &mut self,
        supply: &mut Supply<'_, I>,
        decoder: &mut Decoder,
    ) -> io::Result<usize> {
        self.out.sink.begin_block(supply.lines.buffer());
        while let Some(frame) = supply.lines.next() {
            self.pass(decoder, &frame)?;
        }
        if !supply.input.ready() {
            self.out.sink.flush()?;
        }
        self.out.sink.end_block()?;
        Ok(supply.fill())
    }

    fn pass(&mut self, decoder: &mut Decoder, frame: &Frame<'_>) -> io::Result<()> {
        let number = frame.number;
        let bytes = match frame.content {
            Content::Bytes(bytes) => bytes,
            Content::TooLong(bytes) => return self.read(number, &Reading::TooLong(bytes)),
        };
        let Some(mut mask) = self.mask.take() else {
            return decoder.decode(bytes, |reading| self.read(number, &reading));
        };
        let passed =
            mask.pass(bytes, |line| decoder.decode(line, |reading| self.read(number, &reading)));
        self.mask = Some(mask);
        passed
    }

    /// What the mask has kept back, when nothing follows.
    fn end_mask(&mut self, decoder: &mut Decoder) -> io::Result<()> {
        let Some(mut mask) = self.mask.take() else { return Ok(()) };
        let number = self.line;
        mask.end(|line| decoder.decode(line, |reading| self.read(number, &reading)))
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
