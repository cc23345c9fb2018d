//! From the records of a run to the changes of its page.

use std::io;
use std::time::SystemTime;

use super::calls::Calls;
use super::change::{ChangeSink, ItemContent, ItemStart, NoteLevel, NoteTopic, PageChange};
use super::written_text::{ItemCounter, WrittenText};
use crate::event::{Event, SessionInfo, Task, TaskState};
use crate::harness::{Harness, Record};
use crate::output::{one_line, plural, sanitize};
use crate::phrases::{self, MAX_LINE_WIDTH};
use crate::reader::DecodedLine;
use crate::redact::Redactor;
use crate::run::{LiveText, ReasoningBlocks, ReasoningSnapshots, Run};

/// When text of a block that is being written becomes a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Granularity {
    /// When the block is complete.
    Block,
    /// With each line, so that the changes do not depend on when a line is read.
    Line,
}

/// Turns the records of a run into changes of its page.
pub(crate) struct PageFold {
    granularity: Granularity,
    written: SystemTime,
    run: Run,
    live: LiveText,
    reasoning: ReasoningBlocks,
    reasoning_snapshots: ReasoningSnapshots,
    items: ItemCounter,
    text: WrittenText,
    calls: Calls,
    session: Option<String>,
    /// Finds secrets that are not masked; `None` if secrets are masked.
    detector: Option<Redactor>,
}

impl PageFold {
    /// Creates the fold of a run whose lines were written at `written`.
    pub(crate) fn new(
        harness: Option<Harness>,
        written: SystemTime,
        granularity: Granularity,
        detector: Option<Redactor>,
    ) -> Self {
        Self {
            granularity,
            written,
            run: Run::new(harness, written).without_output(),
            live: LiveText::default(),
            reasoning: ReasoningBlocks::default(),
            reasoning_snapshots: ReasoningSnapshots::default(),
            items: ItemCounter::default(),
            text: WrittenText::default(),
            calls: Calls::default(),
            session: None,
            detector,
        }
    }

    /// Returns what the run has reported so far.
    pub(crate) fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the number of secrets by rule that were found and not masked; `None` if
    /// secrets are masked.
    pub(crate) fn secrets(&self) -> Option<Vec<(&'static str, u64)>> {
        self.detector.as_ref().map(Redactor::counts)
    }

    /// Reads a line and passes its changes on.
    pub(crate) fn line(
        &mut self,
        line: &DecodedLine<'_>,
        number: u64,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        self.run.read(line, number);
        match line {
            DecodedLine::Record(record) => {
                if let Some(detector) = &self.detector {
                    detector.finds_secret(record.json.bytes());
                }
                self.record(record, number, sink)
            }
            _ => Ok(()),
        }
    }

    /// Passes on what is left at the end of the stream.
    pub(crate) fn end(&mut self, line: u64, sink: &mut impl ChangeSink) -> io::Result<()> {
        let start = ItemStart { line, at: None, agent: None };
        let mut reasoning = std::mem::take(&mut self.reasoning);
        reasoning.end(&mut |thread, text| self.reasoning_block(thread, text, start, sink))?;
        let Self { live, text, items, .. } = self;
        live.end(&mut |piece| text.piece(&piece, start, items, sink))
    }

