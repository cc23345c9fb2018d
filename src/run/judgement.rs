//! The verdict on a run from its parts, and its warnings.

use super::heuristics::{self, Guess, Signs};
use super::state::Run;
use super::tool_stats::DeniedCall;
use super::verdict::{Heuristics, Verdict};
use super::warnings::Warnings;

impl Run {
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
        warnings.extend(self.denial_warnings());
        warnings.extend(self.background_warning());
        warnings.extend(guess.map(Guess::warning));
        warnings
    }

    fn denial_warnings(&self) -> Vec<String> {
        let describe = |call: &DeniedCall| match (&call.name, &call.id) {
            (Some(name), Some(id)) => format!("{name} ({id})"),
            (name, id) => name.as_ref().or(id.as_ref()).map_or("a tool".to_owned(), String::clone),
        };
        let mut warnings = Warnings::default();
        for call in self.denied_calls() {
            warnings.add("permission-denied:", || describe(call));
        }
        warnings.iter().collect()
    }

    /// Describes commands that were started in the background and outlived the run.
    fn background_warning(&self) -> Option<String> {
        let commands = self.background.unfinished_commands();
        if commands.is_empty() || self.ending.is_on_disk() {
            return None;
        }
        let names: Vec<_> = commands.into_iter().filter(|name| !name.is_empty()).collect();
        let names =
            if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        Some(format!("background-command: stopped or still running when the run ended{names}"))
    }

    /// Applies the heuristics, which are for runs without a failure.
    fn guess(&self) -> Option<Guess> {
        let rules = self.session.harness().rules().heuristics.as_ref()?;
        if self.ending.is_on_disk() || !self.ending.is_complete() {
            return None;
        }
        let signs = Signs {
            num_turns: self.num_turns,
            prompts: self.usage.turns_started(),
            stop_reason: self.answer.stop_reason().or(self.stop_reason.as_deref()),
            last_message: self.answer.last_message(),
            asks_user: self.answer.asks_user(),
            was_question_refused: self.questions.was_refused(),
            mentions_pending_work: self.mentions_pending_work,
            unfinished_agents: self.background.unfinished_requests(),
            lost_agents: self.background.lost_agents(),
        };
        heuristics::guess(&signs, rules)
    }
}
