//! `cargo bench --bench compare`: streamj beside jq, jaq, gojq, wc and cat.
//!
//! Makes its streams from a seed, checks first that all tools give the same
//! answer, runs them in turn for several rounds and prints medians as ratios;
//! the same as JSON with `--json FILE`. Nothing is downloaded but jaq, which is
//! installed into a temporary folder when it is not there (`--no-jaq`: not at
//! all), and ccusage for the row about histories. `--quick` makes everything ten
//! times smaller; `--history` measures that row only.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::cast_precision_loss)]

mod corpus;
mod history;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use corpus::Kind;
use serde_json::{Value, json};

const STREAMJ: &str = env!("CARGO_BIN_EXE_streamj");

/// What is measured.
const COMMANDS: [&str; 6] = ["text", "usage", "tools", "events", "summary", "check"];

/// What a question costs with jq, in its own words.
const TEXT_CLAUDE: &str =
    r#"select(.type=="assistant") | .message.content[] | select(.type=="text") | .text"#;
const TEXT_CODEX: &str =
    r#"select(.type=="item.completed" and .item.type=="agent_message") | .item.text"#;
const TOOLS_CLAUDE: &str =
    r#"select(.type=="user") | .message.content[] | select(.type=="tool_result") | .content"#;
const TOOLS_CODEX: &str = r#"select(.type=="item.completed" and .item.type=="command_execution") | .item.aggregated_output"#;
const USAGE_CLAUDE: &str = r#"select(.type=="result") | .modelUsage | to_entries | map(.value | .inputTokens + .outputTokens + .cacheReadInputTokens + .cacheCreationInputTokens) | add"#;
const USAGE_CODEX: &str =
    r#"select(.type=="turn.completed") | .usage | .input_tokens + .output_tokens"#;

struct Stream {
    name: &'static str,
    path: PathBuf,
    bytes: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).cloned()
    };
    let (scale, rounds): (usize, usize) = if has("--quick") { (10, 3) } else { (1, 15) };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let history =
        || history::compare(folder.path(), 1_000_000_000 / scale, 2000 / scale, rounds.div_ceil(2));
    if has("--history") {
        history();
        return;
    }
    let streams = [
        make(folder.path(), "claude", Kind::Claude, 200_000_000 / scale),
        make(folder.path(), "codex", Kind::Codex, 200_000_000 / scale),
        make(folder.path(), "partial", Kind::Partial, 100_000_000 / scale),
    ];
    let rivals = rivals(folder.path(), !has("--no-jaq"));
    same_answers(&streams, &rivals);

    let mut report = BTreeMap::new();
    report.insert("machine".to_owned(), json!(machine()));
    for stream in &streams {
        let rows = times(stream, &rivals, rounds);
        print_rows(stream, &rows);
        report.insert(stream.name.to_owned(), json!(rows));
    }
    let start = start_up(&rivals);
    println!("\nstart-up on an empty input (median of 51)");
    for (name, time) in &start {
        println!("  {name:<10} {:>7.2} ms", time * 1000.0);
    }
    report.insert("start_up_seconds".to_owned(), json!(start));
    let latency = latency();
    println!(
        "\none line in, its text out, through pipes: {:.3} ms (median of 501)",
        latency * 1000.0
    );
    report.insert("latency_seconds".to_owned(), json!(latency));
    let large = make(folder.path(), "large", Kind::Claude, 2_000_000_000 / scale);
    println!("\npeak memory");
    for command in COMMANDS {
        let [small, large] = [&streams[0], &large].map(|stream| {
            let peak = peak(command, &stream.path);
            print!("  {command:<8} {:>6.1} MiB at {} MB", mib(peak), stream.bytes / 1_000_000);
            peak
        });
        println!();
        report.insert(format!("peak_{command}"), json!([small, large]));
    }
    report.insert("history".to_owned(), history());
    if let Some(path) = after("--json") {
        std::fs::write(path, serde_json::to_vec_pretty(&report).unwrap()).unwrap();
    }
}

