//! Agents whose processes resist: many children, fork bombs, cleared environments.
#![cfg(all(target_os = "linux", not(test_hooks)))]

use super::*;

/// Hides the control groups, so that the run has none.
const WITHOUT_CGROUP: &str = "mount -t tmpfs none /sys/fs/cgroup || exit 99; ";

/// Returns whether mounts can be changed in a namespace of its own, which needs root.
fn can_unshare() -> bool {
    let output = Command::new("unshare").args(["-m", "true"]).output();
    let can = output.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("skipped: needs root (unshare -m)");
    }
    can
}

/// Returns whether a control group can be created here.
fn has_cgroup() -> bool {
    let has = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].iter().any(|mount| {
        let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let group = own.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
        let folder = std::path::Path::new(mount).join(group).join("streamj-test-probe");
        let is_usable = std::fs::create_dir(&folder).is_ok() && folder.join("cgroup.kill").exists();
        let _ = std::fs::remove_dir(&folder);
        is_usable
    });
    if !has {
        eprintln!("skipped: no writable cgroup v2 hierarchy");
    }
    has
}

/// Returns a shell command that runs a fork bomb of at most 150 processes, each in its own
/// session and ignoring all requests to end. Every process holds a lock on `$DIR/alive`.
fn fork_bomb() -> String {
    let bomb = r#"use POSIX; open(F, ">>", "$ENV{DIR}/alive"); flock(F, 1);
        $SIG{$_} = "IGNORE" for qw(TERM INT HUP);
        for (;;) { if (!fork()) { POSIX::setsid() } select(undef, undef, undef, 0.001) }"#;
    let user = "setpriv --reuid 65534 --regid 65534 --clear-groups prlimit --nproc=150";
    format!("touch $DIR/alive; chmod 777 $DIR $DIR/alive; exec {user} perl -e '{bomb}'")
}

/// Returns whether a process that holds the lock is alive.
fn is_bomb_alive(workspace: &Workspace) -> bool {
    let script = "flock --exclusive --nonblock $DIR/alive true";
    !workspace.shell(script).status().unwrap().success()
}

/// Returns whether the tools of the fork bomb are there.
fn can_bomb(workspace: &Workspace) -> bool {
    let script = "setpriv --reuid 65534 --clear-groups perl -MPOSIX -e 1 && flock $DIR true";
    let can = workspace.shell(script).status().unwrap().success();
    if !can {
        eprintln!("skipped: needs root, setpriv, flock and perl");
    }
    can
}

#[test]
fn many_short_children_do_not_delay_the_timeout() {
    let workspace = Workspace::new();
    workspace.program("agent", "while :; do (true &); done");
    let clocks = ["--timeout", "1s", "--kill-after", "500ms", "--idle-timeout", "1h"];
    let script = format!("exec timeout 60 '{BIN}' wrap {} -- bash $DIR/agent", clocks.join(" "));
    workspace
        .shell(&script)
        .assert()
        .code(124)
        .stderr("streamj: timeout: no result within 1s (--timeout)\n");
}

#[test]
fn fork_bomb_is_ended_with_its_control_group() {
    let workspace = Workspace::new();
    if !has_cgroup() || !can_bomb(&workspace) {
        return;
    }
    workspace.program("agent", &fork_bomb());
    let args = ["-q", "--timeout", "1s", "--kill-after", "200ms", "--", "agent"];
    workspace.wrap(&args).code(124).stderr("streamj: timeout: no result within 1s (--timeout)\n");
    assert!(!is_bomb_alive(&workspace));
}

#[test]
fn fork_bomb_is_stopped_and_killed_without_a_control_group() {
    let workspace = Workspace::new();
    if !can_unshare() || !can_bomb(&workspace) {
        return;
    }
    workspace.program("agent", &fork_bomb());
    let wrap = format!("exec '{BIN}' wrap -q --timeout 1s --kill-after 200ms -- agent");
    let script = format!("unshare -m sh -c \"{WITHOUT_CGROUP}{wrap}\"");
    workspace.shell(&script).assert().code(124);
    assert!(!is_bomb_alive(&workspace));
}

