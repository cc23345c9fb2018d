//! The command line: `--mode json` makes it print events.

use std::path::{Path, PathBuf};

use crate::event::{Category, FailureReason};
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};
use crate::harness::{ExitExplanation, Harness};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Pi",
    names: &["pi", "@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"],
    events_command: "pi --mode json",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: KEYS,
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &[],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("pi --session "),
};

/// The keys of its providers.
const KEYS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_OAUTH_TOKEN",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "OPENROUTER_API_KEY",
    "XAI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "DEEPSEEK_API_KEY",
    "ZAI_API_KEY",
    "MOONSHOT_API_KEY",
    "KIMI_API_KEY",
    "AI_GATEWAY_API_KEY",
];

const TABLE: CommandTable = CommandTable {
    harness: Harness::Pi,
    grammar: Grammar {
        valued: &[
            "--provider",
            "--model",
            "--api-key",
            "--system-prompt",
            "--append-system-prompt",
            "--mode",
            "--session",
            "--session-id",
            "--fork",
            "--session-dir",
            "--name",
            "-n",
            "--models",
            "--tools",
            "-t",
            "--exclude-tools",
            "-xt",
            "--thinking",
            "--extension",
            "-e",
            "--skill",
            "--prompt-template",
            "--theme",
            "--use-theme",
            "--export",
            "--tui-mode",
        ],
        optional: &["--list-models"],
        variadic: &[],
    },
    runs: &[],
    others: &["install", "remove", "uninstall", "update", "list", "config", "auth"],
    added: &[AddedOption { options: &["--mode"], words: &["--mode", "json"] }],
    prompts: &[],
    models: &["--model"],
    context: ContextPlace::Option("--append-system-prompt"),
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(".pi/agent"));
    let folder = variables.get("PI_CODING_AGENT_DIR").map(PathBuf::from).or_else(home);
    let cached = folder.map(|folder| folder.join("auth.json"));
    match KEYS.iter().find(|name| variables.get(name).is_some()) {
        Some(key) => key,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}

/// Explains what is told on standard error only: a missing key, a session that does not
/// exist. API failures are in the stream, and the status is 0.
fn explain_exit(_: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    let line = |start: &str| stderr.lines().find(|line| line.starts_with(start));
    let explained = |message, category, reason| ExitExplanation {
        message: Some(message),
        category: Some(category),
        reason: Some(reason),
        ..ExitExplanation::default()
    };
    let key = line("No API key found")
        .map(|line| explained(line, Category::Auth, FailureReason::Authentication));
    let session = || {
        let message = line("No session found")?;
        Some(explained(message, Category::Api, FailureReason::SessionNotFound))
    };
    key.or_else(session)
}
