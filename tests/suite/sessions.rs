//! `sessions`, and sessions that are named in place of files.

use std::path::Path;

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::cli::{Printed, run, streamj};
use crate::support::root;

/// A home with the sessions of several CLIs.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for entry in std::fs::read_dir(root().join("tests/fixtures/transcripts")).unwrap() {
            let folder = entry.unwrap().path();
            let cli = folder.file_name().unwrap().to_str().unwrap();
            let cli = cli.split('.').next().unwrap();
            let own = match cli {
                "claude" => "projects",
                "codex" => "sessions",
                _ => continue,
            };
            copy(&folder.join(own), &home.0.path().join(format!(".{cli}")).join(own));
        }
        home
    }

    fn run(&self, args: &[&str]) -> Assert {
        self.command(args).assert()
    }

    fn command(&self, args: &[&str]) -> assert_cmd::Command {
        let mut command = streamj(args);
        command.env_clear().env("HOME", self.0.path()).env("TZ", "UTC").current_dir(self.0.path());
        command
    }

    fn sessions(&self, args: &[&str]) -> Vec<Value> {
        self.run(&[&["sessions"], args].concat()).success().stderr("").rows()
    }

    /// Writes a session of Claude Code.
    fn write(&self, project: &str, id: &str, lines: &str) {
        let folder = self.0.path().join(".claude/projects").join(project.replace('/', "-"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{id}.jsonl")), lines).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

fn prompt(id: &str, cwd: &str, time: &str, text: &str) -> String {
    let message = serde_json::json!({
        "type": "user", "uuid": "u", "parentUuid": null, "isSidechain": false, "sessionId": id,
        "cwd": cwd, "version": "2.1.0", "timestamp": time,
        "message": {"role": "user", "content": text},
    });
    format!("{message}\n")
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["session_id"].as_str().unwrap()).collect()
}

#[test]
fn sessions_are_listed_once_with_the_last_used_first() {
    let home = Home::new();
    let rows = home.sessions(&[]);
    let mut unique = ids(&rows);
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), rows.len());
    let times: Vec<_> = rows.iter().map(|row| row["last_at"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|one, other| one >= other), "{times:?}");
    let delegated =
        rows.iter().find(|row| row["session_id"] == "512c201f-1b1a-4e02-a4eb-28352ee3c43a");
    let delegated = delegated.unwrap();
    assert_eq!(
        (&delegated["harness"], &delegated["project"], &delegated["turns"], &delegated["prompt"]),
        (&"claude".into(), &"/tmp/demo".into(), &1.into(), &"Delegate.".into())
    );
    assert!(
        delegated["file"].as_str().unwrap().ends_with("512c201f-1b1a-4e02-a4eb-28352ee3c43a.jsonl")
    );
}

