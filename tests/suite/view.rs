//! `view`: a run as readable text.

mod calls;
mod failures;
#[cfg(unix)]
mod follow;
mod full;
mod github;
#[cfg(unix)]
mod live;
#[cfg(unix)]
mod paging;
mod snapshots;

use std::path::PathBuf;

use predicates::prelude::*;
use serde_json::json;

use crate::support::cli::{run, streamj};
use crate::support::{BIN, fixture_bytes, on_screen, recordings_of_tools, rendered, root};

/// Recordings with golden files: three widths, each with and without colour.
const RECORDINGS: &[&str] = &[
    "claude/text_success",
    "claude/multi_block_message",
    "claude/err_after_tools_500",
    "claude/subagent_parallel_foreground",
    "claude/partial_thinking",
    "claude/partial_error_midstream",
    "claude/err_429_unified_oauth",
    "claude/max_turns_1",
    "claude/json_schema_ok",
    "claude/tool_permission_denied",
    "claude/subagent_background_two",
    "claude/replay_user_messages",
    "claude/control_interrupt",
    "codex/command_parallel",
    "codex/file_change_via_shell",
    "codex/todo_list",
    "codex/web_search",
    "codex/err_500_with_retries",
    "codex/signal_sigterm_midtool",
    "copilot/subagent",
    "cline/subagent",
    "claude/mcp_servers",
    "claude/background_bash",
    "claude_1_0_128/max_turns_1",
    "claude_2_1_150/subagent_task_background",
    "codex_0_60_1/command_parallel",
    "codex/mcp_server_dies",
    "codex/collab_spawn_agent",
];

/// Returns these recordings, and those of the tools of each CLI.
fn recordings() -> impl Iterator<Item = String> {
    RECORDINGS.iter().map(|name| (*name).to_owned()).chain(recordings_of_tools())
}

fn golden(name: &str, kind: &str) -> PathBuf {
    root().join("tests/golden/view").join(format!("{}-{kind}.txt", name.replace('/', "-")))
}

/// `UPDATE_GOLDEN=1` rewrites the golden files.
#[test]
fn recordings_match_golden_files() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for name in recordings() {
        let bytes = fixture_bytes(&name);
        for (kind, width, render) in [
            ("80", "80", rendered as fn(&[&str], &[u8]) -> String),
            ("40", "40", rendered),
            ("120", "120", rendered),
            ("120-colour", "120", on_screen),
            ("80-colour", "80", on_screen),
            ("40-colour", "40", on_screen),
        ] {
            let shown = render(&["view", "--width", width], &bytes);
            let path = golden(&name, kind);
            if update {
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(&path, &shown).unwrap();
            }
            let kept = std::fs::read_to_string(&path).unwrap();
            assert_eq!(shown, kept, "{name} {kind}");
        }
    }
}

fn plain(args: &[&str], lines: &[&str]) -> String {
    let bytes = lines.join("\n") + "\n";
    rendered(&[&["view"], args].concat(), bytes.as_bytes())
}

fn pretty(args: &[&str], lines: &[&str]) -> String {
    let bytes = lines.join("\n") + "\n";
    on_screen(&[&["view"], args].concat(), bytes.as_bytes())
}

const THREAD: &str = r#"{"type":"thread.started","thread_id":"th_1"}"#;
const DONE: &str = r#"{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}}"#;

fn agent_message(text: &str) -> String {
    let item = json!({"id": "i", "type": "agent_message", "text": text});
    json!({"type": "item.completed", "item": item}).to_string()
}

