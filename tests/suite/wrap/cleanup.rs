//! After a run no process, file or descriptor is left.

use super::*;

/// Returns a shell command that writes its process id to a file and sleeps.
fn sleeper(file: &str) -> String {
    format!("sh -c 'echo $$ > $DIR/{file}.new; mv $DIR/{file}.new $DIR/{file}; exec sleep 1000'")
}

/// Returns a shell command that waits for a file.
fn await_file(file: &str) -> String {
    format!("while [ ! -e $DIR/{file} ]; do sleep 0.01; done")
}

#[test]
fn background_process_of_the_group_is_ended() {
    let workspace = Workspace::new();
    let body = format!("{} & {}; {}", sleeper("pid"), await_file("pid"), cat(CODEX_OK));
    workspace.program("agent", &body);
    workspace.wrap(&["--", "agent"]).success();
    assert!(!is_alive(workspace.pid("pid")));
}

#[cfg(all(target_os = "linux", not(test_hooks)))]
#[test]
fn grandchild_in_its_own_session_that_holds_the_output_open_is_ended() {
    let workspace = Workspace::new();
    let body = format!("setsid {} & {}; {}", sleeper("pid"), await_file("pid"), cat(CODEX_OK));
    workspace.program("agent", &body);
    workspace.wrap(&["--", "agent"]).success().stdout("Hello from the fake model.\n");
    assert!(!is_alive(workspace.pid("pid")));
}

#[cfg(all(target_os = "linux", not(test_hooks)))]
#[test]
fn daemon_without_parent_is_ended() {
    let workspace = Workspace::new();
    let sleeper = sleeper("pid").replace('$', "\\$");
    let daemon = format!("setsid sh -c \"{sleeper} >/dev/null 2>&1 </dev/null &\"");
    workspace.program("agent", &format!("{daemon}; {}; {}", await_file("pid"), cat(CODEX_OK)));
    workspace.wrap(&["--", "agent"]).success();
    assert!(!is_alive(workspace.pid("pid")));
}

#[cfg(all(target_os = "linux", not(test_hooks)))]
#[test]
fn timeout_kills_processes_in_other_sessions() {
    let workspace = Workspace::new();
    let tool =
        "setsid sh -c 'trap \"\" TERM HUP INT; echo $$ > $DIR/pid; while :; do sleep 1; done'";
    workspace.program("agent", &format!("{tool} & {}; wait", await_file("pid")));
    workspace.wrap(&["--timeout", "500ms", "--kill-after", "300ms", "--", "agent"]).code(124);
    assert!(!is_alive(workspace.pid("pid")));
}

#[cfg(target_os = "linux")]
#[test]
fn earlier_job_is_spared_and_daemon_of_the_run_is_ended() {
    let workspace = Workspace::new();
    workspace.program(
        "agent",
        "setsid sh -c '(trap \"\" TERM HUP; echo $$ > $DIR/x; exec sleep 600) & echo $! > $DIR/daemon' >/dev/null 2>&1
         while [ ! -s $DIR/daemon ]; do sleep 0.01; done",
    );
    // `exec` makes the job a child of `streamj`.
    let script =
        format!("sleep 600 & echo $! > $DIR/earlier; exec {BIN} wrap -q --kill-after 1s -- agent");
    let child = workspace.shell(&script).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(exit_code(child), Some(1), "no events");
    let earlier = workspace.pid("earlier");
    let survived = is_alive(earlier);
    rustix::process::kill_process(earlier, Signal::KILL).unwrap();
    assert!(survived, "the job was started before the run");
    if !cfg!(test_hooks) {
        assert!(!is_alive(workspace.pid("daemon")), "the daemon was started by the run");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn child_is_killed_when_streamj_is_killed() {
    let workspace = Workspace::new();
    workspace.program("agent", "echo $$ > $DIR/pid; exec sleep 1000");
    let mut child = workspace.streamj(&["wrap", "--", "agent"]).spawn().unwrap();
    let agent = workspace.pid("pid");
    assert!(is_alive(agent));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for(|| !is_alive(agent));
}

/// With `SIGCHLD` ignored the system reaps children itself, so that `wait` fails.
#[test]
fn inherited_ignored_sigchld_does_not_lose_the_exit_status() {
    let workspace = Workspace::new();
    workspace.program("agent", &format!("{}; exit 3", cat(CODEX_OK)));
    let script = format!("trap '' CHLD; exec {BIN} wrap -q -- agent");
    workspace.shell(&script).assert().code(3);
}

#[test]
fn two_hundred_runs_leave_no_process_or_file() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("sleep 1000 > /dev/null 2>&1 & {}", cat(CODEX_OK)));
    for _ in 0..200 {
        workspace.wrap(&["-q", "--", "codex", "exec", "hi"]).success();
    }
    assert_eq!(workspace.temporary_files(), [""; 0]);
    let processes = Command::new("ps").args(["-eo", "args"]).output().unwrap().stdout;
    let folder = workspace.folder.path().to_str().unwrap();
    assert!(!processes.contains_str(folder), "{}", processes.as_bstr());
}

#[cfg(target_os = "linux")]
#[test]
fn child_inherits_no_descriptor() {
    let workspace = Workspace::new();
    workspace.program("agent", "ls -l /proc/$$/fd > $DIR/fds");
    let (tee, record) = (workspace.arg("the-tee"), workspace.arg("the-record"));
    workspace.wrap(&["--tee", &tee, "--record", &record, "--", "agent"]);
    let open = workspace.read("fds");
    assert!(open.contains("pipe:"), "{open}");
    for inherited in ["the-tee", "streamj", "socket:"] {
        assert!(!open.contains(inherited), "{open}");
    }
}
