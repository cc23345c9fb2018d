//! Streams and sessions of the same runs: both tell the same texts, tool calls and tokens.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::cli::{Printed, run};
use crate::support::{files_under, root, shared};

/// A scenario whose streams and session are recorded.
struct Scenario {
    name: String,
    /// The runs, in order.
    streams: Vec<PathBuf>,
    /// The folder with the session and its subagents.
    folder: PathBuf,
    /// Its main file.
    session: PathBuf,
}

/// Returns the main file of the session below a folder.
fn main_file(cli: &str, folder: &Path) -> Option<PathBuf> {
    let files = files_under(folder, "jsonl");
    match cli {
        "copilot" => files.into_iter().find(|path| path.ends_with("events.jsonl")),
        "gemini" | "pi" | "droid" | "qwen" => files.into_iter().next(),
        "kimi" => files.into_iter().find(|path| path.ends_with("main/wire.jsonl")),
        "openhands" => {
            files_under(folder, "json").into_iter().find(|path| path.ends_with("base_state.json"))
        }
        // The session has the name of its folder.
        "cline" => files_under(folder, "json").into_iter().find(|path| {
            let id = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
            path.ends_with(format!("{id}.messages.json"))
        }),
        _ => None,
    }
}

/// Returns the scenario of a CLI whose sessions are in `transcripts`, and whose streams are
/// in a folder of that name in one of `folders`.
fn scenario(folders: &[&Path], cli: &str, name: &str, transcripts: &Path) -> Option<Scenario> {
    let session = main_file(cli, transcripts)?;
    let files = ["", ".2", ".3"].map(|number| format!("{cli}/{name}{number}.jsonl"));
    let paths = files.iter().flat_map(|file| folders.iter().map(move |folder| folder.join(file)));
    let streams: Vec<_> = paths.filter(|path| path.exists()).collect();
    assert!(!streams.is_empty(), "no stream of {cli}/{name}");
    let (name, folder) = (format!("{cli}/{name}"), transcripts.to_owned());
    Some(Scenario { name, streams, folder, session })
}

/// Returns the scenarios in the fixtures: `transcripts/CLI.NAME`.
fn fixtures() -> Vec<Scenario> {
    let folder = root().join("tests/fixtures");
    let folders = std::fs::read_dir(folder.join("transcripts")).unwrap();
    let found = folders.filter_map(|entry| {
        let path = entry.unwrap().path();
        let (cli, name) = path.file_name().filter(|_| path.is_dir())?.to_str()?.split_once('.')?;
        scenario(&[&folder], cli, name, &path)
    });
    found.collect()
}

/// Returns the scenarios in `more_captures`: `transcripts/CLI/NAME`.
fn captures(folder: &Path) -> Vec<Scenario> {
    let folders = [folder, &folder.with_file_name("captures")];
    let mut found = Vec::new();
    for cli in std::fs::read_dir(folder.join("transcripts")).unwrap() {
        let cli = cli.unwrap().path();
        for path in std::fs::read_dir(&cli).unwrap().map(|entry| entry.unwrap().path()) {
            let [cli, name] = [&cli, &path].map(|path| path.file_name().unwrap().to_str().unwrap());
            found.extend(scenario(&folders, cli, name, &path));
        }
    }
    found
}

fn rows(args: &[&str], path: &Path) -> Vec<Value> {
    run(&[args, &["-q", path.to_str().unwrap()]].concat(), "").rows()
}

/// Returns the calls of the main agent in the order of their ends.
fn calls(path: &Path) -> Vec<Value> {
    let calls = rows(&["tools"], path);
    calls.into_iter().filter(|row| row["parent_id"].is_null()).collect()
}

fn counts(usage: &Value) -> [u64; 4] {
    let names = ["uncached_input_tokens", "output_tokens", "cache_read_tokens", "total_tokens"];
    names.map(|name| usage[name].as_u64().unwrap_or(0))
}

/// Returns the tokens of the runs of a session, if their streams have any.
fn tokens(streams: &[PathBuf]) -> Option<[u64; 4]> {
    let usage = streams.iter().map(|stream| rows(&["usage"], stream).remove(0));
    let used: Vec<_> = usage.filter(|usage| usage["source"] != "none").collect();
    // The counts of a thread include its earlier runs.
    let is_thread = |usage: &Value| usage["source"] == "turns";
    let last = used.last()?;
    let counted = if is_thread(last) { std::slice::from_ref(last) } else { &used };
    let sum = |sum: [u64; 4], usage| {
        let counts = counts(usage);
        std::array::from_fn(|index| sum[index] + counts[index])
    };
    Some(counted.iter().fold([0; 4], sum))
}

/// Returns whether a stream prints a part of the output that the session contains.
fn is_part_of(streamed: &Value, stored: &Value) -> bool {
    let texts = streamed.as_str().zip(stored.as_str());
    texts.is_some_and(|(streamed, stored)| stored.contains(streamed))
}

/// Asserts that streams and sessions agree. Returns how many of them have tokens.
fn assert_agreement(scenarios: &[Scenario]) -> usize {
    let mut counted = 0;
    for Scenario { name, streams, folder, session } in scenarios {
        // Some CLIs print an error as a text, too, which their sessions need not contain.
        let errors = streams.iter().flat_map(|stream| rows(&["error"], stream));
        let errors = errors.filter_map(|error| Some(format!("{}\n", error["message"].as_str()?)));
        let errors: Vec<_> = errors.collect();
        let text = |path: &Path| {
            let args = ["-q", "text", "--main-only", path.to_str().unwrap()];
            let text = run(&args, "").text().to_owned();
            errors.iter().fold(text, |text, error| text.replace(error, ""))
        };
        let streamed: String = streams.iter().map(|path| text(path)).collect();
        assert_eq!(text(session), streamed, "{name}");
        let called: Vec<_> = streams.iter().flat_map(|path| calls(path)).collect();
        let stored = calls(session);
        assert_eq!(stored.len(), called.len(), "{name}");
        for (stored, called) in stored.iter().zip(&called) {
            for member in ["name", "input", "output", "exit_code", "status"] {
                // The session may tell how a call ended that the stream does not.
                let is_told = called["status"] != "pending" && !called[member].is_null();
                let is_part = member == "output" && is_part_of(&called[member], &stored[member]);
                if is_told && !stored[member].is_null() && !is_part {
                    assert_eq!(stored[member], called[member], "{name} {member}");
                }
            }
        }
        if let Some(used) = tokens(streams) {
            let stored = rows(&["usage", "--by", "harness"], folder);
            assert_eq!(counts(stored.last().unwrap_or(&Value::Null)), used, "{name}");
            counted += 1;
        }
    }
    counted
}

#[test]
fn streams_and_sessions_of_fixtures_agree() {
    let scenarios = fixtures();
    assert!(scenarios.len() >= 2, "{}", scenarios.len());
    assert!(assert_agreement(&scenarios) > 0);
}

#[test]
fn streams_and_sessions_of_further_captures_agree() {
    let Some(folder) = shared("more_captures") else { return };
    assert_agreement(&captures(&folder));
}
