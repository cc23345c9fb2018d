//! A sweep over all recordings, where they are at hand.

use serde_json::Value;

use crate::support::{recordings_under, run, shared};

/// The JSON objects of a recording, arrays of messages unpacked.
fn objects(bytes: &[u8]) -> usize {
    let lines = bytes.split(|byte| *byte == b'\n');
    let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    values
        .map(|value| match value {
            Value::Object(_) => 1,
            Value::Array(messages)
                if messages.iter().all(|message| message["type"].is_string()) =>
            {
                messages.len()
            }
            _ => 0,
        })
        .sum()
}

#[test]
fn every_recording_is_read_without_trouble() {
    let Some(captures) = shared("captures") else {
        return;
    };
    let recordings = recordings_under(&captures);
    assert!(recordings.len() > 300, "{}", recordings.len());
    for path in recordings {
        let name = path.strip_prefix(&captures).unwrap().to_str().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let objects = objects(&bytes);
        let file = path.to_str().unwrap();
        for command in ["text", "tools", "usage", "error", "session", "summary", "events", "view"] {
            let run = run(&["-q", command, file], "");
            assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{command} {name}");
        }
        let events = run(&["-q", "events", file], "");
        assert_eq!(events.text().lines().count(), objects, "{name}");
        let harness = run(&["-q", "summary", "--get", "/harness", file], "");
        let expected = match name.trim_start_matches("transcripts/").split('/').next().unwrap() {
            _ if objects == 0 => "unknown",
            "qwen" => "claude",
            tool if tool.starts_with("claude") => "claude",
            tool if tool.starts_with("codex") => "codex",
            _ => "unknown",
        };
        assert_eq!(harness.text().trim_end(), expected, "{name}");
        for command in ["text", "usage", "tools"] {
            let direct = run(&["-q", command, file], "");
            let piped = run(&["-q", command], events.stdout.as_slice());
            assert_eq!(piped.stdout, direct.stdout, "events | {command}: {name}");
        }
    }
}
