//! `wrap`: what the real programs do to those who run them, done by scripts.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::stage::{Done, Stage, is_alive, pid_of, state, wait_for};
use crate::support::{BIN, fixture, shown_on, terminal};

mod stubborn;

/// Prints a recording.
fn cat(name: &str) -> String {
    format!("cat {}", fixture(name).display())
}

const CODEX_OK: &str = "codex/text_success";
const CLAUDE_OK: &str = "claude/text_success";

mod command_line {
    use super::*;

    #[test]
    fn what_makes_the_cli_stream_is_added_and_can_be_looked_at() {
        let stage = Stage::new();
        let done = stage.wrap(&["--dry-run", "--", "codex", "exec", "fix the tests"]);
        let expected = "codex exec --json --output-last-message /tmp/streamj-XXXXXX/last-message.txt 'fix the tests'\n";
        assert_eq!((done.stdout.as_str(), done.code), (expected, Some(0)));
        let done = stage.wrap(&["--dry-run", "--", "claude", "hi"]);
        assert_eq!(done.stdout, "claude -p --output-format stream-json --verbose hi\n");
        let done = stage.wrap(&["--dry-run", "--complete", "none", "--", "claude", "-p", "hi"]);
        assert_eq!(done.stdout, "claude -p hi\n");
        let done = stage.wrap(&["--dry-run", "--harness", "claude", "--", "./my-agent", "hi"]);
        assert_eq!(done.stdout, "./my-agent -p --output-format stream-json --verbose hi\n");
        assert_eq!(stage.leftovers(), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_work_is_refused_before_anything_is_started() {
        let stage = Stage::new();
        stage.program("claude", "touch $STAGE/started").program("codex", "touch $STAGE/started");
        for (args, complaint) in [
            (&["--", "claude", "-p", "--output-format", "text", "x"][..], "prints no events"),
            (
                &["--complete", "none", "--", "claude", "-p", "--output-format", "stream-json"],
                "streamj: --output-format=stream-json requires --verbose\n",
            ),
            (&["--complete", "full", "--", "codex"], "--complete full needs --model"),
            (&["--complete", "full", "--model", "M", "--", "claude"], "for codex only"),
            (&["--as", "nonsense", "--", "codex", "exec", "x"], "nonsense"),
            (&["--as", "text FILE", "--", "codex", "exec", "x"], "not files"),
            (&["--as", "wrap -- x", "--", "codex"], "not a reading command"),
            (&["--as", "text 'x", "--", "codex"], "--as"),
            (&["--timeout", "soon", "--", "codex"], "not a duration"),
            (&["--env", "novalue", "--", "codex"], "NAME=VALUE"),
            (&["--cwd", "/no/such/folder", "--", "codex"], "not a folder"),
            (&["--tee", "/no/such/folder/f", "--", "codex"], "/no/such/folder/f"),
            (&["--record", "/no/such/folder/f", "--", "codex"], "/no/such/folder/f"),
            (&["--nonsense", "--", "codex"], "--nonsense"),
            (&["--with-events", "--", "codex"], "--record"),
            (&[], "COMMAND"),
        ] {
            let done = stage.wrap(args);
            assert_eq!(done.code, Some(125), "{args:?} {done:?}");
            assert!(done.stderr.contains(complaint), "{args:?} {done:?}");
        }
        assert!(!stage.path("started").exists());
    }

    #[test]
    fn the_full_command_is_the_contracts_and_its_prompt_comes_on_standard_input() {
        let stage = Stage::new();
        let body = format!("echo \"$@\" > $STAGE/argv; cat > $STAGE/prompt; {}", cat(CODEX_OK));
        stage.program("codex", &body);
        let args = ["--complete", "full", "--model", "M", "--", "codex", "exec", "do it"];
        let (done, record) = stage.record(&args);
        assert_eq!(done.code, Some(0), "{done:?}");
        let given = std::fs::read_to_string(stage.path("argv")).unwrap();
        let file = record["harness_metadata"]["last_message_path"].as_str().unwrap();
        let expected = format!(
            "exec --json --output-last-message {file} --skip-git-repo-check -s workspace-write -m M -\n"
        );
        assert_eq!(given, expected);
        assert_eq!(std::fs::read_to_string(stage.path("prompt")).unwrap(), "do it");
        assert_eq!(record["harness_metadata"]["sandbox_mode"], "workspace-write");
        assert_eq!(record["harness_metadata"]["model"], "M");
    }

    #[test]
    fn a_missing_or_broken_program_has_its_own_status_and_record() {
        let stage = Stage::new();
        for (program, cli) in
            [("codex", "Codex CLI"), ("claude", "Claude CLI"), ("other", "command")]
        {
            let program_path = format!("/no/such/{program}");
            let (done, record) = stage.record(&["--", &program_path, "exec", "x"]);
            assert_eq!(done.code, Some(127), "{done:?}");
            let message = format!("{cli} not found: {program_path}");
            assert!(done.stderr.contains(&format!("streamj: {message}\n")), "{done:?}");
            assert_eq!(record["exit_code"], -1);
            assert_eq!(record["error"], message);
            assert_eq!(record["error_category"], Value::Null);
            assert_eq!(record["succeeded_cleanly"], false);
            assert!(record["duration_seconds"].is_number());
        }
        std::fs::write(stage.path("codex"), "no program").unwrap();
        let (done, record) =
            stage.record(&["--", stage.path("codex").to_str().unwrap(), "exec", "x"]);
        assert_eq!(done.code, Some(126), "{done:?}");
        assert_eq!(record["exit_code"], -1);
    }
}

mod output {
    use super::*;

    #[test]
    fn any_projection_can_be_printed_by_the_code_that_reads_a_file() {
        let stage = Stage::new();
        for name in ["claude/subagent_foreground", "codex/reasoning", "claude/err_401"] {
            stage.program("agent", &cat(name));
            for show in [
                "text",
                "text --last",
                "tools",
                "usage",
                "events --unified",
                "session --get /harness",
            ] {
                let done = stage.wrap(&["--exit-status", "child", "--as", show, "--", "agent"]);
                let words = shell_words::split(show).unwrap();
                let file = Command::new(BIN).args(&words).arg(fixture(name)).output().unwrap();
                assert_eq!(done.stdout.as_bytes(), file.stdout, "{name} {show}");
            }
            let done = stage.wrap(&["--exit-status", "child", "--as", "raw", "--", "agent"]);
            assert_eq!(done.stdout.as_bytes(), std::fs::read(fixture(name)).unwrap(), "{name}");
        }
    }

    #[test]
    fn the_raw_stream_is_kept_as_it_arrives() {
        let stage = Stage::new();
        let body = format!(
            "{}; printf 'no newline'; while [ ! -e $STAGE/seen ]; do sleep 0.01; done; printf more",
            cat(CODEX_OK)
        );
        stage.program("agent", &body);
        let tee = stage.path("tee");
        let mut child = stage
            .streamj(&["wrap", "-q", "--tee", tee.to_str().unwrap(), "--", "agent"])
            .spawn()
            .unwrap();
        wait_for(|| std::fs::read(&tee).is_ok_and(|bytes| bytes.ends_with(b"no newline")));
        std::fs::write(stage.path("seen"), "").unwrap();
        assert!(child.wait().unwrap().success());
        let expected =
            [std::fs::read(fixture(CODEX_OK)).unwrap(), b"no newlinemore".to_vec()].concat();
        assert_eq!(std::fs::read(&tee).unwrap(), expected);
    }

    #[test]
    fn the_record_is_the_summary_with_the_process() {
        let stage = Stage::new();
        stage.program("codex", &format!("echo note >&2; {}", cat(CODEX_OK)));
        let (done, record) =
            stage.record(&["--", "codex", "exec", "-s", "read-only", "-m", "o3", "hi"]);
        assert_eq!((done.stdout.as_str(), done.code), ("Hello from the fake model.\n", Some(0)));
        assert_eq!(record["output"], "Hello from the fake model.");
        assert_eq!(record["exit_code"], 0);
        assert_eq!(record["stderr"], "note\n");
        assert_eq!(record["succeeded_cleanly"], true);
        assert!(record["duration_seconds"].as_f64().unwrap() > 0.0);
        let command = record["command"].as_array().unwrap();
        assert_eq!(
            (&command[0], &command[1], &command[2]),
            (&json!("codex"), &json!("exec"), &json!("--json"))
        );
        let metadata = &record["harness_metadata"];
        assert_eq!(metadata["sandbox_mode"], "read-only");
        assert_eq!(metadata["model"], "o3");
        assert_eq!(metadata["auth_source"], "unknown");
        assert_eq!(metadata["turn_count"], 1);
        assert!(!Path::new(metadata["last_message_path"].as_str().unwrap()).exists());
        assert!(record.get("stream_events").is_none());
        assert_eq!(stage.leftovers(), Vec::<String>::new());
        let without = stage.record(&["--", "codex", "exec", "hi"]).1;
        assert!(without["harness_metadata"].get("sandbox_mode").is_none());
        assert!(without["harness_metadata"].get("model").is_none());
    }

    #[test]
    fn the_summary_of_a_wrapped_run_tells_the_process_too() {
        let stage = Stage::new();
        stage.program("agent", "echo oops >&2; exit 3");
        let done = stage.wrap(&["--as", "summary", "--", "agent"]);
        let summary: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(summary["exit_code"], 3);
        assert_eq!(summary["stderr"], "oops\n");
        assert_eq!(summary["error"], "oops");
        assert_eq!(summary["error_category"], "subprocess");
        assert_eq!(done.code, Some(3));
        let error = stage.wrap(&["--as", "error", "--", "agent"]);
        let error: Value = serde_json::from_str(&error.stdout).unwrap();
        assert_eq!(
            (&error["category"], &error["source"]),
            (&json!("subprocess"), &json!("process"))
        );
    }

    #[test]
    fn events_can_be_kept_codex_marked_and_claudes_not() {
        let stage = Stage::new();
        stage.program("agent", &format!("{}; {}", cat(CODEX_OK), cat(CLAUDE_OK)));
        let (_, record) = stage.record(&["--with-events", "--", "agent"]);
        let events = record["stream_events"].as_array().unwrap();
        assert_eq!(events.len(), 7);
        assert!(events[..4].iter().all(|event| event["harness"] == "codex"));
        assert!(events[4..].iter().all(|event| event.get("harness").is_none()));
        assert!(record["harness_metadata"].get("stream_events_truncated").is_none());
    }

    #[test]
    fn too_many_events_are_not_kept_while_reading_goes_on() {
        let stage = Stage::new();
        let pad = "x".repeat(1 << 20);
        std::fs::write(
            stage.path("big"),
            format!("{{\"type\":\"turn.started\",\"x\":\"{pad}\"}}\n"),
        )
        .unwrap();
        stage.program(
            "agent",
            &format!("for i in $(seq 60); do cat $STAGE/big; done; {}", cat(CODEX_OK)),
        );
        let (done, record) = stage.record(&["--with-events", "--", "agent"]);
        assert_eq!(done.code, Some(0));
        assert_eq!(record["harness_metadata"]["stream_events_truncated"], true);
        assert!(record["stream_events"].as_array().unwrap().len() < 60);
        assert_eq!(record["input_tokens"], 1200, "the end was read all the same");
        let warnings = record["warnings"].as_array().unwrap();
        let told =
            |warning: &Value| warning.as_str().unwrap().starts_with("stream-events-truncated:");
        assert_eq!(warnings.iter().filter(|warning| told(warning)).count(), 1);
    }

    #[test]
    fn the_last_message_file_is_the_text_when_there_is_no_other() {
        let stage = Stage::new();
        let body = "while [ \"$1\" != --output-last-message ]; do shift; done; printf 'from the file' > $2;
            echo '{\"type\":\"thread.started\",\"thread_id\":\"t\"}';
            echo '{\"type\":\"turn.completed\",\"usage\":{}}'";
        stage.program("codex", body);
        let (done, record) = stage.record(&["--", "codex", "exec", "hi"]);
        assert_eq!(done.stdout, "from the file\n");
        assert_eq!(record["output"], "from the file");
        let warnings = record["warnings"].as_array().unwrap();
        assert!(warnings[0].as_str().unwrap().starts_with("last-message-empty:"), "{warnings:?}");
        assert_eq!(record["succeeded_cleanly"], true, "advisory only");
        // With a message in the stream the file does not matter.
        stage.program("codex", &format!("{body}; {}", cat(CODEX_OK)));
        let (done, record) = stage.record(&["--", "codex", "exec", "hi"]);
        assert_eq!(done.stdout, "Hello from the fake model.\n");
        let warnings = record["warnings"].to_string();
        assert!(!warnings.contains("last-message-empty:"), "{warnings}");
    }

    #[test]
    fn a_file_of_the_users_own_for_the_last_message_stays() {
        let stage = Stage::new();
        stage.program("codex", "printf mine > $STAGE/own");
        let own = stage.path("own");
        let (_, record) = stage.record(&["--", "codex", "exec", "-o", own.to_str().unwrap(), "hi"]);
        assert_eq!(record["output"], "mine");
        assert_eq!(record["harness_metadata"]["last_message_path"], own.to_str().unwrap());
        assert!(own.exists());
    }

    #[test]
    fn when_nobody_reads_the_run_is_ended_unless_it_is_kept() {
        let stage = Stage::new();
        // A tool that would run for ever beside a stream that says nothing.
        let body =
            format!("echo $$ > $STAGE/pid; {}; sleep 1000", cat("codex/signal_sigterm_midtool"));
        stage.program("agent", &body);
        let mut child =
            stage.streamj(&["wrap", "-q", "--", "agent"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 8]).unwrap();
        let agent = stage.pid("pid");
        drop(stdout);
        assert_eq!(child.wait().unwrap().code(), Some(141));
        assert!(!is_alive(agent));

        stage.program("agent", &format!("{}; sleep 0.3; touch $STAGE/done", cat(CODEX_OK)));
        let record = stage.path("r.json");
        let mut child = stage
            .streamj(&["wrap", "-q", "--record", record.to_str().unwrap(), "--", "agent"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(stage.path("done").exists());
        let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        assert_eq!(record["output"], "Hello from the fake model.");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported_and_the_run_goes_on() {
        let stage = Stage::new();
        stage.program("agent", &format!("{}; touch $STAGE/done", cat(CODEX_OK)));
        let done = stage.wrap(&["--tee", "/dev/full", "--", "agent"]);
        assert_eq!(done.stdout, "Hello from the fake model.\n");
        assert!(done.stderr.contains("/dev/full: cannot write: "), "{done:?}");
        assert_eq!(done.code, Some(125), "something was lost");
        assert!(stage.path("done").exists());
        // Our own output is all there is: without it the run is ended.
        stage.program("agent", &format!("{}; sleep 1000", cat(CODEX_OK)));
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = stage.streamj(&["wrap", "--", "agent"]).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(125));
        assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write: "));
    }

    #[test]
    fn a_folder_that_goes_away_is_a_record_that_cannot_be_written() {
        let stage = Stage::new();
        std::fs::create_dir(stage.path("sub")).unwrap();
        stage.program("agent", &format!("rm -rf $STAGE/sub; {}", cat(CODEX_OK)));
        let record = stage.path("sub/r.json");
        let done = stage.wrap(&["--record", record.to_str().unwrap(), "--", "agent"]);
        assert_eq!(done.stdout, "Hello from the fake model.\n");
        assert!(done.stderr.contains("r.json: cannot write the record: "), "{done:?}");
        assert_eq!(done.code, Some(125));
    }
}

mod clocks {
    use super::*;

    #[test]
    fn a_run_that_takes_too_long_is_ended_and_what_it_said_is_kept() {
        let stage = Stage::new();
        let body =
            format!("echo $$ > $STAGE/pid; {}; sleep 1000", cat("codex/signal_sigterm_midtool"));
        stage.program("codex", &body);
        let (done, record) = stage.record(&["--timeout", "500ms", "--", "codex", "exec", "hi"]);
        assert_eq!((done.stdout.as_str(), done.code), ("Running something long.\n", Some(124)));
        assert_eq!(record["exit_code"], -1);
        assert_eq!(
            (&record["error"], &record["error_category"]),
            (&json!("timeout"), &json!("timeout"))
        );
        assert_eq!(record["output"], "Running something long.");
        assert!(!is_alive(stage.pid("pid")));
    }

    #[test]
    fn the_timeout_wins_over_every_other_error() {
        let stage = Stage::new();
        stage.program("claude", &format!("{}; sleep 1000", cat("claude/err_401")));
        let (done, record) =
            stage.record(&["--timeout", "500ms", "--exit-grace", "0", "--", "claude", "hi"]);
        assert_eq!(done.code, Some(124));
        assert_eq!(
            (&record["error"], &record["error_category"]),
            (&json!("timeout"), &json!("timeout"))
        );
        let done = stage.wrap(&[
            "--timeout",
            "500ms",
            "--exit-grace",
            "0",
            "--exit-status",
            "category",
            "--",
            "claude",
            "hi",
        ]);
        assert_eq!(done.code, Some(124));
    }

    #[test]
    fn silence_is_counted_from_the_last_output() {
        let stage = Stage::new();
        let body = "for i in 1 2 3 4 5; do echo '{\"type\":\"turn.started\"}'; sleep 0.3; done; sleep 1000";
        stage.program("agent", body);
        let done = stage.wrap(&["--idle-timeout", "1500ms", "--as", "events", "--", "agent"]);
        assert_eq!(done.code, Some(124));
        assert_eq!(done.stdout.lines().count(), 5);
    }

    #[test]
    fn after_the_result_the_run_is_judged_by_it_and_not_by_the_kill() {
        let stage = Stage::new();
        for (name, code, recorded) in [
            (CLAUDE_OK, 0, 0),
            (CODEX_OK, 0, 0),
            ("codex/no_auth", 1, 1),
            ("claude_2_0_77/max_turns_1", 1, 1),
        ] {
            stage.program("agent", &format!("{}; sleep 1000", cat(name)));
            let (done, record) = stage.record(&["--exit-grace", "200ms", "--", "agent"]);
            assert_eq!(done.code, Some(code), "{name}");
            assert_eq!(record["exit_code"], recorded, "{name}");
            assert_eq!(record["succeeded_cleanly"], code == 0, "{name}");
        }
    }

    #[test]
    fn any_output_after_the_result_starts_the_grace_anew() {
        let stage = Stage::new();
        let body = format!(
            "{}; for i in 1 2 3 4; do sleep 0.5; echo '{{\"type\":\"system\",\"subtype\":\"status\"}}'; done; {}",
            cat(CLAUDE_OK),
            cat("claude/multi_block_message"),
        );
        stage.program("agent", &body);
        let done = stage.wrap(&["--exit-grace", "1500ms", "--", "agent"]);
        assert_eq!(done.code, Some(0));
        assert!(done.stdout.ends_with("Five.\n"), "{done:?}");
    }

    #[test]
    fn a_pending_background_task_stops_the_grace() {
        let stage = Stage::new();
        let task = r#"echo '{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a"}]}'"#;
        let body =
            format!("{task}; {}; sleep 1; {}", cat(CLAUDE_OK), cat("claude/multi_block_message"));
        stage.program("agent", &body);
        let done = stage.wrap(&["--exit-grace", "100ms", "--", "agent"]);
        assert!(done.stdout.ends_with("Five.\n"), "{done:?}");
        let done = stage.wrap(&["--exit-grace", "100ms", "--as", "text --last", "--", "agent"]);
        assert_eq!(done.stdout, "Five.\n");
    }

    #[test]
    fn standard_input_that_is_still_handed_on_stops_the_grace() {
        let stage = Stage::new();
        stage.program(
            "agent",
            &format!("{}; cat > $STAGE/input; touch $STAGE/done", cat(CLAUDE_OK)),
        );
        let mut child = stage
            .streamj(&["wrap", "-q", "--exit-grace", "100ms", "--", "agent"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::sleep(Duration::from_millis(800));
        stdin.write_all(b"later").unwrap();
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(stage.path("done").exists());
        assert_eq!(std::fs::read_to_string(stage.path("input")).unwrap(), "later");
    }

    #[test]
    fn a_child_that_ignores_the_request_is_killed() {
        let stage = Stage::new();
        stage.program("agent", "trap '' TERM; echo $$ > $STAGE/pid; while :; do sleep 1; done");
        let done = stage.wrap(&["--timeout", "300ms", "--kill-after", "200ms", "--", "agent"]);
        assert_eq!(done.code, Some(124));
        assert!(!is_alive(stage.pid("pid")));
    }

    #[test]
    fn a_child_that_is_stopped_is_ended_all_the_same() {
        let stage = Stage::new();
        let body = "trap 'echo ended > $STAGE/ended; exit' TERM; echo $$ > $STAGE/pid; kill -STOP $$; sleep 1000";
        stage.program("agent", body);
        let done = stage.wrap(&["--timeout", "500ms", "--", "agent"]);
        assert_eq!(done.code, Some(124));
        assert!(!is_alive(stage.pid("pid")));
        assert!(stage.path("ended").exists(), "it heard the request");
    }
}

mod nothing_left {
    use super::*;

    /// Leaves its process id in a file and sleeps.
    fn sleeper(file: &str) -> String {
        format!(
            "sh -c 'echo $$ > $STAGE/{file}.new; mv $STAGE/{file}.new $STAGE/{file}; exec sleep 1000'"
        )
    }

    fn await_file(file: &str) -> String {
        format!("while [ ! -e $STAGE/{file} ]; do sleep 0.01; done")
    }

    #[test]
    fn children_in_the_group_end_with_the_run() {
        let stage = Stage::new();
        let body = format!("{} & {}; {}", sleeper("pid"), await_file("pid"), cat(CODEX_OK));
        stage.program("agent", &body);
        let done = stage.wrap(&["--", "agent"]);
        assert_eq!(done.code, Some(0));
        assert!(!is_alive(stage.pid("pid")));
    }

    #[cfg(all(target_os = "linux", not(test_hooks)))]
    #[test]
    fn a_grandchild_in_its_own_session_that_keeps_the_output_open_is_ended() {
        let stage = Stage::new();
        let body = format!("setsid {} & {}; {}", sleeper("pid"), await_file("pid"), cat(CODEX_OK));
        stage.program("agent", &body);
        let done = stage.wrap(&["--", "agent"]);
        assert_eq!((done.stdout.as_str(), done.code), ("Hello from the fake model.\n", Some(0)));
        assert!(!is_alive(stage.pid("pid")));
    }

    #[cfg(all(target_os = "linux", not(test_hooks)))]
    #[test]
    fn a_daemon_whose_parent_is_gone_is_ended() {
        let stage = Stage::new();
        let daemon = format!(
            "setsid sh -c \"{} >/dev/null 2>&1 </dev/null &\"",
            sleeper("pid").replace('\'', "\\'").replace("\\'", "'").replace('$', "\\$")
        );
        stage.program("agent", &format!("{daemon}; {}; {}", await_file("pid"), cat(CODEX_OK)));
        let done = stage.wrap(&["--", "agent"]);
        assert_eq!(done.code, Some(0), "{done:?}");
        assert!(!is_alive(stage.pid("pid")));
    }

    #[cfg(all(target_os = "linux", not(test_hooks)))]
    #[test]
    fn tools_in_sessions_of_their_own_end_with_a_timeout_too() {
        let stage = Stage::new();
        let stubborn = "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > $STAGE/pid; while :; do sleep 1; done'";
        stage.program("agent", &format!("{stubborn} & {}; wait", await_file("pid")));
        let done = stage.wrap(&["--timeout", "500ms", "--kill-after", "300ms", "--", "agent"]);
        assert_eq!(done.code, Some(124));
        assert!(!is_alive(stage.pid("pid")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_child_dies_when_we_are_killed() {
        let stage = Stage::new();
        stage.program("agent", "echo $$ > $STAGE/pid; exec sleep 1000");
        let mut child = stage.streamj(&["wrap", "--", "agent"]).spawn().unwrap();
        let agent = stage.pid("pid");
        assert!(is_alive(agent));
        child.kill().unwrap();
        child.wait().unwrap();
        wait_for(|| !is_alive(agent));
    }

    #[test]
    fn a_parent_that_ignores_its_children_changes_nothing() {
        let stage = Stage::new();
        stage.program("agent", &format!("{}; exit 3", cat(CODEX_OK)));
        let script = format!("trap '' CHLD; exec {BIN} wrap -q -- agent");
        let path = format!("{}:{}", stage.folder.path().display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-c", &script])
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(3));
    }

    #[test]
    fn many_runs_leave_no_process_file_or_descriptor() {
        let stage = Stage::new();
        stage.program("codex", &format!("sleep 1000 > /dev/null 2>&1 & {}", cat(CODEX_OK)));
        for _ in 0..200 {
            let done = stage.wrap(&["-q", "--", "codex", "exec", "hi"]);
            assert_eq!(done.code, Some(0), "{done:?}");
        }
        assert_eq!(stage.leftovers(), Vec::<String>::new());
        let table = Command::new("ps").args(["-eo", "args"]).output().unwrap();
        let table = String::from_utf8_lossy(&table.stdout).into_owned();
        let ours = stage.folder.path().to_str().unwrap();
        assert!(!table.contains(ours), "{table}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_child_gets_no_descriptor_of_ours() {
        let stage = Stage::new();
        stage.program("agent", "ls -l /proc/$$/fd > $STAGE/fds");
        let tee = stage.path("the-tee");
        let record = stage.path("the-record");
        let files = ["--tee", tee.to_str().unwrap(), "--record", record.to_str().unwrap()];
        stage.wrap(&[&files[..], &["--", "agent"]].concat());
        let open = std::fs::read_to_string(stage.path("fds")).unwrap();
        assert!(open.contains("pipe:"), "{open}");
        for ours in ["the-tee", "streamj", "socket:"] {
            assert!(!open.contains(ours), "{open}");
        }
    }
}

mod signals {
    use super::*;

    /// Starts a run that tells when it is there.
    fn start(stage: &Stage, body: &str, args: &[&str]) -> (Child, Pid) {
        // It must not be starting anything when it is stopped: a shell whose
        // child is stopped before its exec is not stopped, but stuck.
        let idle = "sleep 1000 >/dev/null 2>&1 &
            echo $$ > $STAGE/pid
            while kill -0 $!; do wait $!; done";
        stage.program("agent", &format!("{body}\n{idle}"));
        let args = [&["wrap", "-q"], args, &["--", "agent"]].concat();
        let child = stage.streamj(&args).stdout(Stdio::piped()).spawn().unwrap();
        let agent = stage.pid("pid");
        (child, agent)
    }

    #[test]
    fn signals_are_forwarded_and_decide_the_exit_status() {
        for (signal, name, code) in
            [(Signal::INT, "INT", 130), (Signal::TERM, "TERM", 143), (Signal::HUP, "HUP", 129)]
        {
            let stage = Stage::new();
            // Ends well when asked, as Claude does.
            let body = format!("trap 'echo {name} > $STAGE/heard; exit 0' {name}");
            let (mut child, agent) = start(&stage, &body, &[]);
            kill_process(pid_of(&child), signal).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(code), "{name}");
            assert_eq!(std::fs::read_to_string(stage.path("heard")).unwrap().trim(), name);
            assert!(!is_alive(agent), "{name}");
        }
    }

    #[test]
    fn the_second_interrupt_kills() {
        let stage = Stage::new();
        let body = "trap 'echo once >> $STAGE/heard' INT";
        let (mut child, agent) = start(&stage, body, &["--kill-after", "1h"]);
        kill_process(pid_of(&child), Signal::INT).unwrap();
        wait_for(|| stage.path("heard").exists());
        kill_process(pid_of(&child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!is_alive(agent));
        assert_eq!(std::fs::read_to_string(stage.path("heard")).unwrap(), "once\n");
    }

    #[test]
    fn the_record_is_written_when_we_are_signalled() {
        let stage = Stage::new();
        let record = stage.path("r.json");
        let (mut child, _) = start(&stage, &cat(CODEX_OK), &["--record", record.to_str().unwrap()]);
        kill_process(pid_of(&child), Signal::TERM).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(143));
        let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        assert_eq!(record["output"], "Hello from the fake model.");
        assert_eq!(stage.leftovers(), Vec::<String>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn ctrl_z_stops_all_of_it_and_fg_goes_on() {
        let is_stopped = |pid: Pid| state(pid).unwrap() == "T";
        let stage = Stage::new();
        let body = "trap 'exit 5' USR1";
        let (mut child, agent) = start(&stage, body, &["--timeout", "1h"]);
        kill_process(pid_of(&child), Signal::TSTP).unwrap();
        wait_for(|| is_stopped(pid_of(&child)) && is_stopped(agent));
        kill_process(pid_of(&child), Signal::CONT).unwrap();
        wait_for(|| !is_stopped(agent) && !is_stopped(pid_of(&child)));
        kill_process(agent, Signal::USR1).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(5));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn under_nohup_a_hangup_is_nothing() {
        let stage = Stage::new();
        stage.program(
            "agent",
            "echo $$ > $STAGE/pid; while [ ! -e $STAGE/go ]; do sleep 0.01; done",
        );
        let script = format!("trap '' HUP; exec {BIN} wrap -q -- agent");
        let mut command = stage.streamj(&[]);
        let path =
            command.get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .env("PATH", path)
            .env("STAGE", stage.folder.path())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        stage.pid("pid");
        kill_process(pid_of(&child), Signal::HUP).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        std::fs::write(stage.path("go"), "").unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        command.arg0("unused");
    }

    #[test]
    fn the_childs_own_end_is_ours() {
        let stage = Stage::new();
        stage.program("agent", "exit 42");
        assert_eq!(stage.wrap(&["--", "agent"]).code, Some(42));
        stage.program("agent", "kill -SEGV $$");
        let (done, record) = stage.record(&["--", "agent"]);
        assert_eq!(done.code, Some(139));
        assert_eq!(record["exit_code"], 139);
        // A run whose stream says that it failed never ends well.
        stage.program("agent", &cat("claude_2_0_77/max_turns_1"));
        assert_eq!(stage.wrap(&["--", "agent"]).code, Some(1));
        assert_eq!(stage.wrap(&["--exit-status", "child", "--", "agent"]).code, Some(0));
        stage.program("agent", &cat("claude/err_429_unified_oauth"));
        assert_eq!(stage.wrap(&["--exit-status", "category", "--", "agent"]).code, Some(75));
        stage.program("agent", "exit 9");
        assert_eq!(stage.wrap(&["--exit-status", "category", "--", "agent"]).code, Some(70));
    }
}

mod standard_input {
    use super::*;

    fn fed(stage: &Stage, args: &[&str], input: &[u8]) -> Done {
        let mut child = stage
            .streamj(&[&["wrap"], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        Done::of(&child.wait_with_output().unwrap())
    }

    #[test]
    fn a_pipe_and_a_file_are_handed_through() {
        let stage = Stage::new();
        stage.program("claude", &format!("cat > $STAGE/input; {}", cat(CLAUDE_OK)));
        let done = fed(&stage, &["-q", "--", "claude", "-p", "review this"], b"a diff\n");
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(std::fs::read_to_string(stage.path("input")).unwrap(), "a diff\n");
        let file = std::fs::File::open(fixture(CODEX_OK)).unwrap();
        let status =
            stage.streamj(&["wrap", "-q", "--", "claude", "x"]).stdin(file).status().unwrap();
        assert!(status.success());
        let input = std::fs::read(stage.path("input")).unwrap();
        assert_eq!(input, std::fs::read(fixture(CODEX_OK)).unwrap());
        let done = fed(&stage, &["-q", "--no-stdin", "--", "claude", "x"], b"ignored");
        assert_eq!(done.code, Some(0));
        assert_eq!(std::fs::read_to_string(stage.path("input")).unwrap(), "");
    }

    #[test]
    fn a_terminal_is_not_handed_through_unless_the_command_asks_for_it() {
        let stage = Stage::new();
        stage.program("claude", &format!("cat > $STAGE/input; {}", cat(CLAUDE_OK)));
        let (_person, program) = terminal();
        let status =
            stage.streamj(&["wrap", "-q", "--", "claude", "hi"]).stdin(program).status().unwrap();
        assert!(status.success());
        assert_eq!(std::fs::read_to_string(stage.path("input")).unwrap(), "");

        let (mut person, program) = terminal();
        let mut child =
            stage.streamj(&["wrap", "-q", "--", "claude", "-p"]).stdin(program).spawn().unwrap();
        // A line, and the end of input as a person types it.
        person.write_all(b"what next\n\x04").unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(std::fs::read_to_string(stage.path("input")).unwrap(), "what next\n");
    }

    #[test]
    fn a_silent_child_and_an_open_pipe_are_noticed_once() {
        let stage = Stage::new();
        stage.program("agent", "cat > /dev/null");
        let mut child = stage
            .streamj(&["wrap", "--", "agent"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let mut notice = [0; 200];
        let count = stderr.read(&mut notice).unwrap();
        let notice = String::from_utf8_lossy(&notice[..count]).into_owned();
        assert!(
            notice.starts_with("streamj: no output yet, and standard input is open"),
            "{notice}"
        );
        drop(stdin);
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert!(child.wait().unwrap().success());
    }
}

mod standard_error {
    use super::*;
    use crate::support::warnings;

    const REDACTED: &str = "<line redacted: matched auth-leak pattern>";

    #[test]
    fn it_is_passed_on_without_secrets_and_never_taken_for_events() {
        let stage = Stage::new();
        let body = "echo plain >&2; echo \"the key is $MY_SECRET\" >&2; echo 'Authorization: x' >&2;
            echo 'sk-ant-api03-abcdefghijkl' >&2;
            echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"fake\"}}' >&2";
        stage.program("codex", &format!("{body}; {}", cat(CODEX_OK)));
        let (done, record) = stage.record(&[
            "-q",
            "--env",
            "MY_SECRET=hunter2-hunter2",
            "--",
            "codex",
            "exec",
            "hi",
        ]);
        let fake = r#"{"type":"item.completed","item":{"type":"agent_message","text":"fake"}}"#;
        let expected = format!("plain\n{REDACTED}\n{REDACTED}\n{REDACTED}\n{fake}\n");
        assert_eq!(done.stderr, expected);
        assert_eq!(record["stderr"], expected);
        assert_eq!(record["output"], "Hello from the fake model.");
        assert_eq!(done.stdout, "Hello from the fake model.\n");
    }

    #[test]
    fn a_mebibyte_before_the_first_word_blocks_nobody() {
        let stage = Stage::new();
        let body = "head -c 1048576 /dev/zero | tr '\\0' 'x' | fold -w 100 >&2";
        stage.program("agent", &format!("{body}; {}", cat(CODEX_OK)));
        let (done, record) = stage.record(&["--", "agent"]);
        assert_eq!(done.stdout, "Hello from the fake model.\n");
        assert!(done.stderr.len() > 1 << 20);
        assert!(record["stderr"].as_str().unwrap().len() <= 8192);
        assert!(record["stderr"].as_str().unwrap().contains("(truncated)"));
    }

    #[test]
    fn control_characters_are_shown_on_a_terminal() {
        let stage = Stage::new();
        stage.program("agent", "printf 'a\\033[31mb\\rc\\n' >&2");
        let (person, program) = terminal();
        let mut command = stage.streamj(&["wrap", "--", "agent"]);
        command.stdout(Stdio::null()).stderr(program);
        let mut child = command.spawn().unwrap();
        drop(command);
        assert_eq!(shown_on(person), "a^[[31mb^Mc\n");
        child.wait().unwrap();
    }

    #[test]
    fn a_deprecation_is_an_advisory_warning() {
        let stage = Stage::new();
        stage.program(
            "codex",
            &format!("echo 'warning: --foo is deprecated' >&2; {}", cat(CODEX_OK)),
        );
        let (_, record) = stage.record(&["--", "codex", "exec", "hi"]);
        assert_eq!(warnings(&record), ["codex-deprecation: warning: --foo is deprecated"]);
        assert_eq!(
            (&record["error_category"], &record["succeeded_cleanly"]),
            (&Value::Null, &json!(true))
        );
    }

    #[test]
    fn it_is_the_error_of_a_run_that_fails_without_telling() {
        let stage = Stage::new();
        stage.program("codex", "echo 'Error: no such profile' >&2; exit 1");
        let (done, record) = stage.record(&["--", "codex", "exec", "hi"]);
        assert_eq!(done.code, Some(1));
        assert_eq!(record["error"], "Error: no such profile");
        assert_eq!(record["error_category"], "subprocess");
        // What the stream tells is better.
        stage.program("codex", &format!("echo noise >&2; {}; exit 1", cat("codex/no_auth")));
        let (_, record) = stage.record(&["--", "codex", "exec", "hi"]);
        assert_eq!(record["error_category"], "auth");
    }

    #[test]
    fn a_last_line_cut_at_65536_bytes_is_survived() {
        let stage = Stage::new();
        stage.program("codex", &cat("codex/signal_sigkill_blocked_writer"));
        let (done, record) = stage.record(&["--", "codex", "exec", "hi"]);
        assert_eq!(done.code, Some(0));
        assert_eq!(record["lines"]["malformed"], 1);
        assert!(done.stderr.contains("streamj: codex:3: not JSON"), "{done:?}");
    }
}

mod credentials {
    use super::*;

    #[test]
    fn codex_auth_is_looked_for_in_the_environment_the_child_gets() {
        let stage = Stage::new();
        stage.program("codex", &cat(CODEX_OK));
        let source = |args: &[&str]| {
            let (done, record) = stage.record(&[args, &["--", "codex", "exec", "hi"]].concat());
            let source = record["harness_metadata"]["auth_source"].as_str().unwrap().to_owned();
            assert!(done.stderr.contains(&format!("streamj: codex auth={source}")), "{done:?}");
            source
        };
        assert_eq!(source(&[]), "unknown");
        assert_eq!(source(&["--env", "OPENAI_API_KEY=x"]), "OPENAI_API_KEY");
        assert_eq!(
            source(&["--env", "OPENAI_API_KEY=x", "--env", "CODEX_API_KEY=y"]),
            "CODEX_API_KEY"
        );
        assert_eq!(source(&["--env", "OPENAI_API_KEY=x", "--strip-auth"]), "unknown");
        assert_eq!(source(&["--env", "OPENAI_API_KEY=x", "--unset", "OPENAI_API_KEY"]), "unknown");
        std::fs::create_dir(stage.path(".codex")).unwrap();
        std::fs::write(stage.path(".codex/auth.json"), "{}").unwrap();
        assert_eq!(source(&[]), "cached");
    }

    #[test]
    fn labels_follow_and_are_harmless() {
        let stage = Stage::new();
        stage.program("codex", &cat(CODEX_OK)).program("claude", &cat(CLAUDE_OK));
        let done = stage.wrap(&["--subject", "L2\u{1b}[31m\n", "--", "codex", "exec", "hi"]);
        assert_eq!(done.stderr, "streamj: codex auth=unknown (L2)\n");
        let done = stage.wrap(&["--subject", "judge", "--", "claude", "hi"]);
        assert_eq!(done.stderr, "streamj: apiKeySource=ANTHROPIC_API_KEY (judge)\n");
        let done = stage.wrap(&["-q", "--", "codex", "exec", "hi"]);
        assert_eq!(done.stderr, "");
    }

    #[test]
    fn the_child_gets_the_environment_and_the_folder_it_is_given() {
        let stage = Stage::new();
        stage.program("claude", "env | sort > $STAGE/env; pwd > $STAGE/pwd");
        let args = [
            "-q",
            "--strip-auth",
            "--env",
            "ADDED=1",
            "--unset",
            "REMOVED",
            "--cwd",
            "/usr",
            "--",
            "claude",
            "hi",
        ];
        let mut command = stage.streamj(&[&["wrap"], &args[..]].concat());
        command.env("REMOVED", "x").env("ANTHROPIC_API_KEY", "a").env("OPENAI_API_KEY", "o");
        assert!(command.status().unwrap().success());
        let environment = std::fs::read_to_string(stage.path("env")).unwrap();
        assert!(environment.contains("ADDED=1\n"));
        assert!(!environment.contains("REMOVED="));
        assert!(!environment.contains("ANTHROPIC_API_KEY="));
        assert!(environment.contains("OPENAI_API_KEY="), "that is not Claude's");
        assert_eq!(std::fs::read_to_string(stage.path("pwd")).unwrap(), "/usr\n");
    }

    #[test]
    fn a_secret_in_the_command_line_is_not_in_the_record() {
        let stage = Stage::new();
        stage.program("agent", "exit 0");
        let (_, record) = stage.record(&["--", "agent", "sk-ant-api03-abcdefghijkl", "plain"]);
        assert_eq!(record["command"], json!(["agent", "<redacted>", "plain"]));
    }
}

/// What Claude prints when it was asked for a document.
fn answer(document: &str) -> String {
    format!(
        r#"echo '{{"type":"assistant","session_id":"s1","message":{{"id":"m","content":[{{"type":"text","text":"[EVENT:critical:db] down\\n[COOLDOWN:restart:db] success - up"}}]}}}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","structured_output":{document}}}'"#
    )
}

const NUMBER: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

fn schema_file(stage: &Stage, text: &str) -> String {
    let path = stage.path("schema.json");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_schema_is_given_to_claude_as_text_and_to_codex_as_a_file() {
    let stage = Stage::new();
    let path = schema_file(&stage, NUMBER);
    let keep = r#"for word; do printf '%s\n' "$word"; done >$STAGE/words"#;
    stage.program("claude", &format!("{keep}\n{}", answer(r#"{"n":1}"#)));
    let done = stage.wrap(&["--schema", &path, "--", "claude", "hi"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let words = std::fs::read_to_string(stage.path("words")).unwrap();
    assert!(words.starts_with(&format!("--json-schema\n{NUMBER}\n-p\n")), "{words}");

    stage.program("codex", &format!("{keep}\nfor word; do [ \"$last\" = --output-schema ] && cat \"$word\" >$STAGE/seen; last=$word; done\necho '{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"{{\\\\\"n\\\\\":1}}\"}}}}'\necho '{{\"type\":\"turn.completed\",\"usage\":{{}}}}'"));
    std::fs::create_dir(stage.path("elsewhere")).unwrap();
    let elsewhere = stage.path("elsewhere");
    let done = Done::of(
        &stage
            .streamj(&[
                "wrap",
                "--schema",
                "schema.json",
                "--cwd",
                elsewhere.to_str().unwrap(),
                "--",
                "codex",
                "exec",
                "hi",
            ])
            .current_dir(stage.folder.path())
            .output()
            .unwrap(),
    );
    assert_eq!((done.stdout.as_str(), done.code), ("{\"n\":1}\n", Some(0)), "{done:?}");
    assert_eq!(std::fs::read_to_string(stage.path("seen")).unwrap(), NUMBER);
}

#[test]
fn a_document_that_breaks_its_schema_is_a_warning_in_the_record_and_exit_1() {
    let stage = Stage::new();
    let path = schema_file(&stage, NUMBER);
    stage.program("claude", &answer(r#"{"n":"sk-ant-secret"}"#));
    let (done, record) = stage.record(&["--schema", &path, "--", "claude", "hi"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("streamj: structured: /n: "), "{done:?}");
    assert!(!done.stderr.contains("secret"), "{done:?}");
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("structured: /n: "), "{warnings}");
    // The bare status is the bare status.
    let bare = stage.wrap(&["--schema", &path, "--exit-status", "child", "--", "claude", "hi"]);
    assert_eq!(bare.code, Some(0));

    stage.program("claude", &answer("null"));
    let (done, record) = stage.record(&["--schema", &path, "--", "claude", "hi"]);
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(record["warnings"].to_string().contains("structured: no structured output: "));
}

#[test]
fn without_a_file_the_schema_is_that_of_the_environment_or_the_shipped_one() {
    let stage = Stage::new();
    let path = schema_file(&stage, NUMBER);
    stage.program("claude", &answer(r#"{"n":1}"#));
    let wrap = ["wrap", "--schema", "--", "claude", "hi"];
    let named = stage.streamj(&wrap).env("CLAUDEOPS_SCHEMA_PATH", &path).output().unwrap();
    assert_eq!(named.status.code(), Some(0), "{named:?}");
    let shipped = stage.streamj(&wrap).env_remove("CLAUDEOPS_SCHEMA_PATH").output().unwrap();
    assert_eq!(shipped.status.code(), Some(1));
    let stderr = String::from_utf8(shipped.stderr).unwrap();
    assert!(stderr.contains("streamj: structured: \"summary\" is a required"), "{stderr}");
    // Without --schema the environment is nobody's business.
    let plain = stage.streamj(&["wrap", "--", "claude", "hi"]);
    let plain = { plain }.env("CLAUDEOPS_SCHEMA_PATH", "/nowhere").output().unwrap();
    assert_eq!(plain.status.code(), Some(0));
    assert_eq!(stage.leftovers(), [""; 0]);
}

#[test]
fn a_schema_that_cannot_be_used_starts_nothing() {
    let stage = Stage::new();
    stage.program("claude", "touch $STAGE/started");
    let broken = schema_file(&stage, "{not json");
    for (path, why) in [(&*broken, "not JSON"), ("/nowhere/s.json", "/nowhere/s.json: ")] {
        let done = stage.wrap(&["--schema", path, "--", "claude", "hi"]);
        assert_eq!(done.code, Some(125), "{done:?}");
        assert!(done.stderr.contains(why), "{done:?}");
    }
    let shown = format!("structured --schema {broken}");
    assert_eq!(stage.wrap(&["--as", &shown, "--", "claude", "hi"]).code, Some(125));
    assert!(!stage.path("started").exists());
}

#[test]
fn findings_are_printed_when_the_result_has_decided() {
    for (document, first) in [
        ("null", r#"{"kind":"event","level":"critical","service":"db""#),
        (r#"{"summary":"s"}"#, r#"{"kind":"summary","text":"s""#),
    ] {
        let stage = Stage::new();
        // It goes on after its result until the test says so.
        let wait = "while [ ! -e $STAGE/enough ]; do sleep 0.05; done";
        stage.program("claude", &format!("{}\n{wait}", answer(document)));
        let mut child = stage
            .streamj(&["wrap", "--as", "findings", "--exit-grace", "0", "--", "claude", "hi"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines =
            std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        let line = lines.next().unwrap().unwrap();
        assert!(line.starts_with(first), "{line}");
        std::fs::write(stage.path("enough"), "").unwrap();
        let rest: Vec<_> = lines.map(Result::unwrap).collect();
        assert_eq!(rest.len(), 1, "the cooldown: {rest:?}");
        assert!(rest[0].contains("\"cooldown\""), "{rest:?}");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn two_results_that_say_the_same_are_not_found_twice() {
    let stage = Stage::new();
    let result = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"[EVENT:critical:db] down","session_id":"s1"}'"#;
    stage.program("claude", &format!("{}\n{result}", answer("null")));
    let done = stage.wrap(&["--as", "findings", "--", "claude", "hi"]);
    assert_eq!(done.stdout.matches("\"event\"").count(), 1, "{done:?}");
}

#[test]
fn a_document_that_is_only_in_the_file_of_the_last_message_is_the_document() {
    let stage = Stage::new();
    let path = schema_file(&stage, NUMBER);
    stage.program("codex", "for word; do [ \"$last\" = --output-last-message ] && printf '{\"n\":1}' >\"$word\"; last=$word; done\necho '{\"type\":\"turn.completed\",\"usage\":{}}'");
    for show in ["structured", "text"] {
        let done = stage.wrap(&["--schema", &path, "--as", show, "--", "codex", "exec", "hi"]);
        assert_eq!((done.stdout.as_str(), done.code), ("{\"n\":1}\n", Some(0)), "{done:?}");
    }
    let done = stage.wrap(&["--as", "findings", "--", "codex", "exec", "hi"]);
    assert_eq!((done.stdout.as_str(), done.code), ("", Some(0)), "{done:?}");
}

#[test]
fn a_schema_from_a_pipe_or_with_a_byte_order_mark_reaches_the_agent_whole() {
    let stage = Stage::new();
    let see = "for word; do [ \"$last\" = --output-schema ] && cat \"$word\" >$STAGE/seen; [ \"$last\" = --json-schema ] && printf %s \"$word\" >$STAGE/seen; last=$word; done";
    stage.program("codex", see).program("claude", see);
    let marked = schema_file(&stage, &format!("\u{feff}{NUMBER}"));
    for command in [&["codex", "exec", "hi"][..], &["claude", "hi"]] {
        for given in [marked.as_str(), "/dev/stdin"] {
            let _ = std::fs::remove_file(stage.path("seen"));
            let args = [&["wrap", "--no-stdin", "--schema", given, "--"], command].concat();
            let mut child = stage.streamj(&args).stdin(Stdio::piped()).spawn().unwrap();
            let _ = child.stdin.take().unwrap().write_all(NUMBER.as_bytes());
            child.wait().unwrap();
            let seen = std::fs::read_to_string(stage.path("seen")).unwrap();
            assert_eq!(seen, NUMBER, "{command:?} {given}");
        }
    }
    assert_eq!(stage.leftovers(), [""; 0]);
}

#[test]
fn who_is_not_asked_for_the_schema_is_named() {
    let stage = Stage::new();
    let path = schema_file(&stage, NUMBER);
    let done = stage.wrap(&["--schema", &path, "--", "true"]);
    assert!(done.stderr.contains("--schema: the command is not asked for it"), "{done:?}");
    stage.program("claude", &answer("null"));
    let done = stage.wrap(&["--schema", &path, "--as", "structured", "--", "claude", "hi"]);
    assert_eq!(done.stderr.matches("no structured output").count(), 1, "{done:?}");
    assert_eq!(done.code, Some(1));
}

#[test]
fn the_shipped_schema_is_strict_for_codex_and_as_printed_for_claude() {
    let stage = Stage::new();
    let see = "for word; do [ \"$last\" = --output-schema ] && cat \"$word\" >$STAGE/seen; [ \"$last\" = --json-schema ] && printf '%s\\n' \"$word\" >$STAGE/seen; last=$word; done";
    stage.program("codex", see).program("claude", see);
    let seen = |command: &[&str]| -> Value {
        let args = [&["wrap", "--schema", "--"], command].concat();
        stage.streamj(&args).env_remove("CLAUDEOPS_SCHEMA_PATH").output().unwrap();
        serde_json::from_slice(&std::fs::read(stage.path("seen")).unwrap()).unwrap()
    };
    let shipped = std::fs::read("schemas/agent-response.json").unwrap();
    let shipped: Value = serde_json::from_slice(&shipped).unwrap();
    assert_eq!(seen(&["claude", "hi"]), shipped);
    let strict = seen(&["codex", "exec", "hi"]);
    assert_eq!(strict["additionalProperties"], json!(false));
    assert_eq!(strict["required"].as_array().unwrap().len(), 5);
}
