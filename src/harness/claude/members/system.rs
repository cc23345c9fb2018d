//! Members of `system` lines, by subtype.

use crate::harness::format::Content::Object;
use crate::harness::format::Known;

/// Members beside those of any line.
pub(super) const SYSTEM: &[(&str, Known)] = &[
    (
        "init",
        Known::members(
            "cwd original_cwd additional_directories model permissionMode apiKeySource \
             claude_code_version output_style view_mode effort tools mcp_servers agents \
             skills plugins plugin_errors slash_commands terminal_slash_commands betas \
             capabilities memory_paths messaging_socket_path user_message_uuids \
             fast_mode_state fast_mode_disabled_reason per_turn_effort_active \
             ultrathink_available ultrathink_typed_raises analytics_disabled \
             product_feedback_disabled",
        )
        .with(&[
            ("mcp_servers", Object(Known::members("name status source"))),
            ("plugins", Object(Known::members("name path source version"))),
            ("plugin_errors", Object(Known::members("plugin type message path managed_lock"))),
        ]),
    ),
    (
        "api_retry",
        Known::members("attempt max_retries retry_delay_ms error_status error no_response")
            .with(&[("no_response", Object(Known::members("waited_ms retry_wait_ms")))]),
    ),
    (
        "background_tasks_changed",
        Known::members("tasks").with(&[(
            "tasks",
            Object(Known::members(
                "task_id run_id task_type subagent_type description parent_task_id ambient",
            )),
        )]),
    ),
    ("commands_changed", Known::members("commands")),
    (
        "compact_boundary",
        Known::members("compact_metadata logical_parent_uuid").with(&[(
            "compact_metadata",
            Object(Known::members(
                "trigger pre_tokens post_tokens duration_ms cumulative_dropped_tokens \
                 preserved_segment preserved_messages",
            )),
        )]),
    ),
    (
        "control_request_progress",
        Known::members("request_id status attempt max_retries retry_delay_ms error_status"),
    ),
    ("elicitation_complete", Known::members("mcp_server_name elicitation_id")),
    (
        "files_persisted",
        Known::members("files failed processed_at").with(&[
            ("files", Object(Known::members("filename file_id"))),
            ("failed", Object(Known::members("filename error"))),
        ]),
    ),
    ("hook_progress", Known::members("hook_id hook_name hook_event stdout stderr output")),
    (
        "hook_response",
        Known::members("hook_id hook_name hook_event output stdout stderr exit_code outcome"),
    ),
    ("hook_started", Known::members("hook_id hook_name hook_event")),
    (
        "informational",
        Known::members(
            "content level tag isMeta timestamp tool_use_id prevent_continuation \
             prompt_submit_outcome",
        )
        .with(&[("prompt_submit_outcome", Object(Known::members("kind prompt_kept reason")))]),
    ),
    ("local_command_output", Known::members("content")),
    (
        "memory_recall",
        Known::members("mode memories")
            .with(&[("memories", Object(Known::members("path scope content")))]),
    ),
    (
        "mirror_error",
        Known::members("error key")
            .with(&[("key", Object(Known::members("projectKey sessionId subpath")))]),
    ),
    ("model_fallback", Known::members("trigger original_model fallback_model content")),
    (
        "model_refusal_fallback",
        Known::members(
            "trigger direction scope original_model fallback_model request_id \
             api_refusal_category api_refusal_explanation retracted_message_uuids \
             refused_user_message_uuid content",
        ),
    ),
    (
        "model_refusal_no_fallback",
        Known::members(
            "original_model request_id api_refusal_category api_refusal_explanation \
             refused_user_message_uuid content",
        ),
    ),
    ("notification", Known::members("key text priority color timeout_ms")),
    (
        "permission_denied",
        Known::members(
            "tool_name tool_use_id agent_id decision_reason_type decision_reason_code \
             decision_reason message",
        ),
    ),
    ("plugin_install", Known::members("status name error")),
    ("session_state_changed", Known::members("state")),
    ("session_writes_lost", Known::members("error_code lost transcript_session_ids")),
    ("status", Known::members("status permissionMode compact_result compact_error")),
    (
        "task_notification",
        Known::members(
            "task_id run_id tool_use_id status reason output_file summary usage \
             resource_links skip_transcript ambient",
        )
        .with(&[("usage", Object(TASK_USAGE))]),
    ),
    (
        "task_progress",
        Known::members(
            "task_id run_id tool_use_id description subagent_type usage last_tool_name summary",
        )
        .with(&[("usage", Object(TASK_USAGE))]),
    ),
    (
        "task_started",
        Known::members(
            "task_id run_id tool_use_id parent_task_id task_type subagent_type description \
             prompt workflow_name spawn_depth is_backgrounded skip_transcript ambient",
        ),
    ),
    (
        "task_updated",
        Known::members("task_id run_id patch").with(&[(
            "patch",
            Object(Known::members(
                "status description end_time total_paused_ms error is_backgrounded",
            )),
        )]),
    ),
    (
        "thinking_tokens",
        Known::members("estimated_tokens estimated_tokens_delta user_message_uuid"),
    ),
    ("ui_invalidate", Known::members("event")),
    ("worker_shutting_down", Known::members("reason")),
];

const TASK_USAGE: Known = Known::members("total_tokens tool_uses duration_ms");
