//! Events in the order they come.

use std::io;

use super::details::DetailLine;
use super::ending::EndOfRun;
use super::renderer::Renderer;
use super::theme::{Marker, Span, Tone};
use super::{Follow, MAX_LINE_WIDTH, View, ending, phrases, rows};
use crate::event::{Event, SessionInfo, ToolStatus};
use crate::harness::Record;
use crate::output::{Output, one_line, plural, sanitize};
use crate::run::{Run, TextPiece};

impl View {
    pub(super) fn record(&mut self, record: &Record<'_>, out: &mut Output) -> io::Result<()> {
        let starts = record.events.iter().any(|event| matches!(event, Event::Session(_)));
        // A session may describe itself before it has an id.
        let named = self.session.as_deref().filter(|known| !known.is_empty());
        let is_other = named.is_some() && record.session_id != named;
        if starts && is_other && !record.on_disk {
            let new = Run::new(None, self.written).without_output();
            self.previous_run = std::mem::replace(&mut self.run, new);
        }
        self.run.apply(record);
        self.live.start_line(record);
        self.reasoning_snapshots.start_line(record);
        for event in record.events {
            self.event(record, event, out)?;
        }
        // A followed file has no end, so each turn shows its result.
        let shows_turns = match self.options.follow {
            Some(Follow::Forever) => true,
            Some(Follow::End) => !self.run.has_terminal_event(),
            None => false,
        };
        if shows_turns && self.turn_end.take().is_some() {
            let renderer = Self::renderer(&mut self.renderer, &self.options, out);
            renderer.close(out)?;
            let end = EndOfRun {
                run: &self.run,
                heuristics: self.options.heuristics,
                process: None,
                shown_error: self.shown_error.as_deref(),
                files: &self.files,
            };
            ending::show(renderer, &end, out)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let depth = record.parent_id.map_or(0, |id| self.depth_of(id));
        self.interrupt_reasoning(record, event, out)?;
        self.label_subagent(record.parent_id, event, out)?;
        // The event may show that the text before it is an answer.
        if record.on_disk {
            self.text(record, event, out)?;
        }
        match event {
            Event::Session(info) => self.header(record, info, out)?,
            Event::Reasoning { text } => {
                if self.reasoning_snapshots.is_new(record, text) {
                    self.reasoning(record, event, out)?;
                } else {
                    self.live.expect_snapshots();
                }
            }
            Event::ReasoningPart { .. } => {
                self.reasoning(record, event, out)?;
            }
            Event::ToolCall(call) => self.tool_call(record, call, depth, out)?,
            Event::ToolResult(result) => self.tool_result(record, result, depth, out)?,
            Event::ToolStatus { tool_id: Some(id), status, duration_ms, .. } => {
                self.tool_status(id, *status, *duration_ms, out)?;
            }
            Event::Denied { tool_id, name, message } => {
                if let Some(call) = tool_id.and_then(|id| self.calls.get_mut(id)) {
                    call.report(ToolStatus::Denied);
                } else {
                    let parts = [*name, *message].into_iter().flatten().map(sanitize);
                    let text = parts.collect::<Vec<_>>().join(": ");
                    let spans = [Span(one_line(&text, MAX_LINE_WIDTH), Tone::Plain)];
                    self.item(Marker::Denied, depth, &spans, out)?;
                }
            }
            Event::Prompt { text, replay, synthetic } => {
                let command_output = record.harness.adapter().tools.command_output;
                if let Some(output) = command_output.and_then(|output| output(text)) {
                    let text = one_line(&sanitize(output), MAX_LINE_WIDTH);
                    self.dim_item(Marker::Note, depth, text, out)?;
                } else {
                    // In a session file the main thread's prompts are the user's.
                    let is_user = record.on_disk && record.parent_id.is_none();
                    if *replay || (self.options.is_full || is_user) && !synthetic {
                        let is_full = self.options.is_full;
                        self.block_of_text(Marker::Prompt, depth, text, is_full, out)?;
                    }
                }
            }
            Event::Finished(finished) => {
                self.turn_end = Some(ending::describe_turn(finished, &self.run));
            }
            Event::Error { message, .. } => {
                let text = ending::message_or_default(message.unwrap_or_default());
                let spans = [Span(sanitize(text).into_owned(), Tone::Warning)];
                self.item(Marker::Error, depth, &spans, out)?;
                self.shown_error = Some(text.to_owned());
            }
            Event::Retry(retry) => {
                self.dim_item(Marker::Retry, depth, phrases::retry(retry), out)?;
            }
            Event::RateLimit(limit) => {
                if let Some(text) = phrases::limit(limit, self.written) {
                    self.dim_item(Marker::Limit, depth, text, out)?;
                }
            }
            Event::Task(task) => self.task(task, depth, out)?,
            Event::Compacted { trigger, before, after, .. } => {
                let text = phrases::compacted(*trigger, *before, *after);
                self.dim_item(Marker::Note, depth, text, out)?;
            }
            Event::Dropped { count } => {
                self.dim_item(Marker::Note, depth, plural(*count, "event") + " lost", out)?;
            }
            Event::Notice(notice) => {
                let text = one_line(&sanitize(notice.text), MAX_LINE_WIDTH);
                self.dim_item(Marker::Note, depth, text, out)?;
            }
            Event::Other { kind: Some(kind), .. } => {
                let describe = record.harness.adapter().tools.describe;
                if let Some(text) = describe.and_then(|describe| describe(kind, record.json)) {
                    let text = one_line(&sanitize(&text), MAX_LINE_WIDTH);
                    self.dim_item(Marker::Control, depth, text, out)?;
                }
            }
            _ => {}
        }
        if record.on_disk { Ok(()) } else { self.text(record, event, out) }
    }

    /// Shows text as it arrives.
    fn text(&mut self, record: &Record<'_>, event: &Event<'_>, out: &mut Output) -> io::Result<()> {
        let Self { live, renderer, options, agents, has_text, turn_end, .. } = self;
        live.event(record, event, &mut |piece| {
            let renderer = Self::renderer(renderer, options, out);
            match piece {
                TextPiece::Block(thread) | TextPiece::Continue(thread) => {
                    *has_text = true;
                    Self::show_turn_end(renderer, turn_end, out)?;
                    let depth = match thread {
                        "" => 0,
                        thread => agents.get(thread).map_or(1, |agent| agent.depth),
                    };
                    if matches!(piece, TextPiece::Continue(_)) {
                        renderer.continue_text(depth, out)
                    } else {
                        renderer.start_text(depth, out)
                    }
                }
                TextPiece::Text(text) => renderer.text(text, out),
                TextPiece::End => renderer.end_text(out),
                TextPiece::Abandoned => {
                    renderer.end_text(out)?;
                    let text = Span("the answer was given up here".to_owned(), Tone::Warning);
                    renderer.item(Marker::Note, 0, &[text], out)
                }
            }
        })
    }

    /// Separates what follows the end of a turn from it.
    pub(super) fn show_turn_end(
        renderer: &mut Renderer,
        turn_end: &mut Option<String>,
        out: &mut Output,
    ) -> io::Result<()> {
        let Some(text) = turn_end.take() else { return Ok(()) };
        if renderer.theme.is_terminal {
            renderer.separate(&renderer.theme.rule(&text, Tone::Dim), out)
        } else {
            renderer.item(Marker::Result, 0, &[Span(text, Tone::Plain)], out)
        }
    }

    pub(super) fn item(
        &mut self,
        marker: Marker,
        depth: usize,
        spans: &[Span],
        out: &mut Output,
    ) -> io::Result<()> {
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        Self::show_turn_end(renderer, &mut self.turn_end, out)?;
        renderer.item(marker, depth, spans, out)
    }

    /// Shows a text of the user or the agent: its first line, or all of it wrapped.
    pub(super) fn block_of_text(
        &mut self,
        marker: Marker,
        depth: usize,
        text: &str,
        is_whole: bool,
        out: &mut Output,
    ) -> io::Result<()> {
        let tone = if marker == Marker::Prompt { Tone::Bold } else { Tone::Dim };
        if !is_whole {
            let most = if marker == Marker::Prompt { usize::MAX } else { MAX_LINE_WIDTH };
            let text = one_line(&sanitize(text), most);
            return self.item(marker, depth, &[Span(text, tone)], out);
        }
        let mut lines = text.trim_end().lines();
        let first = lines.next().unwrap_or_default();
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        let room = renderer.room_of_item(marker, depth);
        let (start, rest) = rows::split_row(first, room).unwrap_or((first, ""));
        self.item(marker, depth, &[Span(sanitize(start).into_owned(), tone)], out)?;
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        let rest = Some(rest).filter(|rest| !rest.is_empty());
        rest.into_iter().chain(lines).try_for_each(|line| {
            renderer.wrapped_detail(depth, &DetailLine::new("", line, tone), out)
        })
    }

    pub(super) fn dim_item(
        &mut self,
        marker: Marker,
        depth: usize,
        text: String,
        out: &mut Output,
    ) -> io::Result<()> {
        self.item(marker, depth, &[Span(text, Tone::Dim)], out)
    }

    /// Shows the session at the start, and when another one starts.
    fn header(
        &mut self,
        record: &Record<'_>,
        info: &SessionInfo<'_>,
        out: &mut Output,
    ) -> io::Result<()> {
        let id = record.session_id.unwrap_or_default();
        let known = self.session.as_deref();
        if known == Some(id) || known.is_some() && record.on_disk {
            return Ok(());
        }
        let previous = self.session.replace(id.to_owned());
        let is_second = previous.is_some_and(|known| !known.is_empty());
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        if is_second {
            renderer.close(out)?;
            let (error, files) = (self.shown_error.take(), std::mem::take(&mut self.files));
            let end = EndOfRun {
                run: &self.previous_run,
                heuristics: self.options.heuristics,
                process: None,
                shown_error: error.as_deref(),
                files: &files,
            };
            ending::show(renderer, &end, out)?;
            self.turn_end = None;
        }
        Self::show_turn_end(renderer, &mut self.turn_end, out)?;
        let separator = renderer.theme.separator();
        let mut spans = vec![Span(record.harness.name().to_owned(), Tone::Bold)];
        // The start of an id is enough to recognise it.
        let short = id.get(..8).filter(|_| renderer.theme.is_terminal).unwrap_or(id);
        for fact in [info.model, Some(short), info.cwd].into_iter().flatten() {
            if !fact.is_empty() {
                spans.push(Span(format!("{separator}{}", sanitize(fact)), Tone::Dim));
            }
        }
        renderer.item(Marker::Session, 0, &spans, out)
    }
}
