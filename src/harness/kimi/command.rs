//! The command line: `--output-format stream-json` makes it print events.

use std::path::{Path, PathBuf};

use crate::event::{Evidence, FailureReason};
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};
use crate::harness::exit::line_after;
use crate::harness::{ExitExplanation, Harness};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Kimi Code",
    names: &["kimi", "@moonshot-ai/kimi-code", "kimi-cli"],
    events_command: "kimi --output-format stream-json -p",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[
        "KIMI_MODEL_API_KEY",
        "KIMI_MODEL_BASE_URL",
        "KIMI_API_KEY",
        "KIMI_BASE_URL",
        "KIMI_CODE_BASE_URL",
        "KIMI_CODE_CUSTOM_HEADERS",
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
    ],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["kimi_model_api_key", "kimi_api_key"],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("kimi -r "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Kimi,
    grammar: Grammar {
        valued: &[
            "-m",
            "--model",
            "-p",
            "--prompt",
            "--output-format",
            "--input-format",
            "--skills-dir",
            "--agent",
            "--agent-file",
            "--add-dir",
            "-w",
            "--work-dir",
        ],
        optional: &["-S", "--session", "-r", "--resume"],
        variadic: &[],
    },
    runs: &[],
    others: &[
        "export",
        "fork",
        "provider",
        "session",
        "acp",
        "web",
        "server",
        "rc",
        "remote",
        "login",
        "logout",
        "doctor",
        "vis",
        "install-desktop",
        "migrate",
        "upgrade",
        "update",
        "mcp",
        "info",
        "term",
    ],
    added: &[AddedOption {
        options: &["--output-format"],
        words: &["--output-format", "stream-json"],
    }],
    prompts: &["-p", "--prompt"],
    models: &["-m", "--model"],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: false,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(".kimi-code"));
    let folder = variables.get("KIMI_CODE_HOME").map(PathBuf::from).or_else(home);
    let cached = folder.map(|folder| folder.join("credentials"));
    let keys = ["KIMI_MODEL_API_KEY", "KIMI_API_KEY", "OPENAI_API_KEY"];
    match keys.into_iter().find(|name| variables.get(name).is_some()) {
        Some(key) => key,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}

/// Explains a failure by the only place where the CLI tells it: `error: failed to run prompt:
/// provider.rate_limit: 429 …`. Goals have exit codes of their own.
fn explain_exit(code: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    let Some(error) = line_after(stderr, &["error: failed to run prompt: "]) else {
        let message = match code {
            3 => "the goal is blocked",
            6 => "the goal is paused",
            _ => return None,
        };
        return Some(ExitExplanation {
            message: Some(message),
            reason: Some(FailureReason::Interrupted).filter(|_| code == 6),
            ..ExitExplanation::default()
        });
    };
    let is_code = |code: &str| code.contains('.') && !code.contains(' ');
    let (category, message) = match error.split_once(": ").filter(|(code, _)| is_code(code)) {
        Some((code, message)) => (Some(code), message),
        None => (None, error),
    };
    let status = message.split(' ').next().and_then(|word| word.parse().ok());
    let status = status.filter(|status| (400..600).contains(status));
    let evidence = Evidence { category, status, ..Evidence::default() };
    Some(ExitExplanation { message: Some(message), evidence, ..ExitExplanation::default() })
}
