//! `view`: the run for a person, as it happens.

mod agents;
mod calls;
mod details;
mod ending;
mod flow;
mod log;
mod look;
mod marks;
mod page;
mod words;

use std::collections::{HashMap, HashSet};
use std::io;
use std::time::SystemTime;

use super::gist::one_line;
use super::{Projection, Setting, WatchedProcess};
use crate::cli::{Thinking, ViewArgs};
use crate::event::{Event, Packet};
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::{Kind, Output, plural, visible};
use crate::run::{LiveText, Piece as Spoken, Run};

use agents::Agent;
use calls::{Known, call_pieces};
use look::{Look, Mark, Paint, Piece};
use page::Page;

/// So much of a tool's name, and of what it is called with, is remembered.
const REMEMBERED: usize = 400;

/// Shows a run.
pub(super) struct View {
    args: ViewArgs,
    written: SystemTime,
    process: Option<WatchedProcess>,
    page: Option<Page>,
    run: Run,
    /// The run of the session before.
    before: Run,
    live: LiveText,
    session: Option<String>,
    calls: HashMap<String, Known>,
    /// How many there were.
    called: usize,
    /// Subagents, by the calls that started them.
    agents: HashMap<String, Agent>,
    /// The subagent that was shown last.
    speaker: Option<String>,
    /// Tasks: the call that started each, and what it does.
    tasks: HashMap<String, (Option<String>, Option<String>)>,
    ended_tasks: HashSet<String>,
    /// The end of a turn, to be told if anything follows.
    finished: Option<String>,
    spoke: bool,
}

impl View {
    pub(super) fn new(args: &ViewArgs, setting: &Setting) -> Self {
        Self {
            args: args.clone(),
            written: setting.written,
            process: setting.process.clone(),
            page: None,
            run: Run::new(setting.harness, setting.written).without_output(),
            before: Run::new(None, setting.written).without_output(),
            live: LiveText::default(),
            session: None,
            calls: HashMap::new(),
            called: 0,
            agents: HashMap::new(),
            speaker: None,
            tasks: HashMap::new(),
            ended_tasks: HashSet::new(),
            finished: None,
            spoke: false,
        }
    }

