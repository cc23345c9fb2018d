//! `usage` over a gigabyte of transcripts, beside ccusage's native program, which
//! npm installs into a temporary folder; and what the index saves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::measure::{median, mib, peak_of};
use crate::{STREAMJ, corpus};

/// Makes the transcripts, compares, prints the rows.
pub fn compare(folder: &Path, size: usize, files: usize, rounds: usize) -> Value {
    let home = folder.join("home");
    corpus::transcripts::write(&home, files, size).unwrap();
    let projects = home.join("projects");
    let cache = folder.join("cache");
    let ours = |options: &[&str]| {
        let mut command = Command::new(STREAMJ);
        command.args(["usage", "--utc", "--by", "day", "--format", "json"]).args(options);
        command.arg(&projects).env("XDG_CACHE_HOME", &cache);
        command
    };
    let status = || {
        let mut command = Command::new(STREAMJ);
        command.arg("statusline").env("XDG_CACHE_HOME", &cache).env("CLAUDE_CONFIG_DIR", &home);
        command
    };
    println!("\nusage --by day of {} MB in {files} files", size / 1_000_000);
    let program = install(folder);
    let theirs = || {
        let mut command = Command::new(program.as_ref().expect("it is installed"));
        command.args(["claude", "daily", "--json", "--offline", "--timezone", "UTC"]);
        command.env_clear().env("HOME", folder).env("CLAUDE_CONFIG_DIR", &home);
        command
    };
    let our_days = days(ours(&["--no-index"]), "day");
    for _ in 0..2 {
        assert_eq!(our_days, days(ours(&[]), "day"), "the index changes no total");
    }
    if program.is_some() {
        assert_eq!(our_days, days(theirs(), "date"), "the same totals, day by day");
    }
    let mut times: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for _ in 0..rounds {
        let mut time = |name, command: &mut Command| {
            times.entry(name).or_default().push(time(command));
        };
        // Beside each other: on a shared machine no two minutes are alike.
        std::fs::remove_dir_all(&cache).expect("it can be removed");
        time("cold", &mut ours(&[]));
        time("unchanged", &mut ours(&[]));
        time("without index", &mut ours(&["--no-index"]));
        if program.is_some() {
            time("ccusage", &mut theirs());
        }
        time("statusline that counts", &mut status());
        for _ in 0..20 {
            time("true", &mut Command::new("true"));
            time("statusline", &mut status());
        }
    }
    let times: BTreeMap<&str, f64> =
        times.into_iter().map(|(name, times)| (name, median(times))).collect();
    for (name, seconds) in &times {
        println!("  {name:<22} {:>9.2} ms", seconds * 1000.0);
    }
    let mut ratios = BTreeMap::new();
    for (name, over, under) in [
        ("cold / unchanged", "cold", "unchanged"),
        ("ccusage / cold", "ccusage", "cold"),
        ("statusline / true", "statusline", "true"),
    ] {
        if let (Some(over), Some(under)) = (times.get(over), times.get(under)) {
            println!("  {name:<22} {:>9.1}×", over / under);
            ratios.insert(name, over / under);
        }
    }
    std::fs::remove_dir_all(&cache).expect("it can be removed");
    let mut peaks =
        BTreeMap::from([("cold", peak_of(&ours(&[]))), ("unchanged", peak_of(&ours(&[])))]);
    if program.is_some() {
        peaks.insert("ccusage", peak_of(&theirs()));
    }
    for (name, peak) in &peaks {
        println!("  {name:<22} {:>9.0} MiB", mib(*peak));
    }
    json!({"seconds": times, "ratios": ratios, "peak_kib": peaks})
}

fn time(command: &mut Command) -> Duration {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    command.status().expect("it runs");
    started.elapsed()
}

/// Input, output, cache written and read of every day.
fn days(mut command: Command, day: &str) -> Vec<(String, [u64; 4])> {
    let output = command.output().expect("it runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let rows = answer.get("daily").unwrap_or(&answer).as_array().expect("a list of days").clone();
    let count = |row: &Value, names: [&str; 2]| {
        names.iter().find_map(|name| row[*name].as_u64()).unwrap_or(0)
    };
    rows.iter()
        .filter(|row| row.get("total").is_none())
        .map(|row| {
            let counts = [
                ["input_tokens", "inputTokens"],
                ["output_tokens", "outputTokens"],
                ["cache_write_tokens", "cacheCreationTokens"],
                ["cache_read_tokens", "cacheReadTokens"],
            ];
            (row[day].as_str().unwrap().to_owned(), counts.map(|names| count(row, names)))
        })
        .collect()
}

/// ccusage's program for this machine.
fn install(folder: &Path) -> Option<PathBuf> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        processor => processor,
    };
    let package = format!("@ccusage/ccusage-{system}-{processor}");
    let root = folder.join("npm");
    std::fs::create_dir_all(&root).ok()?;
    eprintln!("installing ccusage into a temporary folder …");
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "ccusage", &package, "--prefix"]);
    npm.arg(&root).stdout(Stdio::null()).stderr(Stdio::null());
    npm.status().ok().filter(std::process::ExitStatus::success)?;
    let program = root.join("node_modules").join(package).join("bin/ccusage");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).ok()?;
    }
    Some(program)
}
