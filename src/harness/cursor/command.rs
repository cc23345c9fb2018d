//! The command line: `-p` and `--output-format stream-json` make it print events. A program
//! called `agent` may also be another CLI, and so only `cursor-agent` is recognised.

use crate::harness::Harness;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm,
};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Cursor",
    names: &["cursor-agent"],
    events_command: "cursor-agent -p --output-format stream-json",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &["CURSOR_API_KEY"],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    // The first line of the stream tells it.
    auth_source: None,
    leak_words: &["cursor_api_key"],
    deprecation_prefix: None,
    explain_exit: None,
    resume: Some("cursor-agent --resume="),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Cursor,
    grammar: Grammar {
        valued: &[
            "--api-key",
            "-H",
            "--header",
            "--output-format",
            "--mode",
            "--model",
            "--sandbox",
            "--workspace",
            "--worktree-base",
        ],
        optional: &["--resume", "-w", "--worktree"],
        variadic: &[],
    },
    runs: &[],
    others: &[
        "about",
        "acp",
        "create-chat",
        "generate-rule",
        "help",
        "install-shell-integration",
        "login",
        "logout",
        "ls",
        "mcp",
        "models",
        "resume",
        "rule",
        "status",
        "uninstall-shell-integration",
        "update",
        "whoami",
    ],
    added: &[
        AddedOption { options: &["-p", "--print"], words: &["-p"] },
        AddedOption { options: &["--output-format"], words: &["--output-format", "stream-json"] },
    ],
    prompts: &[],
    models: &["--model"],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};
