//! The command line: `--output-format json` makes it print events.

use std::path::Path;

use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};
use crate::harness::exit::line_after;
use crate::harness::{ExitExplanation, Harness};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Copilot CLI",
    names: &["copilot", "@github/copilot"],
    events_command: "copilot --output-format json -p",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[
        "COPILOT_GITHUB_TOKEN",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "GITHUB_COPILOT_API_TOKEN",
        "COPILOT_API_URL",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_PROVIDER_API_KEY_COMMAND",
        "COPILOT_PROVIDER_BEARER_TOKEN",
        "COPILOT_PROVIDER_BASE_URL",
        "COPILOT_PROVIDER_HEADERS",
    ],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["copilot_github_token", "copilot_provider_api_key"],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("copilot --resume "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Copilot,
    grammar: Grammar {
        valued: &[
            "-i",
            "--interactive",
            "-p",
            "--prompt",
            "--model",
            "--reasoning-effort",
            "--effort",
            "--context",
            "--auto-tier",
            "--agent",
            "-n",
            "--name",
            "--session-id",
            "-C",
            "--log-dir",
            "--extension-sdk-path",
            "--log-level",
            "--stream",
            "--output-format",
            "--add-dir",
            "--attachment",
            "--disable-mcp-server",
            "--enable-mcp-server",
            "--add-github-mcp-toolset",
            "--add-github-mcp-tool",
            "--plugin-dir",
            "--additional-mcp-config",
            "--mcp-github-auth",
            "--max-autopilot-continues",
            "--max-ai-credits",
            "--mode",
            "--environment-host",
            "--environment-compute-id",
            "--dynamic-retrieval",
            "--usage-output-file",
            "--config-dir",
        ],
        optional: &["-r", "--resume", "--connect", "--share", "--bash-env", "--mouse"],
        variadic: &[
            "--allow-tool",
            "--deny-tool",
            "--available-tools",
            "--excluded-tools",
            "--secret-env-vars",
            "--allow-url",
            "--deny-url",
        ],
    },
    runs: &[],
    others: &[
        "app",
        "login",
        "help",
        "init",
        "config",
        "update",
        "version",
        "workflow",
        "sessions",
        "memories",
        "plugin",
        "mcp",
        "skill",
        "instruction",
        "lsp",
        "sandbox",
        "completion",
    ],
    added: &[AddedOption { options: &["--output-format"], words: &["--output-format", "json"] }],
    prompts: &["-p", "--prompt", "-i", "--interactive"],
    models: &["--model"],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> &'static str {
    let keys = [
        "COPILOT_PROVIDER_BEARER_TOKEN",
        "COPILOT_PROVIDER_API_KEY",
        "COPILOT_GITHUB_TOKEN",
        "GH_TOKEN",
        "GITHUB_TOKEN",
    ];
    keys.into_iter().find(|name| variables.get(name).is_some()).unwrap_or("unknown")
}

/// Explains a missing login, which is told on standard error only. The CLI has one status
/// for all failures.
fn explain_exit(_: i32, stderr: &str) -> Option<ExitExplanation<'_>> {
    let message = line_after(stderr, &["Error: "])?;
    let is_login = message.to_lowercase().contains("authentication");
    is_login.then(|| ExitExplanation { message: Some(message), ..ExitExplanation::default() })
}
