//! Signals sent to `streamj`.

use super::*;

/// Starts an agent that runs `body` and then idles, and waits until it idles.
fn start(workspace: &Workspace, body: &str, args: &[&str]) -> (Child, Pid) {
    // The idle loop starts no process: a shell whose child is stopped before its
    // exec is blocked, not stopped.
    let idle = "sleep 1000 >/dev/null 2>&1 &
        echo $$ > $DIR/pid
        while kill -0 $!; do wait $!; done";
    workspace.program("agent", &format!("{body}\n{idle}"));
    let args = [&["wrap", "-q"], args, &["--", "agent"]].concat();
    let child = workspace.streamj(&args).stdout(Stdio::piped()).spawn().unwrap();
    let agent = workspace.pid("pid");
    (child, agent)
}

#[test]
fn signals_are_forwarded_and_set_the_exit_status() {
    for (signal, name, code) in
        [(Signal::INT, "INT", 130), (Signal::TERM, "TERM", 143), (Signal::HUP, "HUP", 129)]
    {
        let workspace = Workspace::new();
        // Claude exits with 0 after a signal, too.
        let body = format!("trap 'echo {name} > $DIR/received; exit 0' {name}");
        let (mut child, agent) = start(&workspace, &body, &[]);
        send(signal, &child);
        assert_eq!(child.wait().unwrap().code(), Some(code), "{name}");
        assert_eq!(workspace.read("received").trim(), name);
        assert!(!is_alive(agent), "{name}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_terminating_signal_ends_and_records_the_run() {
    // All but SIGQUIT reach the command as SIGTERM.
    for (signal, expected, own) in [
        (Signal::QUIT, 131, 131),
        (Signal::USR1, 138, 143),
        (Signal::USR2, 140, 143),
        (Signal::ALARM, 142, 143),
    ] {
        let workspace = Workspace::new();
        workspace.program("codex", "echo $$ > $DIR/pid; exec sleep 600");
        let record = workspace.arg("r.json");
        let args = ["wrap", "-q", "--record", &record, "--", "codex", "exec", "x"];
        let child = workspace.streamj(&args).spawn().unwrap();
        let agent = workspace.pid("pid");
        send(signal, &child);
        assert_eq!(exit_code(child), Some(expected));
        assert!(!is_alive(agent));
        let record = workspace.read_json("r.json");
        assert_eq!(record["exit_code"], own);
        assert_eq!(record["error_category"], "interrupted");
        assert_eq!(record["succeeded_cleanly"], false);
        assert_eq!(workspace.temporary_files(), [""; 0]);
    }
}

#[test]
fn record_is_written_after_sigterm() {
    let workspace = Workspace::new();
    let (mut child, _) = start(&workspace, &cat(CODEX_OK), &["--record", &workspace.arg("r.json")]);
    send(Signal::TERM, &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(workspace.read_json("r.json")["output"], "Hello from the fake model.");
    assert_eq!(workspace.temporary_files(), [""; 0]);
}

#[test]
fn second_interrupt_kills_child() {
    let workspace = Workspace::new();
    let body = "trap 'echo once >> $DIR/received' INT";
    let (mut child, agent) = start(&workspace, body, &["--kill-after", "1h"]);
    send(Signal::INT, &child);
    wait_for(|| workspace.path("received").exists());
    send(Signal::INT, &child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!is_alive(agent));
    assert_eq!(workspace.read("received"), "once\n");
}

#[cfg(target_os = "linux")]
#[test]
fn second_interrupt_kills_background_process_after_child_has_exited() {
    let workspace = Workspace::new();
    workspace.program(
        "agent",
        "(trap '' TERM INT; touch $DIR/ready; exec sleep 600) >/dev/null 2>&1 &
         while [ ! -e $DIR/ready ]; do sleep 0.01; done
         echo $! > $DIR/pid; exit 0",
    );
    let args = ["wrap", "-q", "--kill-after", "1h", "--", "agent"];
    let child = workspace.streamj(&args).spawn().unwrap();
    let background = workspace.pid("pid");
    std::thread::sleep(Duration::from_millis(500));
    send(Signal::INT, &child);
    std::thread::sleep(Duration::from_millis(200));
    send(Signal::INT, &child);
    let code = exit_code(child);
    // The implementation for other systems kills the process before the signals
    // are sent.
    assert!(cfg!(test_hooks) || code == Some(130), "{code:?}");
    assert!(!is_alive(background));
}

#[test]
fn process_that_ignores_the_interrupt_receives_sigterm() {
    let workspace = Workspace::new();
    // Background jobs of a shell ignore SIGINT.
    workspace.program(
        "agent",
        "(trap 'touch $DIR/received; exit' TERM; touch $DIR/ready; while :; do sleep 0.05; done) &
         trap 'exit 0' INT; echo $$ > $DIR/pid; while :; do sleep 0.05; done",
    );
    let args = ["wrap", "-q", "--kill-after", "1h", "--", "agent"];
    let child = workspace.streamj(&args).spawn().unwrap();
    workspace.pid("pid");
    wait_for(|| workspace.path("ready").exists());
    send(Signal::INT, &child);
    assert_eq!(exit_code(child), Some(130));
    assert!(workspace.path("received").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn sigtstp_and_sigcont_apply_to_the_child() {
    use crate::workspace::{pid_of, state};

    let is_stopped = |pid: Pid| state(pid).unwrap() == "T";
    let workspace = Workspace::new();
    let (mut child, agent) = start(&workspace, "trap 'exit 5' USR1", &["--timeout", "1h"]);
    send(Signal::TSTP, &child);
    wait_for(|| is_stopped(pid_of(&child)) && is_stopped(agent));
    send(Signal::CONT, &child);
    wait_for(|| !is_stopped(agent) && !is_stopped(pid_of(&child)));
    rustix::process::kill_process(agent, Signal::USR1).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

#[cfg(target_os = "linux")]
#[test]
fn sighup_stays_ignored_under_nohup() {
    let workspace = Workspace::new();
    workspace.program("agent", "echo $$ > $DIR/pid; while [ ! -e $DIR/go ]; do sleep 0.01; done");
    let script = format!("trap '' HUP; exec {BIN} wrap -q -- agent");
    let mut child = workspace.shell(&script).spawn().unwrap();
    workspace.pid("pid");
    send(Signal::HUP, &child);
    std::thread::sleep(Duration::from_millis(200));
    workspace.write("go", "");
    assert_eq!(child.wait().unwrap().code(), Some(1), "no events, and no signal");
}
