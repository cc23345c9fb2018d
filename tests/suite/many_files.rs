//! Commands that read folders, patterns and lists of files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use predicates::prelude::*;
use serde_json::Value;

use crate::support::cli::{Printed, run, streamj};
use crate::support::{files_under, root};

/// Commands that print rows or text of a run.
const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["tools"],
    &["usage", "--by", "request"],
    &["error"],
    &["events"],
    &["events", "--unified"],
    &["session"],
    &["summary"],
    &["view"],
    &["check"],
    &["findings"],
    &["structured"],
    &["redact"],
];

/// Commands whose rows have an origin if there are several files.
const WITH_ORIGIN: &[&[&str]] = &[
    &["tools"],
    &["usage"],
    &["error"],
    &["events"],
    &["events", "--unified"],
    &["session"],
    &["summary"],
    &["check", "--every-line", "--format", "jsonl"],
];

fn fixtures() -> PathBuf {
    root().join("tests/fixtures")
}

/// Copies recordings of several CLIs into a folder with two levels.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["claude", "codex", "gemini", "pi"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        for file in files_under(&fixtures().join(name), "jsonl") {
            if file.file_name().unwrap() != "expected.jsonl" {
                fs::copy(&file, folder.path().join(name).join(file.file_name().unwrap())).unwrap();
            }
        }
    }
    folder
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut files = files_under(folder, "jsonl");
    files.sort();
    files
}

#[test]
fn folder_pattern_and_list_name_the_same_files() {
    let folder = folder();
    let files = sorted(folder.path());
    let names: Vec<_> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let list = names.join("\n");
    fs::write(folder.path().join("list"), &list).unwrap();
    for command in COMMANDS {
        let named = streamj(command).args(&files).assert();
        let code = named.get_output().status.code();
        for (name, other) in [
            ("pattern", streamj(command).arg(folder.path().join("**/*.jsonl")).assert()),
            ("list", streamj(command).arg("--files-from").arg(folder.path().join("list")).assert()),
            ("stdin", streamj(command).args(["--files-from", "-"]).write_stdin(&*list).assert()),
            (
                "zeros",
                streamj(command)
                    .args(["-0", "--files-from", "-"])
                    .write_stdin(list.replace('\n', "\0"))
                    .assert(),
            ),
            ("folder", streamj(command).arg(folder.path()).assert()),
        ] {
            assert_eq!(other.text(), named.text(), "{command:?} {name}");
            if name != "folder" {
                assert_eq!(other.errors(), named.errors(), "{command:?} {name}");
                assert_eq!(other.get_output().status.code(), code, "{command:?} {name}");
            }
        }
    }
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let folder = folder();
    fs::write(
        folder.path().join("codex/broken.jsonl"),
        "{\"type\":\n{\"type\":\"turn.started\"}\n",
    )
    .unwrap();
    for command in COMMANDS.iter().copied().chain([
        &["tools", "--format", "csv"][..],
        &["tools", "--format", "json"],
        &["tools", "--format", "human"],
        &["summary", "--format", "human"],
        &["tools", "--get", "/name"],
        &["events", "--format", "sse"],
        &["text", "--redact"],
    ]) {
        let on = |threads: &str| {
            let mut command = streamj(command);
            command.args(["--threads", threads]).arg(folder.path()).assert()
        };
        if command[0] == "redact" {
            continue;
        }
        let (one, many) = (on("1"), on("7"));
        assert_eq!(many.text(), one.text(), "{command:?}");
        assert_eq!(many.errors(), one.errors(), "{command:?}");
        assert_eq!(many.get_output().status.code(), one.get_output().status.code());
    }
}

#[test]
fn bad_file_costs_its_own_rows_only() {
    let folder = folder();
    let all = streamj(&["tools"]).arg(folder.path()).assert().success().rows();
    let victim = sorted(folder.path()).into_iter().find(|file| file.ends_with("tools.jsonl"));
    let victim = victim.unwrap();
    let kept: Vec<Value> =
        all.into_iter().filter(|row| row["file"] != victim.to_str().unwrap()).collect();
    fs::write(&victim, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 1, 2, 3]).unwrap();
    fs::write(folder.path().join("claude/noise.jsonl"), "not a stream\n").unwrap();
    let rest = streamj(&["tools"]).arg(folder.path()).assert().code(2);
    assert_eq!(rest.rows(), kept);
    assert!(rest.errors().contains(&format!("{}: cannot read: ", victim.display())), "{rest}");
    assert!(!rest.errors().contains("noise.jsonl"), "{rest}");
}

