//! The findings that an agent reports: in the document it was asked for, or as
//! markers in its text.

use super::answer::ResultText;
use super::snapshot::{BlockText, MessageBlocks};
use super::structured::StructuredOutput;
use crate::event::Event;
use crate::findings::{Extraction, Finding, markers, response};
use crate::harness::Record;
use crate::json::{Json, Scratch};

/// Collects the findings of a run.
#[derive(Debug, Default)]
pub(crate) struct FindingsFold {
    /// What was read since the last report.
    pending: PendingReport,
    has_message: bool,
    message_blocks: MessageBlocks,
    /// The block that arrives in parts, as far as it has.
    part: String,
    scratch: Scratch,
}

/// The findings of a run, or of a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FindingsReport {
    /// Where they were found.
    pub(crate) method: Extraction,
    /// The findings in order.
    pub(crate) findings: Vec<Finding>,
    pub(crate) warnings: Vec<String>,
}

impl Default for FindingsReport {
    fn default() -> Self {
        Self { method: Extraction::Markers, findings: Vec::new(), warnings: Vec::new() }
    }
}

impl FindingsReport {
    /// Appends a later report of the same run. Events accumulate; of a state the
    /// later one counts.
    pub fn followed_by(mut self, mut later: Self) -> Self {
        self.findings.retain(|before| !later.findings.iter().any(|after| replaces(after, before)));
        self.findings.append(&mut later.findings);
        self.warnings.append(&mut later.warnings);
        if later.method == Extraction::Structured {
            self.method = later.method;
        }
        self
    }
}

/// Returns whether `after` is a newer state of what `before` describes.
fn replaces(after: &Finding, before: &Finding) -> bool {
    match (after, before) {
        (Finding::Service { name, .. }, Finding::Service { name: same, .. }) => name == same,
        (Finding::Summary { .. }, Finding::Summary { .. })
        | (Finding::Escalation { .. }, Finding::Escalation { .. }) => true,
        _ => false,
    }
}

/// Returns whether both are the same action on the same service.
fn is_same_action(one: &Finding, other: &Finding) -> bool {
    let action = |finding: &Finding| match finding {
        Finding::Cooldown { action_type, service, .. } => {
            Some((action_type.clone(), service.to_lowercase()))
        }
        _ => None,
    };
    action(one).is_some() && action(one) == action(other)
}

/// The findings of a part of a run.
#[derive(Debug, Default)]
struct PendingReport {
    structured: StructuredOutput,
    result: ResultText,
    /// Findings from markers, in order.
    marked: Vec<Finding>,
    /// Number of them before the last message.
    before_last: usize,
}

impl PendingReport {
    /// Reads the markers of a message or of a block of one.
    fn read_markers(&mut self, text: &str) {
        self.before_last = self.marked.len();
        markers::each(text, |finding| self.marked.push(finding));
    }

    /// Reads the markers of a text that replaces the last one.
    fn read_markers_again(&mut self, text: &str) {
        self.marked.truncate(self.before_last);
        self.read_markers(text);
    }
}

impl FindingsFold {
    pub fn apply(&mut self, record: &Record<'_>) {
        self.pending.structured.apply(record);
        self.pending.result.apply(record);
        self.message_blocks.start_line(record);
        for event in record.events {
            if let Event::Text { text, is_part: true, .. } = event {
                self.has_message = true;
                let is_new = self.message_blocks.starts_block(record.parent_id);
                if is_new {
                    self.part.clear();
                }
                text.append_to(&mut self.part, &mut self.scratch);
                if is_new {
                    self.pending.read_markers(&self.part);
                } else {
                    self.pending.read_markers_again(&self.part);
                }
            } else if let Event::Text { message_id, text, .. } = event {
                self.has_message = true;
                let text = text.read(&mut self.scratch);
                match self.message_blocks.add(record.parent_id, *message_id, text) {
                    BlockText::New(text) => self.pending.read_markers(text),
                    // The last line of the text before may have been incomplete.
                    BlockText::Rest(_) => self.pending.read_markers_again(text),
                    BlockText::Repeated => {}
                }
            }
        }
    }

    /// Returns whether the stream has a message.
    pub fn has_message(&self) -> bool {
        self.has_message || self.pending.result.has_message()
    }

    /// Sets the last message from a file, unless the stream has one.
    pub fn set_last_message(&mut self, message: &str) {
        if !self.has_message() {
            self.pending.structured.set_last_message(message);
            self.pending.read_markers(message);
            self.has_message = true;
        }
    }

    /// Returns what was reported since the last call.
    pub fn take(&mut self) -> FindingsReport {
        let mut pending = std::mem::take(&mut self.pending);
        // A stream that is a result only has its text there.
        if let Some(text) = pending.result.without_messages().filter(|_| !self.has_message) {
            let text = text.to_owned();
            pending.read_markers(&text);
        }
        self.has_message |= pending.result.has_message();
        pending.report()
    }
}

impl PendingReport {
    fn report(self) -> FindingsReport {
        let Self { structured, mut marked, before_last, .. } = self;
        // Markers in a message that is the document do not count.
        if structured.last_message().is_some() {
            marked.truncate(before_last);
        }
        match structured.document().map(|document| response::read(Json::new(document))) {
            Some(Ok(response)) => {
                let mut findings = response.findings;
                // Actions may be marked in the text; one that the document has counts once.
                marked.retain(|marked| {
                    matches!(marked, Finding::Cooldown { .. })
                        && !findings.iter().any(|finding| is_same_action(finding, marked))
                });
                findings.append(&mut marked);
                let warnings = response.warnings;
                FindingsReport { method: Extraction::Structured, findings, warnings }
            }
            read => {
                // A message that happens to be JSON is not meant as a document.
                let wrong_type = read.and_then(Result::err);
                let is_meant = |error: &response::WrongType| {
                    structured.output().is_some() || error.is_in_a_member()
                };
                let warning = wrong_type.filter(is_meant).map(|error| {
                    format!(
                        "the structured output is not an agent's response ({error}); markers are read instead"
                    )
                });
                FindingsReport {
                    method: Extraction::Markers,
                    findings: marked,
                    warnings: warning.into_iter().collect(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_state_replaces_earlier_and_events_accumulate() {
        let text = str::to_owned;
        let service = |name: &str, status: &str| Finding::Service {
            name: text(name),
            status: text(status),
            detail: None,
        };
        let escalation = |needed| Finding::Escalation {
            needed,
            reason: None,
            context: None,
            failed_checks: Vec::new(),
        };
        let memory = |observation: &str| Finding::Memory {
            service: None,
            category: text("timing"),
            observation: text(observation),
        };
        let report = |findings: &[Finding]| FindingsReport {
            method: Extraction::Structured,
            findings: findings.to_vec(),
            warnings: vec![text("w")],
        };
        let first =
            report(&[memory("a"), escalation(true), service("db", "down"), service("x", "down")]);
        let second = report(&[memory("b"), escalation(false), service("db", "healthy")]);
        let both = first.followed_by(second).followed_by(FindingsReport::default());
        let expected = [
            memory("a"),
            service("x", "down"),
            memory("b"),
            escalation(false),
            service("db", "healthy"),
        ];
        assert_eq!(both.findings, expected);
        assert_eq!((both.method, both.warnings.len()), (Extraction::Structured, 2));
    }
}
