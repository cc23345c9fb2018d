//! How a call ended by its output. The stream has nothing else; session files say whether
//! it failed.

use crate::event::{ToolResult, ToolStatus};
use crate::json::Text;

/// What precedes the exit status at the end of a failed command's output.
const EXIT_STATUS: &str = "Command failed with exit code: ";

/// How the last line of a command's output starts that took too long.
const TIMED_OUT: &str = "Command killed by timeout (";

/// How the output of a call ends that was interrupted.
const INTERRUPTED: &str = "Session closed";

/// How an error starts in releases of the predecessor.
const ERROR: &str = "<system>ERROR: ";

/// Returns the result of a call. `is_error` is what the CLI says about it, if it does.
pub(super) fn result(output: Option<Text<'_>>, is_error: Option<bool>) -> ToolResult<'_> {
    let text = output.as_deref().unwrap_or_default();
    let exit_code = exit_status(text);
    let has_failed = is_error.unwrap_or_else(|| exit_code.is_some() || is_failure(text));
    ToolResult {
        status: if has_failed { ToolStatus::Failed } else { ToolStatus::Completed },
        interrupted: text.ends_with(INTERRUPTED).then_some(true),
        exit_code: exit_code.filter(|_| has_failed),
        output,
        is_error,
        ..ToolResult::default()
    }
}

fn last_line(text: &str) -> &str {
    text.trim_end().rsplit('\n').next().unwrap_or_default()
}

fn exit_status(text: &str) -> Option<i64> {
    let rest = last_line(text).strip_prefix(EXIT_STATUS)?;
    rest.trim_end_matches('.').parse().ok()
}

/// Returns whether an output is that of a failed call, as far as its wording shows.
fn is_failure(text: &str) -> bool {
    let is_one_line = !text.contains('\n');
    let is_missing = |end: &str| text.starts_with('"') && text.ends_with(end);
    text.starts_with(ERROR)
        || text.starts_with("subagent error: ")
        || text.ends_with(INTERRUPTED)
        || last_line(text).starts_with(TIMED_OUT)
        || is_one_line && text.starts_with("Tool \"") && text.ends_with("\" not found")
        || is_one_line && (is_missing("\" does not exist.") || is_missing("\" is not a file."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(text: &str, is_error: Option<bool>) -> (ToolStatus, Option<i64>) {
        let result = result(Some(text.to_owned().into()), is_error);
        (result.status, result.exit_code)
    }

    #[test]
    fn failure_is_found_in_the_output() {
        let failed = ToolStatus::Failed;
        let exit = status("out\nerr\nCommand failed with exit code: 3.", None);
        assert_eq!(exit, (failed, Some(3)));
        for text in [
            "\"/tmp/missing.txt\" does not exist.",
            "Tool \"NoSuchTool\" not found",
            "started\nSession closed",
            "x\nCommand killed by timeout (60s)",
            "<system>ERROR: Tool failed</system>",
        ] {
            assert_eq!(status(text, None), (failed, None), "{text}");
        }
        for text in [
            "hi\n",
            "",
            "it says: Command failed with exit code: 3.\nmore",
            "\"a\"\n\"b\" does not exist.",
        ] {
            assert_eq!(status(text, None), (ToolStatus::Completed, None), "{text}");
        }
    }

    #[test]
    fn word_of_the_cli_decides() {
        assert_eq!(status("any text", Some(true)), (ToolStatus::Failed, None));
        let quoted = "Command failed with exit code: 3.";
        assert_eq!(status(quoted, Some(false)), (ToolStatus::Completed, None));
        assert_eq!(status(quoted, Some(true)), (ToolStatus::Failed, Some(3)));
    }
}
