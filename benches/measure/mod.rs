//! Time and memory of whole programs.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::rivals::{Rival, filter};
use crate::{COMMANDS, STREAMJ, Stream, command_line};

/// What takes longer is measured less often.
const SLOW: Duration = Duration::from_secs(1);

/// Something to be measured.
struct Case {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
    /// It reads what `cat` hands it instead of the file.
    piped: bool,
}

impl Case {
    fn new(name: impl Into<String>, program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { name: name.into(), program: program.into(), arguments, piped: false }
    }

    fn piped(self) -> Self {
        Self { name: format!("cat | {}", self.name), piped: true, ..self }
    }

    fn time(&self, stream: &Path) -> Duration {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let mut command = command_line(&self.program, &arguments, stream);
        let started = Instant::now();
        let status = if self.piped {
            let mut cat = command_line(Path::new("cat"), &[], stream);
            let mut cat = cat.stdout(Stdio::piped()).spawn().expect("it runs");
            let mut command = Command::new(&self.program);
            command.args(arguments).stdin(cat.stdout.take().expect("a pipe"));
            let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            cat.wait().expect("it ends");
            status
        } else {
            command.stdout(Stdio::null()).status()
        };
        let time = started.elapsed();
        assert!(status.is_ok_and(|status| status.success()), "{} failed", self.name);
        time
    }
}

/// Medians in seconds, by what was run.
pub fn times(stream: &Stream, rivals: &[Rival], rounds: usize) -> BTreeMap<String, f64> {
    let lines = || Case::new("wc -l", "wc", &["-l"]);
    let mut cases = vec![Case::new("cat", "cat", &[])];
    for command in COMMANDS {
        // What it is compared with most closely runs beside it each time: on a shared
        // machine no two minutes are alike.
        cases.push(lines());
        let name = format!("streamj {command}");
        cases.push(Case::new(&name, STREAMJ, &[command]));
        cases.push(Case::new(format!("{name} --threads 1"), STREAMJ, &[command, "--threads", "1"]));
        for rival in rivals {
            if let Some(filter) = filter(command, stream) {
                let name = format!("{} {command}", rival.name);
                cases.push(Case::new(name, &rival.program, &["-c", filter]));
            }
        }
        cases.push(lines().piped());
        cases.push(Case::new(&name, STREAMJ, &[command]).piped());
    }
    medians(&cases, stream, rounds)
}

/// Medians in seconds of all commands with and without `--redact`.
pub fn redacted(stream: &Stream, rounds: usize) -> BTreeMap<String, f64> {
    let cases: Vec<Case> = COMMANDS
        .into_iter()
        .flat_map(|command| {
            let name = format!("streamj {command}");
            let redacted = Case::new(format!("{name} --redact"), STREAMJ, &[command, "--redact"]);
            [Case::new(name, STREAMJ, &[command]), redacted]
        })
        .collect();
    medians(&cases, stream, rounds)
}

fn medians(cases: &[Case], stream: &Stream, rounds: usize) -> BTreeMap<String, f64> {
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for round in 0..rounds {
        for case in cases {
            let slowest = times.get(&case.name).and_then(|times| times.iter().max());
            if round >= 3 && slowest.is_some_and(|time| *time > SLOW) {
                continue;
            }
            times.entry(case.name.clone()).or_default().push(case.time(&stream.path));
        }
    }
    times.into_iter().map(|(name, times)| (name, median(times))).collect()
}

pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

/// Seconds to read nothing.
pub fn start_up(rivals: &[Rival], rounds: usize) -> BTreeMap<String, f64> {
    let mut cases = vec![Case::new("streamj", STREAMJ, &["text"])];
    cases.extend(rivals.iter().map(|rival| Case::new(rival.name, &rival.program, &["."])));
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for _ in 0..rounds {
        for case in &cases {
            times.entry(case.name.clone()).or_default().push(case.time(Path::new("/dev/null")));
        }
    }
    times.into_iter().map(|(name, times)| (name, median(times))).collect()
}

/// Seconds from one line in to its text out, while the pipes stay open.
pub fn latency(rounds: usize) -> f64 {
    let mut child = Command::new(STREAMJ)
        .arg("text")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap());
    let line = b"{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"hi\"}}\n";
    let mut answer = String::new();
    let times = (0..rounds).map(|_| {
        let started = Instant::now();
        to.write_all(line).unwrap();
        answer.clear();
        from.read_line(&mut answer).unwrap();
        assert_eq!(answer, "hi\n");
        started.elapsed()
    });
    let median = median(times.collect());
    drop(to);
    child.wait().unwrap();
    median
}

/// Peak memory in KiB, where /usr/bin/time tells.
pub fn peak_of(command: &Command) -> u64 {
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-f", "%M"]).arg(command.get_program()).args(command.get_args());
    timed.stdout(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(name, value),
            None => timed.env_remove(name),
        };
    }
    let told =
        timed.output().ok().map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    let last = told.as_deref().and_then(|told| told.lines().last()).unwrap_or_default();
    last.trim().parse().unwrap_or(0)
}

pub fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}