    fn record(
        &mut self,
        record: &Record<'_>,
        line: u64,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        self.live.start_line(record);
        self.reasoning_snapshots.start_line(record);
        let agent = record.parent_id.filter(|id| !id.is_empty());
        let start = ItemStart { line, at: record.time(), agent };
        for event in record.events {
            self.event(record, event, start, sink)?;
        }
        if self.granularity == Granularity::Line {
            self.text.send(start, sink)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        self.reasoning(record, event, start, sink)?;
        // The event may show that the text before it is an answer.
        let Self { live, text, items, .. } = self;
        live.event(record, event, &mut |piece| text.piece(&piece, start, items, sink))?;
        if self.calls.event(record, event, start, &mut self.items, sink)? {
            return Ok(());
        }
        match event {
            Event::Session(info) => self.session(record, info, start, sink),
            Event::Prompt { text, synthetic, .. } => {
                let command_output = record.harness.adapter().tools.command_output;
                if let Some(output) = command_output.and_then(|output| output(text)) {
                    return self.note(NoteTopic::Message, output, start, sink);
                }
                let content = ItemContent::Prompt { text, is_synthetic: *synthetic };
                self.item(content, start, sink)
            }
            Event::Finished(finished) => {
                let text = phrases::describe_turn(finished, &self.run);
                let level = if finished.failed { NoteLevel::Error } else { NoteLevel::Info };
                self.noted(level, NoteTopic::Turn, &text, None, start, sink)
            }
            Event::Error { message, .. } => {
                let text = message.unwrap_or(crate::run::NO_DETAIL);
                self.noted(NoteLevel::Error, NoteTopic::Error, text, None, start, sink)
            }
            Event::Retry(retry) => {
                let (text, wait) = (phrases::retry(retry), retry.delay_ms);
                self.noted(NoteLevel::Warning, NoteTopic::Retry, &text, wait, start, sink)
            }
            Event::RateLimit(limit) => match phrases::limit(limit, self.written) {
                Some(text) => {
                    self.noted(NoteLevel::Warning, NoteTopic::Limit, &text, None, start, sink)
                }
                None => Ok(()),
            },
            Event::Task(task) => self.task(task, start, sink),
            Event::Compacted { trigger, before, after, .. } => {
                let text = phrases::compacted(*trigger, *before, *after);
                self.note(NoteTopic::Compaction, &text, start, sink)
            }
            Event::Dropped { count } => {
                let text = plural(*count, "event") + " lost";
                self.noted(NoteLevel::Warning, NoteTopic::Message, &text, None, start, sink)
            }
            Event::Notice(notice) => {
                let level = if notice.warning { NoteLevel::Warning } else { NoteLevel::Info };
                self.noted(level, NoteTopic::Message, notice.text, None, start, sink)
            }
            Event::Other { kind: Some(kind), .. } => {
                let describe = record.harness.adapter().tools.describe;
                match describe.and_then(|describe| describe(kind, record.json)) {
                    Some(text) => self.note(NoteTopic::Message, &text, start, sink),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn reasoning(
        &mut self,
        record: &Record<'_>,
        event: &Event<'_>,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        let mut blocks = std::mem::take(&mut self.reasoning);
        let is_repeated = match event {
            Event::Reasoning { text } => !self.reasoning_snapshots.is_new(record, text),
            _ => false,
        };
        let mut show = |thread: &str, text: &str| self.reasoning_block(thread, text, start, sink);
        let shown = if is_repeated {
            blocks.interrupt(record, event, &mut show)
        } else {
            blocks.apply(record, event, &mut show)
        };
        if is_repeated {
            self.live.expect_snapshots();
        }
        self.reasoning = blocks;
        shown
    }

    fn reasoning_block(
        &mut self,
        thread: &str,
        text: &str,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let agent = Some(thread).filter(|thread| !thread.is_empty());
        self.item(ItemContent::Reasoning { text: text.trim() }, ItemStart { agent, ..start }, sink)
    }

    /// Notes that another session starts; the first one is described by the header.
    fn session(
        &mut self,
        record: &Record<'_>,
        info: &SessionInfo<'_>,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        let id = record.session_id.unwrap_or_default();
        let known = self.session.as_deref().filter(|known| !known.is_empty());
        if known == Some(id) || known.is_some() && record.on_disk {
            return Ok(());
        }
        let is_second = known.is_some();
        self.session = Some(id.to_owned());
        if !is_second {
            return Ok(());
        }
        let facts = [Some(id), info.model].into_iter().flatten();
        let text = format!("session {}", facts.collect::<Vec<_>>().join(", "));
        self.note(NoteTopic::Session, &text, start, sink)
    }

    /// Notes the start and the end of a background task.
    fn task(
        &mut self,
        task: &Task<'_>,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        let (state, level) = match task.state {
            TaskState::Progress => return Ok(()),
            TaskState::Started => ("started", NoteLevel::Info),
            TaskState::Ended(state @ "completed") => (state, NoteLevel::Info),
            TaskState::Ended(state) => (state, NoteLevel::Warning),
        };
        if task.tool_id.is_some_and(|id| self.calls.is_open(id)) {
            // The call shows it.
            return Ok(());
        }
        let description = task.description.map(|text| format!(": {text}")).unwrap_or_default();
        let text = format!("task {state}{description}");
        self.noted(level, NoteTopic::Task, &text, None, start, sink)
    }

    fn note(
        &mut self,
        topic: NoteTopic,
        text: &str,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        self.noted(NoteLevel::Info, topic, text, None, start, sink)
    }

    fn noted(
        &mut self,
        level: NoteLevel,
        topic: NoteTopic,
        text: &str,
        wait_ms: Option<u64>,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        let text = &one_line(&sanitize(text), MAX_LINE_WIDTH);
        self.item(ItemContent::Note { level, topic, text, wait_ms }, start, sink)
    }

    fn item(
        &mut self,
        content: ItemContent<'_>,
        start: ItemStart<'_>,
        sink: &mut impl ChangeSink,
    ) -> io::Result<()> {
        sink.change(&PageChange { item: self.items.next(), start: Some(start), content })
    }
}