#[test]
fn totals_of_sessions_are_those_of_the_usage_table() {
    let home = Home::new();
    let table = home.run(&["usage", "--home", "--by", "session"]).success().rows();
    let sessions = home.sessions(&[]);
    let tokens = |rows: &[Value]| {
        let own = rows.iter().filter(|row| row["total"] != true);
        own.map(|row| row["total_tokens"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(tokens(&sessions), tokens(&table));
    for row in table.iter().filter(|row| row["total"] != true) {
        let same = sessions.iter().find(|session| session["session_id"] == row["session_id"]);
        let same = same.unwrap_or_else(|| panic!("{row}"));
        assert_eq!(
            (&same["total_tokens"], &same["cost_usd"]),
            (&row["total_tokens"], &row["cost_usd"])
        );
    }
}

#[test]
fn filters_select_sessions() {
    let home = Home::new();
    home.write(
        "/src/web",
        "aaaa1111",
        &prompt("aaaa1111", "/src/web", "2026-12-01T10:00:00Z", "one"),
    );
    let all = home.sessions(&[]).len();
    let codex = home.sessions(&["--cli", "codex"]);
    assert!(codex.iter().all(|row| row["harness"] == "codex"));
    let others = home.sessions(&["--cli", "claude"]).len();
    assert_eq!(codex.len() + others, all);
    assert_eq!(ids(&home.sessions(&["--since", "2026-12-01"])), ["aaaa1111"]);
    assert_eq!(ids(&home.sessions(&["--project", "we*"])), ["aaaa1111"]);
    assert_eq!(home.sessions(&["--until", "2026-11-30"]).len(), all - 1);
    assert!(home.sessions(&["--model", "gpt-*"]).iter().all(|row| row["harness"] == "codex"));
    assert!(home.sessions(&["--failed"]).iter().all(|row| row["failed"] == true));
    assert_eq!(home.sessions(&["--limit", "2"]).len(), 2);
    home.run(&["sessions", "--project", "nothing"])
        .code(1)
        .stdout("")
        .stderr("streamj: no session matches\n");
}

#[test]
fn session_is_named_by_its_id_or_its_start() {
    let home = Home::new();
    let id = "08f6a414-d5ac-4cb0-b727-8cd22852ccdd";
    for name in [id, "08f6a414", "08f6"] {
        home.run(&["session", "--get", "/session_id", name]).success().stdout(format!("{id}\n"));
    }
    home.run(&["session", "08f6ffff"]).code(2).stdout("").stderr(
        "streamj: 08f6ffff: no such file, and no session with this id (`streamj sessions` lists \
         them)\n",
    );
}

#[test]
fn name_that_several_sessions_have_lists_them() {
    let home = Home::new();
    let listed = home.run(&["view", "01a1"]).code(2).stdout("");
    let listed = listed.errors();
    assert!(
        listed.starts_with("streamj: 01a1: 3 sessions match; give more of the id:\n"),
        "{listed}"
    );
    assert!(listed.contains("01a1e188-8bec-7130-80b1-08f164423bc2  codex  2026-11-15"), "{listed}");
    assert!(listed.contains("/tmp/demo"), "{listed}");
}

#[test]
fn last_is_the_first_session_of_the_list() {
    let home = Home::new();
    let rows = home.sessions(&[]);
    let listed = ids(&rows);
    for (name, id) in [("@last", listed[0]), ("@last-1", listed[1]), ("@last-4", listed[4])] {
        home.run(&["session", "--get", "/session_id", name]).success().stdout(format!("{id}\n"));
    }
    home.run(&["text", "@last-999"])
        .code(2)
        .stderr(predicate::str::starts_with("streamj: @last: only "));
}

#[test]
fn file_without_a_session_of_its_own_is_not_the_last_one() {
    let home = Home::new();
    let title = r#"{"type":"summary","summary":"Fix the tests","leafUuid":"u1"}"#;
    home.write("/tmp/demo", "titles", &format!("{title}\n"));
    home.write(
        "/tmp/demo",
        "aaaa1111",
        &prompt("aaaa1111", "/tmp/demo", "2099-01-01T10:00:00Z", "a"),
    );
    for name in ["@last", "@last-1", "@last-2"] {
        let position = name.strip_prefix("@last-").map_or(0, |number| number.parse().unwrap());
        let rows = home.sessions(&[]);
        let listed = ids(&rows)[position].to_owned();
        let run = home.run(&["session", "--get", "/session_id", name]);
        run.success().stdout(format!("{listed}\n"));
    }
}

#[test]
fn last_of_a_project_is_looked_up_in_this_folder() {
    let home = Home::new();
    let here = std::fs::canonicalize(home.0.path()).unwrap();
    let here = here.to_str().unwrap();
    home.write(here, "bbbb2222", &prompt("bbbb2222", here, "2020-01-01T10:00:00Z", "old"));
    home.run(&["session", "--get", "/session_id", "@last", "--project", "."])
        .success()
        .stdout("bbbb2222\n");
}

#[test]
fn session_that_is_named_is_copied_without_its_secrets() {
    let home = Home::new();
    let line =
        prompt("cccc3333", "/tmp/demo", "2099-01-01T10:00:00Z", "use ghp_0123456789abcdefghij");
    home.write("/tmp/demo", "cccc3333", &line);
    let masked = line.replace("ghp_0123456789abcdefghij", "<redacted>");
    for name in ["@last", "cccc"] {
        home.run(&["redact", name])
            .success()
            .stdout(masked.clone())
            .stderr("streamj: github: 1 secret\n");
    }
    home.run(&["redact", "cccc4444"]).code(2).stdout("").stderr(
        "streamj: cccc4444: no such file, and no session with this id (`streamj sessions` lists \
         them)\n",
    );
}

#[test]
fn help_of_sessions_and_grep_names_the_homes() {
    for command in ["sessions", "grep"] {
        run(&[command, "-h"], "")
            .success()
            .stdout(predicate::str::contains("the homes of all CLIs if there is none"));
    }
}

#[test]
fn existing_file_is_not_looked_up() {
    let home = Home::new();
    std::fs::write(home.0.path().join("08f6"), b"{\"type\":\"turn.started\"}\n").unwrap();
    home.run(&["events", "--get", "/type", "08f6"]).success().stdout("turn.started\n");
    for name in ["08f6.jsonl", "./08f7", "sub/08f6"] {
        home.run(&["text", name])
            .code(2)
            .stderr(predicate::str::contains("no such file or directory"));
    }
}

#[test]
fn control_characters_of_a_session_are_not_printed_on_a_terminal() {
    let home = Home::new();
    let id = "cccc3333";
    home.write(
        "/x",
        id,
        &prompt(id, "/x\u{1b}[2J", "2027-01-01T10:00:00Z", "\u{1b}[31mred\u{202e}"),
    );
    let rows = home.sessions(&["--limit", "1"]);
    assert_eq!(rows[0]["prompt"], "\u{1b}[31mred\u{202e}");
    let ambiguous = home.0.path().join(".claude/projects/-x/cccc4444.jsonl");
    std::fs::write(ambiguous, prompt("cccc4444", "/x\u{1b}[2J", "2027-01-01T10:00:00Z", "x"))
        .unwrap();
    let listed = home.run(&["text", "cccc"]).code(2);
    assert!(!listed.errors().contains('\u{1b}'), "{}", listed.errors());
}

#[test]
fn home_without_sessions_is_said() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = streamj(&["sessions"]);
    command.env_clear().env("HOME", empty.path());
    command
        .assert()
        .code(2)
        .stderr(predicate::str::starts_with("streamj: no sessions here: looked for "));
}

#[test]
fn recording_with_tool_calls_only_is_listed() {
    let home = Home::new();
    let lines = [
        r#"{"role":"assistant","tool_calls":[{"type":"function","id":"c1","function":{"name":"Shell","arguments":"{}"}}]}"#,
        r#"{"role":"tool","tool_call_id":"c1","content":"ok"}"#,
    ];
    let file = home.0.path().join("calls.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let rows = home.sessions(&[file.to_str().unwrap()]);
    assert_eq!((&rows[0]["harness"], &rows[0]["tool_calls"]), (&"kimi".into(), &1.into()));
}
