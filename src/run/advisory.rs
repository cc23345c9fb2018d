//! Conditions that do not make a run fail by themselves, but may be treated so.

use super::state::Run;
use super::verdict::Verdict;

/// What also counts as a failure, at the user's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum FailOn {
    /// A tool call was denied
    Denied,
    /// A tool call failed
    ToolFailure,
    /// The run has a warning
    Warning,
}

impl FailOn {
    /// Returns the first condition that a run meets, as a sentence.
    pub fn first_met(conditions: &[Self], run: &Run, verdict: &Verdict) -> Option<String> {
        conditions.iter().find_map(|condition| condition.describe(run, verdict))
    }

    fn describe(self, run: &Run, verdict: &Verdict) -> Option<String> {
        let tools = run.tool_counts();
        let (count, what, option) = match self {
            Self::Denied => (tools.denied, "tool call denied", "denied"),
            Self::ToolFailure => (tools.failed, "tool call failed", "tool-failure"),
            Self::Warning => (verdict.warnings.len() as u64, "warning", "warning"),
        };
        let plural = match (self, count) {
            (_, 0) => return None,
            (_, 1) => what.to_owned(),
            (Self::Warning, _) => "warnings".to_owned(),
            _ => what.replace("call", "calls"),
        };
        Some(format!("{count} {plural} (--fail-on {option})"))
    }
}
