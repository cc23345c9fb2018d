//! All parts of the fold together: the run as one object.

use std::time::SystemTime;

use super::warnings::Warnings;
use super::{
    Answer, Background, Category, Ending, Failure, Failures, Session, Usage, failure, heuristics,
};
use crate::event::{Event, Finished, Notice, Packet, Retry, Tokens};
use crate::harness::{Harness, Reading};

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
    /// The last structured output, as JSON.
    pub structured_output: Option<Vec<u8>>,
    /// Events the harness lost.
    pub dropped_events: u64,
    stop_reason: Option<String>,
    output: String,
    blocks: usize,
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
            structured_output: None,
            dropped_events: 0,
            stop_reason: None,
            output: String::new(),
            blocks: 0,
            failures: Failures::new(written),
            ending: Ending::default(),
            background: Background::default(),
            warnings: Warnings::default(),
        }
    }

    /// Takes in a line, whatever it turned out to be.
    pub fn read(&mut self, reading: &Reading<'_>, number: u64) {
        match reading {
            Reading::Packet(packet) => self.apply(packet),
            Reading::Malformed(malformed) => {
                self.warnings
                    .add("malformed", || format!("line {number}: {malformed}"));
            }
            Reading::TooLong(bytes) => {
                self.warnings.add("malformed", || {
                    format!("line {number}: too long: {bytes} bytes")
                });
            }
            Reading::Blank | Reading::Ignored => {}
        }
        self.lines.count(reading, number);
    }

    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        self.session.apply(packet);
        self.usage.apply(packet);
        self.answer.apply(packet);
        self.failures.apply(packet);
        self.ending.apply(packet);
        self.background.apply(packet);
        for event in packet.events {
            match event {
                Event::Text { text, .. } => self.text(text),
                Event::Finished(finished) => self.finished(finished),
                Event::Dropped { count } => self.dropped_events += count,
                Event::Retry(retry) => self.warnings.add("retry:", || describe_retry(retry)),
                Event::Notice(Notice {
                    text,
                    warning: true,
                }) => {
                    self.warnings.add("notice:", || (*text).to_owned());
                }
                _ => {}
            }
        }
    }

    /// Everything the agent said, block after block.
    #[must_use]
    pub fn output(&self) -> &str {
        self.answer.instead_of_messages().unwrap_or(&self.output)
    }

    /// The tokens of the last result or turn.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        self.usage.last_tokens().unwrap_or_default()
    }

    /// The contract's warning about a stream without a result.
    #[must_use]
    pub fn missing_end(&self) -> Option<&'static str> {
        self.ending.warning(self.session.harness())
    }

    /// Whether its contract keeps metadata of a thread and its turns.
    #[must_use]
    pub fn counts_turns(&self) -> bool {
        self.session.harness() == Harness::Codex
    }

    /// The judgement over the run so far.
    #[must_use]
    pub fn verdict(&self, heuristics: bool) -> Verdict {
        let harness = self.session.harness();
        let complete = self.ending.is_complete();
        let error = self.failures.found().cloned();
        let guess = if heuristics && error.is_none() {
            self.guess()
        } else {
            None
        };
        let simply = |category, message: String, source| Failure {
            category,
            message,
            status: None,
            subtype: None,
            terminal_reason: None,
            retry_at: None,
            source,
        };
        let failure = error
            .clone()
            .or_else(|| {
                let guess = guess?;
                let warning = guess.warning().to_owned();
                Some(simply(
                    guess.category(),
                    warning,
                    failure::Source::Heuristic,
                ))
            })
            .or_else(|| {
                let complaint = self.ending.complaint(harness);
                (!complete)
                    .then(|| simply(Category::Incomplete, complaint, failure::Source::Truncated))
            });
        let guessed = guess.map(heuristics::Guess::category);
        Verdict {
            complete,
            succeeded_cleanly: failure.is_none(),
            category: error.as_ref().map(|error| error.category).or(guessed),
            error,
            failure,
            warnings: self.all_warnings(guess),
        }
    }

    fn all_warnings(&self, guess: Option<heuristics::Guess>) -> Vec<String> {
        let mut warnings: Vec<_> = self.warnings.list().collect();
        if let Some(id) = self.session.changed_to() {
            warnings.push(format!(
                "session-changed: the stream goes on as session {id}"
            ));
        }
        if self.dropped_events > 0 {
            let count = self.dropped_events;
            warnings.push(format!(
                "dropped-events: {count} events were lost before the stream"
            ));
        }
        warnings.extend(self.missing_end().map(str::to_owned));
        warnings.extend(guess.map(|guess| guess.warning().to_owned()));
        warnings
    }

    fn guess(&self) -> Option<heuristics::Guess> {
        // Only a result can be the good end these guesses doubt.
        if self.session.harness() != Harness::Claude || !self.ending.is_complete() {
            return None;
        }
        heuristics::guess(&heuristics::Signs {
            num_turns: self.num_turns,
            stop_reason: self.answer.stop_reason().or(self.stop_reason.as_deref()),
            closing_words: self.answer.closing_words(),
            asks_user: self.answer.asks_user(),
            output: &self.output,
            left_behind: self.background.left_behind(),
        })
    }

    fn text(&mut self, text: &str) {
        if self.blocks > 0 {
            self.output.push('\n');
        }
        self.blocks += 1;
        self.output.push_str(text);
    }

    fn finished(&mut self, finished: &Finished<'_>) {
        self.num_turns = finished.num_turns.or(self.num_turns);
        self.duration_ms = finished.duration_ms.or(self.duration_ms);
        self.stop_reason = finished.stop_reason.map(str::to_owned);
        if let Some(json) = finished.structured_output {
            self.structured_output = Some(json.bytes().to_vec());
        }
    }
}

impl LineCounts {
    /// Counts a reading of the line with this number.
    pub fn count(&mut self, reading: &Reading<'_>, number: u64) {
        self.total = number;
        match reading {
            Reading::Packet(_) => self.events += 1,
            Reading::Malformed(_) | Reading::TooLong(_) => self.malformed += 1,
            Reading::Blank | Reading::Ignored => self.ignored += 1,
        }
    }
}

/// `attempt 1 of 10, status 500, server_error`; Codex words it itself.
fn describe_retry(retry: &Retry<'_>) -> String {
    match (retry.attempt, retry.max, retry.message) {
        (_, _, Some(text)) if text.contains(' ') => text.to_owned(),
        (attempt, max, word) => {
            let number = |number: Option<u64>| number.map_or("?".to_owned(), |n| n.to_string());
            let status = retry
                .status
                .map_or(String::new(), |status| format!(", status {status}"));
            let word = word.map_or(String::new(), |word| format!(", {word}"));
            format!(
                "attempt {} of {}{status}{word}",
                number(attempt),
                number(max)
            )
        }
    }
}
