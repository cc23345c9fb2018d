//! `view`: shows a run to people, as it happens.
//!
//! On a terminal with symbols, colour and light Markdown; elsewhere as a log, line
//! by line with tags in brackets.

mod agents;
mod calls;
mod details;
mod emphasis;
mod ending;
mod options;
mod reasoning;
mod renderer;
mod text_flow;
mod theme;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::time::SystemTime;

use crate::event::{Event, SessionInfo, ToolStatus};
use crate::exit::Exit;
use crate::harness::{Harness, Record};
use crate::output::{DiagnosticKind, Output, one_line, plural, sanitize};
use crate::phrases::{self, MAX_LINE_WIDTH};
use crate::projection::{ProcessEndFn, Projection, RunContext};
use crate::reader::DecodedLine;
use crate::run::{LiveText, ReasoningBlocks, ReasoningSnapshots, Run, TextPiece};

pub(crate) use options::{Thinking, ViewOptions};

use agents::Subagent;
use calls::{OpenCall, ShownResult, call_spans};
use renderer::Renderer;
use theme::{Marker, Span, Theme, Tone};

/// Shows a run.
pub(crate) struct View {
    options: ViewOptions,
    written: SystemTime,
    process: Option<ProcessEndFn>,
    /// Created with the first output, when the terminal is known.
    renderer: Option<Renderer>,
    run: Run,
    /// The run of the previous session in the same stream.
    previous_run: Run,
    live: LiveText,
    reasoning: ReasoningBlocks,
    reasoning_snapshots: ReasoningSnapshots,
    session: Option<String>,
    calls: HashMap<String, OpenCall>,
    call_count: usize,
    /// Results that are shown as a success, which later lines may correct.
    shown_results: VecDeque<ShownResult>,
    /// Subagents by the calls that started them.
    agents: HashMap<String, Subagent>,
    /// The subagent that was shown last.
    shown_agent: Option<String>,
    /// The call that started each task, and the task's description.
    tasks: HashMap<String, (Option<String>, Option<String>)>,
    ended_tasks: HashSet<String>,
    /// The end of a turn, shown only if something follows.
    turn_end: Option<String>,
    has_text: bool,
    /// The error that was shown last.
    shown_error: Option<String>,
}

impl View {
    pub fn new(options: ViewOptions, context: &RunContext) -> Self {
        Self {
            options,
            written: context.written,
            process: context.process.clone(),
            renderer: None,
            run: Run::new(context.harness, context.written).without_output(),
            previous_run: Run::new(None, context.written).without_output(),
            live: LiveText::default(),
            reasoning: ReasoningBlocks::default(),
            reasoning_snapshots: ReasoningSnapshots::default(),
            session: None,
            calls: HashMap::new(),
            call_count: 0,
            shown_results: VecDeque::new(),
            agents: HashMap::new(),
            shown_agent: None,
            tasks: HashMap::new(),
            ended_tasks: HashSet::new(),
            turn_end: None,
            has_text: false,
            shown_error: None,
        }
    }

