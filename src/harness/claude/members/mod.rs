//! The members that the known releases print, for `check --members`: everything that
//! was recorded, and what the newest release publishes.
//!
//! Values that the CLI passes on are not checked: inputs and results of tools,
//! requested documents, and the API's own events in `stream_event`.

mod message;
mod system;

use super::format;
use crate::harness::format::{Content, Known, Report, find, known};
use crate::json::Value;
use Content::{Map, Object};
use message::{BLOCKS, MESSAGE, USAGE};
use system::SYSTEM;

/// Members of any line.
const LINE: &str = "type subtype uuid session_id";

/// Members of lines beside those of any line.
const LINES: &[(&str, Known)] = &[
    (
        "assistant",
        Known::members(
            "message parent_tool_use_id request_id timestamp error aborted supersedes \
             user_message_uuid user_message_uuids refused_message_id resume_reason \
             resumed_from_incomplete_thinking agent_id subagent_type task_description \
             tool_use_meta thinking_display thinking_duration_ms local_command_run \
             local_command_source is_api_error_message api_error api_error_params \
             api_error_status api_error_type context_usage usage_report",
        )
        .with(&[
            ("message", Object(MESSAGE)),
            (
                "tool_use_meta",
                Object(Known::members("id tool_name display_name server_display_name")),
            ),
            ("local_command_run", Object(Known::members("command args"))),
        ]),
    ),
    (
        "user",
        Known::members(
            "message parent_tool_use_id timestamp isSynthetic isReplay priority origin \
             shouldQuery client_composed pasted_content inline_pastes file_attachments \
             refused_message_id agent_id subagent_type task_description tool_use_result \
             tool_result_meta",
        )
        .with(&[
            ("message", Object(Known::members("role content"))),
            (
                "tool_result_meta",
                Object(Known::members("id non_execution_kind permission_decision").with(&[(
                    "permission_decision",
                    Object(Known::members("decision reason_type source")),
                )])),
            ),
        ]),
    ),
    (
        "stream_event",
        Known::members(
            "event parent_tool_use_id api_message_id abandoned_blocks thinking_display ttft_ms \
             user_message_uuid user_message_uuids resume_reason",
        ),
    ),
    (
        "rate_limit_event",
        Known::members("rate_limit_info").with(&[("rate_limit_info", Object(RATE_LIMIT))]),
    ),
    (
        "tool_progress",
        Known::members(
            "tool_use_id tool_name parent_tool_use_id elapsed_time_seconds task_id heartbeat \
             subagent_type subagent_retry",
        )
        .with(&[(
            "subagent_retry",
            Object(Known::members(
                "agent_id attempt max_retries retry_delay_ms error_status error_category",
            )),
        )]),
    ),
    ("auth_status", Known::members("isAuthenticating output error")),
    ("tool_use_summary", Known::members("summary preceding_tool_use_ids")),
    ("prompt_suggestion", Known::members("suggestion")),
    (
        "conversation_reset",
        Known::members("new_conversation_id trigger user_message_uuid timestamp"),
    ),
    ("command_lifecycle", Known::members("command_uuid state")),
    (
        "active_goal",
        Known::members("value").with(&[(
            "value",
            Object(Known::members("condition iterations set_at tokens_at_start last_reason")),
        )]),
    ),
    ("control_request", Known::members("request_id request")),
    ("control_response", Known::members("response")),
    ("control_cancel_request", Known::members("request_id")),
    ("keep_alive", Known::members("")),
];

/// Members of a result, successful or not.
const RESULT: Known = Known::members(
    "is_error result errors stop_reason terminal_reason num_turns result_index duration_ms \
     duration_api_ms total_cost_usd usage modelUsage model_usage_since_last_result \
     permission_denials structured_output deferred_tool_use subagent_stats safety_stops \
     queued_turn_count local_command origin resume_reason user_message_uuid \
     user_message_uuids api_error api_error_status api_error_type startup_failure_reason \
     invalid_config_file credential_expires_at fast_mode_state fast_mode_disabled_reason \
     warm_spare_claimed first_request_input_tokens first_request_cache_read_input_tokens \
     ttft_ms ttft_stream_ms time_to_request_ms time_to_request_from_spawn_ms time_origin_ms \
     request_sent_wall_ms first_content_frame_ms first_stream_post_ms \
     first_stream_post_ack_ms first_stream_post_queue_wait_ms \
     first_stream_post_queued_behind first_stream_post_wall_ms first_text_post_ms \
     first_text_post_queue_wait_ms first_text_post_queued_behind first_text_post_wall_ms",
)
.with(&[
    ("usage", Object(USAGE)),
    ("modelUsage", Map(MODEL_USAGE)),
    ("model_usage_since_last_result", Map(MODEL_USAGE)),
    ("permission_denials", Object(Known::members("tool_name tool_use_id tool_input"))),
    ("deferred_tool_use", Object(Known::members("id name input"))),
    ("invalid_config_file", Object(Known::members("path is_global backup_searched backup_path"))),
    (
        "subagent_stats",
        Object(
            Known::members(
                "requested spawned spawned_by_subagents started_in_background completed failed \
                 killed refused max_depth by_type",
            )
            .with(&[
                ("requested", Object(Known::members("foreground background unset"))),
                ("killed", Object(Known::members("parent system user"))),
                ("refused", Object(Known::members("budget concurrency_limit depth_limit"))),
            ]),
        ),
    ),
]);

