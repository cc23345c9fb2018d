//! Members of the API's messages.

use crate::harness::format::Content::Object;
use crate::harness::format::Known;

/// A message of the API.
pub(super) const MESSAGE: Known = Known::members(
    "id type role model content stop_reason stop_sequence stop_details usage container \
     context_management diagnostics",
)
.with(&[("usage", Object(USAGE))]);

/// Usage as the API counts it.
pub(super) const USAGE: Known = Known::members(
    "input_tokens output_tokens output_tokens_details cache_creation_input_tokens \
     cache_read_input_tokens cache_creation server_tool_use service_tier inference_geo speed \
     iterations fallback_credit",
)
.with(&[
    (
        "cache_creation",
        Object(Known::members("ephemeral_5m_input_tokens ephemeral_1h_input_tokens")),
    ),
    ("output_tokens_details", Object(Known::members("thinking_tokens"))),
    ("server_tool_use", Object(Known::members("web_search_requests web_fetch_requests"))),
]);

/// Blocks of a message's content.
pub(super) const BLOCKS: &[(&str, Known)] = &[
    ("text", Known::members("text citations cache_control")),
    ("tool_use", TOOL_USE),
    ("tool_result", TOOL_RESULT),
    ("thinking", Known::members("thinking signature")),
    ("redacted_thinking", Known::members("data")),
    ("image", Known::members("source cache_control")),
    ("document", Known::members("source title context citations cache_control")),
    ("search_result", Known::members("source title content citations cache_control")),
    ("server_tool_use", TOOL_USE),
    ("web_search_tool_result", TOOL_RESULT),
    ("web_fetch_tool_result", TOOL_RESULT),
    ("code_execution_tool_result", TOOL_RESULT),
    ("bash_code_execution_tool_result", TOOL_RESULT),
    ("text_editor_code_execution_tool_result", TOOL_RESULT),
    ("tool_search_tool_result", TOOL_RESULT),
    ("mcp_tool_use", Known::members("id name input server_name cache_control")),
    ("mcp_tool_result", TOOL_RESULT),
    ("container_upload", Known::members("file_id cache_control")),
    ("tool_reference", Known::members("tool_name cache_control")),
];

const TOOL_USE: Known = Known::members("id name input caller cache_control");
const TOOL_RESULT: Known = Known::members("tool_use_id content is_error caller cache_control");
