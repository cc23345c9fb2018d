//! The state of a run: all folds together.

use std::io::{self, Read};
use std::time::SystemTime;

use super::answer::Answer;
use super::background::BackgroundAgents;
use super::ending::Ending;
use super::failure::Failures;
use super::heuristics::{self, Guess, Signs};
use super::structured::StructuredOutput;
use super::tool_calls::{RunToolCall, ToolCalls};
use super::verdict::{Heuristics, Verdict};
use super::warnings::Warnings;
use crate::event::{Event, Finished, Notice, Retry, Tokens};
use crate::harness::{Harness, Record};
use crate::input::ReadInput;
use crate::json::{Scratch, Text};
use crate::reader::{self, DecodedLine, LineSink, ReaderOptions};
use crate::session::Session;
use crate::usage::{UsageCounter, UsageReport};

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
    stop_reason: Option<String>,
    /// All text, if it is kept.
    output: Option<String>,
    text_blocks: usize,
    mentions_pending_work: bool,
    scratch: Scratch,
    tool_calls: Option<ToolCalls>,
    failures: Failures,
    ending: Ending,
    background: BackgroundAgents,
    warnings: Warnings,
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
            output: Some(String::new()),
            text_blocks: 0,
            mentions_pending_work: false,
            scratch: Scratch::default(),
            tool_calls: None,
            failures: Failures::new(written),
            ending: Ending::default(),
            background: BackgroundAgents::default(),
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
                self.warnings.add("malformed", || format!("line {number}: {malformed}"));
            }
            DecodedLine::TooLong(bytes) => {
                let message = || format!("line {number}: too long: {bytes} bytes");
                self.warnings.add("malformed", message);
            }
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
        self.usage.apply(record);
        self.answer.apply(record);
        self.structured.apply(record);
        self.failures.apply(record);
        self.ending.apply(record);
        self.background.apply(record);
        if let Some(tool_calls) = &mut self.tool_calls {
            tool_calls.apply(record);
        }
        for event in record.events {
            match event {
                Event::Text { text, .. } => self.text(record.harness, text),
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
        let text = self.output.as_deref().unwrap_or_default();
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

    /// Returns the requested document.
    #[must_use]
    pub fn structured_output(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(self.structured.document()?).ok()
    }

    /// Returns the tokens of the last result or turn.
    pub(crate) fn tokens(&self) -> Tokens {
        self.usage.contract_tokens()
    }

    /// Returns the contract's warning about a stream without a result.
    pub(crate) fn missing_end(&self) -> Option<&'static str> {
        self.ending.warning(self.session.harness())
    }

    /// Returns the verdict on the run so far.
    #[must_use]
    pub fn verdict(&self, heuristics: Heuristics) -> Verdict {
        let error = self.failures.found();
        let applies = heuristics == Heuristics::Apply && error.is_none();
        let guess = if applies { self.guess() } else { None };
        let stopped = || self.ending.description(self.session.harness());
        let stopped = (!self.ending.is_complete()).then(stopped);
        Verdict::new(error, guess, stopped, self.all_warnings(guess))
    }

    /// Starts again if lines before the first certain one were assigned to another
    /// CLI; those lines are discarded.
    fn set_certain(&mut self, harness: Harness) {
        let was_wrong = self.harness.is_none() && self.session.harness() != harness;
        if was_wrong && self.lines.events > 0 {
            *self = Self {
                lines: self.lines,
                output: self.output.as_ref().map(|_| String::new()),
                tool_calls: self.tool_calls.as_ref().map(|_| ToolCalls::default()),
                warnings: std::mem::take(&mut self.warnings),
                ..Self::new(None, self.written)
            };
        }
        self.is_certain = true;
    }

    fn all_warnings(&self, guess: Option<Guess>) -> Vec<String> {
        let mut warnings: Vec<_> = self.warnings.iter().collect();
        if let Some(id) = self.session.changed_to() {
            warnings.push(format!("session-changed: the stream goes on as session {id}"));
        }
        if self.dropped_events > 0 {
            let count = self.dropped_events;
            warnings.push(format!("dropped-events: {count} events were lost before the stream"));
        }
        warnings.extend(self.missing_end().map(str::to_owned));
        warnings.extend(guess.map(|guess| guess.warning().to_owned()));
        warnings
    }

    /// Applies the heuristics, which are for runs without a failure.
    fn guess(&self) -> Option<Guess> {
        let rules = self.session.harness().rules().heuristics.as_ref()?;
        if self.ending.is_on_disk() || !self.ending.is_complete() {
            return None;
        }
        let signs = Signs {
            num_turns: self.num_turns,
            stop_reason: self.answer.stop_reason().or(self.stop_reason.as_deref()),
            last_message: self.answer.last_message(),
            asks_user: self.answer.asks_user(),
            mentions_pending_work: self.mentions_pending_work,
            unfinished_agents: self.background.unfinished(),
        };
        heuristics::guess(&signs, rules)
    }

    /// Adds a warning about the run's document.
    pub(crate) fn warn_about_document(&mut self, message: String) {
        self.warnings.add("structured:", || message);
    }

    fn text(&mut self, harness: Harness, text: &Text<'_>) {
        self.text_blocks += 1;
        let rules = harness.rules().heuristics.as_ref().filter(|_| !self.mentions_pending_work);
        if rules.is_none() && self.output.is_none() {
            return;
        }
        let text = text.read(&mut self.scratch);
        self.mentions_pending_work |=
            rules.is_some_and(|rules| heuristics::mentions_pending_work(text, rules));
        if let Some(output) = &mut self.output {
            if self.text_blocks > 1 {
                output.push('\n');
            }
            output.push_str(text);
        }
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        self.num_turns = finished.num_turns.or(self.num_turns);
        self.duration_ms = finished.duration_ms.or(self.duration_ms);
        self.stop_reason = finished.stop_reason.map(str::to_owned);
    }
}

impl LineSink for Run {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.read(line, number);
        Ok(())
    }

    fn before_wait(&mut self) -> io::Result<()> {
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
            DecodedLine::Blank | DecodedLine::NotObject(_) => self.ignored += 1,
        }
    }
}

/// Describes a retry: `attempt 1 of 10, status 500, server_error`. A message that is
/// a sentence is used as it is.
fn describe_retry(retry: &Retry<'_>) -> String {
    if let Some(sentence) = retry.message.filter(|text| text.contains(' ')) {
        return sentence.to_owned();
    }
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let mut parts = vec![format!("attempt {} of {}", number(retry.attempt), number(retry.max))];
    parts.extend(retry.status.map(|status| format!("status {status}")));
    parts.extend(retry.message.map(str::to_owned));
    parts.join(", ")
}
