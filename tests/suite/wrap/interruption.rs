//! What a run is called that a signal or a clock has ended.

use super::*;

/// Starts a run of a fake CLI that prints `before`, and sends a signal when it has.
/// Returns standard error and the record.
fn interrupted(agent: &str, args: &[&str], body: &str, signal: Signal) -> (i32, String, Value) {
    let workspace = Workspace::new();
    workspace.program(agent, body);
    let record = workspace.arg("r.json");
    let args = [&["wrap", "-q", "--record", &record, "--"], args].concat();
    let mut command = workspace.streamj(&args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The agent has printed everything when its text comes out.
    workspace.pid("pid");
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0];
    let _ = stdout.read(&mut first);
    send(signal, &child);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    let code = exit_code(child).unwrap();
    (code, stderr, workspace.read_json("r.json"))
}

const WAIT: &str = "echo $$ > $DIR/pid; exec sleep 600";

#[test]
fn interrupt_is_told_as_such() {
    let codex = format!(
        "echo 'Reading additional input' >&2; {}; {WAIT}",
        cat("codex/signal_sigterm_midtool")
    );
    let (code, stderr, record) = interrupted("codex", &["codex", "exec", "x"], &codex, Signal::INT);
    assert_eq!(code, 130);
    assert_eq!(stderr, "Reading additional input\nstreamj: interrupted (SIGINT)\n");
    assert_eq!(record["error"], "interrupted (SIGINT)");
    assert_eq!(record["error_category"], "interrupted");
    assert_eq!(record["exit_code"], 130, "the command's own");
    assert_eq!(record["retryable"], true);
}

#[test]
fn result_that_an_interrupt_causes_does_not_hide_it() {
    // Claude Code prints an internal diagnosis as the result, and exits with 0.
    let end = fixture("claude/control_interrupt").display().to_string();
    let claude = format!(
        "head -n 4 {end}; echo $$ > $DIR/pid; trap 'grep aborted_tools {end}; exit 0' TERM; while :; do sleep 0.01; done"
    );
    let (code, stderr, record) = interrupted("claude", &["claude", "hi"], &claude, Signal::TERM);
    assert_eq!(code, 143);
    assert!(stderr.ends_with("streamj: interrupted (SIGTERM)\n"), "{stderr}");
    assert_eq!(record["error"], "interrupted (SIGTERM)");
    assert_eq!(record["error_category"], "interrupted");
    assert_eq!(record["exit_code"], 0, "the command's own");
}

#[test]
fn signal_after_the_result_leaves_no_error() {
    let codex = format!("{}; {WAIT}", cat(CODEX_OK));
    let (code, stderr, record) = interrupted("codex", &["codex", "exec", "x"], &codex, Signal::INT);
    assert_eq!((code, stderr.as_str()), (130, "streamj: interrupted (SIGINT) after the result\n"));
    assert_eq!((&record["error"], &record["error_category"]), (&Value::Null, &Value::Null));
    assert_eq!(record["succeeded_cleanly"], true);
}

#[test]
fn timeout_says_which_clock_and_limit_ended_the_run() {
    let workspace = Workspace::new();
    workspace.program("agent", "sleep 600");
    for (option, sentence) in [
        ("--timeout", "timeout: no result within 0.3s (--timeout)"),
        ("--idle-timeout", "timeout: no output for 0.3s (--idle-timeout)"),
    ] {
        for projection in ["text", "view", "usage"] {
            let args = ["-q", option, "300ms", "--as", projection, "--", "agent"];
            workspace.wrap(&args).code(124).stderr(format!("streamj: {sentence}\n"));
        }
    }
}

#[test]
fn timeout_after_the_result_leaves_no_error() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("{}; sleep 600", cat(CODEX_OK)));
    let (run, record) = workspace.record(&["-q", "--timeout", "500ms", "--", "codex", "exec", "x"]);
    run.code(124)
        .stderr("streamj: timeout: codex did not exit after its result: 0.5s (--timeout)\n");
    assert_eq!((&record["error"], &record["exit_code"]), (&Value::Null, &json!(143)));
    assert_eq!(record["succeeded_cleanly"], true);
}

#[test]
fn signal_after_a_failed_result_keeps_its_failure() {
    let codex = format!("echo started >&2; {}; {WAIT}", cat("codex/err_401"));
    let args = ["codex", "exec", "x"];
    let workspace = Workspace::new();
    workspace.program("codex", &codex);
    let record = workspace.arg("r.json");
    let args = [&["wrap", "-q", "--record", &record, "--as", "summary", "--"][..], &args].concat();
    let mut command = workspace.streamj(&args);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    workspace.pid("pid");
    // The result has been read when the stream is silent.
    std::thread::sleep(Duration::from_millis(500));
    send(Signal::INT, &child);
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(exit_code(child), Some(130));
    assert_eq!(stderr, "started\nstreamj: interrupted (SIGINT) after the result\n");
    let record = workspace.read_json("r.json");
    assert_eq!((&record["error_category"], &record["retryable"]), (&json!("auth"), &json!(false)));
}

#[test]
fn timeout_after_a_failed_result_also_says_the_failure() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("{}; sleep 600", cat("codex/err_401")));
    let clocks = ["--timeout", "500ms", "--exit-grace", "0"];
    let args = [&["-q"], &clocks[..], &["--", "codex", "exec", "x"]].concat();
    let (run, record) = workspace.record(&args);
    let lines = predicate::str::starts_with(
        "streamj: timeout: codex did not exit after its result: 0.5s (--timeout)\n\
         streamj: codex failed (auth, status 401): ",
    );
    run.code(124).stderr(lines);
    // The contract's precedence.
    assert_eq!((&record["error"], &record["exit_code"]), (&json!("timeout"), &json!(-1)));
}

#[test]
fn command_that_was_killed_is_recorded_as_such() {
    let workspace = Workspace::new();
    workspace.program("codex", "echo '{\"type\":\"turn.started\"}'; echo noise >&2; kill -KILL $$");
    let (run, record) = workspace.record(&["-q", "--", "codex", "exec", "x"]);
    run.code(137).stderr("noise\nstreamj: codex failed: killed by SIGKILL\n");
    assert_eq!(record["error"], "killed by SIGKILL");
    assert_eq!(record["error_category"], "subprocess");
}
