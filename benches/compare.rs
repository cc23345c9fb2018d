//! `cargo bench --bench compare`: streamj beside jq, jaq, gojq, wc and cat.
//!
//! Makes its streams from a seed, checks first that all tools give the same
//! answer, runs them in turn for several rounds and prints medians as ratios;
//! the same as JSON with `--json FILE`. Nothing is downloaded but jaq, which is
//! installed into a temporary folder when it is not there (`--no-jaq`: not at
//! all), and ccusage for the row about histories. `--quick` makes everything ten
//! times smaller; `--history` measures that row only, `--redact` only the cost of masking.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::print_stderr)]
#![allow(clippy::cast_precision_loss)]

mod corpus;
mod history;
mod measure;
mod rivals;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use corpus::Kind;
use measure::{mib, peak_of};
use rivals::Rival;
use serde_json::{Map, Value, json};

const STREAMJ: &str = env!("CARGO_BIN_EXE_streamj");

/// What is measured.
const COMMANDS: [&str; 6] = ["text", "usage", "tools", "events", "summary", "check"];

/// How often what takes hardly any time is measured.
const OFTEN: usize = 501;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    let after = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).cloned()
    };
    let (scale, rounds): (usize, usize) = if has("--quick") { (10, 3) } else { (1, 15) };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let history =
        || history::compare(folder, 1_000_000_000 / scale, 2000 / scale, rounds.div_ceil(2));
    if has("--history") {
        history();
        return;
    }
    let make = |name, kind, megabytes: usize| {
        Stream::make(folder, name, kind, megabytes * 1_000_000 / scale)
    };
    let streams = [
        make("claude", Kind::Claude, 200),
        make("codex", Kind::Codex, 200),
        make("partial", Kind::Partial, 100),
        make("long", Kind::Long, 200),
    ];
    if has("--redact") {
        print_redacted(&streams, rounds);
        return;
    }
    let rivals = rivals::find(folder, !has("--no-jaq"));
    let machine = machine();
    let versions: BTreeMap<_, _> =
        rivals.iter().map(|rival| (rival.name, rival.version.as_str())).collect();
    println!("{machine}");
    println!("{}", json!(versions));
    println!("medians of {rounds} rounds, of 3 where one takes over a second");
    rivals::check_answers(&streams, &rivals);

    let mut measured = Map::new();
    for stream in &streams {
        let seconds = measure::times(stream, &rivals, rounds);
        let ratios = ratios(&seconds, &rivals);
        print_rows(stream, &seconds, &ratios);
        let rows = json!({"bytes": stream.bytes, "seconds": seconds, "ratios": ratios});
        measured.insert(stream.name.to_owned(), rows);
    }
    let start = measure::start_up(&rivals, OFTEN / 5);
    println!("\nstart-up on an empty input");
    for (name, time) in &start {
        println!("  {name:<8} {:>6.2} ms", time * 1000.0);
    }
    let latency = measure::latency(OFTEN);
    println!("\none line in, its text out, through pipes: {:.3} ms", latency * 1000.0);
    let large = make("large", Kind::Claude, 2000);
    let peaks = peaks(&[&streams[0], &streams[3], &large]);
    let report = json!({
        "machine": machine, "versions": versions, "rounds": rounds, "streams": measured,
        "start_up_seconds": start, "latency_seconds": latency, "peak_kib": peaks,
        "history": history(),
    });
    if let Some(path) = after("--json") {
        std::fs::write(path, serde_json::to_vec_pretty(&report).unwrap()).unwrap();
    }
}

/// A stream in a file.
struct Stream {
    name: &'static str,
    kind: Kind,
    path: PathBuf,
    bytes: u64,
}

impl Stream {
    fn make(folder: &Path, name: &'static str, kind: Kind, size: usize) -> Self {
        let path = folder.join(name).with_extension("jsonl");
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&path).unwrap());
        corpus::write(&mut file, kind, size, 7).unwrap();
        file.flush().unwrap();
        let bytes = path.metadata().unwrap().len();
        Self { name, kind, path, bytes }
    }

    fn is_codex(&self) -> bool {
        matches!(self.kind, Kind::Codex | Kind::Long)
    }

    fn megabytes(&self) -> u64 {
        self.bytes / 1_000_000
    }
}

