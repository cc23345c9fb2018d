//! `text`: the assistant's text.

use std::io;

use super::{ProcessEndFn, Projection, RunContext, note_missing_end};
use crate::event::Event;
use crate::exit::Exit;
use crate::harness::Record;
use crate::output::{DiagnosticKind, Output, Sink};
use crate::reader::{DecodedLine, Wait};
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
                live.apply(record, &mut |piece| blocks.print(&piece, Some(line), out))?;
                let is_text =
                    |event: &Event<'_>| matches!(event, Event::Text { .. } | Event::Partial { .. });
                if record.events.iter().any(is_text) || live.has_open_part() {
                    Ok(())
                } else {
                    blocks.settle(&mut out.sink)
                }
            }
        }
    }

    /// Ends the last line of the text.
    fn end_line(&mut self, out: &mut Output) -> io::Result<()> {
        match &mut self.mode {
            Mode::Stream { blocks, .. } => blocks.settle(&mut out.sink),
            Mode::Last(_) => Ok(()),
        }
    }
}

impl Projection for TextProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        match line {
            DecodedLine::Record(record) => self.record(record, number, out),
            _ => self.end_line(out),
        }
    }

    /// Ends the last line of the text, so that readers of lines need not wait, unless the
    /// stream has shown that the next event may continue it.
    fn before_wait(&mut self, out: &mut Output) -> io::Result<Wait> {
        match &mut self.mode {
            Mode::Stream { live, .. } if live.may_continue() => {}
            _ => self.end_line(out)?,
        }
        Ok(Wait::Forever)
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let (mut blocks, has_message) = match self.mode {
            Mode::Last(answer) => {
                let mut blocks = BlockPrinter::default();
                if let Some(error) = answer.error_without_messages() {
                    blocks.block(error, &mut out.sink)?;
                } else if answer.has_message() || !answer.last().is_empty() {
                    blocks.block(answer.last(), &mut out.sink)?;
                }
                (blocks, answer.has_message())
            }
            Mode::Stream { mut live, result, mut blocks } => {
                live.end(&mut |piece| blocks.print(&piece, None, out))?;
                let error = || result.error_without_messages();
                if let Some(text) = result.without_messages().or_else(error) {
                    blocks.block(text, &mut out.sink)?;
                }
                (blocks, result.has_message())
            }
        };
        // The last message may be in a file only.
        let is_supervised = self.process.is_some();
        let process = self.process.filter(|_| !has_message).map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            blocks.block(text, &mut out.sink)?;
        }
        blocks.settle(&mut out.sink)?;
        let warning = self.ending.warning(self.session.harness());
        note_missing_end(warning, is_supervised, out)?;
        Ok(Exit::Success)
    }
}

/// Prints blocks joined with newlines, and a newline after the last one. The newline
/// behind a block is printed when it is known that the block does not go on. A single
/// empty block prints nothing.
#[derive(Default)]
struct BlockPrinter {
    /// Whether a block has started and not ended.
    is_open: bool,
    /// Whether the newline of the last block is still to be printed.
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
            TextPiece::Continue(_) => {
                self.owes_newline = false;
                self.is_open = true;
                Ok(())
            }
            TextPiece::Text(text) => self.text(text, &mut out.sink),
            TextPiece::End => {
                self.end();
                Ok(())
            }
            TextPiece::Abandoned => {
                self.end();
                self.settle(&mut out.sink)?;
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
        self.end();
        Ok(())
    }

    fn start(&mut self, sink: &mut Sink) -> io::Result<()> {
        if self.is_open {
            self.end();
        }
        self.is_open = true;
        if self.owes_newline { self.newline(sink) } else { Ok(()) }
    }

    fn text(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.has_printed |= !text.is_empty();
        sink.print_input(text.as_bytes())
    }

    fn end(&mut self) {
        self.is_open = false;
        self.owes_newline = true;
    }

    /// Prints the newline behind the last block, unless that is empty and the only one.
    fn settle(&mut self, sink: &mut Sink) -> io::Result<()> {
        if self.owes_newline && self.has_printed { self.newline(sink) } else { Ok(()) }
    }

    fn newline(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.owes_newline = false;
        self.has_printed = true;
        sink.print("\n")
    }
}
