//! The command line: `--output-format streaming-json` makes it print events. A command with
//! options of the community's CLI is left alone.

use std::path::{Path, PathBuf};

use crate::harness::Harness;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
    first_set,
};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Grok Build",
    names: &["grok", "@xai-official/grok"],
    events_command: "grok --output-format streaming-json -p",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[
        "XAI_API_KEY",
        "GROK_CODE_XAI_API_KEY",
        "GROK_DEPLOYMENT_KEY",
        "GROK_XAI_API_BASE_URL",
        "GROK_CLI_CHAT_PROXY_BASE_URL",
        "GROK_MODELS_BASE_URL",
        "GROK_API_KEY",
        "GROK_BASE_URL",
    ],
    schema_option: Some("--json-schema"),
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["xai_api_key"],
    deprecation_prefix: None,
    explain_exit: None,
    resume: Some("grok -r "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Grok,
    grammar: Grammar {
        valued: &[
            "-p",
            "--single",
            "--prompt",
            "--prompt-file",
            "--prompt-json",
            "--output-format",
            "--format",
            "-m",
            "--model",
            "--effort",
            "--reasoning-effort",
            "-s",
            "--session-id",
            "--rules",
            "--system-prompt",
            "--system-prompt-override",
            "--json-schema",
            "--permission-mode",
            "--allow",
            "--allowedTools",
            "--deny",
            "--disallowedTools",
            "--tools",
            "--disallowed-tools",
            "--agent",
            "--agents",
            "--sandbox",
            "--max-turns",
            "--cwd",
            "--ref",
            "--worktree-ref",
            "--debug-file",
            "--leader-socket",
        ],
        optional: &["-r", "--resume", "-w", "--worktree"],
        variadic: &[],
    },
    runs: &[],
    others: &[
        "agent",
        "clone",
        "completions",
        "cursor-worker",
        "dashboard",
        "disk-usage",
        "doctor",
        "du",
        "export",
        "help",
        "inspect",
        "leader",
        "login",
        "logout",
        "mcp",
        "memory",
        "models",
        "plugin",
        "sessions",
        "setup",
        "trace",
        "update",
        "usage",
        "v",
        "version",
        "worktree",
        "wrap",
    ],
    added: &[AddedOption {
        options: &["--output-format", "--format", "--prompt"],
        words: &["--output-format", "streaming-json"],
    }],
    prompts: &["-p", "--single", "--prompt", "--prompt-file", "--prompt-json"],
    models: &["-m", "--model"],
    context: ContextPlace::Option("--rules"),
    schema: Some("--json-schema"),
    reads_prompt: false,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let home = || variables.get("HOME").map(|home| PathBuf::from(home).join(".grok"));
    let folder = variables.get("GROK_HOME").map(PathBuf::from).or_else(home);
    let cached = folder.map(|folder| folder.join("auth.json"));
    let keys = ["XAI_API_KEY", "GROK_CODE_XAI_API_KEY", "GROK_DEPLOYMENT_KEY", "GROK_API_KEY"];
    match first_set(variables, &keys) {
        Some(key) => key,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}