#[test]
fn control_group_is_removed_after_the_run() {
    if !has_cgroup() {
        return;
    }
    let workspace = Workspace::new();
    let agent = "grep ^0:: /proc/self/cgroup > $DIR/group; (setsid sleep 600 &)";
    workspace.program("agent", &format!("{agent}; {}", cat(CODEX_OK)));
    workspace.wrap(&["-q", "--", "agent"]).success();
    let group = workspace.read("group");
    let group = group.trim().strip_prefix("0::/").unwrap();
    assert!(group.contains("streamj-"), "{group}");
    for mount in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
        assert!(!std::path::Path::new(mount).join(group).exists(), "{group}");
    }
}

#[test]
fn process_with_a_cleared_environment_is_ended_and_an_earlier_job_is_spared() {
    let workspace = Workspace::new();
    let body = "env -i setsid sh -c 'echo $$ > '$DIR'/daemon; exec sleep 600' >/dev/null 2>&1 &
        while [ ! -s $DIR/daemon ]; do sleep 0.01; done";
    workspace.program("agent", &format!("{body}; {}", cat(CODEX_OK)));
    // The substitution makes a process the child of streamj before the run.
    let script = format!("sleep 600 & echo $! > $DIR/job; exec '{BIN}' wrap -q -- agent > >(cat)");
    let status = workspace.command("bash").args(["-c", &script]).status().unwrap();
    assert!(status.success());
    assert!(!is_alive(workspace.pid("daemon")));
    let job = workspace.pid("job");
    let survived = is_alive(job);
    rustix::process::kill_process(job, Signal::KILL).unwrap();
    assert!(survived);
}

#[test]
fn daemons_are_killed_when_streamj_is_killed() {
    let workspace = Workspace::new();
    let body = "setsid sh -c 'trap \"\" TERM HUP; echo $$ > $DIR/daemon; exec sleep 600' &
        while [ ! -s $DIR/daemon ]; do sleep 0.01; done
        echo $$ > $DIR/pid; exec sleep 600";
    workspace.program("agent", body);
    let mut child = workspace.streamj(&["wrap", "-q", "--", "agent"]).spawn().unwrap();
    let (agent, daemon) = (workspace.pid("pid"), workspace.pid("daemon"));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for(|| !is_alive(agent) && !is_alive(daemon));
}

#[test]
fn first_process_of_a_container_does_not_signal_foreign_orphans() {
    let workspace = Workspace::new();
    let unshare = ["-m", "-p", "-f", "--mount-proc", "true"];
    if !Command::new("unshare").args(unshare).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: needs root (unshare -p)");
        return;
    }
    workspace.program("agent", "echo $$ > $DIR/pid; exec sleep 600");
    let script = format!(
        "exec unshare -m -p -f --kill-child --mount-proc '{BIN}' wrap -q --timeout 3s --kill-after 200ms -- agent"
    );
    let child = workspace.shell(&script).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| workspace.path("pid").exists());
    // The orphan of another process in the container becomes a child of streamj.
    let foreign = "trap 'echo signalled > $DIR/foreign' TERM INT HUP CONT; echo up > $DIR/up; while :; do sleep 0.05; done";
    workspace.write("foreign.sh", foreign);
    let enter = format!(
        "streamj=$(pgrep -f 'wrap -q --timeout 3s' -P {}); nsenter -t $streamj -p -m sh -c '(sh $DIR/foreign.sh &)'",
        child.id()
    );
    assert!(workspace.shell(&enter).status().unwrap().success());
    wait_for(|| workspace.path("up").exists());
    assert_eq!(exit_code(child), Some(124));
    assert!(!workspace.path("foreign").exists(), "it was not started by the run");
}