#[test]
fn control_characters_of_the_agent_are_escaped() {
    let hostile =
        agent_message("a\u{1b}[31mred\u{1b}]52;c;eA==\u{7} \u{202e}rtl \u{9b}2J bell\u{7} cr\rx");
    for shown in [
        plain(&[], &[THREAD, &hostile, DONE]),
        pretty(&["--width", "40"], &[THREAD, &hostile, DONE]),
    ] {
        let body: String = shown.replace("\u{1b}[2m", "").replace("\u{1b}[0m", "");
        for bad in ["\u{1b}[31mred", "\u{1b}]52", "\u{202e}", "\u{9b}", "\u{7}", "\r"] {
            assert!(!body.contains(bad), "{bad:?} in {shown:?}");
        }
        assert!(shown.contains("^["), "{shown:?}");
    }
    // The same for tool names, inputs, outputs, models and folders.
    let escape = "x\u{1b}[2Jy";
    let call = json!({"type": "assistant", "session_id": escape, "message": {"id": "m", "model": escape,
        "content": [{"type": "tool_use", "id": "t", "name": escape, "input": {"command": escape}}]}});
    let result = json!({"type": "user", "session_id": escape, "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": escape}]}});
    let init = json!({"type": "system", "subtype": "init", "session_id": escape, "cwd": escape, "model": escape});
    let lines = [init.to_string(), call.to_string(), result.to_string()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for args in [&[][..], &["--full"], &["--thinking"]] {
        assert!(!plain(args, &lines).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn ci_workflow_commands_are_neutralised() {
    let text = "::set-output name=x::y\n  ##[error]boo\nstd::io";
    let failing = r#"{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"x","aggregated_output":"::error::z","exit_code":1,"status":"failed"}}"#;
    let shown = plain(&[], &[THREAD, &agent_message(text), failing, DONE]);
    let is_command =
        |line: &str| line.trim_start().starts_with("::") || line.trim_start().starts_with("##[");
    assert!(!shown.lines().any(is_command), "{shown}");
    assert!(shown.contains("std::io"), "code is left alone: {shown}");
}

#[test]
fn two_runs_in_one_stream_have_two_headers() {
    let other = r#"{"type":"thread.started","thread_id":"th_2"}"#;
    let shown =
        plain(&[], &[THREAD, &agent_message("one"), DONE, other, &agent_message("two"), DONE]);
    assert_eq!(
        shown,
        "[session] codex, th_1\none\n[result] success\n[usage] 6 in, 2 out, 4 cache read\n\
         [resume] codex resume th_1\n\
         [session] codex, th_2\ntwo\n[result] success\n[usage] 6 in, 2 out, 4 cache read\n\
         [resume] codex resume th_2\n"
    );
}

#[test]
fn interrupted_run_is_marked() {
    let shown = plain(&[], &[THREAD, r#"{"type":"turn.started"}"#, &agent_message("half")]);
    assert!(shown.contains("[result] interrupted"), "{shown}");
    assert!(shown.contains("[error] incomplete: "), "{shown}");
}

#[test]
fn thinking_is_folded_shown_or_hidden() {
    let thought = r#"{"type":"item.completed","item":{"id":"r","type":"reasoning","text":"**First**\nsecond"}}"#;
    assert!(plain(&[], &[THREAD, thought, DONE]).contains("[thinking] First…\n["));
    assert!(
        plain(&["--thinking"], &[THREAD, thought, DONE]).contains("[thinking] First\n    second\n")
    );
    assert!(!plain(&["--no-thinking"], &[THREAD, thought, DONE]).contains("First"));
}

#[test]
fn full_shows_inputs_outputs_and_diffs() {
    let path = root().join("examples/claude.jsonl");
    let bytes = std::fs::read(path).unwrap();
    let shown = rendered(&["view", "--full"], &bytes);
    assert!(shown.lines().any(|line| line.starts_with("    - ")), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("    + ")), "{shown}");
    assert!(shown.contains("test result: ok") || shown.contains("passed"), "{shown}");
}

#[test]
fn ascii_and_width_are_respected() {
    use unicode_width::UnicodeWidthStr;
    for name in recordings() {
        let bytes = fixture_bytes(&name);
        let ascii = on_screen(&["view", "--ascii", "--width", "60"], &bytes);
        assert!(ascii.is_ascii(), "{name}");
        let shown = rendered(&["view", "--width", "50"], &bytes);
        for line in shown.lines().filter(|line| line.contains(' ')) {
            let longest_word = line.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
            assert!(line.width() <= 50 || longest_word > 30, "{name}: {line}");
        }
    }
}

#[test]
fn compressed_file_is_followed_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl.gz");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &fixture_bytes("codex/text_success")).unwrap();
    std::fs::write(&path, encoder.finish().unwrap()).unwrap();
    let view = streamj(&["view", "--follow"]).arg(&path).assert();
    view.success().stdout(predicate::str::contains("Hello from the fake model."));
}

#[test]
fn growing_file_is_followed_through_truncation_and_rotation() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, format!("{THREAD}\n{}\n", agent_message("first"))).unwrap();
    let mut child = Command::new(BIN)
        .args(["view", "--color", "never", "--follow", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert_eq!(next(), "[session] codex, th_1");
    assert_eq!(next(), "first");
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    writeln!(file, "{}", agent_message("second")).unwrap();
    assert_eq!(next(), "second");
    // Truncated after half a line.
    write!(file, "{{\"type\"").unwrap();
    std::fs::write(&path, format!("{}\n", agent_message("3"))).unwrap();
    assert_eq!(next(), "3");
    // Replaced.
    let new = folder.path().join("new");
    std::fs::write(&new, format!("{}\n", agent_message("fourth"))).unwrap();
    std::fs::rename(&new, &path).unwrap();
    assert_eq!(next(), "fourth");
    // Rewritten, and longer than before.
    let longer = format!("{}\n{}\n", agent_message("the fifth"), DONE);
    std::fs::write(&path, longer).unwrap();
    assert_eq!(next(), "the fifth");
    // The result is printed although the file may still grow.
    assert!(next().starts_with("[result] success"));
    // Closing the pipe ends the program.
    drop(lines);
    child.wait().unwrap();
}

#[test]
fn emoji_sequence_split_over_deltas_stays_whole() {
    let delta = |text: &str| {
        json!({"type": "stream_event", "session_id": "s", "event":
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}})
        .to_string()
    };
    let start = r#"{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"m"}}}"#;
    let pieces = ["fam 👨", "\u{200d}👩", "\u{200d}👧 ok"].map(delta);
    let shown = plain(&[], &[start, &pieces[0], &pieces[1], &pieces[2]]);
    assert!(shown.starts_with("fam 👨\u{200d}👩\u{200d}👧 ok\n"), "{shown}");
}

#[test]
fn denial_without_its_call_is_shown() {
    let denied = r#"{"type":"system","subtype":"permission_denied","session_id":"s","tool_name":"Bash","message":"not allowed"}"#;
    let shown = plain(&[], &[denied]);
    assert!(shown.contains("[tool] denied: Bash: not allowed\n"), "{shown}");
}

#[test]
fn follow_refuses_several_files() {
    run(&["view", "--follow", "a.jsonl", "b.jsonl"], "")
        .code(2)
        .stderr(predicate::str::contains("--follow reads one FILE"));
}

#[test]
fn full_wraps_long_lines_and_omits_nothing() {
    let command = format!("echo {}", "word ".repeat(60));
    let item = json!({"id": "c", "type": "command_execution", "command": command,
        "aggregated_output": "L".repeat(300), "exit_code": 0, "status": "completed"});
    let line = json!({"type": "item.completed", "item": item}).to_string();
    let shown = plain(&["--full", "--width", "60"], &[THREAD, &line, DONE]);
    assert_eq!(shown.matches('L').count(), 300, "{shown}");
    assert!(shown.matches("word").count() >= 60, "{shown}");
    assert!(shown.contains("300 B"), "{shown}");
}

#[test]
fn malformed_lines_are_reported_and_strict_exits_1() {
    let input = format!("{THREAD}\nnot json\n{}\n", agent_message("hi"));
    run(&["view", "--strict"], input)
        .code(1)
        .stderr("streamj: <stdin>:2: not JSON: expected value at byte 0\n");
}

#[cfg(unix)]
mod on_a_terminal {
    use std::io::{Read, Write};
    use std::process::Stdio;

    use super::*;
    use crate::support::{fixture, on_terminal, resize, shown_on, terminal, terminal_command};

    fn view(args: &[&str], columns: u16, environment: &[(&str, &str)]) -> String {
        let mut command = terminal_command(&["view"]);
        on_terminal(command.args(args).envs(environment.iter().copied()), columns, b"")
    }

    #[test]
    fn outcome_of_a_call_overwrites_only_its_own_line() {
        let shown = view(&["examples/claude.jsonl"], 80, &[]);
        assert!(shown.contains("cargo test\r\u{1b}[2K"), "{shown:?}");
        // No other cursor movement.
        for escape in shown.split('\u{1b}').skip(1) {
            let end = escape.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            assert!(matches!(&escape[end..=end], "m" | "K"), "{escape:?}");
        }
        // A subagent prints in between, so the outcome gets a line of its own.
        assert!(shown.contains("Find callers\n"), "{shown:?}");
    }

    #[test]
    fn width_is_that_of_the_terminal() {
        let path = fixture("claude/multi_block_message");
        let wide = view(&[path.to_str().unwrap()], 100, &[]);
        let narrow = view(&[path.to_str().unwrap()], 30, &[]);
        assert!(narrow.lines().count() > wide.lines().count());
    }

    #[test]
    fn colour_follows_flag_and_environment() {
        let has_colour = |args: &[&str], environment: &[(&str, &str)]| {
            view(&[args, &["examples/claude.jsonl"]].concat(), 80, environment).contains("\u{1b}[3")
        };
        assert!(has_colour(&[], &[]));
        assert!(!has_colour(&[], &[("NO_COLOR", "1")]));
        assert!(!has_colour(&["--color", "never"], &[]));
        let dumb = view(&["examples/claude.jsonl"], 80, &[("TERM", "dumb")]);
        assert!(!dumb.contains('\u{1b}') && !dumb.contains('\r'), "{dumb:?}");
        // Colour does not change the layout of a log.
        run(&["view", "--color", "always", "examples/claude.jsonl"], "")
            .stdout(predicate::str::contains("[tool]"));
    }

    /// A running `view` on a terminal, which receives its input line by line.
    pub(super) struct Interactive {
        screen: std::fs::File,
        child: std::process::Child,
        stdin: std::process::ChildStdin,
        pub(super) shown: String,
    }

    impl Interactive {
        pub(super) fn new(columns: u16) -> Self {
            let (screen, program) = terminal();
            resize(&screen, columns);
            let mut command = terminal_command(&["view", "--color", "never"]);
            let mut child = command.stdin(Stdio::piped()).stdout(program).spawn().unwrap();
            let stdin = child.stdin.take().unwrap();
            Self { screen, child, stdin, shown: String::new() }
        }

        pub(super) fn feed(&mut self, line: &str) {
            writeln!(self.stdin, "{line}").unwrap();
        }

        /// Reads until the text has appeared.
        pub(super) fn wait_for(&mut self, text: &str) {
            while !self.shown.contains(text) {
                let mut buffer = [0; 4096];
                let count = self.screen.read(&mut buffer).unwrap();
                self.shown.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        }

        /// Closes standard input and returns the rest of the output.
        pub(super) fn rest(self) -> String {
            let Self { screen, mut child, stdin, .. } = self;
            drop(stdin);
            let rest = std::thread::spawn(move || shown_on(screen));
            child.wait().unwrap();
            rest.join().unwrap()
        }
    }

    #[test]
    fn deltas_appear_as_they_arrive() {
        let mut view = Interactive::new(80);
        let event =
            |event: &str| format!(r#"{{"type":"stream_event","session_id":"s","event":{event}}}"#);
        view.feed(&event(
            r#"{"type":"message_start","message":{"id":"m","model":"x","usage":{}}}"#,
        ));
        view.feed(&event(
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ));
        for piece in ["One ", "two ", "three "] {
            view.feed(&event(&format!(
                r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{piece}"}}}}"#
            )));
            view.wait_for(piece.trim());
        }
        view.rest();
    }

    #[test]
    fn resized_terminal_changes_the_width() {
        let mut view = Interactive::new(80);
        let message = agent_message("aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd");
        view.feed(&message);
        view.wait_for("aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd");
        resize(&view.screen, 24);
        view.feed(&message);
        let rest = view.rest();
        assert!(rest.contains("aaaaaaaaa bbbbbbbbb\nccccccccc ddddddddd\n"), "{rest:?}");
    }

    pub(super) const CALL: &str = r#"{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test --workspace --all-features"}}]}}"#;
    pub(super) const OUTCOME: &str = r#"{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}"#;

    #[test]
    fn open_line_is_overwritten_unless_the_terminal_was_resized() {
        let mut same = Interactive::new(80);
        same.feed(CALL);
        same.wait_for("--all-features");
        same.feed(OUTCOME);
        let rest = same.rest();
        assert!(rest.starts_with("\r\u{1b}[2K"), "{rest:?}");

        // The terminal has rewrapped the line, so its position is unknown.
        let mut other = Interactive::new(80);
        other.feed(CALL);
        other.wait_for("--all-features");
        resize(&other.screen, 30);
        other.feed(OUTCOME);
        let rest = other.rest();
        assert!(!rest.contains("\u{1b}[2K"), "{rest:?}");
        assert!(rest.starts_with('\n'), "{rest:?}");
        assert!(rest.contains("Bash"), "{rest:?}");
    }

    #[test]
    fn very_narrow_terminal_is_supported() {
        for columns in [1, 8, 14] {
            let shown = view(&["--color", "never", "examples/claude.jsonl"], columns, &[]);
            assert!(shown.contains("Bash"), "{columns}: {shown:?}");
            assert!(shown.contains("success"), "{columns}: {shown:?}");
        }
        let mut narrow = Interactive::new(14);
        narrow.feed(&agent_message("one two three four five six seven"));
        let rest = narrow.rest();
        let lines = rest.lines().take_while(|line| !line.contains("seven"));
        assert!(lines.clone().count() >= 2, "{rest:?}");
        for line in lines {
            assert!(line.chars().count() <= 14, "{line:?}");
        }
    }

    #[test]
    fn wrap_shows_the_view_on_a_terminal() {
        let mut command = terminal_command(&["wrap", "-q", "--", "cat", "examples/codex.jsonl"]);
        let shown = on_terminal(&mut command, 80, b"");
        assert!(shown.contains("success"), "{shown:?}");
    }
}
