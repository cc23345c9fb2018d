//! The state of a run: all folds together.

use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;

use super::answer::Answer;
use super::background::BackgroundWork;
use super::ending::Ending;
use super::failure::{Failure, FailureSource, Failures};
use super::heuristics;
use super::output_text::OutputText;
use super::question::Questions;
use super::structured::StructuredOutput;
use super::times::RunTimes;
use super::tool_calls::{RunToolCall, ToolCalls};
use super::tool_stats::{DeniedCall, ToolCounts, ToolStats};
use super::warnings::{Warnings, describe_retry};
use crate::event::{Event, Finished, Notice, Tokens};
use crate::harness::{Harness, Record};
use crate::input::ReadInput;
use crate::json::{Scratch, Text};
use crate::reader::{self, DecodedLine, LineSink, ReaderOptions};
use crate::session::Session;
use crate::usage::{UsageCounter, UsageReport};

/// The kind of warnings about lines that cannot be decoded.
const MALFORMED: &str = "malformed";

/// Everything that a run has reported so far.
///
/// ```
/// use streamj::{Heuristics, Run};
///
/// let stream = br#"{"type":"thread.started","thread_id":"th_1"}
/// {"type":"turn.started"}
/// this line is broken
/// {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}
/// {"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":2}}"#;
///
/// let run = Run::from_reader(stream.as_slice())?;
/// assert_eq!(run.output(), "Done.");
/// assert_eq!(run.session().id(), Some("th_1"));
/// assert_eq!(run.usage().tokens.total(), 12);
/// assert_eq!(run.lines().malformed, 1);
/// assert!(run.verdict(Heuristics::Apply).succeeded_cleanly);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Run {
    pub(crate) session: Session,
    pub(crate) usage: UsageCounter,
    pub(crate) answer: Answer,
    pub(crate) lines: LineCounts,
    /// `num_turns` of the last result.
    pub(crate) num_turns: Option<i64>,
    /// Wall time of the last result.
    pub(crate) duration_ms: Option<u64>,
    pub(crate) structured: StructuredOutput,
    /// Events that the CLI dropped.
    pub(crate) dropped_events: u64,
    /// The harness given by the user.
    harness: Option<Harness>,
    written: SystemTime,
    /// Whether a record's harness was certain.
    is_certain: bool,
    pub(super) stop_reason: Option<String>,
    /// Whether the last result or turn failed.
    has_failed_last: bool,
    /// All text, if it is kept.
    output: Option<OutputText>,
    pub(super) mentions_pending_work: bool,
    scratch: Scratch,
    tool_calls: Option<ToolCalls>,
    times: RunTimes,
    pub(super) failures: Failures,
    pub(super) ending: Ending,
    pub(super) background: BackgroundWork,
    pub(super) questions: Questions,
    pub(super) tool_stats: ToolStats,
    pub(super) warnings: Warnings,
}

/// The number of lines by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineCounts {
    /// All lines.
    pub total: u64,
    /// JSON objects.
    pub events: u64,
    /// Lines that are not JSON, or too long.
    pub malformed: u64,
    /// Blank lines, and JSON that is not an object.
    pub ignored: u64,
}

impl Run {
    /// Creates a run of `harness`, if given, whose lines were written at `written`.
    pub(crate) fn new(harness: Option<Harness>, written: SystemTime) -> Self {
        Self {
            session: Session::new(harness),
            usage: UsageCounter::default(),
            answer: Answer::default(),
            lines: LineCounts::default(),
            num_turns: None,
            duration_ms: None,
            structured: StructuredOutput::default(),
            dropped_events: 0,
            harness,
            written,
            is_certain: false,
            stop_reason: None,
            has_failed_last: false,
            output: Some(OutputText::default()),
            mentions_pending_work: false,
            scratch: Scratch::default(),
            tool_calls: None,
            times: RunTimes::default(),
            failures: Failures::new(written),
            ending: Ending::default(),
            background: BackgroundWork::default(),
            questions: Questions::default(),
            tool_stats: ToolStats::default(),
            warnings: Warnings::default(),
        }
    }

    /// Does not keep the text for [`output`](Self::output).
    pub(crate) fn without_output(self) -> Self {
        Self { output: None, ..self }
    }