    /// Returns the renderer with the current width of the terminal.
    fn renderer<'r>(
        renderer: &'r mut Option<Renderer>,
        options: &ViewOptions,
        out: &Output,
    ) -> &'r mut Renderer {
        let is_terminal = out.sink.is_terminal();
        let renderer = renderer.get_or_insert_with(|| {
            let theme = Theme {
                is_terminal,
                ascii_only: options.ascii_only,
                width: options.width,
                style: out.sink.style(),
            };
            Renderer::new(theme, options.renders_markdown, out.sink.can_rewrite())
        });
        if is_terminal && options.width.is_none() {
            // One column is left free, since a full row would wrap.
            renderer.theme.width = Some(out.sink.width().saturating_sub(1).max(8));
        }
        renderer
    }

    fn record(&mut self, record: &Record<'_>, out: &mut Output) -> io::Result<()> {
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
        if self.options.follows && self.turn_end.take().is_some() {
            let renderer = Self::renderer(&mut self.renderer, &self.options, out);
            renderer.close(out)?;
            let error = self.shown_error.as_deref();
            ending::show(renderer, &self.run, self.options.heuristics, None, error, out)?;
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
            Event::ToolCall(call) => self.tool_call(record.harness, call, depth, out)?,
            Event::ToolResult(result) => self.tool_result(record.harness, result, depth, out)?,
            Event::ToolStatus { tool_id: Some(id), status, .. } => {
                self.tool_status(id, *status, out)?;
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
                        let text = one_line(&sanitize(text), usize::MAX);
                        self.item(Marker::Prompt, depth, &[Span(text, Tone::Bold)], out)?;
                    }
                }
            }
            Event::Finished(finished) => {
                self.turn_end = Some(phrases::describe_turn(finished, &self.run));
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
    fn show_turn_end(
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

    fn item(
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

    fn dim_item(
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
            let error = self.shown_error.take();
            let (run, heuristics) = (&self.previous_run, self.options.heuristics);
            ending::show(renderer, run, heuristics, None, error.as_deref(), out)?;
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

impl Projection for View {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        let (kind, message) = match line {
            DecodedLine::Record(record) => {
                self.run.lines.count(line, number);
                return self.record(record, out);
            }
            DecodedLine::Malformed(malformed) => (DiagnosticKind::Malformed, malformed.to_string()),
            DecodedLine::TooLong(bytes) => {
                (DiagnosticKind::TooLong, format!("line too long: {bytes} bytes"))
            }
            DecodedLine::Text(_) => {
                self.run.read(line, number);
                return Ok(());
            }
            _ => return Ok(()),
        };
        self.run.read(line, number);
        // A diagnostic must start on a new line.
        if let Some(renderer) = &mut self.renderer {
            renderer.close(out)?;
        }
        out.line_note(kind, number, &message)
    }

    fn before_wait(&mut self, out: &mut Output) -> io::Result<()> {
        // A log is read by lines. Some streams continue the last one.
        match &mut self.renderer {
            Some(renderer) if !self.live.may_continue() => renderer.close_ended_text(out),
            _ => Ok(()),
        }
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        self.end_reasoning(out)?;
        let Self { live, renderer, options, .. } = &mut *self;
        live.end(&mut |piece| {
            let renderer = Self::renderer(renderer, options, out);
            match piece {
                TextPiece::Text(text) => renderer.text(text, out),
                TextPiece::Block(_) | TextPiece::Continue(_) => renderer.start_text(0, out),
                TextPiece::End | TextPiece::Abandoned => renderer.end_text(out),
            }
        })?;
        let process = self.process.as_ref().map(|process| process());
        let renderer = Self::renderer(&mut self.renderer, &self.options, out);
        renderer.close(out)?;
        // Output without any event is described elsewhere.
        if self.run.session.harness() == Harness::Unknown {
            return Ok(Exit::Success);
        }
        let result = self.run.answer.without_messages();
        let last = process.as_ref().and_then(|end| end.last_message.as_deref());
        if let Some(text) = result.or(last).filter(|_| !self.has_text) {
            renderer.start_text(0, out)?;
            renderer.text(text, out)?;
            renderer.end_text(out)?;
        }
        let mut open: Vec<_> = self.calls.iter().collect();
        open.sort_by_key(|(id, call)| (call.order, id.as_str()));
        for (id, call) in open {
            let text = Span("has not ended".to_owned(), Tone::Warning);
            if renderer.is_last(id) {
                renderer.item(Marker::Tool, call.depth, &[text], out)?;
                continue;
            }
            let mut spans = call_spans(&call.name, &call.summary);
            spans.extend([Span("  ".to_owned(), Tone::Plain), text]);
            renderer.item(Marker::Tool, call.depth, &spans, out)?;
        }
        let (process, error) = (process.as_deref(), self.shown_error.as_deref());
        ending::show(renderer, &self.run, self.options.heuristics, process, error, out)?;
        Ok(Exit::Success)
    }

    fn reports_bad_lines(&self) -> bool {
        true
    }
}