fn make(folder: &Path, name: &'static str, kind: Kind, size: usize) -> Stream {
    let path = folder.join(name).with_extension("jsonl");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&path).unwrap());
    corpus::write(&mut file, kind, size, 7).unwrap();
    file.flush().unwrap();
    let bytes = path.metadata().unwrap().len();
    Stream { name, path, bytes }
}

/// jq and its kin, as far as they are here.
fn rivals(folder: &Path, with_jaq: bool) -> Vec<(&'static str, PathBuf)> {
    let mut found: Vec<(&str, PathBuf)> = Vec::new();
    for name in ["jq", "gojq", "jaq"] {
        let there = Command::new(name).arg("--version").stdout(Stdio::null()).status();
        if there.is_ok_and(|status| status.success()) {
            found.push((name, name.into()));
        }
    }
    if with_jaq && !found.iter().any(|(name, _)| *name == "jaq") {
        eprintln!("installing jaq into a temporary folder …");
        let root = folder.join("jaq");
        let mut install = Command::new("cargo");
        install.args(["install", "jaq", "--locked", "--quiet", "--root"]).arg(&root);
        if install.status().is_ok_and(|status| status.success()) {
            found.push(("jaq", root.join("bin/jaq")));
        } else {
            eprintln!("jaq cannot be had here");
        }
    }
    found
}

fn command_line(program: &Path, arguments: &[&str], stream: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(stream).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// The filter that asks what `streamj COMMAND` answers.
fn filter(command: &str, stream: &str) -> Option<&'static str> {
    Some(match (command, stream) {
        ("text", "codex") => TEXT_CODEX,
        ("text", _) => TEXT_CLAUDE,
        ("tools", "codex") => TOOLS_CODEX,
        ("tools", _) => TOOLS_CLAUDE,
        ("usage", "codex") => USAGE_CODEX,
        ("usage", _) => USAGE_CLAUDE,
        ("events", _) => ".",
        _ => return None,
    })
}

/// Before anything is measured, all must say the same.
fn same_answers(streams: &[Stream], rivals: &[(&str, PathBuf)]) {
    let answer = |mut command: Command| command.output().expect("it runs").stdout;
    for stream in streams {
        let ours =
            |arguments: &[&str]| answer(command_line(Path::new(STREAMJ), arguments, &stream.path));
        let names: &[&str] =
            if stream.name == "codex" { &["--name", "command_execution"] } else { &[] };
        let tools = [&["tools", "--get", "/output"], names].concat();
        for (name, program) in rivals {
            let theirs = |command| {
                let filter = filter(command, stream.name).unwrap();
                answer(command_line(program, &["-c", "-r", filter], &stream.path))
            };
            assert!(ours(&["text"]) == theirs("text"), "text of {}: {name} differs", stream.name);
            assert!(ours(&tools) == theirs("tools"), "tools of {}: {name} differs", stream.name);
            let total = ours(&["usage", "--get", "/total_tokens"]);
            assert!(total == theirs("usage"), "usage of {}: {name} differs", stream.name);
            let events = ours(&["events", "--tag", "none"]);
            assert!(events == theirs("events"), "events of {}: {name} differs", stream.name);
        }
    }
}

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
        let started = Instant::now();
        if self.piped {
            let mut cat = command_line(Path::new("cat"), &[], stream);
            let mut cat = cat.stdout(Stdio::piped()).spawn().expect("it runs");
            let handed = cat.stdout.take().expect("a pipe");
            let mut command = Command::new(&self.program);
            command.args(arguments).stdin(handed).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().expect("it runs");
            cat.wait().expect("it ends");
        } else {
            let mut command = command_line(&self.program, &arguments, stream);
            command.stdout(Stdio::null()).status().expect("it runs");
        }
        started.elapsed()
    }
}

