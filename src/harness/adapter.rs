//! Everything that is specific to one agent CLI.

use super::capabilities::{Capabilities, TokenReport};
use super::command::AgentProgram;
use super::delta::TextDelta;
use super::detector::Dialect;
use super::format::{CheckedLine, Contract, FormatTables, Violation};
use super::layout::SessionFiles;
use super::record::Record;
use super::rules::Rules;
use super::tools::ToolTexts;
use crate::json::Value;

/// Everything that is specific to one agent CLI.
///
/// Each file of a CLI's folder contains the answers to one group of questions. All fields
/// are required: a CLI without an answer says so (`None`, an empty list), and a message
/// tells the user.
pub(crate) struct Adapter {
    /// The name used in records and on the command line.
    pub(crate) name: &'static str,
    /// What its output contains.
    pub(crate) capabilities: Capabilities,
    /// The formats in which it prints and stores events.
    pub(crate) dialects: &'static [Dialect],
    /// The wording of its contract.
    pub(crate) rules: &'static Rules,
    /// Returns what a line of the given `type` adds to the texts that are being written.
    /// `None` if every text is printed as a whole.
    pub(crate) text_delta: Option<for<'a> fn(&str, Value<'_, 'a>) -> TextDelta<'a>>,
    /// Returns the base name of a model of its vendor, and `None` for others.
    pub(crate) base_model: Option<fn(&str) -> Option<String>>,
    /// What its releases print, for `check`.
    pub(crate) format: Option<FormatTables>,
    /// Where and how it keeps sessions; `None` if it does not.
    pub(crate) sessions: Option<SessionFiles>,
    /// Descriptions of its tool calls for people.
    pub(crate) tools: ToolTexts,
    /// Its command line, credentials and exit codes.
    pub(crate) program: AgentProgram,
    /// Writes an event as the record of a run keeps it, and returns whether it was
    /// truncated.
    pub(crate) write_recorded: fn(&Record<'_>, &mut Vec<u8>) -> bool,
}

impl Adapter {
    /// Checks an object against what the CLI's releases print; `None` without such tables.
    pub(crate) fn check<'a>(
        &self,
        object: Value<'_, 'a>,
        contract: Contract,
    ) -> Option<Result<CheckedLine<'a>, Violation>> {
        let format = self.format.as_ref()?;
        Some((format.check)(object, contract))
    }

    /// Reports the path of each member that no known release prints in an object of this
    /// type; reports nothing without such tables.
    pub(crate) fn report_unknown_members(
        &self,
        object: Value<'_, '_>,
        report: &mut dyn FnMut(String),
    ) {
        if let Some(check) = self.format.as_ref().and_then(|format| format.unknown_members) {
            check(object, report);
        }
    }

    /// Returns whether its stream reports the tokens of each request, and no total.
    pub(crate) fn reports_requests(&self) -> bool {
        matches!(self.capabilities.tokens, TokenReport::Requests)
    }

    /// Returns whether its stream contains text between the events.
    pub(crate) fn prints_text(&self) -> bool {
        self.dialects.iter().any(|dialect| dialect.read_text.is_some())
    }

    /// Describes where the tokens of a run are to be found if its stream never has any.
    pub(crate) fn describe_missing_tokens(&self) -> Option<String> {
        if self.dialects.is_empty() || self.capabilities.tokens != TokenReport::None {
            return None;
        }
        let is_stored = self.sessions.as_ref().is_some_and(|sessions| sessions.has_tokens);
        let elsewhere = if is_stored { "; its sessions on disk do (usage --home)" } else { "" };
        Some(format!("the stream of {} contains no tokens{elsewhere}", self.name))
    }

    /// Returns the command that resumes a session. An id that a shell would not read as
    /// one word is no id.
    pub(crate) fn resume_command(&self, session_id: &str) -> Option<String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        let is_word = session_id.bytes().all(is_plain) && !session_id.starts_with('-');
        let start = self.program.resume.filter(|_| is_word && !session_id.is_empty())?;
        Some(format!("{start}{session_id}"))
    }
}