    /// The page, once it is known where it will be seen.
    fn page<'p>(page: &'p mut Option<Page>, args: &ViewArgs, out: &Output) -> &'p mut Page {
        let style = out.sink.style();
        let terminal = out.sink.is_terminal();
        let page = page.get_or_insert_with(|| {
            let look = Look { pretty: terminal, ascii: args.ascii, width: args.width(), style };
            Page::new(look, !args.no_markdown, out.sink.rewrites())
        });
        // A window may change its size at any time.
        if terminal && args.width().is_none() {
            // One column is left free: a full row would break by itself.
            page.look.width = Some(out.sink.width().saturating_sub(1).max(8));
        }
        page
    }

    fn packet(&mut self, packet: &Packet<'_>, out: &mut Output) -> io::Result<()> {
        let begins = packet.events.iter().any(|event| matches!(event, Event::Session(_)));
        let another = self.session.is_some() && packet.session_id != self.session.as_deref();
        if begins && another && !packet.on_disk {
            // A run of its own.
            let new = Run::new(None, self.written).without_output();
            self.before = std::mem::replace(&mut self.run, new);
        }
        self.run.apply(packet);
        for at in 0..packet.events.len() {
            let one = Packet { events: &packet.events[at..=at], ..*packet };
            self.event(&one, &packet.events[at], out)?;
        }
        // Who follows a file never comes to its end.
        if self.args.follow && self.finished.take().is_some() {
            let page = Self::page(&mut self.page, &self.args, out);
            page.close(out)?;
            ending::show(page, &self.run, !self.args.no_heuristics, None, out)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        packet: &Packet<'_>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let depth = packet.parent_id.map_or(0, |id| self.depth_of(id));
        self.attribute(packet.parent_id, event, out)?;
        match event {
            Event::Session(_) => self.header(packet, event, out)?,
            Event::Reasoning { text } => self.thinking(text, depth, out)?,
            Event::ToolCall(call) => self.called(call, depth, out)?,
            Event::ToolResult(result) => self.ended(result, depth, out)?,
            Event::Denied { tool_id, name, message } => {
                if let Some(call) = tool_id.and_then(|id| self.calls.get_mut(id)) {
                    call.denied = true;
                } else {
                    let told = [*name, *message].into_iter().flatten().map(visible);
                    let told = told.collect::<Vec<_>>().join(": ");
                    let pieces = [Piece(one_line(&told, REMEMBERED), Paint::Plain)];
                    self.item(Mark::Denied, depth, &pieces, out)?;
                }
            }
            Event::Prompt { text, .. } if text.starts_with("<local-command-") => {
                let text = text.split(['<', '>']).nth(2).unwrap_or_default();
                self.said(Mark::Note, depth, one_line(&visible(text.trim()), REMEMBERED), out)?;
            }
            Event::Prompt { text, replay, synthetic } => {
                // On disk it is what the user typed.
                let asked = self.args.full || packet.on_disk && packet.parent_id.is_none();
                let shown = *replay || asked && !synthetic;
                if shown {
                    let text = one_line(&visible(text), usize::MAX);
                    self.item(Mark::Prompt, depth, &[Piece(text, Paint::Bold)], out)?;
                }
            }
            Event::Finished(finished) => {
                self.finished = Some(ending::in_a_word(finished));
            }
            Event::Error { message } => {
                let text = visible(message.unwrap_or("an error without a message")).into_owned();
                self.item(Mark::Error, depth, &[Piece(text, Paint::Odd)], out)?;
            }
            Event::Retry(retry) => self.said(Mark::Retry, depth, words::retry(retry), out)?,
            Event::RateLimit(limit) => {
                if let Some(words) = words::limit(limit, self.written) {
                    self.said(Mark::Limit, depth, words, out)?;
                }
            }
            Event::Task(task) => self.task(task, depth, out)?,
            Event::Compacted { trigger, before, after } => {
                let words = words::compacted(*trigger, *before, *after);
                self.said(Mark::Note, depth, words, out)?;
            }
            Event::Dropped { count } => {
                self.said(Mark::Note, depth, plural(*count, "event") + " lost", out)?;
            }
            Event::Notice(notice) => {
                let text = one_line(&visible(notice.text), REMEMBERED);
                self.said(Mark::Note, depth, text, out)?;
            }
            Event::Other { kind: Some("control_response"), .. } => self.control(packet, out)?,
            Event::Other { kind: Some("control_request"), .. } => {
                let word = |pointer| details::member(packet.json, pointer).unwrap_or_default();
                let words = format!("{} {}", word("/request/subtype"), word("/request/tool_name"));
                let words = format!("asks: {}", visible(words.trim_end()));
                self.said(Mark::Control, depth, one_line(&words, REMEMBERED), out)?;
            }
            _ => {}
        }
        self.speak(packet, out)
    }

    /// What is said, as it is said.
    fn speak(&mut self, packet: &Packet<'_>, out: &mut Output) -> io::Result<()> {
        let Self { live, page, args, agents, spoke, finished, .. } = self;
        live.apply(packet, &mut |piece| {
            let page = Self::page(page, args, out);
            match piece {
                Spoken::Block(thread) => {
                    *spoke = true;
                    Self::set_apart(page, finished, out)?;
                    let depth = match thread {
                        "" => 0,
                        thread => agents.get(thread).map_or(1, |agent| agent.depth),
                    };
                    page.begin_text(depth, out)
                }
                Spoken::Text(text) => page.text(text, out),
                Spoken::End => page.end_text(out),
                Spoken::Abandoned => {
                    page.end_text(out)?;
                    let words = Piece("the answer was given up here".to_owned(), Paint::Odd);
                    page.item(Mark::Note, 0, &[words], out)
                }
            }
        })
    }

    /// What follows the end of a turn is set apart from it.
    fn set_apart(
        page: &mut Page,
        finished: &mut Option<String>,
        out: &mut Output,
    ) -> io::Result<()> {
        let Some(word) = finished.take() else { return Ok(()) };
        if page.look.pretty {
            page.raw(&page.look.rule(&word, Paint::Dim), out)
        } else {
            page.item(Mark::Result, 0, &[Piece(word, Paint::Plain)], out)
        }
    }

    fn item(
        &mut self,
        mark: Mark,
        depth: usize,
        pieces: &[Piece],
        out: &mut Output,
    ) -> io::Result<()> {
        let page = Self::page(&mut self.page, &self.args, out);
        Self::set_apart(page, &mut self.finished, out)?;
        page.item(mark, depth, pieces, out)
    }

    fn said(
        &mut self,
        mark: Mark,
        depth: usize,
        words: String,
        out: &mut Output,
    ) -> io::Result<()> {
        self.item(mark, depth, &[Piece(words, Paint::Dim)], out)
    }

    /// Who this is, at the beginning, and when it is somebody else.
    fn header(
        &mut self,
        packet: &Packet<'_>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let Event::Session(session) = event else { return Ok(()) };
        let id = packet.session_id.unwrap_or_default();
        let known = self.session.as_deref();
        if known == Some(id) || known.is_some() && packet.on_disk {
            return Ok(());
        }
        let again = self.session.replace(id.to_owned()).is_some();
        let page = Self::page(&mut self.page, &self.args, out);
        if again {
            // The one before ends here.
            page.close(out)?;
            ending::show(page, &self.before, !self.args.no_heuristics, None, out)?;
            self.finished = None;
        }
        Self::set_apart(page, &mut self.finished, out)?;
        let between = page.look.between();
        let mut pieces = vec![Piece(packet.harness.name().to_owned(), Paint::Bold)];
        // The beginning of an id is enough for a person.
        let short = id.get(..8).filter(|_| page.look.pretty).unwrap_or(id);
        for fact in [session.model, Some(short), session.cwd].into_iter().flatten() {
            if !fact.is_empty() {
                pieces.push(Piece(format!("{between}{}", visible(fact)), Paint::Dim));
            }
        }
        page.item(Mark::Session, 0, &pieces, out)
    }

    fn thinking(&mut self, text: &str, depth: usize, out: &mut Output) -> io::Result<()> {
        let text = visible(text.trim()).replace("**", "");
        if text.is_empty() || self.args.thinking() == Thinking::Hidden {
            return Ok(());
        }
        let all = self.args.thinking() == Thinking::Shown || self.args.full;
        let first = if all {
            text.lines().next().unwrap_or_default().to_owned()
        } else {
            one_line(&text, REMEMBERED)
        };
        self.said(Mark::Thinking, depth, first, out)?;
        if all {
            let page = Self::page(&mut self.page, &self.args, out);
            let rest: Vec<_> =
                text.lines().skip(1).map(|line| (line.to_owned(), Paint::Dim)).collect();
            page.below(depth, &rest, true, out)?;
        }
        Ok(())
    }

    /// An answer to a control request.
    fn control(&mut self, packet: &Packet<'_>, out: &mut Output) -> io::Result<()> {
        let word = |pointer| details::member(packet.json, pointer);
        let how = word("/response/subtype").unwrap_or_default();
        let mut words = format!(
            "control request {}: {}",
            word("/response/request_id").unwrap_or_default(),
            how
        );
        if let Some(error) = word("/response/error") {
            words.extend([": ", &error]);
        }
        let words = one_line(&visible(&words), REMEMBERED);
        self.said(Mark::Control, 0, words, out)
    }
}

