//! The command line: `-o stream-json` makes it print events.

use std::path::{Path, PathBuf};

use crate::event::{Category, Evidence, FailureReason};
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
};
use crate::harness::{ExitExplanation, Harness};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Gemini CLI",
    names: &["gemini", "@google/gemini-cli"],
    events_command: "gemini -o stream-json -p",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &[
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_CLOUD_ACCESS_TOKEN",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_VERTEX_BASE_URL",
        "GEMINI_CLI_CUSTOM_HEADERS",
    ],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["gemini_api_key", "google_api_key"],
    deprecation_prefix: None,
    explain_exit: Some(explain_exit),
    resume: Some("gemini --resume "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Gemini,
    grammar: Grammar {
        valued: &[
            "-m",
            "--model",
            "-p",
            "--prompt",
            "-i",
            "--prompt-interactive",
            "-w",
            "--worktree",
            "--approval-mode",
            "-o",
            "--output-format",
            "--session-id",
            "--delete-session",
            "--session-file",
        ],
        optional: &["-r", "--resume"],
        variadic: &[
            "-e",
            "--extensions",
            "--include-directories",
            "--allowed-tools",
            "--allowed-mcp-server-names",
            "--policy",
            "--admin-policy",
        ],
    },
    runs: &[],
    others: &["mcp", "extensions", "extension", "skills", "skill", "hooks", "hook", "gemma"],
    added: &[AddedOption { options: &["-o", "--output-format"], words: &["-o", "stream-json"] }],
    prompts: &["-p", "--prompt", "-i", "--prompt-interactive"],
    models: &["-m", "--model"],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, exists: &dyn Fn(&Path) -> bool) -> &'static str {
    let keys = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];
    let home = variables.get("GEMINI_CLI_HOME").or_else(|| variables.get("HOME"));
    let cached = home.map(|home| PathBuf::from(home).join(".gemini/oauth_creds.json"));
    match keys.into_iter().find(|name| variables.get(name).is_some()) {
        Some(key) => key,
        None if cached.is_some_and(|cached| exists(&cached)) => "cached",
        None => "unknown",
    }
}

/// Explains the CLI's own exit codes. Others above 127 are HTTP statuses modulo 256.
fn explain_exit(code: i32, _: &str) -> Option<ExitExplanation<'_>> {
    let own = |category, reason| ExitExplanation {
        category: Some(category),
        reason: Some(reason),
        message: Some(message(code)),
        ..ExitExplanation::default()
    };
    Some(match code {
        41 => own(Category::Auth, FailureReason::Authentication),
        42 | 52 => own(Category::Api, FailureReason::InvalidRequest),
        53 => own(Category::Api, FailureReason::MaxTurns),
        55 => own(Category::Api, FailureReason::Permission),
        144 | 145 | 147 | 148 | 173 | 244 | 246 | 247 | 248 => {
            let evidence = Evidence { status: Some((code + 256).into()), ..Evidence::default() };
            ExitExplanation { evidence, ..ExitExplanation::default() }
        }
        _ => return None,
    })
}

fn message(code: i32) -> &'static str {
    match code {
        41 => "authentication failed",
        42 => "invalid input",
        52 => "invalid configuration",
        53 => "the limit of turns was reached",
        _ => "the folder is not trusted",
    }
}
