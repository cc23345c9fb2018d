//! Claude Code, by Anthropic.
//!
//! | file | content |
//! |---|---|
//! | `stream`, `message`, `partial`, `result`, `system` | the headless stream |
//! | `session` | session files |
//! | `rules` | the wording of errors, for the verdict on a run |
//! | `format`, `members`, `session_format`, `contract` | what the releases print and store, and the published contract, for `check` |
//! | `command`, `grammar` | the command line, for `wrap` and `escalate` |
//! | `input` | input lines, for `prompt` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
pub mod contract;
mod format;
mod grammar;
#[cfg(feature = "cli")]
pub(crate) mod input;
mod members;
mod message;
mod partial;
mod result;
mod rules;
mod session;
mod session_format;
mod store;
mod stream;
mod system;
mod tools;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{AgentCommand, CommandError, CompletionRequest, SchemaForm, Variables};
use super::exit::ExitExplanation;
use super::format::{CheckedLine, Contract, Violation};
use super::models::without_suffixes;
use super::tools::{FileChange, TodoItem};
use super::{Adapter, Dialect, Harness, Record, Rules, TextDelta};
use crate::json::{Json, Value};

pub(super) struct Claude;

static DIALECTS: [Dialect; 2] = [
    Dialect::lines(Harness::Claude, stream::claim, stream::decode),
    Dialect::lines(Harness::Claude, session::claim, session::decode),
];

impl Adapter for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn dialects(&self) -> &'static [Dialect] {
        &DIALECTS
    }

    fn rules(&self) -> &'static Rules {
        &rules::RULES
    }

    fn text_delta<'a>(&self, line: Json<'a>) -> TextDelta<'a> {
        partial::text_delta(line)
    }

    fn check<'a>(
        &self,
        object: Value<'_, 'a>,
        contract: Contract,
    ) -> Option<Result<CheckedLine<'a>, Violation>> {
        Some(match contract {
            Contract::V1 => contract::check(object),
            Contract::Current if session_format::is_entry(object) => session_format::check(object),
            Contract::Current => format::check(object),
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

    fn project_folder<'p>(&self, session: &'p Path) -> Option<&'p str> {
        store::project_folder(session)
    }

    /// Accepts the names of cloud providers: `us.anthropic.claude-opus-4-1-v1:0`.
    fn base_model(&self, model: &str) -> Option<String> {
        let name = model.split_once("anthropic.").map_or(model, |(_, name)| name);
        let base = without_suffixes(name);
        base.starts_with("claude").then(|| base.replace('.', "-"))
    }

    fn tool_summary<'a>(&self, input: Json<'a>) -> Cow<'a, str> {
        super::tools::summary(input)
    }

    fn file_change<'a>(&self, input: Json<'a>) -> Option<FileChange<'a>> {
        tools::file_change(input)
    }

    fn todo_items(&self, tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
        tools::todo_items(tool, input)
    }

    fn command_output<'a>(&self, prompt: &'a str) -> Option<&'a str> {
        tools::command_output(prompt)
    }

    fn describe(&self, kind: &str, line: Json<'_>) -> Option<String> {
        tools::describe_control(kind, line)
    }

    fn program(&self) -> &'static str {
        "Claude CLI"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["claude", "@anthropic-ai/claude-code"]
    }

    fn events_command(&self) -> &'static str {
        "claude -p --output-format stream-json --verbose"
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

    /// The stream itself names the source of the credentials.
    fn auth_source(&self, _: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> Option<&'static str> {
        None
    }

    fn leak_words(&self) -> &'static [&'static str] {
        &[]
    }

    fn deprecation_warning(&self, _: &str) -> Option<String> {
        None
    }

    /// The contract has one category for all of them.
    fn explain_exit<'a>(&self, _: i32, _: &'a str) -> Option<ExitExplanation<'a>> {
        None
    }

    fn resume_command(&self, session_id: &str) -> Option<String> {
        Some(format!("claude --resume {session_id}"))
    }

    fn schema_form(&self) -> SchemaForm {
        SchemaForm::Plain
    }

    fn write_recorded(&self, record: &Record<'_>, to: &mut Vec<u8>) -> bool {
        to.extend_from_slice(record.json.bytes());
        false
    }
}
