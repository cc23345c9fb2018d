//! The way of a line: input → json → harness → projection → output.

use std::io;

use crate::harness::{Decoder, Harness, Reading};
use crate::input::{Content, Frame, Input, Lines};
use crate::output::{Kind, Output};
use crate::projection::Projection;

/// How lines are read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Read every line as this CLI's.
    pub harness: Option<Harness>,
    /// The longest line.
    pub max_line: usize,
}

/// Reads `input` to its end, line by line into `projection`.
///
/// What is wrong with a line is noted, and the next one read. Whatever is
/// ready to be seen is written before every read that would have to wait.
///
/// # Errors
///
/// Writing the output fails. A read error is no error of the pipeline: it is
/// returned, after the lines that came before it have been read.
pub fn stream(
    input: &mut impl Input,
    options: Options,
    projection: &mut dyn Projection,
    out: &mut Output,
) -> io::Result<Option<io::Error>> {
    let mut lines = Lines::new(options.max_line);
    let mut way = Way {
        decoder: Decoder::new(options.harness),
        projection,
        out,
        events: 0,
        known: 0,
    };
    let failed = loop {
        while let Some(frame) = lines.next() {
            way.read(&frame)?;
        }
        if !input.ready() {
            way.out.sink.flush()?;
        }
        match lines.fill(input) {
            Ok(0) => break None,
            Ok(_) => {}
            Err(error) => break Some(error),
        }
    };
    if let Some(frame) = lines.last() {
        way.read(&frame)?;
    }
    if way.events > 0 && way.known == 0 {
        way.out
            .notes
            .about_input("no event of a known agent CLI; --harness names one");
    }
    Ok(failed)
}

struct Way<'a> {
    decoder: Decoder,
    projection: &'a mut dyn Projection,
    out: &'a mut Output,
    events: u64,
    known: u64,
}

impl Way<'_> {
    fn read(&mut self, frame: &Frame<'_>) -> io::Result<()> {
        let Self {
            decoder,
            projection,
            out,
            events,
            known,
        } = self;
        let number = frame.number;
        let mut each = |reading: Reading<'_>| {
            match &reading {
                Reading::Malformed(malformed) => {
                    out.note(Kind::Malformed, number, &malformed.to_string())?;
                }
                Reading::TooLong(bytes) => {
                    out.note(
                        Kind::TooLong,
                        number,
                        &format!("line too long: {bytes} bytes"),
                    )?;
                }
                Reading::Packet(packet) => {
                    *events += 1;
                    *known += u64::from(packet.harness != Harness::Unknown);
                }
                Reading::Blank | Reading::Ignored => {}
            }
            projection.read(&reading, number, out)
        };
        match frame.content {
            Content::Bytes(bytes) => decoder.decode(bytes, each),
            Content::TooLong(bytes) => each(Reading::TooLong(bytes)),
        }
    }
}
