//! All parts of the fold together: the run as one object.

use std::time::SystemTime;

use super::heuristics::{self, Guess};
use super::warnings::Warnings;
use super::{
    Answer, Background, Category, Ending, Failure, Failures, Session, Structured, Usage, failure,
};
use crate::event::{Event, Finished, Notice, Packet, Retry, Tokens};
use crate::harness::{Decoder, Harness, Reading};
use crate::json::{Memory, Text};
use crate::schema::Violations;

/// Everything a run has told so far.
#[derive(Debug)]
pub struct Run {
    /// The session.
    pub session: Session,
    /// What it used.
    pub usage: Usage,
    /// Its final answer.
    pub answer: Answer,
    /// What its lines turned out to be.
    pub lines: LineCounts,
    /// `num_turns` of the last result.
    pub num_turns: Option<i64>,
    /// Wall time of the last result.
    pub duration_ms: Option<u64>,
    /// The cost of the session as the last result tells it, in US dollars.
    pub cost_usd: Option<f64>,
    /// The document it was asked for.
    pub structured: Structured,
    /// Events the harness lost.
    pub dropped_events: u64,
    harness: Option<Harness>,
    written: SystemTime,
    /// Whether somebody was sure whose events these are.
    certain: bool,
    stop_reason: Option<String>,
    /// Everything that was said, if it is kept.
    output: Option<String>,
    blocks: usize,
    busy: bool,
    /// Where texts are read.
    memory: Memory,
    failures: Failures,
    ending: Ending,
    background: Background,
    warnings: Warnings,
}

/// How many lines there were, by what they turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// All of them.
    pub total: u64,
    /// JSON objects.
    pub events: u64,
    /// Not JSON, or too long.
    pub malformed: u64,
    /// Blank, or JSON that is no object.
    pub ignored: u64,
}

/// The judgement over a run.
#[derive(Debug)]
pub struct Verdict {
    /// A terminal event came.
    pub complete: bool,
    /// Complete, without an error, and no guess came true.
    pub succeeded_cleanly: bool,
    /// The error the stream tells.
    pub error: Option<Failure>,
    /// Its category, or that of a guess.
    pub category: Option<Category>,
    /// The error, else the guess, else the missing end: why the run is not
    /// a success.
    pub failure: Option<Failure>,
    /// What else should be known.
    pub warnings: Vec<String>,
}

impl Run {
    /// A run of `harness`, if that is given, whose lines were written at
    /// `written`.
    #[must_use]
    pub fn new(harness: Option<Harness>, written: SystemTime) -> Self {
        Self {
            session: Session::new(harness),
            usage: Usage::default(),
            answer: Answer::default(),
            lines: LineCounts::default(),
            num_turns: None,
            duration_ms: None,
            cost_usd: None,
            structured: Structured::default(),
            dropped_events: 0,
            harness,
            written,
            certain: false,
            stop_reason: None,
            output: Some(String::new()),
            blocks: 0,
            busy: false,
            memory: Memory::default(),
            failures: Failures::new(written),
            ending: Ending::default(),
            background: Background::default(),
            warnings: Warnings::default(),
        }
    }

    /// The same, for those who need not [know](Self::output) what was said:
    /// it takes no memory.
    #[must_use]
    pub fn without_output(self) -> Self {
        Self { output: None, ..self }
    }

    /// Reads a whole stream.
    ///
    /// # Errors
    ///
    /// Reading fails.
    pub fn from_reader(reader: impl std::io::BufRead) -> std::io::Result<Self> {
        let mut decoder = Decoder::default();
        let mut run = Self::new(None, SystemTime::now());
        for (number, line) in (1..).zip(reader.split(b'\n')) {
            decoder.decode(&line?, |reading| {
                run.read(&reading, number);
                std::io::Result::Ok(())
            })?;
        }
        Ok(run)
    }

