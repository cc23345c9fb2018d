//! Every command on every recording: the fixtures of this repository, and the larger
//! collection in `../shared/captures`.

use std::path::{Path, PathBuf};

use bstr::ByteSlice;
use serde_json::Value;

use crate::support::cli::{Printed, run};
use crate::support::{fixtures, harness_of, recordings_under, root, shared};

/// Returns the number of JSON objects in a recording. Arrays of messages count as
/// their messages.
fn objects(bytes: &[u8]) -> usize {
    let values = bytes.lines().filter_map(|line| serde_json::from_slice::<Value>(line).ok());
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

/// Runs every command on every recording under a folder. The first folder of a path
/// names the CLI.
fn sweep(folder: &Path, recordings: &[PathBuf]) {
    let files: Vec<&str> = recordings.iter().map(|path| path.to_str().unwrap()).collect();
    // A recording without events is the answer no.
    let is_unknown = |path: &PathBuf| {
        harness_of(path) == "unknown" || objects(&std::fs::read(path).unwrap()) == 0
    };
    let code = i32::from(recordings.iter().any(is_unknown));
    for command in ["text", "tools", "usage", "error", "session", "summary", "events", "view"] {
        run(&[&["-q", command], &files[..]].concat(), "")
            .append_context("command", command)
            .code(code)
            .stderr("");
    }
    let summaries = run(&[&["-q", "summary", "--get", "/harness"], &files[..]].concat(), "");
    let harnesses: Vec<_> = summaries.text().lines().collect();
    assert_eq!(harnesses.len(), files.len());
    for (number, (path, harness)) in recordings.iter().zip(harnesses).enumerate() {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
        let bytes = std::fs::read(path).unwrap();
        let objects = objects(&bytes);
        let file = path.to_str().unwrap();
        let events = run(&["-q", "events"], bytes.as_slice()).get_output().stdout.clone();
        assert_eq!(events.lines().count(), objects, "{name}");
        // With the other files of a session.
        let events = run(&["-q", "events", file], "").get_output().stdout.clone();
        let expected = match harness_of(path) {
            _ if objects == 0 => "unknown",
            // Errors of the fork are the same as those of its original.
            "kilo" if !bytes.contains_str("step_finish") => "opencode",
            harness => harness,
        };
        assert_eq!(harness, expected, "{name}");
        // Transcripts are similar; every tenth is enough.
        if name.starts_with("transcripts") && number % 10 != 0 {
            continue;
        }
        for command in ["text", "usage", "tools"] {
            let direct = run(&["-q", command, file], "").get_output().stdout.clone();
            run(&["-q", command], events.as_slice())
                .append_context("case", format!("events | {command}: {name}"))
                .stdout(direct);
        }
    }
}

#[test]
fn every_command_reads_every_fixture() {
    let recordings = fixtures();
    assert!(recordings.len() > 80, "{}", recordings.len());
    sweep(&root().join("tests/fixtures"), &recordings);
}

#[test]
fn every_command_reads_every_shared_capture() {
    let Some(captures) = shared("captures") else { return };
    let recordings = recordings_under(&captures);
    assert!(recordings.len() > 300, "{}", recordings.len());
    sweep(&captures, &recordings);
}

#[test]
fn every_command_reads_every_further_capture() {
    let Some(captures) = shared("more_captures") else { return };
    let recordings = recordings_under(&captures);
    assert!(recordings.len() > 100, "{}", recordings.len());
    sweep(&captures, &recordings);
}

/// A CLI that fails early, or runs without its JSON option, prints no events.
#[test]
fn recording_without_events_has_no_harness() {
    for input in ["", "Hello from the fake model.\n", "error: unknown option '--x'\n\n"] {
        let code = i32::from(!input.is_empty());
        run(&["-q", "summary", "--get", "/harness"], input).code(code).stdout("unknown\n");
        for command in ["text", "tools", "session", "events", "view"] {
            run(&["-q", command], input)
                .append_context("case", format!("{command}: {input:?}"))
                .code(code)
                .stderr("");
        }
        run(&["-q", "events"], input).stdout("");
    }
}