    /// Reads a whole stream or session file. Lines that cannot be decoded are counted
    /// and skipped.
    ///
    /// # Errors
    ///
    /// Fails if reading fails.
    pub fn from_reader(reader: impl Read) -> io::Result<Self> {
        let tool_calls = Some(ToolCalls::default());
        let mut run = Self { tool_calls, ..Self::new(None, SystemTime::now()) };
        let options = ReaderOptions::default();
        match reader::read_serial(&mut ReadInput(reader), &options, &mut run)? {
            Some(error) => Err(error),
            None => Ok(run),
        }
    }

    /// Updates the run from a line.
    pub(crate) fn read(&mut self, line: &DecodedLine<'_>, number: u64) {
        match line {
            DecodedLine::Record(record) => self.apply(record),
            DecodedLine::Malformed(malformed) => {
                self.warnings.add(MALFORMED, || format!("line {number}: {malformed}"));
            }
            DecodedLine::TooLong(bytes) => {
                let message = || format!("line {number}: too long: {bytes} bytes");
                self.warnings.add(MALFORMED, message);
            }
            DecodedLine::Text(session_id) => self.session.set_id(*session_id),
            DecodedLine::Blank | DecodedLine::NotObject(_) => {}
        }
        self.lines.count(line, number);
    }

    /// Updates the run from a record.
    pub(crate) fn apply(&mut self, record: &Record<'_>) {
        if record.is_certain && !self.is_certain {
            self.set_certain(record.harness);
        }
        self.session.apply(record);
        self.times.apply(record);
        self.usage.apply(record);
        self.answer.apply(record);
        self.structured.apply(record);
        self.failures.apply(record);
        self.ending.apply(record);
        self.background.apply(record);
        self.questions.apply(record);
        self.tool_stats.apply(record);
        if let Some(tool_calls) = &mut self.tool_calls {
            tool_calls.apply(record);
        }
        if let Some(output) = &mut self.output {
            output.start_line(record);
        }
        for event in record.events {
            match event {
                Event::Text { message_id, text, is_part } => {
                    self.text(record, *message_id, text, *is_part);
                }
                Event::Compacted { summary: Some(summary), .. } => {
                    if let Some(output) = &mut self.output {
                        output.remove_summary(summary);
                    }
                }
                Event::Finished(finished) => self.finished(finished),
                Event::Dropped { count } => {
                    self.dropped_events = self.dropped_events.saturating_add(*count);
                }
                Event::Retry(retry) => self.warnings.add("retry:", || describe_retry(retry)),
                Event::Notice(Notice { text, warning: true }) => {
                    self.warnings.add("notice:", || (*text).to_owned());
                }
                _ => {}
            }
        }
    }

    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns what the run used.
    #[must_use]
    pub fn usage(&self) -> UsageReport {
        self.usage.report()
    }

    /// Returns the number of lines by kind.
    #[must_use]
    pub fn lines(&self) -> LineCounts {
        self.lines
    }

    /// Returns everything the agent wrote, blocks joined with newlines.
    #[must_use]
    pub fn output(&self) -> &str {
        let text = self.output.as_ref().map_or("", OutputText::as_str);
        self.answer.without_messages().unwrap_or(text)
    }

    /// Returns the final answer.
    #[must_use]
    pub fn final_answer(&self) -> &str {
        self.answer.last()
    }

    /// Returns the tool calls that have ended, in the order of their ends, and then
    /// those that are pending.
    #[must_use]
    pub fn tool_calls(&self) -> Vec<RunToolCall> {
        self.tool_calls.as_ref().map(ToolCalls::list).unwrap_or_default()
    }

    /// Returns how many tools were called, and how many of the calls failed or were
    /// denied.
    #[must_use]
    pub fn tool_counts(&self) -> ToolCounts {
        self.tool_stats.counts()
    }

    /// Returns the tool calls that were denied, at most 1000.
    #[must_use]
    pub fn denied_calls(&self) -> &[DeniedCall] {
        self.tool_stats.denied()
    }

    /// Returns when the first line was written that says so.
    #[must_use]
    pub fn started_at(&self) -> Option<Timestamp> {
        self.times.started_at()
    }

    /// Returns how long the run took: as the CLI reports it for the last result, or from the
    /// first line to the last one.
    #[must_use]
    pub fn duration(&self) -> Option<Duration> {
        self.duration_ms.map(Duration::from_millis).or_else(|| self.times.duration())
    }