    /// Takes in a line, whatever it turned out to be.
    pub fn read(&mut self, reading: &Reading<'_>, number: u64) {
        match reading {
            Reading::Packet(packet) => self.apply(packet),
            Reading::Malformed(malformed) => {
                self.warnings.add("malformed", || format!("line {number}: {malformed}"));
            }
            Reading::TooLong(bytes) => {
                let too_long = || format!("line {number}: too long: {bytes} bytes");
                self.warnings.add("malformed", too_long);
            }
            Reading::Blank | Reading::Ignored(_) => {}
        }
        self.lines.count(reading, number);
    }

    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        if packet.certain && !self.certain {
            self.be_certain(packet.harness);
        }
        self.session.apply(packet);
        self.usage.apply(packet);
        self.answer.apply(packet);
        self.structured.apply(packet);
        self.failures.apply(packet);
        self.ending.apply(packet);
        self.background.apply(packet);
        for event in packet.events {
            match event {
                Event::Text { text, .. } => self.text(packet.harness, text),
                Event::Finished(finished) => self.finished(finished),
                Event::Dropped { count } => {
                    self.dropped_events = self.dropped_events.saturating_add(*count);
                }
                Event::Retry(retry) => self.warnings.add("retry:", || describe(retry)),
                Event::Notice(Notice { text, warning: true }) => {
                    self.warnings.add("notice:", || (*text).to_owned());
                }
                _ => {}
            }
        }
    }

    /// Everything the agent said, block after block.
    #[must_use]
    pub fn output(&self) -> &str {
        let said = self.output.as_deref().unwrap_or_default();
        self.answer.instead_of_messages().unwrap_or(said)
    }

    /// The tokens of the last result or turn.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.usage.contract_tokens()
    }

    /// The contract's warning about a stream without a result.
    #[must_use]
    pub fn missing_end(&self) -> Option<&'static str> {
        self.ending.warning(self.session.harness())
    }

    /// The judgement over the run so far.
    #[must_use]
    pub fn verdict(&self, heuristics: bool) -> Verdict {
        let complete = self.ending.is_complete();
        let error = self.failures.found();
        let guess = if heuristics && error.is_none() { self.guess() } else { None };
        let guessed = || {
            let guess = guess?;
            let warning = guess.warning().to_owned();
            Some(Failure::new(guess.category(), warning, failure::Source::Heuristic))
        };
        let truncated = || {
            let complaint = self.ending.complaint(self.session.harness());
            let source = failure::Source::Truncated;
            (!complete).then(|| Failure::new(Category::Incomplete, complaint, source))
        };
        let failure = error.clone().or_else(guessed).or_else(truncated);
        let category = error.as_ref().map(|error| error.category);
        Verdict {
            complete,
            succeeded_cleanly: failure.is_none(),
            category: category.or(guess.map(Guess::category)),
            error,
            failure,
            warnings: self.all_warnings(guess),
        }
    }

    /// Somebody is sure: what was understood before as somebody else's words
    /// was noise.
    fn be_certain(&mut self, harness: Harness) {
        let mistaken = self.harness.is_none() && self.session.harness() != harness;
        if mistaken && self.lines.events > 0 {
            *self = Self {
                lines: self.lines,
                output: self.output.as_ref().map(|_| String::new()),
                warnings: std::mem::take(&mut self.warnings),
                ..Self::new(None, self.written)
            };
        }
        self.certain = true;
    }

    fn all_warnings(&self, guess: Option<Guess>) -> Vec<String> {
        let mut warnings: Vec<_> = self.warnings.list().collect();
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

    /// Only a good end can be doubted.
    fn guess(&self) -> Option<Guess> {
        let doubtful = self.session.harness().rules().heuristics && !self.ending.is_on_disk();
        if !doubtful || !self.ending.is_complete() {
            return None;
        }
        heuristics::guess(&heuristics::Signs {
            num_turns: self.num_turns,
            stop_reason: self.answer.stop_reason().or(self.stop_reason.as_deref()),
            closing_words: self.answer.closing_words(),
            asks_user: self.answer.asks_user(),
            busy: self.busy,
            launched: self.background.launched_and_not_all_back(),
        })
    }

    /// Adds what is wrong with the run's document.
    pub fn warn_of(&mut self, violations: &Violations) {
        for violation in &violations.first {
            self.warnings.add("structured:", || violation.to_string());
        }
        if violations.more > 0 {
            self.warnings.add("structured:", || format!("{} more", violations.more));
        }
    }

    fn text(&mut self, harness: Harness, text: &Text<'_>) {
        self.blocks += 1;
        let listens = harness.rules().heuristics && !self.busy;
        if !listens && self.output.is_none() {
            return;
        }
        let said = text.read(&mut self.memory);
        self.busy |= listens && heuristics::sounds_busy(said);
        if let Some(output) = &mut self.output {
            if self.blocks > 1 {
                output.push('\n');
            }
            output.push_str(said);
        }
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        self.num_turns = finished.num_turns.or(self.num_turns);
        self.duration_ms = finished.duration_ms.or(self.duration_ms);
        self.cost_usd = finished.cost_usd.or(self.cost_usd);
        self.stop_reason = finished.stop_reason.map(str::to_owned);
    }
}

impl LineCounts {
    /// Counts a reading of the line with this number.
    pub fn count(&mut self, reading: &Reading<'_>, number: u64) {
        self.total = number;
        match reading {
            Reading::Packet(_) => self.events += 1,
            Reading::Malformed(_) | Reading::TooLong(_) => self.malformed += 1,
            Reading::Blank | Reading::Ignored(_) => self.ignored += 1,
        }
    }
}

/// `attempt 1 of 10, status 500, server_error`; Codex words it itself.
fn describe(retry: &Retry<'_>) -> String {
    if let Some(sentence) = retry.message.filter(|text| text.contains(' ')) {
        return sentence.to_owned();
    }
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let mut words = vec![format!("attempt {} of {}", number(retry.attempt), number(retry.max))];
    words.extend(retry.status.map(|status| format!("status {status}")));
    words.extend(retry.message.map(str::to_owned));
    words.join(", ")
}
