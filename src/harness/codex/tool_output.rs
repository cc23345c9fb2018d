//! The output of a tool in a session file. Codex puts facts before it: lines of
//! `Name: value` up to `Output:`, or JSON around it.

use super::call_messages::{self, ABORTED};
use crate::event::ToolStatus;
use crate::json::Text;

/// Bytes of an output that are searched for the facts before it.
const HEADER_SIZE: usize = 240;

/// An output and the facts about it.
#[derive(Debug)]
pub(super) struct ToolOutput<'a> {
    pub(super) output: Text<'a>,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
    /// How the call ended, if the output is a message of Codex about that.
    pub(super) status: Option<ToolStatus>,
    /// Whether the call was interrupted.
    pub(super) is_aborted: bool,
}

impl<'a> ToolOutput<'a> {
    /// Separates the output from the facts.
    pub(super) fn parse(text: Text<'a>) -> Self {
        if text.has_prefix(r#"{"output":"#)
            && let Some(parsed) = Self::parse_json(&text)
        {
            return parsed;
        }
        let prefix = text.prefix(HEADER_SIZE);
        let Some((facts, output)) = split(&prefix) else {
            let (duration_ms, message) = aborted_command(&prefix).unwrap_or((None, &prefix));
            let is_aborted = message.starts_with(ABORTED);
            let status = call_messages::status(message, &text);
            drop(prefix);
            return Self { output: text, exit_code: None, duration_ms, status, is_aborted };
        };
        let is_running = facts.lines().any(|line| line.starts_with("Process running with"));
        let exit_code = facts.lines().find_map(exit_code);
        let duration_ms = facts.lines().find_map(wall_time);
        // What a command printed is no message of Codex.
        let body = prefix.get(output..).filter(|_| exit_code.is_none()).unwrap_or_default();
        let status = match (call_messages::status(body, &text), call_messages::status(facts, &text))
        {
            (Some(ToolStatus::Denied), _) => Some(ToolStatus::Denied),
            (body, facts) => facts.or(body),
        };
        // The command goes on; another line reports how it ends.
        let status = status.or(is_running.then_some(ToolStatus::Pending));
        let is_aborted = body.starts_with(ABORTED);
        drop(prefix);
        let output = text[output..].to_owned().into();
        Self { output, exit_code, duration_ms, status, is_aborted }
    }

    fn parse_json(text: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let metadata = &value["metadata"];
        Some(Self {
            output: value["output"].as_str()?.to_owned().into(),
            exit_code: metadata["exit_code"].as_i64(),
            duration_ms: metadata["duration_seconds"].as_f64().and_then(milliseconds),
            status: None,
            is_aborted: false,
        })
    }
}

/// Separates the time and the message of a command that was interrupted.
fn aborted_command(text: &str) -> Option<(Option<u64>, &str)> {
    let (time, message) = text.split_once('\n')?;
    Some((Some(wall_time(time)?), message)).filter(|_| message == ABORTED)
}

/// Returns the facts, and the offset of the output behind them.
fn split(text: &str) -> Option<(&str, usize)> {
    let at = text.find("\nOutput:")?;
    let end = at + "\nOutput:".len();
    match text.as_bytes().get(end) {
        None => Some((&text[..at], end)),
        Some(b'\n') => Some((&text[..at], end + 1)),
        Some(_) => None,
    }
}

fn exit_code(line: &str) -> Option<i64> {
    let names = ["Exit code: ", "Process exited with code "];
    names.iter().find_map(|name| line.strip_prefix(name))?.parse().ok()
}

/// Parses `Wall time: 1.5 seconds`, also without the colon.
fn wall_time(line: &str) -> Option<u64> {
    let time = line.strip_prefix("Wall time")?.trim_start_matches([':', ' ']);
    milliseconds(time.strip_suffix(" seconds")?.parse().ok()?)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn milliseconds(seconds: f64) -> Option<u64> {
    (0.0..1e12).contains(&seconds).then_some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_separated_from_the_output() {
        let failed = Some(ToolStatus::Failed);
        for (text, output, exit_code, duration_ms, status) in [
            (
                "Exit code: 3\nWall time: 1.1 seconds\nOutput:\ntwo\n",
                "two\n",
                Some(3),
                Some(1100),
                None,
            ),
            (
                "Chunk ID: 1\nWall time: 0.0016 seconds\nProcess exited with code 0\nOutput:\nExit code: 9\n",
                "Exit code: 9\n",
                Some(0),
                Some(2),
                None,
            ),
            ("Script failed\nWall time 0.0 seconds\nOutput:\n", "", None, Some(0), failed),
            (
                "Wall time: 0.0069 seconds\nOutput:\ntool call error: gone",
                "tool call error: gone",
                None,
                Some(7),
                failed,
            ),
            ("Wall time: 1e30 seconds\nOutput:", "", None, None, None),
            ("unsupported call: spawn_agent", "unsupported call: spawn_agent", None, None, failed),
            (
                r#"{"output":"hi\n","metadata":{"exit_code":3,"duration_seconds":0.5}}"#,
                "hi\n",
                Some(3),
                Some(500),
                None,
            ),
            // Facts printed by the program itself are part of the output.
            ("Exit code: 9\nPlan updated", "Exit code: 9\nPlan updated", None, None, None),
            ("Plan\nOutput: x", "Plan\nOutput: x", None, None, None),
            // So is what looks like a message of Codex.
            (
                "Process exited with code 0\nOutput:\nfailed to parse it\n",
                "failed to parse it\n",
                Some(0),
                None,
                None,
            ),
            (r#"{"output":1}"#, r#"{"output":1}"#, None, None, None),
            ("", "", None, None, None),
        ] {
            let parsed = ToolOutput::parse(text.into());
            assert_eq!(&*parsed.output, output, "{text}");
            assert_eq!(
                (parsed.exit_code, parsed.duration_ms, parsed.status),
                (exit_code, duration_ms, status),
                "{text}"
            );
            assert!(!parsed.is_aborted, "{text}");
        }
    }

    #[test]
    fn interrupted_call_has_failed() {
        for (text, duration_ms) in [
            ("Wall time: 2.2 seconds\naborted by user", Some(2200)),
            ("aborted by user after 5.0s", None),
            ("Wall time: 0.1 seconds\nOutput:\naborted by user after 0.1s", Some(100)),
        ] {
            let parsed = ToolOutput::parse(text.into());
            assert_eq!((parsed.status, parsed.is_aborted), (Some(ToolStatus::Failed), true));
            assert_eq!(parsed.duration_ms, duration_ms, "{text}");
        }
    }
}
