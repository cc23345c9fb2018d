//! `text`: what the agent said.

use std::io;

use super::Projection;
use crate::cli::TextArgs;
use crate::event::Packet;
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::{Kind, Output, Sink};
use crate::run::{Answer, Ending, LiveText, Piece, ResultText, Session};

/// Streams the text, or keeps the final answer.
pub(super) struct Text {
    main_only: bool,
    mode: Mode,
    session: Session,
    ending: Ending,
}

enum Mode {
    Stream {
        live: LiveText,
        result: ResultText,
        page: Page,
    },
    Last(Answer),
}

impl Text {
    pub(super) fn new(args: &TextArgs) -> Self {
        let stream = || Mode::Stream {
            live: LiveText::default(),
            result: ResultText::default(),
            page: Page::default(),
        };
        Self {
            main_only: args.main_only,
            mode: if args.last {
                Mode::Last(Answer::default())
            } else {
                stream()
            },
            session: Session::default(),
            ending: Ending::default(),
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        self.session.apply(packet);
        self.ending.apply(packet);
        match &mut self.mode {
            Mode::Last(answer) => answer.apply(packet),
            Mode::Stream { live, result, page } => {
                result.apply(packet);
                if !self.main_only || packet.parent_id.is_none() {
                    let mut done = Ok(());
                    live.apply(packet, &mut |piece| {
                        page.show_next(&mut done, &piece, line, out);
                    });
                    done?;
                }
            }
        }
        Ok(())
    }
}

impl Projection for Text {
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        match reading {
            Reading::Packet(packet) => self.packet(packet, line, out),
            _ => Ok(()),
        }
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let mut page = Page::default();
        match self.mode {
            Mode::Last(answer) => page.block(answer.last(), &mut out.sink)?,
            Mode::Stream {
                mut live,
                result,
                page: mut streamed,
            } => {
                let mut done = Ok(());
                live.end(&mut |piece| streamed.show_next(&mut done, &piece, 0, out));
                done?;
                if let Some(text) = result.instead_of_messages() {
                    streamed.block(text, &mut out.sink)?;
                }
                page = streamed;
            }
        }
        page.end(&mut out.sink)?;
        if let Some(warning) = self.ending.warning(self.session.harness()) {
            out.sink.flush()?;
            out.notes.about_input(warning);
        }
        Ok(Exit::Done)
    }
}

/// Blocks joined with newlines, and one newline after everything.
#[derive(Default)]
struct Page {
    blocks: usize,
    /// Anything has been written.
    written: bool,
    /// An abandoned block has already been closed with a newline.
    closed: bool,
}

impl Page {
    /// Shows a piece unless showing has failed before.
    fn show_next(
        &mut self,
        done: &mut io::Result<()>,
        piece: &Piece<'_>,
        line: u64,
        out: &mut Output,
    ) {
        if done.is_ok() {
            *done = self.show(piece, line, out);
        }
    }

    fn show(&mut self, piece: &Piece<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        match piece {
            Piece::Block => self.begin(&mut out.sink),
            Piece::Text(text) => self.text(text, &mut out.sink),
            Piece::Abandoned => {
                out.sink.print("\n")?;
                self.closed = true;
                let message = "an answer was given up unfinished; what was printed of it stays";
                if line > 0 {
                    return out.note(Kind::Abandoned, line, message);
                }
                out.sink.flush()?;
                out.notes.about_input(message);
                Ok(())
            }
        }
    }

    fn block(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.begin(sink)?;
        self.text(text, sink)
    }

    fn begin(&mut self, sink: &mut Sink) -> io::Result<()> {
        if self.blocks > 0 && !self.closed {
            sink.print("\n")?;
            self.written = true;
        }
        self.closed = false;
        self.blocks += 1;
        Ok(())
    }

    fn text(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.written |= !text.is_empty();
        sink.show(text.as_bytes())
    }

    fn end(&self, sink: &mut Sink) -> io::Result<()> {
        if self.written && !self.closed {
            sink.print("\n")
        } else {
            Ok(())
        }
    }
}