/// Medians in seconds, by what was run.
fn times(stream: &Stream, rivals: &[(&str, PathBuf)], rounds: usize) -> BTreeMap<String, f64> {
    let lines = || Case::new("wc -l", "wc", &["-l"]);
    let mut cases = vec![Case::new("cat", "cat", &[])];
    for command in COMMANDS {
        // What it is compared with most closely runs beside it each time: on a shared
        // machine no two minutes are alike.
        cases.push(lines());
        let name = format!("streamj {command}");
        cases.push(Case::new(&name, STREAMJ, &[command]));
        cases.push(Case::new(format!("{name} --threads 1"), STREAMJ, &[command, "--threads", "1"]));
        for (rival, program) in rivals {
            if let Some(filter) = filter(command, stream.name) {
                cases.push(Case::new(format!("{rival} {command}"), program, &["-c", filter]));
            }
        }
        cases.push(lines().piped());
        cases.push(Case::new(&name, STREAMJ, &[command]).piped());
    }
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for round in 0..rounds {
        for case in &cases {
            let slowest = times.get(&case.name).and_then(|times| times.iter().max());
            if round >= 3 && slowest.is_some_and(|time| *time > SLOW) {
                continue;
            }
            times.entry(case.name.clone()).or_default().push(case.time(&stream.path));
        }
    }
    times.into_iter().map(|(name, times)| (name, median(times))).collect()
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

fn print_rows(stream: &Stream, rows: &BTreeMap<String, f64>) {
    let (reading, handed) = (rows["wc -l"], rows["cat | wc -l"]);
    println!(
        "\n{} ({} MB): wc -l {reading:.3} s, cat {:.3} s, cat | wc -l {handed:.3} s",
        stream.name,
        stream.bytes / 1_000_000,
        rows["cat"]
    );
    println!("| command | time | × wc -l | one thread | from cat | × wc -l | jq | gojq | jaq |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for command in COMMANDS {
        let name = format!("streamj {command}");
        let (own, alone) = (rows[&name], rows[&format!("{name} --threads 1")]);
        let piped = rows[&format!("cat | {name}")];
        let rival = |rival: &str| {
            let time = rows.get(&format!("{rival} {command}"));
            time.map_or(String::new(), |time| format!("{:.0}× as long", time / own))
        };
        let [jq, gojq, jaq] = ["jq", "gojq", "jaq"].map(rival);
        println!(
            "| `{command}` | {own:.3} s | {:.1} | {alone:.3} s | {piped:.3} s | {:.1} | {jq} | {gojq} | {jaq} |",
            own / reading,
            piped / handed,
        );
    }
}

fn start_up(rivals: &[(&str, PathBuf)]) -> BTreeMap<String, f64> {
    let mut programs: Vec<(&str, PathBuf, &str)> = vec![("streamj", STREAMJ.into(), "text")];
    programs.extend(rivals.iter().map(|(name, program)| (*name, program.clone(), ".")));
    let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
    for _ in 0..51 {
        for (name, program, argument) in &programs {
            let mut command = command_line(program, &[argument], Path::new("/dev/null"));
            let started = Instant::now();
            command.stdout(Stdio::null()).status().expect("it runs");
            times.entry((*name).to_owned()).or_default().push(started.elapsed());
        }
    }
    times.into_iter().map(|(name, times)| (name, median(times))).collect()
}

/// One line in, its text out, while the pipes stay open.
fn latency() -> f64 {
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
    let times = (0..501).map(|_| {
        let started = Instant::now();
        to.write_all(line).unwrap();
        answer.clear();
        from.read_line(&mut answer).unwrap();
        started.elapsed()
    });
    let median = median(times.collect());
    drop(to);
    child.wait().unwrap();
    median
}

fn peak(command: &str, stream: &Path) -> u64 {
    peak_of(&command_line(Path::new(STREAMJ), &[command], stream))
}

/// Peak memory in KiB, where /usr/bin/time tells.
fn peak_of(command: &Command) -> u64 {
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

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn machine() -> Value {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    json!({"cores": cores, "cpu": model.trim_start_matches(['\t', ' ', ':'])})
}