/// Usage of a model as the CLI counts it.
const MODEL_USAGE: Known = Known::members(
    "inputTokens outputTokens thinkingTokens cacheReadInputTokens cacheCreationInputTokens \
     cacheCreationEphemeral5mInputTokens cacheCreationEphemeral1hInputTokens \
     webSearchRequests costUSD costBasis contextWindow maxOutputTokens canonicalModel provider",
);

const RATE_LIMIT: Known = Known::members(
    "status resetsAt rateLimitType utilization surpassedThreshold limitScope errorCode \
     overageStatus overageResetsAt overageDisabledReason isUsingOverage overageInUse \
     overageEnabled canUserPurchaseCredits hasChargeableSavedPaymentMethod",
);

/// Requests to the program that reads the stream.
const REQUESTS: &[(&str, Known)] = &[
    (
        "can_use_tool",
        Known::members(
            "tool_name tool_use_id input permission_suggestions blocked_path decision_reason \
             decision_reason_type title display_name description agent_id \
             requires_user_interaction",
        ),
    ),
    ("hook_callback", Known::members("callback_id input tool_use_id")),
    ("mcp_message", Known::members("server_name message")),
];

/// Responses to requests of that program.
const RESPONSES: &[(&str, Known)] = &[("success", RESPONSE), ("error", RESPONSE)];

const RESPONSE: Known = Known::members(
    "request_id response error error_code pending_permission_requests \
     pending_user_dialog_requests",
);

/// The response to `initialize`. Those to other requests are not checked: a response
/// does not name its request.
const INITIALIZED: Known = Known::members(
    "commands agents models account pid session_state claude_code_version capabilities \
     current_permission_mode output_style available_output_styles user_output_styles_dir \
     fast_mode_state fast_mode_disabled_reason feedback_mode analytics_disabled \
     hook_on_failure_supported other_hook_ask_outranks_host ide_rc_auto_enable_gate \
     remote_control_available remote_control_auto_enable remote_control_auto_on_by_default \
     remote_control_auto_connect_default",
);

/// Reports the members that no known release prints, in objects of known types.
pub(super) fn report_unknown(line: Value<'_, '_>, report: Report<'_>) {
    let Some(name) = line.get("type").and_then(Value::as_str) else { return };
    let subtype = line.get("subtype").and_then(Value::as_str).unwrap_or_default();
    match name {
        "system" => report_named(line, SYSTEM, name, subtype, LINE, report),
        "result" if find(format::RESULTS, subtype).is_some() => {
            RESULT.report(line, LINE, &format!("{name}/{subtype}"), report);
        }
        _ => {
            let Some(members) = known(LINES, name) else { return };
            members.report(line, LINE, name, report);
        }
    }
    match name {
        "assistant" | "user" => {
            let content = line.get("message").and_then(|message| message.get("content"));
            for block in content.into_iter().flat_map(Value::elements) {
                let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
                report_named(block, BLOCKS, name, kind, "type", report);
            }
        }
        "control_request" => report_control(line, "request", REQUESTS, name, report),
        "control_response" => report_control(line, "response", RESPONSES, name, report),
        _ => {}
    }
}

/// Reports members of an object of the type `kind`, if the table contains that.
fn report_named(
    object: Value<'_, '_>,
    table: &[(&str, Known)],
    line: &str,
    kind: &str,
    common: &str,
    report: Report<'_>,
) {
    if let Some(members) = known(table, kind) {
        members.report(object, common, &format!("{line}/{kind}"), report);
    }
}

fn report_control(
    line: Value<'_, '_>,
    member: &str,
    table: &[(&str, Known)],
    name: &str,
    report: Report<'_>,
) {
    let Some(inner) = line.get(member) else { return };
    let subtype = inner.get("subtype").and_then(Value::as_str).unwrap_or_default();
    report_named(inner, table, name, subtype, "subtype", report);
    let answer = inner.get("response").filter(|answer| {
        let has = |key| answer.get(key).is_some();
        has("commands") && has("models")
    });
    if let Some(answer) = answer {
        INITIALIZED.report(answer, "", &format!("{name}/{subtype}.response"), report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_members_are_known() {
        let tables = [
            (format::TYPES, LINES, LINE),
            (format::SYSTEM, SYSTEM, LINE),
            (format::BLOCKS, BLOCKS, "type"),
        ];
        for (shapes, table, common) in tables {
            for shape in shapes {
                let of_result = Some(RESULT).filter(|_| shape.name == "result");
                let of_system = Some(Known::members("")).filter(|_| shape.name == "system");
                let members = known(table, shape.name).or(of_result).or(of_system);
                let members = members.unwrap_or_else(|| panic!("no members of {}", shape.name));
                assert!(members.contains_required(shape, common), "{}", shape.name);
            }
        }
        for shape in format::RESULTS {
            assert!(RESULT.contains_required(shape, LINE), "{}", shape.name);
        }
    }
}
