//! The answers of a described CLI to all questions but those about its lines.

use std::ffi::OsString;

use super::rules::UsageScope;
use super::{Described, Description};
use crate::harness::capabilities::{Basis, Capabilities, TokenReport};
use crate::harness::command::{
    AgentCommand, AgentProgram, CommandError, CompletionRequest, SchemaForm, refuse_full,
};
use crate::harness::detector::Claim;
use crate::harness::rules::RETRY_WORDS;
use crate::harness::tools::{self, ToolTexts};
use crate::harness::{Adapter, Dialect, Harness, Location, Rules, record};

/// Answers every question about a described CLI.
pub(super) fn adapter(described: Described) -> Adapter {
    let description = described.description();
    let Description { name, title, programs, credentials, resume, rules, .. } = description;
    let has_cost = rules.usage.iter().any(|rule| !rule.fields.cost.is_empty())
        || rules.end.iter().any(|rule| !rule.fields.cost.is_empty());
    Adapter {
        name,
        capabilities: Capabilities {
            title,
            basis: Basis::Documented,
            has_deltas: !rules.delta.is_empty(),
            has_reasoning: !rules.reasoning.is_empty() || !rules.reasoning_delta.is_empty(),
            has_subagents: !description.parent.is_empty(),
            tokens: tokens(description),
            has_cost,
        },
        dialects: Box::leak(Box::new([dialect(described)])),
        rules: Box::leak(Box::new(contract(description))),
        // Its description is asked instead.
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
            title,
            names: words(programs),
            events_command: "",
            complete,
            credentials: words(credentials),
            schema_option: None,
            schema_form: SchemaForm::Plain,
            auth_source: None,
            leak_words: &[],
            deprecation_prefix: None,
            explain_exit: None,
            resume: resume.as_deref(),
        },
        write_recorded: record::write_recorded,
    }
}

fn words(words: &'static [String]) -> &'static [&'static str] {
    words.iter().map(String::as_str).collect::<Vec<_>>().leak()
}

fn tokens(description: &Description) -> TokenReport {
    let mut scopes = description.rules.usage.iter().map(|rule| rule.fields.scope);
    match scopes.clone().next() {
        None => TokenReport::None,
        Some(_) if scopes.any(|scope| scope == UsageScope::Total) => TokenReport::Total,
        Some(_) => TokenReport::Requests,
    }
}

/// Returns the wording of errors that CLIs have in common.
fn contract(description: &Description) -> Rules {
    let texts = &description.rules.text;
    Rules {
        rate_limit: &["429", "rate limit", "rate-limit", "rate_limit", "quota"],
        auth: &["401", "403", "unauthorized", "unauthenticated", "api key"],
        error_words: &[],
        api_error_types: &[],
        failed_reasons: &[],
        reason_words: &[],
        reason_phrases: &[],
        aborted_reason: None,
        truncated: " ... (truncated)",
        missing_end: None,
        stopped: "the stream ends before its end event",
        has_terminal_event: description.has_end,
        has_thread_metadata: false,
        // Lines with the id of a message may repeat its text so far.
        prints_snapshots: texts.iter().any(|rule| !rule.fields.message.is_empty()),
        writes_summary_as_text: false,
        answers_with_document: false,
        retry_words: RETRY_WORDS,
        retry_seconds_marker: None,
        heuristics: None,
    }
}

/// Leaves the command line alone. Only standard input can carry a context.
fn complete(
    argv: &[OsString],
    request: &CompletionRequest<'_>,
) -> Result<AgentCommand, CommandError> {
    refuse_full(request)?;
    Ok(AgentCommand {
        prompt: request.context.map(str::to_owned),
        ..AgentCommand::new(request.harness, argv.to_vec())
    })
}

/// Returns the format of a described CLI.
fn dialect(described: Described) -> Dialect {
    // The description takes the place of the functions.
    let harness = Harness::Described(described);
    let none = Dialect::messages(harness, |_| Claim::No, |_, _| Location::default());
    Dialect { description: Some(described.description()), ..none }
}
