//! The command line: `--stream-json` makes it print events, together with `--execute`.

use std::path::Path;

use crate::harness::Harness;
use crate::harness::command::{
    AddedOption, AgentProgram, CommandTable, ContextPlace, Grammar, SchemaForm, Variables,
    first_set,
};

pub(super) const PROGRAM: AgentProgram = AgentProgram {
    title: "Amp",
    names: &["amp", "@sourcegraph/amp", "@ampcode/cli"],
    events_command: "amp --stream-json --execute",
    complete: |argv, request| TABLE.complete(argv, request),
    credentials: &["AMP_API_KEY", "AMP_URL"],
    schema_option: None,
    schema_form: SchemaForm::Plain,
    auth_source: Some(auth_source),
    leak_words: &["amp_api_key"],
    deprecation_prefix: None,
    explain_exit: None,
    resume: Some("amp threads continue "),
};

const TABLE: CommandTable = CommandTable {
    harness: Harness::Amp,
    grammar: Grammar {
        valued: &[
            "--mode",
            "-m",
            "--settings-file",
            "--mcp-config",
            "--log-file",
            "--log-level",
            "--visibility",
            "--label",
            "-l",
            "--features",
            "--executor",
            "--runner-dir",
            "--attach",
            "--orb-size",
            "--title",
        ],
        // The prompt may come from standard input.
        optional: &["-x", "--execute", "--project", "--plugin-ready-timeout"],
        variadic: &[],
    },
    // `threads continue` also runs an agent, and so it takes the same option.
    runs: &[],
    others: &[
        "apps",
        "clone",
        "completions",
        "config",
        "diagnostics",
        "domains",
        "files",
        "git-setup",
        "login",
        "logout",
        "mcp",
        "net",
        "oauth-clients",
        "orb",
        "orb-spawner",
        "permission",
        "permissions",
        "plugin",
        "plugins",
        "portal",
        "projects",
        "report",
        "report-bug",
        "review",
        "runner",
        "secrets",
        "skill",
        "skills",
        "svc",
        "tool",
        "tools",
        "top",
        "up",
        "update",
        "usage",
        "version",
    ],
    added: &[
        AddedOption {
            options: &["--stream-json", "--stream-json-thinking"],
            words: &["--stream-json"],
        },
        AddedOption { options: &["-x", "--execute"], words: &["--execute"] },
    ],
    prompts: &["-x", "--execute"],
    models: &[],
    context: ContextPlace::Prompt,
    schema: None,
    reads_prompt: true,
};

/// Returns where the CLI finds its credentials.
fn auth_source(variables: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> &'static str {
    first_set(variables, &["AMP_API_KEY"]).unwrap_or("unknown")
}
