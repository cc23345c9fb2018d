//! `view`: the run for a person.

use std::path::PathBuf;

use crate::support::{BIN, fixture_bytes, root, run};
use crate::support::{on_screen, rendered};

/// What is kept as it looks, each at two widths, with colour and without.
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
];

fn golden(name: &str, kind: &str) -> PathBuf {
    root().join("tests/golden/view").join(format!("{}-{kind}.txt", name.replace('/', "-")))
}

/// With `UPDATE_GOLDEN=1` they are written instead of compared.
#[test]
fn recordings_look_as_they_are_kept() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    for name in RECORDINGS {
        let bytes = fixture_bytes(name);
        for (kind, width, render) in [
            ("80", "80", rendered as fn(&[&str], &[u8]) -> String),
            ("40", "40", rendered),
            ("80-colour", "80", on_screen),
            ("40-colour", "40", on_screen),
        ] {
            let shown = render(&["view", "--width", width], &bytes);
            let path = golden(name, kind);
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

fn said(text: &str) -> String {
    let item = serde_json::json!({"id": "i", "type": "agent_message", "text": text});
    serde_json::json!({"type": "item.completed", "item": item}).to_string()
}

#[test]
fn what_an_agent_says_is_shown_and_never_obeyed() {
    let hostile = said("a\u{1b}[31mred\u{1b}]52;c;eA==\u{7} \u{202e}rtl \u{9b}2J bell\u{7} cr\rx");
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
    // Nor are tool names, inputs, outputs, models, folders.
    let bell = "x\u{1b}[2Jy";
    let call = serde_json::json!({"type": "assistant", "session_id": bell, "message": {"id": "m", "model": bell,
        "content": [{"type": "tool_use", "id": "t", "name": bell, "input": {"command": bell}}]}});
    let result = serde_json::json!({"type": "user", "session_id": bell, "message": {"content": [
        {"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": bell}]}});
    let init = serde_json::json!({"type": "system", "subtype": "init", "session_id": bell, "cwd": bell, "model": bell});
    let lines = [init.to_string(), call.to_string(), result.to_string()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for args in [&[][..], &["--full"], &["--thinking"]] {
        assert!(!plain(args, &lines).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn workflow_commands_in_a_log_are_neutralised() {
    let text = "::set-output name=x::y\n  ##[error]boo\nstd::io";
    let failing = r#"{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"x","aggregated_output":"::error::z","exit_code":1,"status":"failed"}}"#;
    let shown = plain(&[], &[THREAD, &said(text), failing, DONE]);
    let is_command =
        |line: &str| line.trim_start().starts_with("::") || line.trim_start().starts_with("##[");
    assert!(!shown.lines().any(is_command), "{shown}");
    assert!(shown.contains("std::io"), "code is left alone: {shown}");
}

#[test]
fn two_runs_in_one_stream_are_set_apart() {
    let other = r#"{"type":"thread.started","thread_id":"th_2"}"#;
    let shown = plain(&[], &[THREAD, &said("one"), DONE, other, &said("two"), DONE]);
    assert_eq!(
        shown,
        "[session] codex, th_1\none\n[result] success\n[usage] 10 in, 2 out, 4 cache read\n\
         [session] codex, th_2\ntwo\n[result] success\n[usage] 10 in, 2 out, 4 cache read\n"
    );
}

#[test]
fn an_interrupted_run_says_so() {
    let shown = plain(&[], &[THREAD, r#"{"type":"turn.started"}"#, &said("half")]);
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
    let path = crate::support::root().join("examples/claude.jsonl");
    let bytes = std::fs::read(path).unwrap();
    let shown = rendered(&["view", "--full"], &bytes);
    assert!(shown.lines().any(|line| line.starts_with("    - ")), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with("    + ")), "{shown}");
    assert!(shown.contains("test result: ok") || shown.contains("passed"), "{shown}");
}

#[test]
fn ascii_is_ascii_and_width_is_width() {
    use unicode_width::UnicodeWidthStr;
    for name in RECORDINGS {
        let bytes = fixture_bytes(name);
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
fn a_growing_file_is_followed_through_truncation_and_rotation() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, format!("{THREAD}\n{}\n", said("first"))).unwrap();
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
    writeln!(file, "{}", said("second")).unwrap();
    assert_eq!(next(), "second");
    // Cut, with half a line before it.
    write!(file, "{{\"type\"").unwrap();
    std::fs::write(&path, format!("{}\n", said("3"))).unwrap();
    assert_eq!(next(), "3");
    // Replaced.
    let new = folder.path().join("new");
    std::fs::write(&new, format!("{}\n", said("fourth"))).unwrap();
    std::fs::rename(&new, &path).unwrap();
    assert_eq!(next(), "fourth");
    // Written anew, and longer.
    let longer = format!("{}\n{}\n", said("the fifth"), DONE);
    std::fs::write(&path, longer).unwrap();
    assert_eq!(next(), "the fifth");
    // The end of a run is told, though the file may grow.
    assert!(next().starts_with("[result] success"));
    // Nobody looks any more.
    drop(lines);
    child.wait().unwrap();
}

#[test]
fn a_family_cut_between_deltas_stays_one() {
    let delta = |text: &str| {
        serde_json::json!({"type": "stream_event", "session_id": "s", "event":
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}})
        .to_string()
    };
    let start = r#"{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"m"}}}"#;
    let pieces = ["fam 👨", "\u{200d}👩", "\u{200d}👧 ok"].map(delta);
    let shown = plain(&[], &[start, &pieces[0], &pieces[1], &pieces[2]]);
    assert!(shown.starts_with("fam 👨\u{200d}👩\u{200d}👧 ok\n"), "{shown}");
}

#[test]
fn a_denial_without_its_call_is_shown() {
    let denied = r#"{"type":"system","subtype":"permission_denied","session_id":"s","tool_name":"Bash","message":"not allowed"}"#;
    let shown = plain(&[], &[denied]);
    assert!(shown.contains("[tool] denied: Bash: not allowed\n"), "{shown}");
}

#[test]
fn one_file_is_followed_and_several_are_refused() {
    let refused = run(&["view", "--follow", "a.jsonl", "b.jsonl"], "");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--follow reads one FILE"), "{refused:?}");
}

#[test]
fn full_breaks_long_lines_and_cuts_nothing() {
    let command = format!("echo {}", "word ".repeat(60));
    let item = serde_json::json!({"id": "c", "type": "command_execution", "command": command,
        "aggregated_output": "L".repeat(300), "exit_code": 0, "status": "completed"});
    let line = serde_json::json!({"type": "item.completed", "item": item}).to_string();
    let shown = plain(&["--full", "--width", "60"], &[THREAD, &line, DONE]);
    assert_eq!(shown.matches('L').count(), 300, "{shown}");
    assert!(shown.matches("word").count() >= 60, "{shown}");
    assert!(shown.contains("300 B"), "{shown}");
}

#[test]
fn bad_lines_are_noted_between_the_lines_and_counted() {
    let input = format!("{THREAD}\nnot json\n{}\n", said("hi"));
    let shown = run(&["view", "--strict"], input.as_str());
    assert_eq!(shown.stderr, "streamj: <stdin>:2: not JSON: expected value at byte 0\n");
    assert_eq!(shown.code, 1);
}

#[cfg(unix)]
mod on_a_terminal {
    use std::io::{Read, Write};
    use std::process::Stdio;

    use super::*;
    use crate::support::{on_terminal, resize, shown_on, terminal, terminal_command};

    fn view(args: &[&str], columns: u16, environment: &[(&str, &str)]) -> String {
        let mut command = terminal_command(&["view"]);
        on_terminal(command.args(args).envs(environment.iter().copied()), columns, b"")
    }

    #[test]
    fn the_outcome_of_a_call_is_written_over_its_line_and_over_no_other() {
        let shown = view(&["examples/claude.jsonl"], 80, &[]);
        assert!(shown.contains("cargo test\r\u{1b}[2K"), "{shown:?}");
        // Nothing moves the cursor up or anywhere else.
        for escape in shown.split('\u{1b}').skip(1) {
            let end = escape.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            assert!(matches!(&escape[end..=end], "m" | "K"), "{escape:?}");
        }
        // A subagent works in between: its call's outcome gets a line of its own.
        assert!(shown.contains("Find callers\n"), "{shown:?}");
    }

    #[test]
    fn the_width_is_that_of_the_terminal() {
        let long = "claude/multi_block_message";
        let path = crate::support::fixture(long);
        let wide = view(&[path.to_str().unwrap()], 100, &[]);
        let narrow = view(&[path.to_str().unwrap()], 30, &[]);
        assert!(narrow.lines().count() > wide.lines().count());
    }

    #[test]
    fn colour_is_decided_as_everywhere() {
        let has_colour = |args: &[&str], environment: &[(&str, &str)]| {
            view(&[args, &["examples/claude.jsonl"]].concat(), 80, environment).contains("\u{1b}[3")
        };
        assert!(has_colour(&[], &[]));
        assert!(!has_colour(&[], &[("NO_COLOR", "1")]));
        assert!(!has_colour(&["--color", "never"], &[]));
        let dumb = view(&["examples/claude.jsonl"], 80, &[("TERM", "dumb")]);
        assert!(!dumb.contains('\u{1b}') && !dumb.contains('\r'), "{dumb:?}");
        let forced = run(&["view", "--color", "always", "examples/claude.jsonl"], "");
        assert!(forced.text().contains("[tool]"), "a log is a log in colour, too");
    }

    /// A view that is fed line by line while somebody looks.
    struct Watched {
        person: std::fs::File,
        child: std::process::Child,
        to: std::process::ChildStdin,
        seen: String,
    }

    impl Watched {
        fn new(columns: u16) -> Self {
            let (person, program) = terminal();
            resize(&person, columns);
            let mut command = terminal_command(&["view", "--color", "never"]);
            let mut child = command.stdin(Stdio::piped()).stdout(program).spawn().unwrap();
            let to = child.stdin.take().unwrap();
            Self { person, child, to, seen: String::new() }
        }

        fn feed(&mut self, line: &str) {
            writeln!(self.to, "{line}").unwrap();
        }

        fn until(&mut self, word: &str) {
            while !self.seen.contains(word) {
                let mut buffer = [0; 4096];
                let count = self.person.read(&mut buffer).unwrap();
                self.seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        }

        /// What is shown from here to the end.
        fn rest(self) -> String {
            let Self { person, mut child, to, .. } = self;
            drop(to);
            let rest = std::thread::spawn(move || shown_on(person));
            child.wait().unwrap();
            rest.join().unwrap()
        }
    }

    #[test]
    fn deltas_appear_word_by_word() {
        let mut view = Watched::new(80);
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
            view.until(piece.trim());
        }
        view.rest();
    }

    #[test]
    fn a_window_may_change_its_size() {
        let mut view = Watched::new(80);
        let words = said("aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd");
        view.feed(&words);
        view.until("aaaaaaaaa bbbbbbbbb ccccccccc ddddddddd");
        resize(&view.person, 24);
        view.feed(&words);
        let rest = view.rest();
        assert!(rest.contains("aaaaaaaaa bbbbbbbbb\nccccccccc ddddddddd\n"), "{rest:?}");
    }

    const CALL: &str = r#"{"type":"assistant","session_id":"s","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test --workspace --all-features"}}]}}"#;
    const OUTCOME: &str = r#"{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}"#;

    #[test]
    fn an_open_line_is_written_over_unless_the_window_has_changed() {
        let mut same = Watched::new(80);
        same.feed(CALL);
        same.until("--all-features");
        same.feed(OUTCOME);
        let rest = same.rest();
        assert!(rest.starts_with("\r\u{1b}[2K"), "{rest:?}");

        // A terminal has wrapped the line anew: what stands where is not known.
        let mut other = Watched::new(80);
        other.feed(CALL);
        other.until("--all-features");
        resize(&other.person, 30);
        other.feed(OUTCOME);
        let rest = other.rest();
        assert!(!rest.contains("\u{1b}[2K"), "{rest:?}");
        assert!(rest.starts_with('\n'), "{rest:?}");
        assert!(rest.contains("Bash"), "{rest:?}");
    }

    #[test]
    fn a_very_narrow_window_is_served() {
        for columns in [1, 8, 14] {
            let shown = view(&["--color", "never", "examples/claude.jsonl"], columns, &[]);
            assert!(shown.contains("Bash"), "{columns}: {shown:?}");
            assert!(shown.contains("success"), "{columns}: {shown:?}");
        }
        let most = usize::from(14_u16);
        let mut narrow = Watched::new(14);
        narrow.feed(&said("one two three four five six seven"));
        let rest = narrow.rest();
        let words = rest.lines().take_while(|line| !line.contains("seven"));
        assert!(words.clone().count() >= 2, "{rest:?}");
        for line in words {
            assert!(line.chars().count() <= most, "{line:?}");
        }
    }

    #[test]
    fn wrap_shows_the_view_on_a_terminal() {
        let mut command = terminal_command(&["wrap", "-q", "--", "cat", "examples/codex.jsonl"]);
        let shown = on_terminal(&mut command, 80, b"");
        assert!(shown.contains("success"), "{shown:?}");
    }
}