fn command_line(program: &Path, arguments: &[&str], stream: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).arg(stream).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// By command: how long it takes as a multiple of `wc -l`, both with the file and
/// with a pipe, and how long the others take as a multiple of it.
fn ratios(
    seconds: &BTreeMap<String, f64>,
    rivals: &[Rival],
) -> BTreeMap<&'static str, BTreeMap<String, f64>> {
    let ratios = |command: &'static str| {
        let own = format!("streamj {command}");
        let piped = format!("cat | {own}");
        let mut ratios = BTreeMap::from([
            ("of wc -l".to_owned(), seconds[&own] / seconds["wc -l"]),
            ("of cat | wc -l".to_owned(), seconds[&piped] / seconds["cat | wc -l"]),
        ]);
        for Rival { name, .. } in rivals {
            if let Some(time) = seconds.get(&format!("{name} {command}")) {
                ratios.insert((*name).to_owned(), time / seconds[&own]);
            }
        }
        (command, ratios)
    };
    COMMANDS.into_iter().map(ratios).collect()
}

fn print_rows(
    stream: &Stream,
    seconds: &BTreeMap<String, f64>,
    ratios: &BTreeMap<&str, BTreeMap<String, f64>>,
) {
    println!(
        "\n{} ({} MB): wc -l {:.3} s, cat {:.3} s, cat | wc -l {:.3} s",
        stream.name,
        stream.megabytes(),
        seconds["wc -l"],
        seconds["cat"],
        seconds["cat | wc -l"],
    );
    println!("| command | time | of `wc -l` | one thread | of `cat \\| wc -l` | jq | gojq | jaq |");
    println!("|---|---|---|---|---|---|---|---|");
    for command in COMMANDS {
        let own = seconds[&format!("streamj {command}")];
        let alone = seconds[&format!("streamj {command} --threads 1")];
        let ratios = &ratios[command];
        let [jq, gojq, jaq] = ["jq", "gojq", "jaq"]
            .map(|rival| ratios.get(rival).map_or(String::new(), |ratio| format!("{ratio:.0}×")));
        let (file, pipe) = (ratios["of wc -l"], ratios["of cat | wc -l"]);
        println!(
            "| `{command}` | {own:.3} s | {file:.1}× | {alone:.3} s | {pipe:.1}× | {jq} | {gojq} | {jaq} |"
        );
    }
}

/// Prints how many times as long commands take with `--redact`.
fn print_redacted(streams: &[Stream], rounds: usize) {
    println!("times of `--redact` as multiples of the times without it");
    for stream in streams {
        let seconds = measure::redacted(stream, rounds);
        let ratio = |command: &str| {
            let own = seconds[&format!("streamj {command}")];
            let redacted = seconds[&format!("streamj {command} --redact")];
            format!("{command} {redacted:.3} s / {own:.3} s = {:.2}", redacted / own)
        };
        println!("  {:<8} {}", stream.name, COMMANDS.map(ratio).join(", "));
    }
}

/// Peak memory in KiB by command and stream.
fn peaks(streams: &[&Stream]) -> BTreeMap<&'static str, BTreeMap<&'static str, u64>> {
    println!("\npeak memory");
    let mut peaks: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for command in COMMANDS {
        let mut told = Vec::new();
        for stream in streams {
            let peak = peak_of(&command_line(Path::new(STREAMJ), &[command], &stream.path));
            told.push(format!("{} ({} MB) {:.1} MiB", stream.name, stream.megabytes(), mib(peak)));
            peaks.entry(command).or_default().insert(stream.name, peak);
        }
        println!("  {command:<8} {}", told.join(", "));
    }
    peaks
}

fn machine() -> Value {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    json!({"cores": cores, "cpu": model.trim_start_matches(['\t', ' ', ':'])})
}
