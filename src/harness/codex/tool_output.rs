//! The output of a tool in a session file. Codex puts facts before it: lines of
//! `Name: value` up to `Output:`, or JSON around it.

use crate::json::Text;

/// Bytes of an output that are searched for the facts before it.
const HEADER_SIZE: usize = 240;

/// How the error messages of Codex itself start.
const ERRORS: &[&str] =
    &["Script failed", "unsupported call", "tool call error", "patch rejected", "failed to parse"];

/// An output and the facts about it.
#[derive(Debug)]
pub(super) struct ToolOutput<'a> {
    pub(super) output: Text<'a>,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
    /// Whether the output is an error message of Codex.
    pub(super) failed: bool,
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
            let failed = is_error(&prefix);
            drop(prefix);
            return Self { output: text, exit_code: None, duration_ms: None, failed };
        };
        let exit_code = facts.lines().find_map(exit_code);
        let duration_ms = facts.lines().find_map(wall_time);
        let failed = is_error(facts) || is_error(&prefix[output..]);
        drop(prefix);
        Self { output: text[output..].to_owned().into(), exit_code, duration_ms, failed }
    }

    fn parse_json(text: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let metadata = &value["metadata"];
        Some(Self {
            output: value["output"].as_str()?.to_owned().into(),
            exit_code: metadata["exit_code"].as_i64(),
            duration_ms: metadata["duration_seconds"].as_f64().and_then(milliseconds),
            failed: false,
        })
    }
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

fn is_error(text: &str) -> bool {
    ERRORS.iter().any(|error| text.starts_with(error))
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
        for (text, output, exit_code, duration_ms, failed) in [
            (
                "Exit code: 3\nWall time: 1.1 seconds\nOutput:\ntwo\n",
                "two\n",
                Some(3),
                Some(1100),
                false,
            ),
            (
                "Chunk ID: 1\nWall time: 0.0016 seconds\nProcess exited with code 0\nOutput:\nExit code: 9\n",
                "Exit code: 9\n",
                Some(0),
                Some(2),
                false,
            ),
            ("Script failed\nWall time 0.0 seconds\nOutput:\n", "", None, Some(0), true),
            (
                "Wall time: 0.0069 seconds\nOutput:\ntool call error: gone",
                "tool call error: gone",
                None,
                Some(7),
                true,
            ),
            ("Wall time: 1e30 seconds\nOutput:", "", None, None, false),
            ("unsupported call: spawn_agent", "unsupported call: spawn_agent", None, None, true),
            (
                r#"{"output":"hi\n","metadata":{"exit_code":3,"duration_seconds":0.5}}"#,
                "hi\n",
                Some(3),
                Some(500),
                false,
            ),
            // Facts printed by the program itself are part of the output.
            ("Exit code: 9\nPlan updated", "Exit code: 9\nPlan updated", None, None, false),
            ("Plan\nOutput: x", "Plan\nOutput: x", None, None, false),
            (r#"{"output":1}"#, r#"{"output":1}"#, None, None, false),
            ("", "", None, None, false),
        ] {
            let parsed = ToolOutput::parse(text.into());
            assert_eq!(&*parsed.output, output, "{text}");
            assert_eq!(
                (parsed.exit_code, parsed.duration_ms, parsed.failed),
                (exit_code, duration_ms, failed),
                "{text}"
            );
        }
    }
}
