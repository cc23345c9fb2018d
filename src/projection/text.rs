//! `text`: the assistant's text.

use std::io;

use super::{ProcessEndFn, Projection, RunContext};
use crate::exit::Exit;
use crate::harness::Record;
use crate::output::{DiagnosticKind, Output, Sink};
use crate::reader::DecodedLine;
use crate::run::{Answer, Ending, LiveText, ResultText, Session, TextPiece};

/// Prints the text as it arrives, or the final answer.
pub(crate) struct TextProjection {
    main_only: bool,
    mode: Mode,
    session: Session,
    ending: Ending,
    process: Option<ProcessEndFn>,
}

enum Mode {
    Stream { live: LiveText, result: ResultText, blocks: BlockPrinter },
    Last(Answer),
}

impl TextProjection {
    pub fn new(last_only: bool, main_only: bool, context: &RunContext) -> Self {
        let stream = || Mode::Stream {
            live: LiveText::default(),
            result: ResultText::default(),
            blocks: BlockPrinter::default(),
        };
        Self {
            main_only,
            mode: if last_only { Mode::Last(Answer::default()) } else { stream() },
            session: Session::default(),
            ending: Ending::default(),
            process: context.process.clone(),
        }
    }

    fn record(&mut self, record: &Record<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        self.session.apply(record);
        self.ending.apply(record);
        match &mut self.mode {
            Mode::Last(answer) => {
                answer.apply(record);
                Ok(())
            }
            Mode::Stream { live, result, blocks } => {
                result.apply(record);
                if self.main_only && record.parent_id.is_some() {
                    return Ok(());
                }
                live.apply(record, &mut |piece| blocks.print(&piece, Some(line), out))
            }
        }
    }
}

impl Projection for TextProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        match line {
            DecodedLine::Record(record) => self.record(record, number, out),
            _ => Ok(()),
        }
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let (mut blocks, has_message) = match self.mode {
            Mode::Last(answer) => {
                let mut blocks = BlockPrinter::default();
                blocks.block(answer.last(), &mut out.sink)?;
                (blocks, answer.has_message())
            }
            Mode::Stream { mut live, result, mut blocks } => {
                live.end(&mut |piece| blocks.print(&piece, None, out))?;
                if let Some(text) = result.without_messages() {
                    blocks.block(text, &mut out.sink)?;
                }
                (blocks, result.has_message())
            }
        };
        // The last message may be in a file only.
        let process = self.process.filter(|_| !has_message).map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            blocks.block(text, &mut out.sink)?;
        }
        if let Some(warning) = self.ending.warning(self.session.harness()) {
            out.input_note(warning)?;
        }
        Ok(Exit::Success)
    }
}

/// Prints blocks joined with newlines, and a newline after the last one, so every
/// block ends with a newline as soon as it is complete. A single empty block prints
/// nothing.
#[derive(Default)]
struct BlockPrinter {
    /// Whether a block has started and not ended.
    is_open: bool,
    /// Whether the newline of an empty first block is still to be printed.
    owes_newline: bool,
    has_printed: bool,
}

impl BlockPrinter {
    fn print(
        &mut self,
        piece: &TextPiece<'_>,
        line: Option<u64>,
        out: &mut Output,
    ) -> io::Result<()> {
        match piece {
            TextPiece::Block(_) => self.start(&mut out.sink),
            TextPiece::Text(text) => self.text(text, &mut out.sink),
            TextPiece::End => self.end(&mut out.sink),
            TextPiece::Abandoned => {
                self.end(&mut out.sink)?;
                let message = "an answer was given up unfinished; what was printed of it stays";
                match line {
                    Some(line) => out.line_note(DiagnosticKind::Abandoned, line, message),
                    None => out.input_note(message),
                }
            }
        }
    }

    fn block(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.start(sink)?;
        self.text(text, sink)?;
        self.end(sink)
    }

    fn start(&mut self, sink: &mut Sink) -> io::Result<()> {
        if std::mem::take(&mut self.owes_newline) {
            self.newline(sink)?;
        }
        if self.is_open {
            self.end(sink)?;
        }
        self.is_open = true;
        Ok(())
    }

    fn text(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.has_printed |= !text.is_empty();
        sink.print_input(text.as_bytes())
    }

    fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.is_open = false;
        if self.has_printed {
            return self.newline(sink);
        }
        self.owes_newline = true;
        Ok(())
    }

    fn newline(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.has_printed = true;
        sink.print("\n")
    }
}
