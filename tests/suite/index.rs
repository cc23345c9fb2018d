//! The index: what it remembers, and that it never changes a result.

mod changes;
#[cfg(target_os = "linux")]
mod opened_files;
mod problems;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::cli::{Printed, streamj};
use crate::support::sessions::{answer, prompt, write_sessions};

/// A file that changed a shorter time ago is not remembered.
const SETTLING: Duration = Duration::from_millis(40);

/// A folder of sessions, and a cache.
struct Sessions {
    folder: TempDir,
    cache: TempDir,
}

impl Sessions {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), cache: tempfile::tempdir().unwrap() }
    }

    /// Creates files with one answer each, and waits until they can be remembered.
    fn with_answers(ids: &[&str]) -> Self {
        let sessions = Self::new();
        for id in ids {
            sessions.append(&format!("{id}.jsonl"), &[prompt(id, "/work"), reply(id, "1", 10)]);
        }
        sleep(SETTLING);
        sessions
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("projects/-work").join(name)
    }

    fn index(&self) -> PathBuf {
        self.cache.path().join("streamj/index.sqlite")
    }

    fn append(&self, name: &str, lines: &[Value]) {
        let text: String =
            lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect();
        self.append_text(name, &text);
    }

    fn append_text(&self, name: &str, text: &str) {
        use std::io::Write;
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = streamj(args);
        command.arg(self.folder.path()).env("XDG_CACHE_HOME", self.cache.path());
        command
    }

    fn run(&self, args: &[&str]) -> Assert {
        self.command(args).assert()
    }

    /// Returns the output tokens of a run without notes.
    fn output_tokens(&self, args: &[&str]) -> u64 {
        let args = [&["usage", "--by", "month", "--format", "jsonl"], args].concat();
        self.run(&args).success().stderr("").total()
    }
}

trait Total {
    /// Returns the output tokens of the last row.
    fn total(&self) -> u64;
}

impl Total for Assert {
    fn total(&self) -> u64 {
        self.rows().last().unwrap()["output_tokens"].as_u64().unwrap()
    }
}

fn reply(session: &str, id: &str, output: u64) -> Value {
    answer(session, &format!("{session}-{id}"), "2026-11-01T10:00:00Z", output)
}

#[test]
fn only_the_user_can_read_the_index() {
    let sessions = Sessions::with_answers(&["a"]);
    sessions.output_tokens(&[]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&sessions.index()), 0o600);
        assert_eq!(mode(sessions.index().parent().unwrap()), 0o700);
    }
    let files = fs::read_dir(sessions.index().parent().unwrap()).unwrap();
    assert_eq!(files.count(), 1, "one file");
}

