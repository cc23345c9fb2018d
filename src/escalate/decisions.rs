//! The decisions on standard output, a line of JSON each.

use std::io;
use std::time::Duration;

use super::policy::Judgement;
use crate::output::{self, Object};
use crate::wrap::{Courier, EndRequests};

/// How often to look whether somebody wants us to end while nobody reads, and how long
/// to wait for a reader then.
const LOOK: Duration = Duration::from_millis(100);

/// Tells decisions.
pub struct Decisions(Courier);

/// What is told of a tier.
pub struct Line<'a> {
    /// Its number.
    pub tier: usize,
    /// Its name.
    pub name: Option<&'a str>,
    /// The id its CLI gave its session.
    pub session_id: Option<&'a str>,
    /// Whether it asks for the next one.
    pub needed: bool,
    /// What follows.
    pub judgement: &'a Judgement,
}

impl Decisions {
    /// To standard output.
    pub fn stdout() -> Self {
        Self(Courier::start(output::stdout()))
    }

    /// Tells a decision, and waits until it is written or we are asked to end.
    ///
    /// That nobody reads any more is no error: the decision is in the store.
    pub fn tell(&self, line: &Line<'_>, requests: &EndRequests) -> io::Result<()> {
        let Line { tier, name, session_id, needed, judgement } = line;
        let mut line = Vec::new();
        Object::write(&mut line, |object| {
            object
                .count("tier", *tier as u64)
                .text("name", *name)
                .text_or_null("session_id", *session_id)
                .flag("needed", *needed)
                .text("decision", judgement.decision.name())
                .text("reason", judgement.reason.as_str());
        });
        line.push(b'\n');
        self.0.put(line);
        while !self.0.is_idle() && requests.asked().is_none() {
            self.0.wait(LOOK);
        }
        // Whoever asks for the end is told why, if anybody reads.
        self.0.drain(LOOK);
        match self.0.take_error() {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}
