//! The command line: `--output-format stream-json` makes it print events.

use std::path::Path;

use crate::event::{Category, FailureReason};
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
    first_set,
};
use crate::harness::layout::own_home;
use crate::harness::{ExitExplanation, Harness};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Qwen Code",
    names: &["qwen", "@qwen-code/qwen-code"],
    events_command: "qwen --output-format stream-json -p",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "DASHSCOPE_API_KEY",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
    ],
    schema_option: Some(SCHEMA_OPTION),
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["dashscope_api_key"],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("qwen --resume "),
};

const SCHEMA_OPTION: &str = "--json-schema";

const TABLE: CommandTable = CommandTable {
    harness: Harness::Qwen,
    grammar: Grammar {
        valued: &[
            "-m",
            "--model",
            "-p",
            "--prompt",
            "-i",
            "--prompt-interactive",
            "-o",
            "--output-format",
            "--input-format",
            "--approval-mode",
            "--auth-type",
            "--openai-api-key",
            "--openai-base-url",
            "--session-id",
            "--system-prompt",
            "--append-system-prompt",
            "--max-session-turns",
            "--max-wall-time",
            "--max-tool-calls",
            "--max-subagent-depth",
            "--json-fd",
            "--json-file",
            "--input-file",
            "--mcp-config",
            "--output-style",
            "--channel",
            "--proxy",
            "--sandbox-image",
            "--openai-logging-dir",
            "--telemetry-target",
            "--telemetry-otlp-endpoint",
            "--telemetry-otlp-protocol",
            "--telemetry-outfile",
            SCHEMA_OPTION,
        ],
        optional: &["-r", "--resume", "--worktree"],
        variadic: &[
            "-e",
            "--extensions",
            "--include-directories",
            "--add-dir",
            "--fallback-model",
            "--core-tools",
            "--exclude-tools",
            "--disabled-slash-commands",
            "--allowed-tools",
            "--allowed-mcp-server-names",
        ],
    },
    runs: &[],
    others: &[
        "auth",
        "board",
        "channel",
        "extension",
        "extensions",
        "hook",
        "hooks",
        "mcp",
        "review",
        "sandbox",
        "serve",
        "sessions",
        "update",
    ],
    added: &[AddedOption {
        options: &["-o", "--output-format"],
        words: &["--output-format", "stream-json"],
    }],
    prompts: &["-p", "--prompt", "-i", "--prompt-interactive"],
    models: &["-m", "--model"],
    context: ContextPlace::Option("--append-system-prompt"),
    schema: Some(SCHEMA_OPTION),
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let keys = &[
        "OPENAI_API_KEY",
        "DASHSCOPE_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
    ];
    let text = |name: &str| variables.get(name).and_then(|value| value.to_str()).map(str::to_owned);
    let cached = || own_home(&text, &["QWEN_HOME"], ".qwen").map(|it| it.join("oauth_creds.json"));
    first_set(variables, keys).unwrap_or_else(|| {
        if cached().is_some_and(|cached| exists(&cached)) { "cached" } else { "unknown" }
    })
}

/// Explains the CLI's own exit codes. The last line on standard error is the reason.
fn explain_exit(code: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    let (category, reason, message) = match code {
        41 => (Category::Auth, FailureReason::Authentication, "authentication failed"),
        42 => (Category::Api, FailureReason::InvalidRequest, "invalid input"),
        52 => (Category::Api, FailureReason::InvalidRequest, "invalid configuration"),
        53 => (Category::Api, FailureReason::MaxTurns, "the limit of turns was reached"),
        55 => (Category::Api, FailureReason::Budget, "the budget of time or calls was used up"),
        _ => return None,
    };
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    Some(ExitExplanation {
        category: Some(category),
        reason: Some(reason),
        message: last.or(Some(message)),
        ..ExitExplanation::default()
    })
}
