//! A folder with programs in it, and what becomes of those that run there.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use serde_json::Value;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use crate::support::BIN;

/// A folder with programs in it.
pub struct Stage {
    pub folder: tempfile::TempDir,
}

impl Stage {
    pub fn new() -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(hear_signals);
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program that finds this folder in `$STAGE`.
    pub fn program(&self, name: &str, body: &str) -> &Self {
        let path = self.path(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        self
    }

    pub fn streamj(&self, args: &[&str]) -> Command {
        let path = format!("{}:{}", self.folder.path().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(BIN);
        command.args(args).env("PATH", path).env("STAGE", self.folder.path());
        command.env("TMPDIR", self.folder.path()).stdin(Stdio::null());
        for name in ["CODEX_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "CODEX_HOME"] {
            command.env_remove(name);
        }
        command.env("HOME", self.folder.path());
        command
    }

    pub fn wrap(&self, args: &[&str]) -> Done {
        Done::of(&self.streamj(&[&["wrap"], args].concat()).output().unwrap())
    }

    pub fn record(&self, args: &[&str]) -> (Done, Value) {
        let record = self.path("record.json");
        let done = self.wrap(&[&["--record", record.to_str().unwrap()], args].concat());
        (done, serde_json::from_slice(&std::fs::read(record).unwrap()).unwrap())
    }

    /// A process id that a program has left in a file.
    pub fn pid(&self, name: &str) -> Pid {
        let path = self.path(name);
        wait_for(|| std::fs::read_to_string(&path).is_ok_and(|text| text.ends_with('\n')));
        let text = std::fs::read_to_string(&path).unwrap();
        Pid::from_raw(text.trim().parse().unwrap()).unwrap()
    }

    /// What lies in the folder beside the programs.
    pub fn leftovers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with("streamj-") || name.starts_with(".streamj")).collect()
    }
}

/// Tests are started where signals are ignored, too (`nohup`, the background of a
/// shell), and programs inherit that. They do not inherit a handler.
fn hear_signals() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.map_or(0, |bits| u64::from_str_radix(bits.trim(), 16).unwrap());
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2] {
        if ignored & (1 << (number - 1)) != 0 {
            signal_hook::flag::register(number, Arc::default()).unwrap();
        }
    }
}

/// What a run of `wrap` left.
#[derive(Debug)]
pub struct Done {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Done {
    pub fn of(output: &Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

/// Whether a process runs; one that is dead and not yet buried does not.
pub fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid).is_ok() && state(pid).is_none_or(|state| state != "Z")
}

/// The state of a process, where it can be known.
pub fn state(pid: Pid) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    Some(stat.rsplit(')').next()?.split_whitespace().next()?.to_owned())
}

/// Waits for something that must come; how long is nobody's business.
pub fn wait_for(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_mins(2), "it never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().try_into().unwrap()).unwrap()
}
