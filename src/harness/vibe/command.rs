//! The command line: `-p … --output streaming` makes it print events.

use std::path::{Path, PathBuf};

use crate::event::{Category, FailureReason};
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};
use crate::harness::{ExitExplanation, Harness};

/// The variable with the key.
const KEY: &str = "MISTRAL_API_KEY";

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Mistral Vibe",
    names: &["vibe", "mistral-vibe"],
    events_command: "vibe --output streaming -p",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[KEY],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &[],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("vibe --resume "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Vibe,
    grammar: Grammar {
        valued: &[
            "--output",
            "--max-turns",
            "--max-price",
            "--max-tokens",
            "--enabled-tools",
            "--disabled-tools",
            "--agent",
            "--workdir",
            "--add-dir",
        ],
        optional: &["-p", "--prompt", "--resume"],
        variadic: &[],
    },
    runs: &[],
    others: &[],
    added: &[AddedOption { options: &["--output"], words: &["--output", "streaming"] }],
    prompts: &["-p", "--prompt"],
    // The model is part of the configuration.
    models: &[],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(".vibe"));
    let folder = variables.get("VIBE_HOME").map(PathBuf::from).or_else(home);
    let cached = folder.map(|folder| folder.join(".env"));
    match variables.get(KEY) {
        Some(_) => KEY,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}

/// Explains a failure by the only place where the CLI tells it: the last line of standard
/// error that starts with one of two words. A line that names the variable with the key is
/// masked, but its exit status is that of a missing or invalid key.
fn explain_exit(code: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    let is_told = |line: &&str| line.starts_with("Error: ") || line.starts_with("Stopped: ");
    if let Some(line) = stderr.lines().rev().find(is_told) {
        let message = Some(line.strip_prefix("Error: ").unwrap_or(line).trim());
        return Some(ExitExplanation { message, ..ExitExplanation::default() });
    }
    let is_masked = code == 1 && !stderr.trim().is_empty();
    is_masked.then_some(ExitExplanation {
        message: Some("the API key is missing or invalid"),
        category: Some(Category::Auth),
        reason: Some(FailureReason::Authentication),
        ..ExitExplanation::default()
    })
}
