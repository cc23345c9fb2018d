//! `text`: what the agent said.

use std::io;

use super::{Projection, Setting, WatchedProcess};
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
    process: Option<WatchedProcess>,
}

enum Mode {
    Stream { live: LiveText, result: ResultText, page: Page },
    Last(Answer),
}

impl Text {
    pub(super) fn new(args: &TextArgs, setting: &Setting) -> Self {
        let stream = || Mode::Stream {
            live: LiveText::default(),
            result: ResultText::default(),
            page: Page::default(),
        };
        Self {
            main_only: args.main_only,
            mode: if args.last { Mode::Last(Answer::default()) } else { stream() },
            session: Session::default(),
            ending: Ending::default(),
            process: setting.process.clone(),
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        self.session.apply(packet);
        self.ending.apply(packet);
        match &mut self.mode {
            Mode::Last(answer) => {
                answer.apply(packet);
                Ok(())
            }
            Mode::Stream { live, result, page } => {
                result.apply(packet);
                if self.main_only && packet.parent_id.is_some() {
                    return Ok(());
                }
                live.apply(packet, &mut |piece| page.show(&piece, Some(line), out))
            }
        }
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
        let (mut page, said) = match self.mode {
            Mode::Last(answer) => {
                let mut page = Page::default();
                page.block(answer.last(), &mut out.sink)?;
                (page, answer.spoke())
            }
            Mode::Stream { mut live, result, mut page } => {
                live.end(&mut |piece| page.show(&piece, None, out))?;
                if let Some(text) = result.instead_of_messages() {
                    page.block(text, &mut out.sink)?;
                }
                (page, result.spoke())
            }
        };
        // The CLI may have left its last message in a file only.
        let process = self.process.filter(|_| !said).map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            page.block(text, &mut out.sink)?;
        }
        if let Some(warning) = self.ending.warning(self.session.harness()) {
            out.note_about_input(warning)?;
        }
        Ok(Exit::Done)
    }
}

/// Blocks joined with newlines, and one newline after everything that is not
/// nothing: so every block is followed by one, as soon as it is complete,
/// except that a lone empty block is nothing.
#[derive(Default)]
struct Page {
    /// A block has begun and has not ended.
    open: bool,
    /// The first block was empty; its newline comes with a second block.
    held: bool,
    /// Anything has been written.
    written: bool,
}

impl Page {
    fn show(&mut self, piece: &Piece<'_>, line: Option<u64>, out: &mut Output) -> io::Result<()> {
        match piece {
            Piece::Block(_) => self.begin(&mut out.sink),
            Piece::Text(text) => self.text(text, &mut out.sink),
            Piece::End => self.end(&mut out.sink),
            Piece::Abandoned => {
                self.end(&mut out.sink)?;
                let message = "an answer was given up unfinished; what was printed of it stays";
                match line {
                    Some(line) => out.note(Kind::Abandoned, line, message),
                    None => out.note_about_input(message),
                }
            }
        }
    }

    fn block(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.begin(sink)?;
        self.text(text, sink)?;
        self.end(sink)
    }

    fn begin(&mut self, sink: &mut Sink) -> io::Result<()> {
        if std::mem::take(&mut self.held) {
            self.newline(sink)?;
        }
        if self.open {
            self.end(sink)?;
        }
        self.open = true;
        Ok(())
    }

    fn text(&mut self, text: &str, sink: &mut Sink) -> io::Result<()> {
        self.written |= !text.is_empty();
        sink.show(text.as_bytes())
    }

    fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.open = false;
        if self.written {
            return self.newline(sink);
        }
        self.held = true;
        Ok(())
    }

    fn newline(&mut self, sink: &mut Sink) -> io::Result<()> {
        self.written = true;
        sink.print("\n")
    }
}
