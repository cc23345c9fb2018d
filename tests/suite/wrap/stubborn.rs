//! Readers that do not read, children that do not listen, users who do not
//! wait.

use super::*;

/// The two ends of a pipe; nobody reads until somebody does.
fn unread() -> (std::io::PipeReader, Stdio) {
    let (reader, writer) = std::io::pipe().unwrap();
    (reader, writer.into())
}

/// Waits for the end of a run, which must come by itself.
fn code(mut child: Child) -> Option<i32> {
    let pid = pid_of(&child);
    let code = std::cell::Cell::new(None);
    let child = std::cell::RefCell::new(&mut child);
    wait_for(|| {
        code.set(child.borrow_mut().try_wait().unwrap().map(|status| status.code()));
        code.get().is_some()
    });
    assert!(!is_alive(pid));
    code.get().unwrap()
}

fn text_line(text: &str) -> String {
    let item = json!({"id": "i", "type": "agent_message", "text": text});
    json!({"type": "item.completed", "item": item}).to_string()
}

const FLOOD: &str = "while :; do echo '{\"type\":\"turn.started\"}'; done";

#[test]
fn a_reader_of_our_standard_error_who_does_not_read_stops_neither_clocks_nor_record() {
    let stage = Stage::new();
    stage.program(
        "agent",
        "head -c 1000000 /dev/zero | tr '\\0' '\\n' >&2 & sleep 0.2; echo notjson; sleep 600",
    );
    let (_reader, writer) = unread();
    let record = stage.path("r.json");
    let args = ["wrap", "--timeout", "1s", "--record", record.to_str().unwrap(), "--", "agent"];
    let child = stage.streamj(&args).stderr(writer).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(code(child), Some(124));
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert_eq!(record["error"], "timeout");
}

#[test]
fn what_standard_error_said_is_kept_though_nobody_reads_it() {
    let stage = Stage::new();
    stage.program("agent", "echo the reason >&2; yes more | head -c 300000 >&2; exit 3");
    let (_reader, writer) = unread();
    let record = stage.path("r.json");
    let args = ["wrap", "--timeout", "5s", "--record", record.to_str().unwrap(), "--", "agent"];
    let child = stage.streamj(&args).stderr(writer).stdout(Stdio::null()).spawn().unwrap();
    code(child);
    let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
    assert!(record["stderr"].as_str().unwrap().starts_with("the reason\nmore\n"), "{record}");
}

