//! The outputs of tools, which tell the exit status of a command, and why a call was refused,
//! in words only.

use crate::event::{ToolResult, ToolStatus};
use crate::json::Text;

/// What surrounds the exit status in the last line of a command's output.
const EXIT_STATUS: (&str, &str) = ("[Process exited with code ", "]");

/// What the error of a call contains that needs a permission.
const NEEDS_PERMISSION: &str = "insufficient permission to proceed";

/// Returns the result of a call.
pub(super) fn result(output: Option<Text<'_>>, is_error: bool) -> ToolResult<'_> {
    let text = output.as_deref().unwrap_or_default();
    let status = match is_error {
        true if text.contains(NEEDS_PERMISSION) => ToolStatus::Denied,
        true => ToolStatus::Failed,
        false => ToolStatus::Completed,
    };
    let exit_code = exit_status(text);
    ToolResult { status, output, exit_code, is_error: Some(is_error), ..ToolResult::default() }
}

fn exit_status(text: &str) -> Option<i64> {
    let last = text.trim_end().rsplit('\n').next()?;
    last.strip_prefix(EXIT_STATUS.0)?.strip_suffix(EXIT_STATUS.1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_error: bool) -> (ToolStatus, Option<i64>) {
        let result = result(Some(text.to_owned().into()), is_error);
        (result.status, result.exit_code)
    }

    #[test]
    fn exit_status_is_in_the_last_line() {
        let completed = ToolStatus::Completed;
        assert_eq!(read("hi\n\n\n[Process exited with code 0]", false), (completed, Some(0)));
        let failed = "Error: Command failed (exit code: 3)\nout\n\n\n[Process exited with code 3]";
        assert_eq!(read(failed, true), (ToolStatus::Failed, Some(3)));
        assert_eq!(read("[Process exited with code 3]\nquoted", false), (completed, None));
        assert_eq!(read("", false), (completed, None));
    }

    #[test]
    fn call_that_needs_a_permission_is_denied() {
        let text = "Error: Exec ended early: insufficient permission to proceed. Re-run with --auto medium or --auto high.";
        assert_eq!(read(text, true), (ToolStatus::Denied, None));
    }
}
