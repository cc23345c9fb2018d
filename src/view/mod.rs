//! `view`: shows a run to people, as it happens.
//!
//! On a terminal with symbols, colour and light Markdown; elsewhere as a log, line
//! by line with tags in brackets.

mod agents;
mod calls;
mod changes;
mod details;
mod emphasis;
mod ending;
mod events;
mod github;
mod inline;
mod link;
mod options;
mod phrases;
mod reasoning;
mod renderer;
mod results;
mod rows;
mod table;
mod text_flow;
mod theme;
mod waiting;

use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::time::SystemTime;

use jiff::Timestamp;

use crate::exit::Exit;
use crate::harness::Harness;
use crate::output::{DiagnosticKind, Output};
use crate::projection::{ProcessEndFn, Projection, RunContext};
use crate::reader::{DecodedLine, Wait};
use crate::run::{LineClock, LiveText, ReasoningBlocks, ReasoningSnapshots, Run, TextPiece};

pub(crate) use options::{Follow, Thinking, ViewFormat, ViewOptions};

use agents::Subagent;
use calls::{OpenCall, call_spans};
use changes::ChangedFiles;
use ending::EndOfRun;
use github::FailedCalls;
use renderer::Renderer;
use results::ShownResult;
use theme::{Marker, Span, Theme, Tone};
use waiting::Waiting;

/// Maximum width of a tool's name, of its summary, and of other text from the
/// stream that is shown on one line.
const MAX_LINE_WIDTH: usize = 400;

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
    /// Where the times of calls come from.
    clock: LineClock,
    is_live: bool,
    waiting: Waiting,
    session: Option<String>,
    calls: HashMap<String, OpenCall>,
    call_count: usize,
    /// Files that the run has changed.
    files: ChangedFiles,
    /// Calls that failed, for the summary of a step.
    failed_calls: FailedCalls,
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
            clock: LineClock::Lines,
            is_live: context.is_live,
            waiting: Waiting::default(),
            session: None,
            calls: HashMap::new(),
            call_count: 0,
            files: ChangedFiles::default(),
            failed_calls: FailedCalls::default(),
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
                has_hyperlinks: out.sink.has_hyperlinks(),
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
}

impl View {
    /// Returns whether the output has the commands of GitHub Actions.
    fn is_github(options: &ViewOptions, out: &Output) -> bool {
        match options.format {
            _ if out.sink.is_terminal() => false,
            Some(format) => format == ViewFormat::Github,
            None => out.sink.is_github_log(),
        }
    }
}

impl Projection for View {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        let (kind, message) = match line {
            DecodedLine::Record(record) => {
                self.waiting.apply(record);
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

    fn before_wait(&mut self, out: &mut Output) -> io::Result<Wait> {
        if self.is_live {
            // From here on lines are read when they are written.
            self.clock = LineClock::Arrival;
            for call in self.calls.values_mut() {
                call.started_at.get_or_insert_with(Timestamp::now);
            }
        }
        let Some(renderer) = &mut self.renderer else { return Ok(Wait::Forever) };
        // A log is read by lines. Some streams continue the last one.
        if !self.live.may_continue() {
            renderer.close_ended_text(out)?;
        }
        if self.options.follow == Some(Follow::End) && self.run.has_terminal_event() {
            return Ok(Wait::End);
        }
        self.show_waiting(out)
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
        let end = EndOfRun {
            run: &self.run,
            heuristics: self.options.heuristics,
            process: process.as_deref(),
            shown_error: self.shown_error.as_deref(),
            files: &self.files,
        };
        let outcome = ending::show(renderer, &end, out)?;
        if Self::is_github(&self.options, out) {
            self.failed_calls.summarise(&end, outcome, out)?;
        }
        Ok(Exit::Success)
    }

    fn reports_bad_lines(&self) -> bool {
        true
    }
}