#[test]
fn rows_of_several_files_say_where_they_come_from() {
    let folder = folder();
    let files: BTreeSet<String> =
        sorted(folder.path()).iter().map(|file| file.to_str().unwrap().to_owned()).collect();
    for command in WITH_ORIGIN {
        let mut all = streamj(command);
        all.args(sorted(folder.path()));
        let rows = all.assert().rows();
        assert!(rows.len() > 4, "{command:?}");
        for row in &rows {
            assert!(files.contains(row["file"].as_str().unwrap()), "{command:?} {row}");
            assert!(row["harness"].is_string(), "{command:?} {row}");
        }
        let one = sorted(folder.path())
            .into_iter()
            .find(|file| file.ends_with("codex/command_parallel.jsonl"));
        let one = one.unwrap();
        let name = one.to_str().unwrap().to_owned();
        let alone = streamj(command).arg(&one).assert().rows();
        let added = streamj(command).arg("--provenance").arg(&one).assert().rows();
        let among: Vec<_> = rows.into_iter().filter(|row| row["file"] == name.as_str()).collect();
        assert_eq!(added, among, "{command:?}");
        for (mut row, alone) in added.into_iter().zip(&alone) {
            let members = row.as_object_mut().unwrap();
            for (member, value) in alone.as_object().unwrap() {
                assert_eq!(members.remove(member).as_ref(), Some(value), "{command:?} {member}");
            }
            for (member, _) in members {
                assert!(
                    ["file", "line", "session_id", "timestamp", "project", "harness"]
                        .contains(&member.as_str()),
                    "{command:?} {member}"
                );
            }
        }
    }
}

#[test]
fn origin_of_a_tool_call_is_the_line_of_its_result() {
    let path = fixtures().join("transcripts/claude.subagent_foreground");
    let path = if path.exists() { path } else { fixtures().join("transcripts") };
    let rows = streamj(&["tools"]).arg(&path).assert().success().rows();
    let mut seen = 0;
    for row in rows.iter().filter(|row| row["status"] == "completed" && row["harness"] == "claude")
    {
        let text = fs::read_to_string(row["file"].as_str().unwrap()).unwrap();
        let line =
            text.lines().nth(usize::try_from(row["line"].as_u64().unwrap()).unwrap() - 1).unwrap();
        let line: Value = serde_json::from_str(line).unwrap();
        assert!(line.to_string().contains(row["id"].as_str().unwrap()), "{row}");
        assert_eq!(line["sessionId"], row["session_id"], "{row}");
        assert_eq!(line["timestamp"], fixed(&row["timestamp"]), "{row}");
        assert_eq!(line["cwd"], row["project"], "{row}");
        seen += 1;
    }
    assert!(seen > 3, "{seen}");
}

/// Returns a time with the milliseconds that session files have.
fn fixed(time: &Value) -> String {
    let time = time.as_str().unwrap().trim_end_matches('Z');
    let (seconds, fraction) = time.split_once('.').unwrap_or((time, ""));
    format!("{seconds}.{fraction:0<3}Z")
}

#[test]
fn tables_have_columns_for_the_origin() {
    let folder = folder();
    let table = streamj(&["tools", "--format", "csv"]).arg(folder.path()).assert().success();
    let header = table.text().lines().next().unwrap().to_owned();
    assert!(header.ends_with("input,output,file,line,session_id,timestamp,project"), "{header}");
}

#[test]
fn empty_list_reads_nothing() {
    for command in COMMANDS {
        streamj(command)
            .args(["--files-from", "-"])
            .write_stdin("\n")
            .assert()
            .success()
            .stdout("");
    }
    run(&["text", "--files-from", "/nonexistent/list"], "")
        .code(2)
        .stderr("streamj: /nonexistent/list: no such file or directory\n");
}

#[test]
fn pattern_without_match_is_an_error() {
    streamj(&["text", "/nonexistent/*.jsonl"])
        .assert()
        .code(2)
        .stderr("streamj: /nonexistent/*.jsonl: no such file or directory\n");
}

#[test]
fn folder_without_sessions_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    streamj(&["tools"])
        .arg(folder.path())
        .assert()
        .code(1)
        .stderr(predicate::str::contains("no session or stream in"));
}

#[test]
fn large_and_small_files_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let small = fs::read(fixtures().join("codex/command_parallel.jsonl")).unwrap();
    let mut large = Vec::new();
    while large.len() < 5 << 20 {
        large.extend_from_slice(&small);
    }
    let names = ["a", "b", "c", "d", "e"].map(|name| folder.path().join(format!("{name}.jsonl")));
    for (at, name) in names.iter().enumerate() {
        fs::write(name, if at == 2 { &large } else { &small }).unwrap();
    }
    let rows = streamj(&["tools"]).arg(folder.path()).assert().success().rows();
    let mut files: Vec<_> = rows.iter().map(|row| row["file"].as_str().unwrap()).collect();
    files.dedup();
    assert_eq!(files, names.each_ref().map(|name| name.to_str().unwrap()));
}