    /// Returns when the lines were written that do not say so.
    pub(crate) fn written(&self) -> SystemTime {
        self.written
    }

    /// Returns the requested document.
    #[must_use]
    pub fn structured_output(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(self.structured.document()?).ok()
    }

    /// Returns whether the run went on after a failure that was an interruption, and its
    /// last turn succeeded. The failure stays that of the run.
    pub(crate) fn has_recovered(&self, failure: &Failure) -> bool {
        let is_turn = matches!(failure.source, FailureSource::Result | FailureSource::Turn);
        is_turn && failure.is_interruption() && !self.has_failed_last
    }

    /// Returns whether the last result or turn failed because it was interrupted.
    pub(crate) fn was_turn_interrupted(&self) -> bool {
        self.has_failed_last && self.failures.is_interruption()
    }

    /// Returns whether an error is also the last text: some CLIs report a failed request
    /// in place of an answer.
    pub(crate) fn shows_as_text(&self, error: &str) -> bool {
        let alone = self.answer.error_without_messages();
        self.answer.last_message() == error || alone == Some(error)
    }

    /// Returns the descriptions of background work that has not finished.
    pub(crate) fn unfinished_work(&self) -> Vec<&str> {
        self.background.unfinished_work()
    }

    /// Returns whether the terminal event of a stream came and nothing has started since.
    pub(crate) fn has_terminal_event(&self) -> bool {
        self.ending.has_terminal_event()
    }

    /// Returns the tokens for the summary: of the last result or turn, or of everything.
    pub(crate) fn tokens(&self) -> Tokens {
        self.usage.contract_tokens(self.session.harness())
    }

    /// Starts again if lines before the first certain one were assigned to another
    /// CLI; those lines are discarded.
    fn set_certain(&mut self, harness: Harness) {
        let was_wrong = self.harness.is_none() && self.session.harness() != harness;
        if was_wrong && self.lines.events > 0 {
            *self = Self {
                lines: self.lines,
                output: self.output.as_ref().map(|_| OutputText::default()),
                tool_calls: self.tool_calls.as_ref().map(|_| ToolCalls::default()),
                warnings: std::mem::take(&mut self.warnings),
                ..Self::new(None, self.written)
            };
        }
        self.is_certain = true;
        // What precedes the first event is text, too.
        if harness.adapter().prints_text() {
            self.warnings.remove(MALFORMED);
            self.lines.ignore_malformed();
        }
    }

    /// Adds a warning about the run's document.
    pub(crate) fn warn_about_document(&mut self, message: String) {
        self.warnings.add("structured:", || message);
    }

    fn text(
        &mut self,
        record: &Record<'_>,
        message_id: Option<&str>,
        text: &Text<'_>,
        is_part: bool,
    ) {
        let rules = record.harness.rules().heuristics.as_ref();
        let rules = rules.filter(|rules| !rules.pending_phrases.is_empty());
        if let Some(rules) = rules.filter(|_| !self.mentions_pending_work) {
            self.mentions_pending_work =
                heuristics::mentions_pending_work(text, rules, &mut self.scratch);
        }
        if let Some(output) = &mut self.output {
            output.push(record.parent_id, message_id, text, is_part, &mut self.scratch);
        }
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        self.num_turns = finished.num_turns.or(self.num_turns);
        self.duration_ms = finished.duration_ms.or(self.duration_ms);
        self.stop_reason = finished.stop_reason.map(str::to_owned);
        self.has_failed_last = finished.failed;
    }
}

impl LineSink for Run {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.read(line, number);
        Ok(())
    }
}

impl LineCounts {
    /// Counts the line with this number.
    pub(crate) fn count(&mut self, line: &DecodedLine<'_>, number: u64) {
        self.total = number;
        match line {
            DecodedLine::Record(_) => self.events += 1,
            DecodedLine::Malformed(_) | DecodedLine::TooLong(_) => self.malformed += 1,
            DecodedLine::Blank | DecodedLine::NotObject(_) | DecodedLine::Text(_) => {
                self.ignored += 1;
            }
        }
    }

    /// Counts what was malformed so far as text.
    fn ignore_malformed(&mut self) {
        self.ignored += std::mem::take(&mut self.malformed);
    }
}
