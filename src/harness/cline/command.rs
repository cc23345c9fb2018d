//! The command line: `--json` makes it print events.

use std::borrow::Cow;
use std::path::Path;

use crate::event::Category;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};
use crate::harness::{ExitExplanation, Harness};
use crate::json::Json;

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Cline",
    names: &["cline"],
    events_command: "cline --json",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &["CLINE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &[],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("cline --id "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Cline,
    grammar: Grammar {
        valued: &[
            "--auto-approve",
            "-c",
            "--cwd",
            "--compaction",
            "--id",
            "-P",
            "--provider",
            "-k",
            "--key",
            "-m",
            "--model",
            "-s",
            "--system",
            "-t",
            "--timeout",
            "--config",
            "--data-dir",
            "--hooks-dir",
        ],
        optional: &["--thinking", "--retries"],
        variadic: &[],
    },
    runs: &[],
    others: &[
        "auth",
        "config",
        "plugin",
        "skill",
        "connect",
        "mcp",
        "doctor",
        "history",
        "h",
        "hook",
        "schedule",
        "hub",
        "dashboard",
        "update",
        "version",
        "kanban",
    ],
    added: &[AddedOption { options: &["--json"], words: &["--json"] }],
    prompts: &[],
    models: &["-m", "--model"],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> &'static str {
    let keys = PROGRAM.credentials.iter();
    keys.copied().find(|name| variables.get(name).is_some()).unwrap_or("unknown")
}

/// What the CLI says about a prompt of one word.
const ONE_WORD: &str = "Unknown command or unquoted prompt";

/// Explains what is told on standard error only, where errors are lines of JSON.
fn explain_exit(_: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    if stderr.contains(ONE_WORD) {
        return Some(ExitExplanation {
            message: Some(
                "cline takes a prompt of one word for a command; write it with more than one word",
            ),
            category: Some(Category::Subprocess),
            ..ExitExplanation::default()
        });
    }
    let mut lines = stderr.lines().rev().filter(|line| line.starts_with("{\"ts\":"));
    let message = Some(lines.find_map(error_message)?);
    Some(ExitExplanation { message, ..ExitExplanation::default() })
}

/// Returns the message of a line about an error, unless it contains escaped characters.
fn error_message(line: &str) -> Option<&str> {
    let line = Json::new(line.as_bytes());
    let is_error = line.get("type")?.as_str()? == "error";
    match line.get("message").filter(|_| is_error)?.as_str()? {
        Cow::Borrowed(message) => Some(message),
        Cow::Owned(_) => None,
    }
}
