//! The command line: `--json` makes a run with `--headless` print events. The latter approves
//! everything and is never added.

use std::path::{Path, PathBuf};

use crate::harness::Harness;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};

/// The variable with the key.
const KEY: &str = "LLM_API_KEY";

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "OpenHands",
    names: &["openhands", "openhands-cli"],
    events_command: "openhands --headless --json -t",
    complete: |argv, request| {
        let is_headless = argv.iter().any(|word| word == "--headless");
        let table = if is_headless { TABLE } else { INTERACTIVE };
        table.complete(argv, request)
    },
    credentials: &[KEY, "LLM_BASE_URL", "OPENHANDS_API_KEY"],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &[],
    deprecation_prefix: None,
    // It exits with 0 after every failure; the stream tells it.
    explain_exit: None,
    resume: Some("openhands --resume "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::OpenHands,
    grammar: Grammar {
        valued: &["-t", "--task", "-f", "--file"],
        optional: &["--resume"],
        variadic: &[],
    },
    runs: &[],
    others: &["serve", "acp", "login", "logout", "mcp", "cloud", "web", "gui", "view"],
    added: &[AddedOption { options: &["--json"], words: &["--json"] }],
    prompts: &["-t", "--task"],
    // The model is part of the settings, or in a variable.
    models: &[],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: false,
};

/// For a command line without `--headless`, to which `--json` does not apply.
const INTERACTIVE: CommandTable = CommandTable { added: &[], ..TABLE };

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(".openhands"));
    let folder = variables.get("OPENHANDS_PERSISTENCE_DIR").map(PathBuf::from).or_else(home);
    let cached = folder.map(|folder| folder.join("agent_settings.json"));
    match variables.get(KEY) {
        Some(_) => KEY,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}
