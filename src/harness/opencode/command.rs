//! The command line: `run --format json` makes it print events.

use std::path::{Path, PathBuf};

use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
    first_set,
};
use crate::harness::exit::line_after;
use crate::harness::{ExitExplanation, Harness};

pub(crate) const PROGRAM: AgentProgram = AgentProgram {
    title: "OpenCode",
    names: &["opencode", "opencode-ai"],
    events_command: "opencode run --format json",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: CREDENTIALS,
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(|variables, exists| {
        auth_source(variables, exists, "OPENCODE_API_KEY", "opencode")
    }),
    leak_words: &[],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("opencode -s "),
};

/// The keys of the usual providers, and the variables that redirect requests.
const CREDENTIALS: &[&str] = &[
    "OPENCODE_API_KEY",
    "OPENCODE_CONFIG_CONTENT",
    "OPENCODE_SERVER_PASSWORD",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "XAI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
];

/// Keys of providers that the CLI and its fork find in the environment.
const KEYS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_ACCESS_KEY_ID",
    "XAI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
];

pub(crate) const TABLE: CommandTable = CommandTable {
    harness: Harness::OpenCode,
    grammar: Grammar {
        valued: &[
            "--command",
            "-s",
            "--session",
            "-m",
            "--model",
            "--agent",
            "--format",
            "--title",
            "--attach",
            "-p",
            "--password",
            "-u",
            "--username",
            "--dir",
            "--port",
            "--variant",
            "--log-level",
        ],
        optional: &[],
        variadic: &["-f", "--file"],
    },
    runs: &["run"],
    others: &[],
    added: &[AddedOption { options: &["--format"], words: &["--format", "json"] }],
    prompts: &[],
    models: &["-m", "--model"],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};

/// Returns where a CLI with this variable of its own and this folder finds its credentials.
pub(crate) fn auth_source(
    variables: &dyn Variables,
    exists: &dyn Fn(&Path) -> bool,
    own: &'static str,
    folder: &str,
) -> &'static str {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(".local/share"));
    let data = variables.get("XDG_DATA_HOME").map(PathBuf::from).or_else(home);
    let cached = data.map(|data| data.join(folder).join("auth.json"));
    match first_set(variables, &[own]).or_else(|| first_set(variables, KEYS)) {
        Some(key) => key,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}

/// How a message on standard error starts, without and with colours.
const ERROR: &[&str] = &["Error: ", "\u{1b}[91m\u{1b}[1mError: \u{1b}[0m"];

/// Explains a failure that only standard error tells: `Error: Session not found`.
pub(crate) fn explain_exit(_: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    let message = Some(line_after(stderr, ERROR)?);
    Some(ExitExplanation { message, ..ExitExplanation::default() })
}
