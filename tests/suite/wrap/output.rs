//! Standard output and the copy written by `--tee`.

use super::*;

#[test]
fn as_prints_the_same_as_reading_a_file() {
    let workspace = Workspace::new();
    for name in ["claude/subagent_foreground", "codex/reasoning", "claude/err_401"] {
        workspace.program("agent", &cat(name));
        let wrap_as = |command: &str| {
            let args = ["--exit-status", "child", "--as", command, "--", "agent"];
            workspace.wrap(&args).append_context("recording", name)
        };
        for command in [
            "text",
            "text --last",
            // The times of a supervised run are those of reading.
            "tools --get /input",
            "usage",
            "events --unified",
            "session --get /harness",
        ] {
            let args = shell_words::split(command).unwrap();
            let from_file = Command::new(BIN).args(&args).arg(fixture(name)).output().unwrap();
            wrap_as(command).stdout(from_file.stdout);
        }
        wrap_as("raw").stdout(fixture_bytes(name));
    }
}

#[test]
fn tee_copies_bytes_as_they_arrive() {
    let workspace = Workspace::new();
    let body = format!(
        "{}; printf 'no newline'; while [ ! -e $DIR/seen ]; do sleep 0.01; done; printf more",
        cat(CODEX_OK)
    );
    workspace.program("agent", &body);
    let tee = workspace.arg("tee");
    let mut command = workspace.streamj(&["wrap", "-q", "--tee", &tee, "--", "agent"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    wait_for(|| std::fs::read(&tee).is_ok_and(|bytes| bytes.ends_with(b"no newline")));
    workspace.write("seen", "");
    assert!(child.wait().unwrap().success());
    let expected = [fixture_bytes(CODEX_OK), b"no newlinemore".to_vec()].concat();
    assert_eq!(std::fs::read(&tee).unwrap().as_bstr(), expected.as_bstr());
}

#[test]
fn closed_output_ends_the_run_unless_it_is_recorded() {
    let workspace = Workspace::new();
    // Prints an event, then runs without further output: the closed pipe must be
    // noticed without a write.
    let body = format!("echo $$ > $DIR/pid; {}; sleep 1000", cat("codex/signal_sigterm_midtool"));
    workspace.program("agent", &body);
    let mut child =
        workspace.streamj(&["wrap", "-q", "--", "agent"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 8]).unwrap();
    let agent = workspace.pid("pid");
    drop(stdout);
    assert_eq!(child.wait().unwrap().code(), Some(141));
    assert!(!is_alive(agent));

    workspace.program("agent", &format!("{}; sleep 0.3; touch $DIR/done", cat(CODEX_OK)));
    let args = ["wrap", "-q", "--record", &workspace.arg("r.json"), "--", "agent"];
    let mut child = workspace.streamj(&args).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(workspace.path("done").exists());
    assert_eq!(workspace.read_json("r.json")["output"], "Hello from the fake model.");
}

#[test]
fn sockets_are_treated_as_pipes() {
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let workspace = Workspace::new();
    // The end of input on a socket lets the exit grace begin.
    workspace.program("agent", &format!("cat >/dev/null; {}; exec sleep 600", cat(CLAUDE_OK)));
    let (test_end, program_end) = UnixStream::pair().unwrap();
    let mut command = workspace.streamj(&["wrap", "-q", "--exit-grace", "200ms", "--", "agent"]);
    command.stdin(OwnedFd::from(program_end)).stdout(Stdio::null());
    let child = command.spawn().unwrap();
    test_end.shutdown(Shutdown::Write).unwrap();
    assert_eq!(exit_code(child), Some(0));
    // A closed socket as standard output ends the run.
    workspace.program("agent", "exec sleep 600");
    let (test_end, program_end) = UnixStream::pair().unwrap();
    let mut command = workspace.streamj(&["wrap", "-q", "--", "agent"]);
    let child = command.stdout(OwnedFd::from(program_end)).spawn().unwrap();
    drop(test_end);
    assert_eq!(exit_code(child), Some(141));
}

#[cfg(target_os = "linux")]
#[test]
fn full_disk_ends_the_run_only_for_standard_output() {
    let workspace = Workspace::new();
    workspace.program("agent", &format!("{}; touch $DIR/done", cat(CODEX_OK)));
    workspace
        .wrap(&["--tee", "/dev/full", "--", "agent"])
        .code(125)
        .stdout("Hello from the fake model.\n")
        .stderr(predicate::str::contains("/dev/full: cannot write: "));
    assert!(workspace.path("done").exists());
    workspace.program("agent", &format!("{}; sleep 1000", cat(CODEX_OK)));
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = workspace.streamj(&["wrap", "--", "agent"]);
    command.stdout(full).assert().code(125).stderr(predicate::str::contains("cannot write: "));
}
