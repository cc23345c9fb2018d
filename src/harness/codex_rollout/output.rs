//! What a tool gave out, and what Codex says of it before: some lines of
//! `Name: value` up to `Output:`, or JSON around it.

use crate::json::Text;

/// How far an output is looked at for what stands before it.
const BEGINNING: usize = 240;

/// How a text begins that is no output of a tool.
const COMPLAINTS: &[&str] =
    &["Script failed", "unsupported call", "tool call error", "patch rejected", "failed to parse"];

/// An output, and what is said of it.
#[derive(Debug)]
pub(super) struct Told<'a> {
    pub(super) output: Text<'a>,
    pub(super) exit_code: Option<i64>,
    pub(super) duration_ms: Option<u64>,
    /// It is a complaint.
    pub(super) failed: bool,
}

impl<'a> Told<'a> {
    /// Takes apart what the model was given.
    pub(super) fn of(text: Text<'a>) -> Self {
        if text.begins_with(r#"{"output":"#)
            && let Some(told) = Self::of_json(&text)
        {
            return told;
        }
        let beginning = text.beginning(BEGINNING);
        let Some((said, output)) = split(&beginning) else {
            let failed = complains(&beginning);
            drop(beginning);
            return Self { output: text, exit_code: None, duration_ms: None, failed };
        };
        let exit_code = said.lines().find_map(exit_code);
        let duration_ms = said.lines().find_map(wall_time);
        let failed = complains(said) || complains(&beginning[output..]);
        drop(beginning);
        Self { output: text[output..].to_owned().into(), exit_code, duration_ms, failed }
    }

    fn of_json(text: &str) -> Option<Self> {
        let told: serde_json::Value = serde_json::from_str(text).ok()?;
        let metadata = &told["metadata"];
        Some(Self {
            output: told["output"].as_str()?.to_owned().into(),
            exit_code: metadata["exit_code"].as_i64(),
            duration_ms: metadata["duration_seconds"].as_f64().and_then(milliseconds),
            failed: false,
        })
    }
}

/// What is said before an output, and where that begins.
fn split(text: &str) -> Option<(&str, usize)> {
    let at = text.find("\nOutput:")?;
    let behind = at + "\nOutput:".len();
    match text.as_bytes().get(behind) {
        None => Some((&text[..at], behind)),
        Some(b'\n') => Some((&text[..at], behind + 1)),
        Some(_) => None,
    }
}

fn complains(text: &str) -> bool {
    COMPLAINTS.iter().any(|complaint| text.starts_with(complaint))
}

fn exit_code(line: &str) -> Option<i64> {
    let names = ["Exit code: ", "Process exited with code "];
    names.iter().find_map(|name| line.strip_prefix(name))?.parse().ok()
}

/// `Wall time: 1.5 seconds`, also without the colon.
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
    fn what_is_said_of_an_output_is_told_apart_from_it() {
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
            // What a program prints is not what Codex says.
            ("Exit code: 9\nPlan updated", "Exit code: 9\nPlan updated", None, None, false),
            ("Plan\nOutput: x", "Plan\nOutput: x", None, None, false),
            (r#"{"output":1}"#, r#"{"output":1}"#, None, None, false),
            ("", "", None, None, false),
        ] {
            let told = Told::of(text.into());
            assert_eq!(&*told.output, output, "{text}");
            assert_eq!(
                (told.exit_code, told.duration_ms, told.failed),
                (exit_code, duration_ms, failed),
                "{text}"
            );
        }
    }
}
