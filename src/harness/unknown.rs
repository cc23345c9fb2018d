//! The answers for a CLI that streamj does not know.

use std::ffi::OsString;

use super::capabilities::{Basis, Capabilities, TokenReport};
use super::command::{
    AgentCommand, AgentProgram, CommandError, CompletionRequest, SchemaForm, refuse_full,
};
use super::tools::{self, ToolTexts};
use super::{Adapter, Harness, Rules, record};

pub(super) static UNKNOWN: Adapter = Adapter {
    name: "unknown",
    capabilities: Capabilities {
        title: "unknown",
        basis: Basis::Documented,
        has_deltas: false,
        has_reasoning: false,
        has_subagents: false,
        tokens: TokenReport::None,
        has_cost: false,
    },
    dialects: &[],
    rules: &RULES,
    text_delta: None,
    base_model: None,
    format: None,
    sessions: None,
    tools: ToolTexts {
        summary: tools::summary,
        title: None,
        file_change: None,
        file_changes: None,
        todo_items: None,
        command_output: None,
        describe: None,
    },
    program: AgentProgram {
        title: "command",
        names: &[],
        events_command: "",
        complete,
        credentials: &[],
        schema_option: None,
        schema_form: SchemaForm::Plain,
        auth_source: None,
        leak_words: &[],
        deprecation_prefix: None,
        explain_exit: None,
        resume: None,
    },
    write_recorded: record::write_untagged,
};

static RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit"],
    auth: &["401", "403", "unauthorized"],
    error_words: &[],
    api_error_types: &[],
    failed_reasons: &[],
    reason_words: &[],
    reason_phrases: &[],
    aborted_reason: None,
    truncated: " ... (truncated)",
    missing_end: None,
    stopped: "the stream has no event of a known agent CLI",
    has_terminal_event: false,
    has_thread_metadata: false,
    prints_snapshots: false,
    writes_summary_as_text: false,
    answers_with_document: false,
    retry_words: &[],
    retry_seconds_marker: None,
    heuristics: None,
};

/// Leaves the command line alone. Only standard input can carry a context.
fn complete(
    argv: &[OsString],
    request: &CompletionRequest<'_>,
) -> Result<AgentCommand, CommandError> {
    refuse_full(request)?;
    Ok(AgentCommand {
        prompt: request.context.map(str::to_owned),
        ..AgentCommand::new(Harness::Unknown, argv.to_vec())
    })
}
