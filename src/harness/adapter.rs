//! The interface that every agent CLI implements.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{AgentCommand, CommandError, CompletionRequest, SchemaForm, Variables};
use super::delta::TextDelta;
use super::detector::Dialect;
use super::exit::ExitExplanation;
use super::format::{CheckedLine, Contract, Violation};
use super::record::Record;
use super::rules::Rules;
use super::tools::{FileChange, TodoItem};
use crate::json::{Json, Value};

/// Everything that is specific to one agent CLI.
///
/// There are no default methods: a CLI without an answer says so explicitly
/// (`None`, an empty list), and a message tells the user.
pub(crate) trait Adapter: Sync {
    /// Returns the name used in records and on the command line.
    fn name(&self) -> &'static str;

    /// Returns the formats in which it prints and stores events.
    fn dialects(&self) -> &'static [Dialect];

    /// Returns the wording of its contract.
    fn rules(&self) -> &'static Rules;

    /// Returns what a line adds to the texts that are being written.
    fn text_delta<'a>(&self, line: Json<'a>) -> TextDelta<'a>;

    /// Checks an object against what the CLI's releases print; `None` without
    /// such tables.
    fn check<'a>(
        &self,
        object: Value<'_, 'a>,
        contract: Contract,
    ) -> Option<Result<CheckedLine<'a>, Violation>>;

    /// Reports the path of each member that no known release prints in an object of
    /// this type; reports nothing without such tables.
    fn report_unknown_members(&self, object: Value<'_, '_>, report: &mut dyn FnMut(String));

    /// Returns the folders in which it keeps sessions, given the environment.
    fn session_folders(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf>;

    /// Returns the name of the project folder that a session file lies in.
    fn project_folder<'p>(&self, session: &'p Path) -> Option<&'p str>;

    /// Returns the base name of a model of its vendor, and `None` for others.
    fn base_model(&self, model: &str) -> Option<String>;

    /// Summarises a tool call in one line.
    fn tool_summary<'a>(&self, input: Json<'a>) -> Cow<'a, str>;

    /// Returns the change of a file that a tool call makes, to be shown as a diff.
    fn file_change<'a>(&self, input: Json<'a>) -> Option<FileChange<'a>>;

    /// Returns the items if the call updates a to-do list.
    fn todo_items(&self, tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>>;

    /// Returns the output of one of the CLI's own commands if that is what a
    /// prompt contains.
    fn command_output<'a>(&self, prompt: &'a str) -> Option<&'a str>;

    /// Describes an object that has no neutral event but matters to a person.
    fn describe(&self, kind: &str, line: Json<'_>) -> Option<String>;

    /// Returns how the program is called in messages.
    fn program(&self) -> &'static str;

    /// Returns the names of its executables, and of the packages that contain them.
    fn programs(&self) -> &'static [&'static str];

    /// Returns the start of a command line that prints events, for messages.
    fn events_command(&self) -> &'static str;

    /// Completes a command line so that the CLI prints events.
    fn complete(
        &self,
        argv: &[OsString],
        request: &CompletionRequest<'_>,
    ) -> Result<AgentCommand, CommandError>;

    /// Returns the variables that hold credentials or redirect requests.
    fn credentials(&self) -> &'static [&'static str];

    /// Returns the option that requests a document.
    fn schema_option(&self) -> Option<&'static str>;

    /// Returns where the CLI will find its credentials: a label, never a secret.
    fn auth_source(
        &self,
        variables: &dyn Variables,
        exists: &dyn Fn(&Path) -> bool,
    ) -> Option<&'static str>;

    /// Returns words on standard error that announce a secret. Lower case.
    fn leak_words(&self) -> &'static [&'static str];

    /// Returns the warning for a line on standard error about something deprecated.
    fn deprecation_warning(&self, line: &str) -> Option<String>;

    /// Explains an exit status other than 0, given the end of standard error; `None` if
    /// neither means anything in particular.
    fn explain_exit<'a>(&self, code: i32, stderr: &'a str) -> Option<ExitExplanation<'a>>;

    /// Returns the command that resumes a session.
    fn resume_command(&self, session_id: &str) -> Option<String>;

    /// Returns the form in which its API accepts a JSON Schema.
    fn schema_form(&self) -> SchemaForm;

    /// Writes an event as the record of a run keeps it, and returns whether it was
    /// truncated.
    fn write_recorded(&self, record: &Record<'_>, to: &mut Vec<u8>) -> bool;
}
