//! `statusline`: what is shown, and that nothing makes it fail.

use std::thread::sleep;
use std::time::Duration;

use assert_cmd::Command;
use jiff_free::{clock, minutes_ago};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::cli::{Printed, streamj};
use crate::support::sessions::answer;

/// Times without a library of dates.
mod jiff_free {
    use std::time::{SystemTime, UNIX_EPOCH};

    /// Returns the current time in seconds.
    pub fn clock() -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
    }

    /// Returns a time today in UTC, or now if the day has just begun.
    pub fn minutes_ago(minutes: u64) -> String {
        let now = clock();
        let at = (now - minutes * 60).max(now - now % 86_400);
        let at = UNIX_EPOCH + std::time::Duration::from_secs(at);
        let output = std::process::Command::new("date")
            .args(["-u", "-d"])
            .arg(format!("@{}", at.duration_since(UNIX_EPOCH).unwrap().as_secs()))
            .arg("+%Y-%m-%dT%H:%M:%SZ")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

/// A home with sessions.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Appends a request of a million tokens of a model with a known price.
    fn append(&self, id: &str, at: &str) {
        use std::io::Write;
        let folder = self.0.path().join(".claude/projects/-work");
        std::fs::create_dir_all(&folder).unwrap();
        let mut line = answer("s", id, at, 0);
        line["message"]["model"] = "claude-sonnet-4-5".into();
        line["message"]["usage"] = json!({"input_tokens": 1_000_000, "output_tokens": 0});
        let path = folder.join("s.jsonl");
        let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
    }

    fn command(&self, args: &[&str], input: impl Into<Vec<u8>>) -> Command {
        let mut command = streamj(&[&["statusline"], args].concat());
        command.env("HOME", self.0.path()).env("TZ", "UTC").env("NO_COLOR", "1");
        command.env_remove("CLAUDE_CONFIG_DIR").write_stdin(input);
        command
    }

    fn line(&self, args: &[&str], input: impl Into<Vec<u8>>) -> String {
        let run = self.command(args, input).assert().success().stderr("");
        let text = run.text();
        assert!(text.ends_with('\n') && text.lines().count() == 1, "{text:?}");
        text.trim_end().to_owned()
    }
}

fn status() -> Value {
    json!({
        "hook_event_name": "Status", "session_id": "s", "cwd": "/work",
        "transcript_path": "/missing", "model": {"id": "claude-opus-4-5", "display_name": "Opus 4.5"},
        "workspace": {"current_dir": "/work/src", "project_dir": "/work"}, "version": "2.1.150",
        "cost": {"total_cost_usd": 1.25, "total_duration_ms": 5_400_000},
        "context_window": {"context_window_size": 200_000, "used_percentage": 42,
            "current_usage": {"input_tokens": 1, "cache_creation_input_tokens": 3,
                "cache_read_input_tokens": 84_000, "output_tokens": 9}},
        "rate_limits": {"five_hour": {"used_percentage": 24.4, "resets_at": clock() + 5460},
            "seven_day": {"used_percentage": 81}},
    })
}

#[test]
fn line_shows_the_session_and_what_was_used_today() {
    let home = Home::new();
    home.append("1", &minutes_ago(30));
    let line = home.line(&[], status().to_string());
    let start = "Opus 4.5 · 42% context · $1.25 session · $3.00 today · block $3.00, ";
    let rest = line.strip_prefix(start).unwrap_or_else(|| panic!("{line}"));
    let (left, limits) = rest.split_once(" left · ").unwrap();
    // A window starts at the full hour before its first request.
    assert!(left.starts_with("3h") || left.starts_with("4h"), "{left}");
    assert!(limits == "5h 24% (1h 31m), 7d 81%" || limits == "5h 24% (1h 30m), 7d 81%", "{limits}");
}

#[test]
fn template_selects_values() {
    let home = Home::new();
    let fill = |template: &str| home.line(&["--template", template], status().to_string());
    assert_eq!(
        fill("{folder}|{version}|{context_tokens}|{cost}|{time}|{today}|{block}|{block_left}"),
        "/work/src|2.1.150|84,004|$1.25|1h 30m|$0.0000|-|-"
    );
    assert_eq!(fill("{{model} {unknown} {model"), "{model} {unknown} {model");
}

/// The usage of all sessions is counted again after some time only.
#[test]
fn usage_of_today_is_remembered() {
    let home = Home::new();
    home.append("1", &minutes_ago(1));
    let today = || home.line(&["--template", "{today}"], status().to_string());
    assert_eq!(today(), "$3.00");
    home.append("2", &minutes_ago(0));
    assert_eq!(today(), "$3.00");
    // In the place of waiting.
    sleep(Duration::from_millis(40));
    let index = home.0.path().join(".cache/streamj/index.sqlite");
    rusqlite::Connection::open(index).unwrap().execute_batch("DELETE FROM digests").unwrap();
    assert_eq!(today(), "$6.00");
}

#[test]
fn nothing_makes_it_fail() {
    let home = Home::new();
    let deep = "[".repeat(100_000);
    let inputs: [&[u8]; 9] = [
        b"",
        b"not JSON",
        b"[1]",
        b"{}",
        b"{\"model\":",
        b"{\"model\":7,\"cost\":[],\"context_window\":\"x\",\"rate_limits\":{\"five_hour\":null}}",
        b"{\"cost\":{\"total_cost_usd\":1e400}}",
        b"\xff\xfe",
        deep.as_bytes(),
    ];
    for input in inputs {
        let line = home.line(&[], input);
        assert!(!line.is_empty(), "{input:?}");
        home.line(&["--template", "{model} {limits}"], input);
    }
    // Without a home nothing is known of other sessions.
    let mut command = home.command(&[], "");
    command.env_remove("HOME").env("XDG_CACHE_HOME", "relative");
    command.assert().success().stdout("no status\n").stderr("");
    // A cache that cannot be written.
    let mut command = home.command(&["--template", "{cost} {today}"], status().to_string());
    command.env("XDG_CACHE_HOME", "/dev/null").assert().success().stdout("$1.25 -\n").stderr("");
}

#[test]
fn control_characters_and_newlines_are_not_printed() {
    let home = Home::new();
    let mut hostile = status();
    let evil = "Opus\u{1b}]0;title\u{7}\r\n\u{202e}x\u{9b}31m\0";
    hostile["model"]["display_name"] = evil.into();
    hostile["workspace"]["current_dir"] = evil.repeat(1000).into();
    hostile["version"] = evil.into();
    for args in [&[][..], &["--template", "{folder}\n{model} {version}"]] {
        let line = home.line(args, hostile.to_string());
        let is_bad = |c: char| c.is_control() || c == '\u{202e}';
        assert!(!line.contains(is_bad), "{line:?}");
        assert!(line.chars().count() < 2000, "{}", line.len());
    }
}

#[test]
fn line_has_colours_unless_they_are_turned_off() {
    let home = Home::new();
    let mut coloured = home.command(&[], status().to_string());
    let run = coloured.env_remove("NO_COLOR").assert().success();
    // The model, and a limit that is nearly used up.
    assert!(run.text().contains("\u{1b}[36mOpus 4.5") && run.text().contains("\u{1b}[31m81%"));
    assert!(!home.line(&[], status().to_string()).contains('\u{1b}'));
    let mut never = home.command(&["--color", "never"], status().to_string());
    let run = never.env_remove("NO_COLOR").assert().success();
    assert!(!run.text().contains('\u{1b}'));
}