impl Projection for View {
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        let (kind, message) = match reading {
            Reading::Packet(packet) => {
                self.run.lines.count(reading, line);
                return self.packet(packet, out);
            }
            Reading::Malformed(malformed) => (Kind::Malformed, malformed.to_string()),
            Reading::TooLong(bytes) => (Kind::TooLong, format!("line too long: {bytes} bytes")),
            _ => return Ok(()),
        };
        self.run.read(reading, line);
        // A note must not land on a line of ours.
        if let Some(page) = &mut self.page {
            page.close(out)?;
        }
        out.note(kind, line, &message)
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let Self { live, page, args, .. } = &mut *self;
        live.end(&mut |piece| {
            let page = Self::page(page, args, out);
            match piece {
                Spoken::Text(text) => page.text(text, out),
                Spoken::Block(_) => page.begin_text(0, out),
                Spoken::End | Spoken::Abandoned => page.end_text(out),
            }
        })?;
        let process = self.process.as_ref().map(|process| process());
        let page = Self::page(&mut self.page, &self.args, out);
        page.close(out)?;
        if self.run.lines.events == 0 && process.is_none() {
            return Ok(Exit::Done);
        }
        let instead = self.run.answer.instead_of_messages();
        let last = process.as_ref().and_then(|end| end.last_message.as_deref());
        if let Some(text) = instead.or(last).filter(|_| !self.spoke) {
            page.begin_text(0, out)?;
            page.text(text, out)?;
            page.end_text(out)?;
        }
        let mut open: Vec<_> = self.calls.iter().collect();
        open.sort_by_key(|(id, call)| (call.order, id.as_str()));
        for (id, call) in open {
            let words = Piece("has not ended".to_owned(), Paint::Odd);
            if page.is_last(Some(id)) {
                page.item(Mark::Tool, call.depth, &[words], out)?;
                continue;
            }
            let mut pieces = call_pieces(&call.name, &call.gist);
            pieces.extend([Piece("  ".to_owned(), Paint::Plain), words]);
            page.item(Mark::Tool, call.depth, &pieces, out)?;
        }
        ending::show(page, &self.run, !self.args.no_heuristics, process.as_deref(), out)?;
        Ok(Exit::Done)
    }
}