#[test]
fn index_contains_no_text_of_messages() {
    let sessions = Sessions::new();
    for recording in fs::read_dir("tests/fixtures/transcripts").unwrap() {
        let recording = recording.unwrap().path();
        let name = recording.file_name().unwrap().to_str().unwrap().to_owned();
        copy(&recording, &sessions.path(&name));
    }
    let mut words = prompt("words", "/work");
    words["message"]["content"] = "Perpetuum mobile".into();
    let mut text = reply("words", "1", 1);
    text["message"]["content"] = serde_json::json!([{"type": "text", "text": "Ultramarine"}]);
    sessions.append("words.jsonl", &[words, text]);
    sleep(SETTLING);
    sessions.run(&["sessions"]).success();
    let bytes = fs::read(sessions.index()).unwrap();
    let contains = |word: &str| bytes.windows(word.len()).any(|bytes| bytes == word.as_bytes());
    assert!(contains("words"), "the session is remembered");
    let listed = sessions.run(&["sessions", "--no-index"]).success().rows();
    let prompts = listed.iter().filter_map(|row| row["prompt"].as_str());
    let prompts: Vec<&str> = prompts.filter(|prompt| prompt.len() > 8).collect();
    assert!(prompts.len() > 10, "{prompts:?}");
    for word in prompts.into_iter().chain(["Perpetuum", "mobile", "Ultramarine"]) {
        assert!(!contains(word), "{word}");
    }
    // The prompts are read where they are.
    assert_eq!(sessions.run(&["sessions"]).success().rows(), listed);
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            copy(&path, &to.join(path.file_name().unwrap()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn deleted_sessions_are_forgotten_or_kept() {
    let sessions = Sessions::with_answers(&["a", "b", "c"]);
    assert_eq!(sessions.output_tokens(&[]), 30);
    fs::remove_file(sessions.path("a.jsonl")).unwrap();
    assert_eq!(sessions.output_tokens(&[]), 20);
    assert_eq!(sessions.output_tokens(&["--keep"]), 20, "it is forgotten");
    fs::remove_file(sessions.path("b.jsonl")).unwrap();
    assert_eq!(sessions.output_tokens(&[]), 10);
    assert_eq!(sessions.output_tokens(&["--keep"]), 20, "it stays, once it is kept");
    assert_eq!(sessions.output_tokens(&["--keep", "--reindex"]), 20);
    assert_eq!(sessions.output_tokens(&["--reindex"]), 10);
    assert_eq!(sessions.output_tokens(&["--keep"]), 20);
    let rows = sessions.run(&["usage", "--by", "session", "--keep"]).success().rows();
    let ids: Vec<_> = rows.iter().filter_map(|row| row["session_id"].as_str()).collect();
    assert_eq!(ids, ["b", "c", "total"]);
    // A session that is read again replaces what was kept.
    sessions.append("b.jsonl", &[reply("b", "1", 10), reply("b", "2", 7)]);
    assert_eq!(sessions.output_tokens(&["--keep"]), 27);
}

#[test]
fn kept_session_that_was_renamed_counts_once() {
    let sessions = Sessions::new();
    // Without an id, nothing but the file tells two answers apart.
    let mut nameless = reply("a", "1", 10);
    nameless["message"].as_object_mut().unwrap().remove("id");
    nameless.as_object_mut().unwrap().remove("sessionId");
    nameless.as_object_mut().unwrap().remove("timestamp");
    sessions.append("a.jsonl", &[nameless]);
    sleep(SETTLING);
    assert_eq!(sessions.output_tokens(&["--keep"]), 10);
    fs::rename(sessions.path("a.jsonl"), sessions.path("b.jsonl")).unwrap();
    sleep(SETTLING);
    assert_eq!(sessions.output_tokens(&["--keep"]), 10);
    assert_eq!(sessions.output_tokens(&["--keep"]), 10);
}

#[test]
fn keep_and_reindex_need_the_index() {
    for option in ["--keep", "--reindex"] {
        let run = Sessions::new().run(&["usage", option, "--no-index"]);
        assert!(run.failure().code(2).errors().contains("cannot be used with"));
    }
}

#[test]
fn redacted_runs_neither_use_nor_change_the_index() {
    let sessions = Sessions::with_answers(&["a"]);
    assert_eq!(sessions.output_tokens(&["--redact"]), 10);
    assert!(!sessions.index().exists());
}

/// A described CLI decides what is counted.
#[test]
fn entries_of_other_options_are_not_used() {
    let sessions = Sessions::new();
    sessions.append_text("a.jsonl", "{\"event\":\"usage\",\"in\":3,\"out\":4,\"run\":\"r\"}\n");
    sleep(SETTLING);
    let description = sessions.cache.path().join("own.toml");
    let describe = |output: &str| {
        let text = format!(
            "name = \"own\"\nrecognise = {{ when = {{ event = [\"usage\"] }} }}\n\
             [[usage]]\nwhen = {{ event = \"usage\" }}\nper = \"run\"\ninput = \"/in\"\n\
             output = \"{output}\"\n"
        );
        fs::write(&description, text).unwrap();
        let file = description.to_str().unwrap();
        sessions.run(&["usage", "--by", "month", "--harness-file", file])
    };
    assert_eq!(describe("/out").success().stderr("").total(), 4);
    assert_eq!(describe("/in").success().stderr("").total(), 3);
    sessions.run(&["usage", "--by", "month"]).code(1);
    assert_eq!(describe("/out").success().stderr("").total(), 4);
}

#[test]
fn sessions_outside_of_folders_are_not_remembered() {
    let sessions = Sessions::with_answers(&["a"]);
    let file = sessions.path("a.jsonl");
    let mut command = streamj(&["usage", "--by", "month"]);
    command.arg(&file).env("XDG_CACHE_HOME", sessions.cache.path());
    assert_eq!(command.assert().success().total(), 10);
    assert!(!sessions.index().exists());
}

#[test]
fn names_of_sessions_are_found_with_and_without_the_index() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".claude/projects/-work");
    for (name, at) in [("aaaa1111", 1), ("bbbb2222", 2)] {
        let mut line = prompt(name, "/work");
        line["timestamp"] = format!("2026-11-0{at}T09:00:00Z").into();
        write_sessions(&folder, &[(&format!("{name}.jsonl"), &[line])]);
    }
    let find = |args: &[&str]| {
        let mut command = streamj(&[&["session", "--get", "/session_id"], args].concat());
        command.env("HOME", home.path()).env_remove("CLAUDE_CONFIG_DIR");
        command.assert().success().text().trim().to_owned()
    };
    for _ in 0..2 {
        sleep(SETTLING);
        for (name, id) in [("@last", "bbbb2222"), ("@last-1", "aaaa1111"), ("aaaa", "aaaa1111")] {
            assert_eq!(find(&[name]), id);
            assert_eq!(find(&[name, "--no-index"]), id);
        }
    }
}
