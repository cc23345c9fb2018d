//! The messages with which Codex answers a tool call in place of the tool: in session
//! files they are the only sign that a call was refused or could not be made.

use std::ops::Deref;

use crate::event::ToolStatus;

/// How the message about an interrupted call starts.
pub(super) const ABORTED: &str = "aborted by user";

/// How the messages about calls that were not permitted start.
const DENIALS: &[&str] = &[
    "patch rejected",
    "exec command rejected by user",
    "rejected by user",
    "approval required by policy",
    "user rejected MCP tool call",
    "user cancelled MCP tool call",
    "This action was rejected due to unacceptable risk",
    "Command blocked by PreToolUse hook",
    "Tool call blocked by PreToolUse hook",
];

/// How the messages about calls that failed start.
const FAILURES: &[&str] = &[
    ABORTED,
    "Script failed",
    "apply_patch verification failed",
    "collab spawn failed",
    EXEC_FAILED,
    "execution error:",
    "failed to parse",
    "tool call error",
    "unable to locate image at",
    "unsupported call",
    "unsupported custom tool call",
    "write_stdin failed",
];

/// How the message about a command that was not started begins. It contains the
/// command, and then the reason in the debug format of Rust.
const EXEC_FAILED: &str = "exec_command failed";

/// Precedes the reason for a rejection in such a message.
const REJECTED: &str = "CreateProcess { message: \"Rejected(";

/// How the reason starts if it is a failure of the system.
const NOT_CREATED: &str = "Failed to create";

/// What precedes the error of a script that called tools.
const SCRIPT_ERROR: &str = "Script error:\n";

/// Returns how a call ended if `start` is the start of such a message. `text` is the
/// whole output, which is decoded only where the start is not enough.
pub(super) fn status(start: &str, text: &impl Deref<Target = str>) -> Option<ToolStatus> {
    let start = start.strip_prefix(SCRIPT_ERROR).unwrap_or(start);
    let starts_with = |messages: &[&str]| messages.iter().any(|message| start.starts_with(message));
    let is_denied = starts_with(DENIALS)
        // The approval policy forbids the request for more permissions.
        || start.starts_with("approval policy is ") && start.contains("; reject command")
        // A rule forbids the command.
        || start.starts_with('`') && text.contains("` rejected: ")
        || start.starts_with(EXEC_FAILED) && is_rejected(text);
    if is_denied {
        return Some(ToolStatus::Denied);
    }
    starts_with(FAILURES).then_some(ToolStatus::Failed)
}

/// Returns whether a command was not started because it was not permitted.
fn is_rejected(text: &str) -> bool {
    let reason = text.split_once(REJECTED).map(|(_, reason)| reason);
    reason.is_some_and(|reason| !reason.trim_start_matches(['\\', '"']).starts_with(NOT_CREATED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_call_is_denied_and_others_failed() {
        let long = format!("exec_command failed for `/bin/bash -lc '{}'`: ", "x".repeat(999));
        for text in [
            "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
            "patch rejected by user",
            "exec command rejected by user",
            "approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never",
            "approval policy is UnlessTrusted; reject command — you should not ask for escalated permissions if the approval policy is UnlessTrusted",
            "approval required by policy, but AskForApproval is set to Never",
            "user cancelled MCP tool call",
            "`git push` rejected: policy forbids commands starting with `git push`",
            "Command blocked by PreToolUse hook: no",
            &format!(r#"{long}CreateProcess {{ message: "Rejected(\"rejected by user\")" }}"#),
            "Script error:\nexec_command failed: CreateProcess { message: \"Rejected(\\\"no\\\")\" }",
        ] {
            assert_eq!(
                status(&text[..text.floor_char_boundary(240)], &text),
                Some(ToolStatus::Denied),
                "{text}"
            );
        }
        for text in [
            "apply_patch verification failed: Failed to find expected lines in a.txt",
            "tool call error: tool call failed for `demo/boom`",
            "unsupported call: spawn_agent",
            "write_stdin failed: Unknown process id 1",
            "aborted by user after 0.5s",
            &format!(r#"{long}CreateProcess {{ message: "No such file or directory" }}"#),
            &format!(
                r#"{long}CreateProcess {{ message: "Rejected(\"Failed to create unified exec process: gone\")" }}"#
            ),
        ] {
            assert_eq!(
                status(&text[..text.floor_char_boundary(240)], &text),
                Some(ToolStatus::Failed),
                "{text}"
            );
        }
        for text in [
            "",
            "Plan updated",
            "approval policy is strict here",
            "`x` is a name",
            "not aborted by user",
        ] {
            assert_eq!(status(text, &text), None, "{text}");
        }
    }
}
