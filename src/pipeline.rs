//! The way of a line: input → json → harness → projection → output.

use std::io;

use crate::exit::Exit;
use crate::harness::{Decoder, Harness, Reading};
use crate::input::{Content, Frame, Input, Lines};
use crate::output::{Kind, Output};
use crate::projection::{Manner, Projection};

/// How lines are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Read every line as this CLI's.
    pub harness: Option<Harness>,
    /// The longest line.
    pub max_line: usize,
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

fn stream(
    input: &mut impl Input,
    options: Options,
    projection: &mut dyn Projection,
    out: &mut Output,
) -> io::Result<Option<io::Error>> {
    let mut lines = Lines::new(options.max_line);
    let Manner { judges, whole_lines } = options.manner;
    let decoder = Decoder::new(options.harness).whole_lines(whole_lines);
    let mut flow = Flow { decoder, projection, out, judges, events: 0, known: 0 };
    let read_error = loop {
        while let Some(frame) = lines.next() {
            flow.pass(&frame)?;
        }
        if !input.ready() {
            flow.out.sink.flush()?;
        }
        match lines.fill(input) {
            Ok(0) => break None,
            Ok(_) => {}
            Err(error) => break Some(error),
        }
    };
    if let Some(frame) = lines.last() {
        flow.pass(&frame)?;
    }
    if flow.events > 0 && flow.known == 0 && !judges {
        flow.out.note_about_input("no event of a known agent CLI; --harness names one")?;
    }
    Ok(read_error)
}

/// What every line passes.
struct Flow<'a> {
    decoder: Decoder,
    projection: &'a mut dyn Projection,
    out: &'a mut Output,
    judges: bool,
    events: u64,
    known: u64,
}

impl Flow<'_> {
    fn pass(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        let Self { decoder, projection, out, judges, events, known } = self;
        let number = frame.number;
        let mut each = |reading: Reading<'_>| {
            match &reading {
                Reading::Malformed(_) | Reading::TooLong(_) if *judges => {}
                Reading::Malformed(malformed) => {
                    out.note(Kind::Malformed, number, &malformed.to_string())?;
                }
                Reading::TooLong(bytes) => {
                    out.note(Kind::TooLong, number, &format!("line too long: {bytes} bytes"))?;
                }
                Reading::Packet(packet) => {
                    *events += 1;
                    *known += u64::from(packet.harness != Harness::Unknown);
                }
                Reading::Blank | Reading::Ignored(_) => {}
            }
            projection.read(&reading, number, out)
        };
        match frame.content {
            Content::Bytes(bytes) => decoder.decode(bytes, each),
            Content::TooLong(bytes) => each(Reading::TooLong(bytes)),
        }
    }
}
