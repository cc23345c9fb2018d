//! Codex, by OpenAI.
//!
//! | file | content |
//! |---|---|
//! | `stream` | the headless stream |
//! | `legacy` | the stream of releases before October 2025 |
//! | `session`, `tool_output`, `call_messages` | session files |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format`, `members`, `session_format` | what the releases print and store, for `check` |
//! | `command` | the command line, for `wrap` and `escalate` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |
//! | `recorded` | events in the record of a run |

mod call_messages;
mod command;
mod format;
mod legacy;
mod members;
mod recorded;
mod rules;
mod session;
mod session_format;
mod store;
mod stream;
mod tool_output;
mod tools;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{AgentCommand, CommandError, CompletionRequest, SchemaForm, Variables};
use super::exit::ExitExplanation;
use super::format::{CheckedLine, Contract, Violation};
use super::tools::{FileChange, TodoItem};
use super::{Adapter, Dialect, Harness, Record, Rules, TextDelta};
use crate::json::{Json, Value};

pub(super) struct Codex;

static DIALECTS: [Dialect; 3] = [
    Dialect::lines(Harness::Codex, stream::claim, stream::decode),
    Dialect::lines(Harness::Codex, legacy::claim, legacy::decode),
    Dialect::lines(Harness::Codex, session::claim, session::decode),
];

impl Adapter for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn dialects(&self) -> &'static [Dialect] {
        &DIALECTS
    }

    fn rules(&self) -> &'static Rules {
        &rules::RULES
    }

    fn text_delta<'a>(&self, line: Json<'a>) -> TextDelta<'a> {
        legacy::text_delta(line)
    }

    /// The published contract and the known releases agree.
    fn check<'a>(
        &self,
        object: Value<'_, 'a>,
        _: Contract,
    ) -> Option<Result<CheckedLine<'a>, Violation>> {
        Some(if session_format::is_entry(object) {
            session_format::check(object)
        } else {
            format::check(object)
        })
    }

    fn report_unknown_members(&self, object: Value<'_, '_>, report: &mut dyn FnMut(String)) {
        // The tables are those of the stream.
        if !session_format::is_entry(object) {
            members::report_unknown(object, report);
        }
    }

    fn session_folders(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
        store::session_folders(variable)
    }

    /// Sessions are sorted by date; only their content names the project.
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

    fn todo_items(&self, tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
        tools::todo_items(tool, input)
    }

    fn command_output<'a>(&self, _: &'a str) -> Option<&'a str> {
        None
    }

    fn describe(&self, _: &str, _: Json<'_>) -> Option<String> {
        None
    }

    fn program(&self) -> &'static str {
        "Codex CLI"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["codex", "@openai/codex"]
    }

    fn events_command(&self) -> &'static str {
        "codex exec --json"
    }

    fn complete(
        &self,
        argv: &[OsString],
        request: &CompletionRequest<'_>,
    ) -> Result<AgentCommand, CommandError> {
        command::complete(argv, request)
    }

    fn credentials(&self) -> &'static [&'static str] {
        command::CREDENTIALS
    }

    fn schema_option(&self) -> Option<&'static str> {
        Some(command::SCHEMA_OPTION)
    }

    fn auth_source(
        &self,
        variables: &dyn Variables,
        exists: &dyn Fn(&Path) -> bool,
    ) -> Option<&'static str> {
        Some(command::auth_source(variables, exists))
    }

    fn leak_words(&self) -> &'static [&'static str] {
        &["codex_home="]
    }

    fn deprecation_warning(&self, line: &str) -> Option<String> {
        Some(format!("codex-deprecation: {line}"))
    }

    /// The contract has one category for all of them.
    fn explain_exit<'a>(&self, _: i32, _: &'a str) -> Option<ExitExplanation<'a>> {
        None
    }

    fn resume_command(&self, session_id: &str) -> Option<String> {
        Some(format!("codex resume {session_id}"))
    }

    fn schema_form(&self) -> SchemaForm {
        SchemaForm::Strict
    }

    fn write_recorded(&self, record: &Record<'_>, to: &mut Vec<u8>) -> bool {
        recorded::write(record, to)
    }
}
