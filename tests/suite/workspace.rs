//! A temporary folder with fake agents, and the processes that run in it.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use assert_cmd::assert::{Assert, OutputAssertExt};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use crate::support::BIN;
use crate::support::cli::CI_VARIABLES;

/// A temporary folder. It is the home and the temporary folder of the commands
/// that are run in it, and the first entry of their `PATH`.
pub struct Workspace {
    pub folder: tempfile::TempDir,
}

impl Workspace {
    pub fn new() -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(reset_ignored_signals);
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the path of a file as a command-line argument.
    pub fn arg(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn read_json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Writes a shell script, which finds this folder in `$DIR`.
    pub fn program(&self, name: &str, body: &str) -> &Self {
        self.write(name, format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(0o755)).unwrap();
        self
    }

    /// Returns the program with arguments and without standard input.
    pub fn streamj(&self, args: &[&str]) -> Command {
        let mut command = self.command(BIN);
        command.args(args);
        command
    }

    /// Returns a shell that runs `script`.
    pub fn shell(&self, script: &str) -> Command {
        let mut command = self.command("sh");
        command.args(["-c", script]);
        command
    }

    /// Returns a program that finds this folder in `$DIR`, and no standard input.
    pub fn command(&self, program: &str) -> Command {
        let folder = self.folder.path();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(program);
        command.env("PATH", path).env("DIR", folder).env("HOME", folder).env("TMPDIR", folder);
        // Former name of `$DIR`, used by the scripts of the `escalate` tests.
        for name in ["CODEX_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CODEX_HOME"] {
            command.env_remove(name);
        }
        for name in CI_VARIABLES {
            command.env_remove(name);
        }
        command.stdin(Stdio::null());
        command
    }

    /// Runs `streamj wrap`.
    pub fn wrap(&self, args: &[&str]) -> Assert {
        self.streamj(&[&["wrap"], args].concat()).assert()
    }

    /// Runs `streamj wrap --record` and returns the record, too.
    pub fn record(&self, args: &[&str]) -> (Assert, Value) {
        let run = self.wrap(&[&["--record", &self.arg("record.json")], args].concat());
        (run, self.read_json("record.json"))
    }

    /// Waits until a program has written its process id to a file.
    pub fn pid(&self, name: &str) -> Pid {
        let path = self.path(name);
        wait_for(|| std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n')));
        Pid::from_raw(self.read(name).trim().parse().unwrap()).unwrap()
    }

    /// Returns the names of temporary files that `streamj` has not removed.
    pub fn temporary_files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("streamj-") || name.starts_with(".streamj")).collect()
    }
}

/// Handles the signals that this process was started to ignore (by `nohup`, or in
/// the background of a shell). Children inherit ignored signals, but no handlers.
fn reset_ignored_signals() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |bits| u64::from_str_radix(bits.trim(), 16).unwrap());
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2] {
        if ignored & (1 << (number - 1)) != 0 {
            signal_hook::flag::register(number, Arc::default()).unwrap();
        }
    }
}

/// Returns whether a process runs. A zombie does not.
pub fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid).is_ok() && state(pid).is_none_or(|state| state != "Z")
}

/// Returns the state letter of a process, on systems that have `/proc`.
pub fn state(pid: Pid) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    Some(stat.rsplit(')').next()?.split_whitespace().next()?.to_owned())
}

/// Polls a condition that must become true. The limit is far above the usual
/// delay, so that it is not reached on a busy machine.
pub fn wait_for(mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_mins(2), "timed out");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits for the end of a process, with a time limit, and returns its exit code.
pub fn exit_code(mut child: Child) -> Option<i32> {
    let mut status = None;
    wait_for(|| {
        status = child.try_wait().unwrap();
        status.is_some()
    });
    assert!(!is_alive(pid_of(&child)));
    status.unwrap().code()
}

pub fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

pub fn send(signal: Signal, child: &Child) {
    kill_process(pid_of(child), signal).unwrap();
}
