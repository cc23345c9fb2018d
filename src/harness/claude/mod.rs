//! Claude Code, by Anthropic.
//!
//! | file | content |
//! |---|---|
//! | `stream`, `message`, `partial`, `result`, `system` | the headless stream |
//! | `session` | session files |
//! | `format`, `contract` | what the releases print, and the published contract, for `check` |
//! | `command`, `grammar` | the command line, for `wrap` and `escalate` |
//! | `input` | input lines, for `prompt` |
//! | `store` | where sessions are kept |
//! | `tools` | descriptions for people |

mod command;
pub mod contract;
mod format;
mod grammar;
#[cfg(feature = "cli")]
pub(crate) mod input;
mod message;
mod partial;
mod result;
mod session;
mod store;
mod stream;
mod system;
mod tools;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::command::{AgentCommand, CommandError, CompletionRequest, SchemaForm, Variables};
use super::format::{CheckedLine, Contract, Violation};
use super::models::without_suffixes;
use super::rules::{HeuristicRules, RETRY_WORDS};
use super::tools::{FileChange, TodoItem};
use super::{Adapter, Dialect, Harness, Record, Rules, TextDelta};
use crate::event::Category;
use crate::json::{Json, Value};

pub(super) struct Claude;

static DIALECTS: [Dialect; 2] = [
    Dialect { harness: Harness::Claude, claim: stream::claim, decode: stream::decode },
    Dialect { harness: Harness::Claude, claim: session::claim, decode: session::decode },
];

static RULES: Rules = Rules {
    rate_limit: &[
        "429",
        "rate limit",
        "rate-limit",
        // The wordings for a used-up plan.
        "hit your limit",
        "usage limit reached",
        "hour limit reached",
        "weekly limit reached",
        "spending cap reached",
    ],
    auth: &[
        "401",
        "403",
        "unauthorized",
        "authentication",
        "auth error",
        "anthropic_api_key",
        "invalid api key",
        "not logged in",
        "please run /login",
        "oauth token",
    ],
    error_words: &[
        ("rate_limit", Category::RateLimit),
        ("authentication_failed", Category::Auth),
        ("oauth_org_not_allowed", Category::Auth),
        ("account_on_hold", Category::Auth),
        ("verification_required", Category::Auth),
        ("cloud_credential_error", Category::Auth),
        ("billing_error", Category::Api),
        ("invalid_request", Category::Api),
        ("model_not_found", Category::Api),
        ("server_error", Category::Api),
        ("overloaded", Category::Api),
        ("max_output_tokens", Category::Api),
    ],
    api_error_types: &[
        ("rate_limit_error", Category::RateLimit),
        ("authentication_error", Category::Auth),
        ("permission_error", Category::Auth),
    ],
    failed_reasons: &[
        "max_turns",
        "budget_exhausted",
        "structured_output_retry_exhausted",
        "prompt_too_long",
        "image_error",
        "aborted_tools",
        "aborted_streaming",
    ],
    aborted_reason: Some("aborted"),
    truncated: " ... (truncated)",
    missing_end: Some("stream-json ended without a 'result' message; token usage unavailable"),
    stopped: "the stream ends without a 'result' message",
    has_thread_metadata: false,
    answers_with_document: false,
    retry_words: RETRY_WORDS,
    retry_seconds_marker: Some("limit reached|"),
    heuristics: Some(HeuristicRules {
        end_of_turn: "end_turn",
        pending_phrases: &[
            "waiting on",
            "still waiting",
            "continuing",
            "in progress",
            "in the background",
        ],
    }),
};

impl Adapter for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn dialects(&self) -> &'static [Dialect] {
        &DIALECTS
    }

    fn rules(&self) -> &'static Rules {
        &RULES
    }

    fn text_delta<'a>(&self, line: Json<'a>) -> TextDelta<'a> {
        partial::text_delta(line)
    }

    fn check<'a>(
        &self,
        object: Value<'_, 'a>,
        contract: Contract,
    ) -> Option<Result<CheckedLine<'a>, Violation>> {
        Some(match contract {
            Contract::V1 => contract::check(object),
            Contract::Current => format::check(object),
        })
    }

    fn session_folders(&self, variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
        store::session_folders(variable)
    }

    fn project_folder<'p>(&self, session: &'p Path) -> Option<&'p str> {
        store::project_folder(session)
    }

    /// Accepts the names of cloud providers: `us.anthropic.claude-opus-4-1-v1:0`.
    fn base_model(&self, model: &str) -> Option<String> {
        let name = model.split_once("anthropic.").map_or(model, |(_, name)| name);
        let base = without_suffixes(name);
        base.starts_with("claude").then(|| base.replace('.', "-"))
    }

    fn tool_summary<'a>(&self, input: Json<'a>) -> Cow<'a, str> {
        super::tools::summary(input)
    }

    fn file_change<'a>(&self, input: Json<'a>) -> Option<FileChange<'a>> {
        tools::file_change(input)
    }

    fn todo_items(&self, tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
        tools::todo_items(tool, input)
    }

    fn command_output<'a>(&self, prompt: &'a str) -> Option<&'a str> {
        tools::command_output(prompt)
    }

    fn describe(&self, kind: &str, line: Json<'_>) -> Option<String> {
        tools::describe_control(kind, line)
    }

    fn program(&self) -> &'static str {
        "Claude CLI"
    }

    fn complete(
        &self,
        argv: &[OsString],
        request: &CompletionRequest<'_>,
    ) -> Result<AgentCommand, CommandError> {
        command::complete(argv, request)
    }

    fn credentials(&self) -> &'static [&'static str] {
        command::CREDENTIALS
    }

    fn schema_option(&self) -> Option<&'static str> {
        Some(command::SCHEMA_OPTION)
    }

    /// The stream itself names the source of the credentials.
    fn auth_source(&self, _: &dyn Variables, _: &dyn Fn(&Path) -> bool) -> Option<&'static str> {
        None
    }

    fn leak_words(&self) -> &'static [&'static str] {
        &[]
    }

    fn deprecation_warning(&self, _: &str) -> Option<String> {
        None
    }

    fn schema_form(&self) -> SchemaForm {
        SchemaForm::Plain
    }

    fn write_recorded(&self, record: &Record<'_>, to: &mut Vec<u8>) -> bool {
        to.extend_from_slice(record.json.bytes());
        false
    }
}