#[test]
fn early_signal_leaves_nothing_behind() {
    let workspace = Workspace::new();
    workspace.program("codex", "exec sleep 600");
    for delay in 0..40 {
        let record = workspace.arg("r.json");
        let args = ["wrap", "-q", "--record", &record, "--", "codex", "exec", "x"];
        let mut command = workspace.streamj(&args);
        let child = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(delay * 250));
        send(Signal::TERM, &child);
        let code = exit_code(child);
        assert!(matches!(code, Some(143) | None), "{code:?}");
        let left: Vec<_> = workspace.temporary_files();
        assert_eq!(left, [""; 0], "after {delay} steps");
    }
}

#[test]
fn limit_of_processes_is_an_error_and_no_panic() {
    let workspace = Workspace::new();
    workspace.program("agent", &cat(CODEX_OK));
    workspace.write("run.jsonl", fixture_bytes(CODEX_OK));
    let user = "chmod 777 $DIR; exec setpriv --reuid 65534 --regid 65534 --clear-groups";
    if !workspace.shell(&format!("{user} true")).status().unwrap().success() {
        eprintln!("skipped: needs root and setpriv");
        return;
    }
    // The program may be in a folder that only root can enter.
    std::fs::copy(BIN, workspace.path("streamj")).unwrap();
    let limited =
        |command: &str| workspace.shell(&format!("{user} prlimit --nproc=1 {command}")).assert();
    limited("$DIR/streamj wrap -- agent").code(125).stderr(
        predicate::str::starts_with("streamj: cannot ")
            .and(predicate::str::contains("panicked").not()),
    );
    limited("$DIR/streamj usage --by session $DIR/run.jsonl").code(0).stderr("");
    limited("$DIR/streamj escalate --db $DIR/d.db --no-stdin --tier agent")
        .code(125)
        .stderr(predicate::str::contains("panicked").not());
}

#[test]
fn long_line_does_not_delay_the_timeout() {
    let workspace = Workspace::new();
    // A line that takes seconds to mask or to validate, and a command that waits.
    let long = "head -c 40000000 /dev/zero | tr '\\0' x";
    let body = format!(
        "echo $$ > $DIR/pid; printf '{{\"type\":\"item.completed\",\"item\":{{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"'; {long}; echo '\"}}}}'; exec sleep 600"
    );
    workspace.program("agent", &body);
    let args =
        ["wrap", "-q", "--redact", "--timeout", "1s", "--kill-after", "100ms", "--", "agent"];
    let child = workspace.streamj(&args).stdout(Stdio::null()).spawn().unwrap();
    let agent = workspace.pid("pid");
    // The agent is ended while its line may still be processed.
    wait_for(|| !is_alive(agent));
    assert_eq!(exit_code(child), Some(124));
}

#[test]
fn processes_that_are_left_are_named() {
    let workspace = Workspace::new();
    let user = "setpriv --reuid 65534 --regid 65534 --clear-groups";
    if !workspace.shell(&format!("{user} true")).status().unwrap().success() {
        eprintln!("skipped: needs root and setpriv");
        return;
    }
    std::fs::copy(BIN, workspace.path("streamj")).unwrap();
    // A user that may start a program as another one cannot end it.
    let sleep = workspace.path("sleeper");
    std::fs::copy("/bin/sleep", &sleep).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o4755);
    std::fs::set_permissions(&sleep, mode).unwrap();
    workspace.program("agent", "$DIR/sleeper 30 >/dev/null 2>&1 & echo $! > $DIR/pid; exit 0");
    let script =
        format!("chmod 777 $DIR; exec {user} $DIR/streamj wrap -q --kill-after 100ms -- agent");
    let run = workspace.shell(&script).assert();
    let left = workspace.pid("pid");
    let was_left = is_alive(left);
    let _ = rustix::process::kill_process(left, Signal::KILL);
    if !was_left {
        eprintln!("skipped: the folder ignores the setuid bit");
        return;
    }
    let message = format!(
        "streamj: agent: could not be ended: 1 process: {} (sleeper)\n",
        left.as_raw_nonzero()
    );
    run.code(125).stderr(predicate::str::contains(message));
}
