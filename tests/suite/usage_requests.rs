//! `usage --by request`: rows that can be merged with those of other machines.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, streamj};
use crate::support::sessions::{answer, write_sessions};
use crate::support::{files_under, root};

const COUNTS: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "total_tokens",
];

fn transcripts(name: &str) -> PathBuf {
    root().join("tests/fixtures/transcripts").join(name)
}

/// Returns the rows of requests, and the total.
fn requests(paths: &[PathBuf]) -> (Vec<Value>, Value) {
    let mut command = streamj(&["-q", "usage", "--by", "request", "--format", "jsonl"]);
    let mut rows = command.env("TZ", "UTC").args(paths).assert().success().rows();
    let total = rows.pop().unwrap();
    assert_eq!(total["total"], true);
    (rows, total)
}

/// Merges rows by their keys; the largest counts win.
fn merged(rows: &[Value]) -> BTreeMap<String, [u64; 6]> {
    let mut merged: BTreeMap<String, [u64; 6]> = BTreeMap::new();
    // Rows without tokens have the costs of sums.
    for row in rows.iter().filter(|row| row["total_tokens"] != 0) {
        let kept = merged.entry(row["request_key"].as_str().unwrap().to_owned()).or_default();
        for (kept, name) in kept.iter_mut().zip(COUNTS) {
            *kept = row[name].as_u64().unwrap_or(0).max(*kept);
        }
    }
    merged
}

fn sum(merged: &BTreeMap<String, [u64; 6]>) -> [u64; 6] {
    std::array::from_fn(|at| merged.values().map(|counts| counts[at]).sum())
}

fn counts(row: &Value) -> [u64; 6] {
    COUNTS.map(|name| row[name].as_u64().unwrap_or(0))
}

#[test]
fn rows_add_up_to_the_total_and_have_distinct_keys() {
    let (rows, total) = requests(&[transcripts("")]);
    let keys: HashSet<_> = rows.iter().map(|row| row["request_key"].as_str().unwrap()).collect();
    assert_eq!(keys.len(), rows.len());
    assert_eq!(sum(&merged(&rows)), counts(&total));
    let cost: f64 = rows.iter().filter_map(|row| row["cost_usd"].as_f64()).sum();
    assert!((cost - total["cost_usd"].as_f64().unwrap()).abs() < 1e-9);
    for row in &rows {
        for member in ["request_key", "kind", "timestamp", "harness", "session_id", "file"] {
            assert!(row[member].is_string(), "{member}: {row}");
        }
    }
    let by_day = streamj(&["-q", "usage", "--by", "day"]).arg(transcripts("")).assert().rows();
    assert_eq!(counts(by_day.last().unwrap()), counts(&total));
}

#[test]
fn key_is_the_same_on_every_machine() {
    let line = answer("s", "msg_01XFDUDYJgAACzvnptvVoYEL", "2026-11-01T12:00:00Z", 5);
    let mut copy = line.clone();
    copy.as_object_mut().unwrap().remove("requestId");
    copy["sessionId"] = json!("fork");
    let key = |line: &Value| {
        let folder = tempfile::tempdir().unwrap();
        write_sessions(folder.path(), &[("a.jsonl", std::slice::from_ref(line))]);
        requests(&[folder.path().to_owned()]).0[0]["request_key"].as_str().unwrap().to_owned()
    };
    assert_eq!(key(&line), "7d695ff457be59be");
    // A resumed session copies its history without the ids of requests.
    assert_eq!(key(&copy), key(&line));
    let mut nameless = line.clone();
    nameless["message"]["id"] = Value::Null;
    assert_eq!(key(&nameless), key(&nameless));
    // Short ids are not unique.
    let short = |request: &str| {
        let mut line = answer("s", "m1", "2026-11-01T12:00:00Z", 5);
        line["requestId"] = json!(request);
        key(&line)
    };
    assert_ne!(short("r1"), short("r2"));
}

#[test]
fn copy_of_a_message_without_id_counts_once() {
    let mut line = answer("s", "", "2026-11-01T12:00:00Z", 5);
    line["message"]["id"] = Value::Null;
    let folder = tempfile::tempdir().unwrap();
    // In one file, each counts.
    let lines = [line.clone(), line];
    write_sessions(folder.path(), &[("a.jsonl", &lines), ("b/a.jsonl", &lines)]);
    let (rows, total) = requests(&[folder.path().to_owned()]);
    assert_eq!((rows.len(), &total["output_tokens"]), (2, &json!(10)));
}

#[test]
fn requests_with_the_same_message_have_different_keys() {
    let id = "msg_constant_of_a_gateway";
    let mut lines = [1, 2].map(|output| answer("s", id, "2026-11-01T12:00:00Z", output));
    lines[1]["requestId"] = json!("other");
    let folder = tempfile::tempdir().unwrap();
    write_sessions(folder.path(), &[("a.jsonl", &lines)]);
    let (rows, total) = requests(&[folder.path().to_owned()]);
    assert_eq!(sum(&merged(&rows)), counts(&total));
    assert_eq!(total["output_tokens"], 3);
}

#[test]
fn subagent_names_its_parent_session() {
    let (rows, _) = requests(&[transcripts("codex.collab_spawn_agent")]);
    let children: Vec<_> = rows.iter().filter(|row| row["parent_session_id"].is_string()).collect();
    assert_eq!(children.len(), 2, "{rows:#?}");
    for child in children {
        let is_parent = |row: &&Value| row["session_id"] == child["parent_session_id"];
        assert!(rows.iter().any(|row| is_parent(&row)), "{child}");
        assert_ne!(child["session_id"], child["parent_session_id"]);
    }
}

