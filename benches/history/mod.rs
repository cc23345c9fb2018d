//! `usage` over a gigabyte of transcripts, beside ccusage's native program, which
//! npm installs into a temporary folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::measure::{median, mib, peak_of};
use crate::{STREAMJ, corpus};

/// Makes the transcripts, compares, prints the row.
pub fn compare(folder: &Path, size: usize, files: usize, rounds: usize) -> Value {
    let home = folder.join("home");
    corpus::transcripts::write(&home, files, size).unwrap();
    let projects = home.join("projects");
    let ours = || {
        let mut command = Command::new(STREAMJ);
        command.args(["usage", "--utc", "--by", "day", "--format", "json"]).arg(&projects);
        command
    };
    println!("\nusage --by day of {} MB in {files} files", size / 1_000_000);
    let Some(program) = install(folder) else {
        println!("  ccusage cannot be had here");
        return Value::Null;
    };
    let theirs = || {
        let mut command = Command::new(&program);
        command.args(["claude", "daily", "--json", "--offline", "--timezone", "UTC"]);
        command.env_clear().env("HOME", folder).env("CLAUDE_CONFIG_DIR", &home);
        command
    };
    let (our_days, their_days) = (days(ours(), "day"), days(theirs(), "date"));
    assert_eq!(our_days, their_days, "the same totals, day by day");

    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for (times, mut command) in times.iter_mut().zip([ours(), theirs()]) {
            let started = Instant::now();
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it runs");
            times.push(started.elapsed());
        }
    }
    let [own, rival] = times.map(median);
    let memory = [peak_of(&ours()), peak_of(&theirs())];
    println!(
        "  streamj {own:.3} s, {:.0} MiB; ccusage {rival:.3} s, {:.0} MiB: {:.1}× as long",
        mib(memory[0]),
        mib(memory[1]),
        rival / own
    );
    json!({"seconds": {"streamj": own, "ccusage": rival},
        "peak_kib": {"streamj": memory[0], "ccusage": memory[1]}})
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
