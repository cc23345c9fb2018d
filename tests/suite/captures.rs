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
    let files: Vec<&str> = recordings.iter().map(|path| path.to_str().unwrap()).collect();
    for command in ["text", "tools", "usage", "error", "session", "summary", "events", "view"] {
        let run = run(&[&["-q", command], &files[..]].concat(), "");
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{command}");
    }
    let harnesses = run(&[&["-q", "summary", "--get", "/harness"], &files[..]].concat(), "");
    let harnesses: Vec<_> = harnesses.text().lines().map(str::to_owned).collect();
    assert_eq!(harnesses.len(), files.len());
    for (number, (path, harness)) in recordings.iter().zip(harnesses).enumerate() {
        let name = path.strip_prefix(&captures).unwrap().to_str().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let objects = objects(&bytes);
        let file = path.to_str().unwrap();
        let events = run(&["-q", "events", file], "");
        assert_eq!(events.text().lines().count(), objects, "{name}");
        let tool = name.trim_start_matches("transcripts/").split('/').next().unwrap();
        let expected = match tool {
            _ if objects == 0 => "unknown",
            "qwen" => "claude",
            tool if tool.starts_with("claude") => "claude",
            tool if tool.starts_with("codex") => "codex",
            _ => "unknown",
        };
        assert_eq!(harness, expected, "{name}");
        // Transcripts are much alike: some are enough.
        if name.starts_with("transcripts") && number % 10 != 0 {
            continue;
        }
        for command in ["text", "usage", "tools"] {
            let direct = run(&["-q", command, file], "");
            let piped = run(&["-q", command], events.stdout.as_slice());
            assert_eq!(piped.stdout, direct.stdout, "events | {command}: {name}");
        }
    }
}