#[test]
fn a_copy_nobody_reads_stops_no_clock() {
    let stage = Stage::new();
    stage.program("agent", FLOOD);
    let fifo = stage.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let _open = std::fs::File::options().read(true).write(true).open(&fifo).unwrap();
    let args = ["wrap", "--timeout", "1s", "--kill-after", "1s", "--tee", fifo.to_str().unwrap()];
    let args = [&args[..], &["--", "agent"]].concat();
    let child = stage.streamj(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(code(child), Some(124));
}

#[test]
fn a_terminal_nobody_looks_at_stops_no_clock() {
    let stage = Stage::new();
    stage.program("agent", FLOOD);
    let (_person, program) = terminal();
    let args = ["wrap", "--timeout", "1s", "--kill-after", "1s", "--as", "raw", "--", "agent"];
    let child = stage.streamj(&args).stdout(program).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(code(child), Some(124));
}

#[test]
fn the_second_interrupt_ends_even_a_run_whose_output_nobody_reads() {
    let stage = Stage::new();
    stage.program("agent", &format!("trap '' INT; echo $$ > $STAGE/pid; {FLOOD}"));
    let (_reader, writer) = unread();
    let args = ["wrap", "-q", "--kill-after", "1h", "--as", "raw", "--", "agent"];
    let child = stage.streamj(&args).stdout(writer).spawn().unwrap();
    let agent = stage.pid("pid");
    kill_process(pid_of(&child), Signal::INT).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    kill_process(pid_of(&child), Signal::INT).unwrap();
    assert_eq!(code(child), Some(130));
    assert!(!is_alive(agent));
}

#[test]
fn a_slow_reader_is_not_the_childs_silence() {
    let stage = Stage::new();
    stage
        .program("agent", &format!("yes '{}' | head -n 20000", text_line("a line of some length")));
    let (mut reader, writer) = unread();
    let args = ["wrap", "-q", "--idle-timeout", "500ms", "--", "agent"];
    let child = stage.streamj(&args).stdout(writer).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let reading = std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    assert_eq!(code(child), Some(0));
    assert_eq!(reading.join().unwrap().unwrap(), 20_000 * 22);
}

#[cfg(target_os = "linux")]
#[test]
fn signals_count_while_leftovers_are_waited_for() {
    let stage = Stage::new();
    stage.program(
        "agent",
        "(trap '' TERM INT; echo $$ > $STAGE/first; exec sleep 600) >/dev/null 2>&1 &
         echo $! > $STAGE/pid; exit 0",
    );
    let child =
        stage.streamj(&["wrap", "-q", "--kill-after", "1h", "--", "agent"]).spawn().unwrap();
    let leftover = stage.pid("pid");
    std::thread::sleep(Duration::from_millis(500));
    kill_process(pid_of(&child), Signal::INT).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    kill_process(pid_of(&child), Signal::INT).unwrap();
    let code = code(child);
    // Elsewhere the leftover is killed after a moment: too early for us.
    assert!(cfg!(test_hooks) || code == Some(130), "{code:?}");
    assert!(!is_alive(leftover));
}

#[test]
fn those_who_do_not_hear_an_interrupt_are_asked_again() {
    let stage = Stage::new();
    // A shell's background jobs ignore interrupts.
    stage.program(
        "agent",
        "(trap 'echo asked > $STAGE/asked; exit' TERM; echo > $STAGE/ready; while :; do sleep 0.05; done) &
         trap 'exit 0' INT; echo $$ > $STAGE/pid; while :; do sleep 0.05; done",
    );
    let child =
        stage.streamj(&["wrap", "-q", "--kill-after", "1h", "--", "agent"]).spawn().unwrap();
    stage.pid("pid");
    wait_for(|| stage.path("ready").exists());
    kill_process(pid_of(&child), Signal::INT).unwrap();
    assert_eq!(code(child), Some(130));
    assert!(stage.path("asked").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_signal_ends_us_the_run_is_ended_and_recorded() {
    for (signal, expected) in
        [(Signal::QUIT, 131), (Signal::USR1, 138), (Signal::USR2, 140), (Signal::ALARM, 142)]
    {
        let stage = Stage::new();
        stage.program("codex", "echo $$ > $STAGE/pid; exec sleep 600");
        let record = stage.path("r.json");
        let args = ["wrap", "-q", "--record", record.to_str().unwrap(), "--", "codex", "exec", "x"];
        let child = stage.streamj(&args).spawn().unwrap();
        let agent = stage.pid("pid");
        kill_process(pid_of(&child), signal).unwrap();
        assert_eq!(code(child), Some(expected));
        assert!(!is_alive(agent));
        let record: Value = serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap();
        assert_eq!(record["exit_code"], expected);
        assert_eq!(record["succeeded_cleanly"], false);
        assert_eq!(stage.leftovers(), Vec::<String>::new());
    }
}

#[test]
fn a_clock_runs_on_while_somebody_holds_the_output() {
    let stage = Stage::new();
    stage.program("agent", "(trap '' TERM; while :; do echo x; sleep 0.05; done) & exit 0");
    let done = stage.wrap(&["-q", "--timeout", "500ms", "--kill-after", "1s", "--", "agent"]);
    assert_eq!(done.code, Some(124), "{done:?}");
}

#[test]
fn a_child_that_closes_its_output_has_not_ended() {
    let stage = Stage::new();
    stage.program("agent", "exec >&-; sleep 1; exit 3");
    let (done, record) = stage.record(&["-q", "--exit-grace", "100ms", "--", "agent"]);
    assert_eq!((done.code, &record["exit_code"]), (Some(3), &json!(3)));
}

#[test]
fn a_turn_that_has_begun_after_a_result_stops_the_grace() {
    let stage = Stage::new();
    let recording = std::fs::read_to_string(fixture(CLAUDE_OK)).unwrap();
    std::fs::write(stage.path("init"), recording.lines().next().unwrap().to_owned() + "\n")
        .unwrap();
    stage.program(
        "claude",
        &format!("{}; cat $STAGE/init; sleep 1; {}", cat(CLAUDE_OK), cat(CLAUDE_OK)),
    );
    let (done, record) = stage.record(&["-q", "--exit-grace", "200ms", "--", "claude", "hi"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(record["lines"]["events"], 7);
}

#[test]
fn sockets_are_ends_like_pipes() {
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let stage = Stage::new();
    // Who gives us a socket and is done with it lets the grace begin.
    stage.program("agent", &format!("cat >/dev/null; {}; exec sleep 600", cat(CLAUDE_OK)));
    let (ours, theirs) = UnixStream::pair().unwrap();
    let args = ["wrap", "-q", "--exit-grace", "200ms", "--", "agent"];
    let child = stage.streamj(&args).stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).spawn();
    ours.shutdown(Shutdown::Write).unwrap();
    assert_eq!(code(child.unwrap()), Some(0));
    // Who closes the socket we write to does not want the run.
    stage.program("agent", "exec sleep 600");
    let (ours, theirs) = UnixStream::pair().unwrap();
    let child = stage.streamj(&["wrap", "-q", "--", "agent"]).stdout(OwnedFd::from(theirs)).spawn();
    drop(ours);
    assert_eq!(code(child.unwrap()), Some(141));
}

#[cfg(target_os = "linux")]
#[test]
fn jobs_from_before_are_left_alone_and_daemons_of_the_run_are_not() {
    let stage = Stage::new();
    stage.program(
        "agent",
        "setsid sh -c '(trap \"\" TERM HUP; echo $$ > $STAGE/x; exec sleep 600) & echo $! > $STAGE/daemon' >/dev/null 2>&1
         while [ ! -s $STAGE/daemon ]; do sleep 0.01; done",
    );
    let script =
        format!("sleep 600 & echo $! > $STAGE/before; exec {BIN} wrap -q --kill-after 1s -- agent");
    let template = stage.streamj(&[]);
    let mut command = Command::new("sh");
    command.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::null());
    for (name, value) in template.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    assert_eq!(code(command.spawn().unwrap()), Some(0));
    let before = stage.pid("before");
    let survived = is_alive(before);
    kill_process(before, Signal::KILL).unwrap();
    assert!(survived, "it was there before us");
    if !cfg!(test_hooks) {
        assert!(!is_alive(stage.pid("daemon")), "it came from the run");
    }
}

#[test]
fn a_record_replaces_files_only() {
    let stage = Stage::new();
    stage.program("claude", &cat(CLAUDE_OK));
    let wrap =
        |path: &Path| stage.wrap(&["-q", "--record", path.to_str().unwrap(), "--", "claude", "x"]);
    // A link stays one.
    let (real, link) = (stage.path("real.json"), stage.path("link.json"));
    std::fs::write(&real, "old").unwrap();
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("real.json", &link).unwrap();
    assert_eq!(wrap(&link).code, Some(0));
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().starts_with('{'));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // What is no file is written to.
    let fifo = stage.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let path = fifo.clone();
    let reader = std::thread::spawn(move || std::fs::read_to_string(path).unwrap());
    assert_eq!(wrap(&fifo).code, Some(0));
    assert!(reader.join().unwrap().starts_with('{'));
    assert!(!fifo.is_file());
    let done = wrap(Path::new("/dev/null"));
    assert_eq!((done.code, Path::new("/dev/null").is_file()), (Some(0), false));
    let done = wrap(Path::new("/dev/full"));
    assert_eq!(done.code, Some(125), "{done:?}");
    assert!(done.stderr.contains("/dev/full: cannot write the record"), "{done:?}");
    // A folder is found out before the run.
    stage.program("claude", "echo > $STAGE/ran");
    assert_eq!(wrap(stage.folder.path()).code, Some(125));
    assert!(!stage.path("ran").exists());
}

#[test]
fn nothing_is_emptied_for_a_command_that_is_not_run() {
    let stage = Stage::new();
    let tee = stage.path("tee");
    std::fs::write(&tee, "precious").unwrap();
    let tee = tee.to_str().unwrap();
    for wrong in
        [&["--env", "BAD"][..], &["--record", "no/such/r"], &["--record", tee], &["--unset", "A=B"]]
    {
        let done = stage.wrap(&[&["--tee", tee], wrong, &["--", "true"]].concat());
        assert_eq!(done.code, Some(125), "{wrong:?}");
        assert_eq!(std::fs::read_to_string(tee).unwrap(), "precious", "{wrong:?}");
    }
}

#[test]
fn an_answer_from_before_is_not_this_runs() {
    let stage = Stage::new();
    let failed = json!({"type": "turn.failed", "error": {"message": "no"}}).to_string();
    stage.program("codex", &format!("echo '{failed}'; exit 1"));
    std::fs::write(stage.path("old.txt"), "YESTERDAY").unwrap();
    let folder = stage.folder.path().to_str().unwrap();
    let args = ["-q", "--cwd", folder, "--", "codex", "exec", "-o", "old.txt", "hi"];
    let (done, record) = stage.record(&args);
    assert_eq!((done.stdout.as_str(), &record["output"]), ("", &json!("")));
    // What the run has written is found in the run's folder.
    stage.program("codex", "echo '{\"type\":\"turn.started\"}'; printf TODAY > old.txt");
    let (_, record) = stage.record(&args);
    assert_eq!(record["output"], "TODAY");
}

#[test]
fn general_options_behind_as_count() {
    let stage = Stage::new();
    stage.program("claude", &format!("echo notjson; {}", cat(CLAUDE_OK)));
    let shown = |show: &str| stage.wrap(&["--as", show, "--", "claude", "hi"]);
    let done = shown("session --get /nope");
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("no record has /nope"));
    assert_eq!(shown("text --strict").code, Some(1));
    assert!(!shown("text -q").stderr.contains("notjson") && shown("text -q").stderr.is_empty());
    assert!(shown("events --harness codex --get /harness").stdout.starts_with("codex\n"));
    for wrong in ["", "text --help", "text a.jsonl", "wrap -- x", "nonsense"] {
        assert_eq!(shown(wrong).code, Some(125), "{wrong:?}");
    }
}

#[test]
fn too_many_open_files_are_our_failure() {
    let stage = Stage::new();
    stage.program("claude", "exit 0");
    let path = stage.path("claude");
    let script = format!("ulimit -n 9; exec {BIN} wrap -- {}", path.display());
    let output = Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{output:?}");
}

#[test]
fn a_prompt_and_what_is_piped_in_both_reach_the_full_command() {
    let stage = Stage::new();
    stage.program("codex", &format!("cat > $STAGE/input; {}", cat(CODEX_OK)));
    let args =
        ["wrap", "-q", "--complete", "full", "--model", "M", "--", "codex", "exec", "review"];
    let mut child =
        stage.streamj(&args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"THE-DIFF\n").unwrap();
    assert_eq!(code(child), Some(0));
    assert_eq!(std::fs::read_to_string(stage.path("input")).unwrap(), "review\n\nTHE-DIFF\n");
}

#[test]
fn a_command_line_is_printed_as_a_shell_reads_it() {
    use std::os::unix::ffi::OsStrExt;
    let stage = Stage::new();
    let odd = std::ffi::OsStr::from_bytes(b"a\xff'b");
    let mut command = stage.streamj(&["wrap", "--dry-run", "--", "claude"]);
    let output = command.arg(odd).output().unwrap();
    let line = String::from_utf8(output.stdout).unwrap();
    assert!(line.ends_with("--verbose $'a\\xff\\'b'\n"), "{line}");
}

#[test]
fn an_argument_is_only_hidden_if_it_is_a_secret() {
    let stage = Stage::new();
    stage.program("claude", &cat(CLAUDE_OK));
    let (_, record) = stage.record(&["-q", "--", "claude", "fix the authorization bug"]);
    let command = record["command"].as_array().unwrap();
    assert_eq!(command.last().unwrap(), "fix the authorization bug");
}

#[test]
fn progress_of_a_task_nobody_saw_begin_does_not_end_the_others() {
    let stage = Stage::new();
    let line = |members: Value| {
        let mut line = json!({"type": "system", "session_id": "s", "uuid": "u"});
        line.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        line.to_string()
    };
    let pending = line(json!({"subtype": "background_tasks_changed", "tasks": [{"id": "b1"}]}));
    let progress =
        line(json!({"subtype": "task_progress", "task_id": "b1", "description": "d", "usage": {}}));
    let over = line(json!({"subtype": "background_tasks_changed", "tasks": []}));
    stage.program(
        "claude",
        &format!("echo '{pending}'; echo '{progress}'; {}; sleep 1; echo '{over}'; echo > $STAGE/went_on", cat(CLAUDE_OK)),
    );
    let done = stage.wrap(&["-q", "--exit-grace", "200ms", "--", "claude", "hi"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(stage.path("went_on").exists());
}

#[test]
fn credentials_are_looked_for_where_the_command_runs() {
    let stage = Stage::new();
    stage.program("codex", &cat(CODEX_OK));
    std::fs::create_dir_all(stage.path("sub/ch")).unwrap();
    std::fs::write(stage.path("sub/ch/auth.json"), "{}").unwrap();
    let sub = stage.path("sub");
    let args = [
        "-q",
        "--env",
        "CODEX_HOME=ch",
        "--cwd",
        sub.to_str().unwrap(),
        "--",
        "codex",
        "exec",
        "x",
    ];
    let (_, record) = stage.record(&args);
    assert_eq!(record["harness_metadata"]["auth_source"], "cached");
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let stage = Stage::new();
    stage.program("codex", "echo > $STAGE/ran");
    for wrong in [&["--model", "M"][..], &["--unset", ""], &["--unset", "A=B"], &["--env", "=x"]] {
        let done = stage.wrap(&[wrong, &["--", "codex", "exec", "x"]].concat());
        assert_eq!(done.code, Some(125), "{wrong:?}");
    }
    assert!(!stage.path("ran").exists());
}

#[test]
fn a_time_nobody_will_see_is_no_trouble() {
    let stage = Stage::new();
    stage.program("claude", &cat(CLAUDE_OK));
    let (done, record) =
        stage.record(&["-q", "--kill-after", "9223372036854775807s", "--", "claude", "hi"]);
    assert_eq!((done.code, &record["exit_code"]), (Some(0), &json!(0)));
}
