//! What the agent reports: from the document it was asked for, else from the
//! markers in its text.

use super::{ResultText, Structured};
use crate::event::{Event, Packet};
use crate::findings::{Extraction, Finding, markers, response};
use crate::json::{Json, Memory};

/// Follows a run to its findings.
#[derive(Debug, Default)]
pub struct Reports {
    part: Part,
    spoke: bool,
    /// Where texts are read.
    memory: Memory,
}

/// What was reported.
#[derive(Debug, PartialEq, Eq)]
pub struct Report {
    /// Where it was found.
    pub method: Extraction,
    /// It, in its order.
    pub findings: Vec<Finding>,
    /// What should be known about it.
    pub warnings: Vec<String>,
}

impl Default for Report {
    fn default() -> Self {
        Self { method: Extraction::Markers, findings: Vec::new(), warnings: Vec::new() }
    }
}

impl Report {
    /// Both, of a run with several results: what happened is added, and of what can
    /// change the later one counts.
    #[must_use]
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

/// Whether a finding says how it is now what another one said before.
fn replaces(after: &Finding, before: &Finding) -> bool {
    match (after, before) {
        (Finding::Service { name, .. }, Finding::Service { name: same, .. }) => name == same,
        (Finding::Summary { .. }, Finding::Summary { .. })
        | (Finding::Escalation { .. }, Finding::Escalation { .. }) => true,
        _ => false,
    }
}

/// A run, or what of it was not taken yet.
#[derive(Debug, Default)]
struct Part {
    structured: Structured,
    result: ResultText,
    /// What was marked in the text, in its order.
    marked: Vec<Finding>,
    /// How much of it was before the last message.
    before_last: usize,
}

impl Part {
    /// Takes in a message, or a block of one.
    fn mark(&mut self, text: &str) {
        self.before_last = self.marked.len();
        markers::each(text, |finding| self.marked.push(finding));
    }
}

impl Reports {
    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        self.part.structured.apply(packet);
        self.part.result.apply(packet);
        for event in packet.events {
            if let Event::Text { text, .. } = event {
                self.spoke = true;
                self.part.mark(text.read(&mut self.memory));
            }
        }
    }

    /// Whether the stream has a message.
    #[must_use]
    pub fn spoke(&self) -> bool {
        self.spoke || self.part.result.spoke()
    }

    /// The CLI left this message in a file; it counts if the stream has none.
    pub fn left(&mut self, message: &str) {
        if !self.spoke() {
            self.part.structured.left(message);
            self.part.mark(message);
            self.spoke = true;
        }
    }

    /// What was reported since the last time.
    pub fn take(&mut self) -> Report {
        let mut part = std::mem::take(&mut self.part);
        // A stream that is a result only says everything there.
        if let Some(text) = part.result.instead_of_messages().filter(|_| !self.spoke) {
            let text = text.to_owned();
            part.mark(&text);
        }
        self.spoke |= part.result.spoke();
        part.report()
    }
}

impl Part {
    fn report(self) -> Report {
        let Self { structured, mut marked, before_last, .. } = self;
        // A message that is a document is no text.
        if structured.last_message().is_some() {
            marked.truncate(before_last);
        }
        match structured.document().map(|document| response::read(Json::new(document))) {
            Some(Ok(response)) => {
                let mut findings = response.findings;
                marked.retain(|finding| matches!(finding, Finding::Cooldown { .. }));
                findings.append(&mut marked);
                Report { method: Extraction::Structured, findings, warnings: response.warnings }
            }
            read => {
                // A message that happens to be JSON was not meant as a document.
                let wrong = read.and_then(Result::err);
                let meant = |wrong: &response::WrongType| {
                    structured.told().is_some() || wrong.is_in_a_member()
                };
                let warning = wrong.filter(meant).map(|wrong| {
                    format!(
                        "the structured output is not an agent's response ({wrong}); markers are read instead"
                    )
                });
                Report {
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
    fn of_several_results_the_last_says_how_it_is_and_all_say_what_happened() {
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
        let report = |findings: &[Finding]| Report {
            method: Extraction::Structured,
            findings: findings.to_vec(),
            warnings: vec![text("w")],
        };
        let first =
            report(&[memory("a"), escalation(true), service("db", "down"), service("x", "down")]);
        let second = report(&[memory("b"), escalation(false), service("db", "healthy")]);
        let both = first.followed_by(second).followed_by(Report::default());
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