/// Asserts that the rows of parts, merged, are those of all files.
fn assert_mergeable(parts: &[Vec<PathBuf>]) {
    let all: Vec<PathBuf> = parts.concat();
    let (rows, total) = requests(&all);
    let union = merged(&rows);
    assert_eq!(sum(&union), counts(&total));
    let parts = parts.iter().filter(|part| !part.is_empty());
    let rows: Vec<Value> = parts.flat_map(|part| requests(part).0).collect();
    assert_eq!(merged(&rows), union);
}

#[test]
fn recorded_sessions_can_be_split() {
    // Session files of a fork, of a resumed session, and of subagents.
    let names =
        ["codex.resume", "codex.collab_spawn_agent", "claude_1_0_128.resume", "claude.resume"];
    let files: Vec<_> =
        names.iter().flat_map(|name| files_under(&transcripts(name), "jsonl")).collect();
    assert!(files.len() > 4, "{files:?}");
    let alone: Vec<_> = files.iter().map(|file| vec![file.clone()]).collect();
    assert_mergeable(&alone);
    for at in 1..files.len() {
        assert_mergeable(&[files[at..].to_vec(), files[..at].to_vec()]);
    }
    let folders = std::fs::read_dir(transcripts("")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let folders: Vec<_> = folders.map(|folder| vec![folder]).collect();
    assert_mergeable(&folders);
}

/// How a session file continues another one.
#[derive(Clone, Copy, Debug)]
enum Origin {
    New,
    /// The same session, copied as it was.
    Copied,
    /// Another session with the history of the first.
    Forked,
    /// The same without the ids of requests.
    Resumed,
}

fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![
        Just(Origin::New),
        Just(Origin::Copied),
        Just(Origin::Forked),
        Just(Origin::Resumed)
    ]
}

/// Writes session files; each has an origin, the number of the file it continues, and
/// its own answers: whether they have an id, and the sizes of their snapshots.
type Plan = Vec<(Origin, usize, Vec<(bool, Vec<u64>)>)>;

fn write_plan(plan: &Plan, folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<Vec<Value>> = Vec::new();
    for (number, (origin, parent, answers)) in plan.iter().enumerate() {
        let parent = files.get(parent % files.len().max(1)).cloned().unwrap_or_default();
        let is_named = |line: &Value| !line["message"]["id"].is_null();
        let session = format!("session-{number}");
        let mut lines: Vec<Value> = match origin {
            Origin::New => Vec::new(),
            Origin::Copied => parent,
            // A message without an id is another one in another session.
            Origin::Forked | Origin::Resumed => parent.into_iter().filter(is_named).collect(),
        };
        for line in &mut lines {
            match origin {
                Origin::New | Origin::Copied => {}
                Origin::Forked => line["sessionId"] = json!(session),
                Origin::Resumed => _ = line.as_object_mut().unwrap().remove("requestId"),
            }
        }
        for (at, (is_named, sizes)) in answers.iter().enumerate() {
            let time = format!("2026-11-{:02}T12:{:02}:00Z", number + 1, at);
            let id = format!("msg_of_{session}_with_number_{at}");
            for size in sizes.iter().take(if *is_named { sizes.len() } else { 1 }) {
                let mut line = answer(&session, &id, &time, *size);
                if !is_named {
                    line["message"]["id"] = Value::Null;
                }
                lines.push(line);
            }
        }
        files.push(lines);
    }
    let name = |number: usize| format!("{number}/session.jsonl");
    for (number, lines) in files.iter().enumerate() {
        write_sessions(folder, &[(&name(number), lines)]);
    }
    (0..files.len()).map(|number| folder.join(name(number))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_a_folder_merge_to_its_total(
        plan in vec((origin(), 0..6usize, vec((any::<bool>(), vec(1..1000u64, 1..3)), 1..4)), 1..6),
        assignment in vec(vec(0..3usize, 1..3), 6),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let files = write_plan(&plan, folder.path());
        let mut parts = vec![Vec::new(); 3];
        for (file, places) in files.iter().zip(&assignment) {
            let places: HashSet<_> = places.iter().collect();
            for place in places {
                parts[*place].push(file.clone());
            }
        }
        assert_mergeable(&parts);
    }
}

/// The limit that the help states: the count of a fork includes its parent's, and only the
/// parent's files say how much that is.
#[test]
fn cost_of_a_fork_includes_its_parent_unless_both_are_read_together() {
    let folder = tempfile::tempdir().unwrap();
    let total = |session: &str, cost: f64| {
        json!({"type": "cost-state", "sessionId": session, "totalCostUSD": cost,
            "modelUsage": {}, "totalDuration": 1})
    };
    let said = |session: &str, id: &str, at: u8| {
        let at = format!("2026-11-01T10:0{at}:00Z");
        answer(session, &format!("msg_0123456789abcdef{id}"), &at, 10)
    };
    let parent = [said("parent", "1", 0), total("parent", 1.0)];
    let fork = [said("fork", "1", 0), said("fork", "2", 5), total("fork", 1.5)];
    write_sessions(folder.path(), &[("p/parent.jsonl", &parent), ("f/fork.jsonl", &fork)]);
    let part = |name: &str| requests(&[folder.path().join(name)]);
    let [(all, together), (parent, own), (fork, inherited)] = ["", "p", "f"].map(part);
    assert_eq!(together["cost_usd"], 1.5);
    assert_eq!((&own["cost_usd"], &inherited["cost_usd"]), (&json!(1.0), &json!(1.5)));
    // The requests of both parts are those of the whole.
    let parts = merged(&[parent, fork].concat());
    assert_eq!(sum(&parts), sum(&merged(&all)));
}
