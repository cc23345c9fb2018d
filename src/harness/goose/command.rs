//! The command line: `goose run --output-format stream-json` prints events.

use std::path::Path;

use crate::harness::Harness;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
    first_set,
};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Goose",
    names: &["goose"],
    events_command: "goose run --output-format stream-json -t",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_HOST",
        "OPENAI_API_KEY",
        "OPENAI_HOST",
        "OPENAI_BASE_URL",
        "OPENAI_BASE_PATH",
        "GOOGLE_API_KEY",
        "OPENROUTER_API_KEY",
        "DATABRICKS_HOST",
        "DATABRICKS_TOKEN",
        "OLLAMA_HOST",
        "GOOSE_PROVIDER__API_KEY",
        "GOOSE_PROVIDER__HOST",
    ],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &[],
    deprecation_prefix: None,
    explain_exit: None,
    resume: Some("goose session --resume --session-id "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Goose,
    grammar: Grammar {
        valued: &[
            "-t",
            "--text",
            "-i",
            "--instructions",
            "--recipe",
            "--params",
            "--sub-recipe",
            "--system",
            "--provider",
            "--model",
            "--output-format",
            "-n",
            "--name",
            "--session-id",
            "--id",
            "--path",
            "--max-turns",
            "--max-tool-repetitions",
            "--with-extension",
            "--with-streamable-http-extension",
            "--with-builtin",
            "--scheduled-job-id",
            "--container",
        ],
        optional: &[],
        variadic: &[],
    },
    runs: &["run"],
    others: &[],
    added: &[AddedOption {
        options: &["--output-format"],
        words: &["--output-format", "stream-json"],
    }],
    prompts: &["-t", "--text"],
    models: &["--model"],
    context: ContextPlace::Option("--system"),
    schema: None,
    reads_prompt: false,
};

/// Returns where the CLI finds its credentials; they may also be in a keyring.
fn auth_source(variables: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> &'static str {
    const KEYS: [&str; 6] = [
        "GOOSE_PROVIDER__API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GOOGLE_API_KEY",
        "OPENROUTER_API_KEY",
        "DATABRICKS_TOKEN",
    ];
    first_set(variables, &KEYS).unwrap_or("unknown")
}
