//! The answers for a CLI that streamj does not know.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{self, AgentCommand, CommandError, CompletionRequest, SchemaForm, Variables};
use super::detector::Dialect;
use super::exit::ExitExplanation;
use super::format::{CheckedLine, Contract, Violation};
use super::record::Record;
use super::tools::{FileChange, TodoItem};
use super::{Adapter, Harness, Rules, TextDelta, tools};
use crate::json::{Json, Value};

pub(super) struct Unknown;

static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit"],
    auth: &["401", "403", "unauthorized"],
    error_words: &[],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[],
    reason_phrases: &[],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream has no event of a known agent CLI",
    has_terminal_event: false,
    has_thread_metadata: false,
    prints_snapshots: false,
    writes_summary_as_text: false,
    answers_with_document: false,
    retry_words: &[],
    retry_seconds_marker: None,
    heuristics: None,
};

impl Adapter for Unknown {
    fn name(&self) -> &'static str {
        "unknown"
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[]
    }

    fn rules(&self) -> &'static Rules {
        &RULES
    }

    fn text_delta<'a>(&self, _: Json<'a>) -> TextDelta<'a> {
        TextDelta::None
    }

    fn check<'a>(
        &self,
        _: Value<'_, 'a>,
        _: Contract,
    ) -> Option<Result<CheckedLine<'a>, Violation>> {
        None
    }

    fn report_unknown_members(&self, _: Value<'_, '_>, _: &mut dyn FnMut(String)) {}

    fn session_folders(&self, _: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
        Vec::new()
    }

    fn project_folder<'p>(&self, _: &'p Path) -> Option<&'p str> {
        None
    }

    fn base_model(&self, _: &str) -> Option<String> {
        None
    }

    fn tool_summary<'a>(&self, input: Json<'a>) -> Cow<'a, str> {
        tools::summary(input)
    }

    fn file_change<'a>(&self, _: Json<'a>) -> Option<FileChange<'a>> {
        None
    }

    fn todo_items(&self, _: &str, _: Json<'_>) -> Option<Vec<TodoItem>> {
        None
    }

    fn command_output<'a>(&self, _: &'a str) -> Option<&'a str> {
        None
    }

    fn describe(&self, _: &str, _: Json<'_>) -> Option<String> {
        None
    }

    fn program(&self) -> &'static str {
        "command"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[]
    }

    fn events_command(&self) -> &'static str {
        ""
    }

    /// Leaves the command line alone. Only standard input can carry a context.
    fn complete(
        &self,
        argv: &[OsString],
        request: &CompletionRequest<'_>,
    ) -> Result<AgentCommand, CommandError> {
        command::refuse_full(request)?;
        Ok(AgentCommand {
            prompt: request.context.map(str::to_owned),
            ..AgentCommand::new(Harness::Unknown, argv.to_vec())
        })
    }

    fn credentials(&self) -> &'static [&'static str] {
        &[]
    }

    fn schema_option(&self) -> Option<&'static str> {
        None
    }

    fn auth_source(&self, _: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> Option<&'static str> {
        None
    }

    fn leak_words(&self) -> &'static [&'static str] {
        &[]
    }

    fn deprecation_warning(&self, _: &str) -> Option<String> {
        None
    }

    fn explain_exit<'a>(&self, _: i32, _: &'a str) -> Option<ExitExplanation<'a>> {
        None
    }

    fn resume_command(&self, _: &str) -> Option<String> {
        None
    }

    fn schema_form(&self) -> SchemaForm {
        SchemaForm::Plain
    }

    fn write_recorded(&self, record: &Record<'_>, to: &mut Vec<u8>) -> bool {
        to.extend_from_slice(record.json.bytes());
        false
    }
}
