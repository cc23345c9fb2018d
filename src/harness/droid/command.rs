//! The command line: `exec --output-format stream-json` makes it print events.

use std::path::{Path, PathBuf};

use crate::harness::Harness;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
    first_set,
};

/// The variables with a key, the preferred one first.
const KEYS: &[&str] = &["FACTORY_API_KEY", "FACTORY_TOKEN"];

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Droid",
    names: &["droid", "@factory/cli"],
    events_command: "droid exec -o stream-json",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: KEYS,
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["factory_token"],
    deprecation_prefix: None,
    explain_exit: None,
    resume: Some("droid exec -s "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Droid,
    grammar: Grammar {
        valued: &[
            "-o",
            "--output-format",
            "--input-format",
            "-f",
            "--file",
            "--auto",
            "-s",
            "--session-id",
            "--fork",
            "-m",
            "--model",
            "-r",
            "--reasoning-effort",
            "--spec-model",
            "--spec-reasoning-effort",
            "--append-system-prompt",
            "--append-system-prompt-file",
            "--only-tools",
            "--add-tools",
            "--remove-tools",
            "--cwd",
            "--tag",
            "--log-group-id",
            "--settings",
            "--worktree-dir",
            "--worker-model",
            "--worker-reasoning-effort",
            "--validator-model",
            "--validator-reasoning-effort",
        ],
        optional: &["-w", "--worktree"],
        variadic: &[],
    },
    runs: &["exec"],
    others: &[],
    added: &[AddedOption { options: &["-o", "--output-format"], words: &["-o", "stream-json"] }],
    prompts: &["-f", "--file"],
    models: &["-m", "--model"],
    context: ContextPlace::Option("--append-system-prompt"),
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let home = variables.get("HOME").map(|home| PathBuf::from(home).join(".factory"));
    let is_cached = |folder: PathBuf| {
        ["auth.v2.file", "auth.json"].iter().any(|name| exists(&folder.join(name)))
    };
    match first_set(variables, KEYS) {
        Some(key) => key,
        None if home.is_some_and(is_cached) => "cached",
        None => "unknown",
    }
}
