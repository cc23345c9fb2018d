//! `usage` over folders and several files: each token is counted once.

use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::assert::{Assert, OutputAssertExt};
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{BIN, fixture, fixture_bytes, root};
#[cfg(unix)]
use crate::support::{on_terminal, terminal_command};

fn transcripts(name: &str) -> PathBuf {
    root().join("tests/fixtures/transcripts").join(name)
}

/// Runs `usage` in UTC; it must succeed without a message.
fn usage(args: &[&str], paths: &[&Path]) -> Assert {
    let mut command = streamj(&["usage"]);
    command.env("TZ", "UTC").args(args).args(paths).assert().success().stderr("")
}

/// Formats each row as `key input output cache-read cache-write cost`.
fn table(rows: &[Value]) -> Vec<String> {
    let keys = ["session_id", "day", "month", "model", "project", "harness"];
    let key = |row: &Value| {
        keys.iter().find_map(|name| row[*name].as_str()).unwrap_or_default().to_owned()
    };
    let names =
        ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost_usd"];
    rows.iter()
        .map(|row| {
            let cells = names.map(|name| match &row[name] {
                Value::Null => "-".to_owned(),
                Value::Number(number) if number.is_f64() => {
                    format!("{:.6}", number.as_f64().unwrap())
                }
                other => other.to_string(),
            });
            format!("{} {}", key(row), cells.join(" "))
        })
        .collect()
}

fn usage_table(args: &[&str], paths: &[&Path]) -> Vec<String> {
    table(&usage(args, paths).rows())
}

#[test]
fn folder_is_one_table_by_harness_with_total() {
    let rows = usage(&["--by", "harness"], &[&transcripts("")]).rows();
    // Added up by hand, file by file, without copies.
    assert_eq!(
        table(&rows),
        [
            "claude 264 624 173580 76032 0.146425",
            "codex 4800 600 9600 0 -",
            "kimi 4800 600 9600 0 -",
            "cline 4000 500 8000 0 -",
            "droid 3600 450 7200 0 -",
            "pi 3600 450 7200 0 0.019710",
            "copilot 2800 350 5600 0 -",
            "openhands 2800 350 5600 0 -",
            "qwen 1600 200 3200 - -",
            "amp 22 25 4100 140 -",
            "grok 912 50 800 0 0.002500",
            "total 29198 4199 234480 76172 0.168635",
        ]
    );
    let total = rows.last().unwrap();
    assert_eq!(total["total"], true);
    assert_eq!((&total["sessions"], &total["sessions_without_cost"]), (&json!(35), &json!(21)));
}

#[test]
fn history_copied_by_fork_is_counted_for_its_first_session() {
    for (folder, cost) in
        [("claude.resume", ["0.019126", "0.009543"]), ("claude_1_0_128.resume", ["-", "-"])]
    {
        let rows = usage_table(&["--by", "session"], &[&transcripts(folder)]);
        assert_eq!(rows.len(), 3, "{rows:?}");
        let ends = |row: &str, figures: &str| assert!(row.ends_with(figures), "{folder}: {row}");
        ends(&rows[0], &format!(" 24 22 15780 6912 {}", cost[0]));
        ends(&rows[1], &format!(" 12 9 7890 3456 {}", cost[1]));
    }
}

#[test]
fn subagent_file_belongs_to_its_session() {
    let folder = transcripts("claude.signal_sigint_background_agent");
    let rows = usage(&["--by", "session"], &[&folder]).rows();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["output_tokens"], 131);
    assert_eq!(rows[0]["unattributed"], Value::Null, "{}", rows[0]);
    // Without that file only the CLI's own count includes its tokens.
    let main = folder.join("projects/-tmp-demo/512c201f-1b1a-4e02-a4eb-28352ee3c43a.jsonl");
    let alone = &usage(&["--by", "session"], &[&main]).rows()[0];
    assert_eq!(
        (&alone["output_tokens"], &alone["unattributed"]["output_tokens"]),
        (&json!(131), &json!(32))
    );
    // Codex: a spawned thread is part of the session that spawned it.
    let rows = usage(&["--by", "session"], &[&transcripts("codex.collab_spawn_agent")]).rows();
    assert_eq!((rows.len(), &rows[0]["total_tokens"]), (2, &json!(8750)));
}

#[test]
fn rows_are_grouped_by_model_project_month_and_day() {
    let claude = transcripts("claude.resume");
    let models = usage_table(&["--by", "model"], &[&transcripts("codex.resume"), &claude]);
    assert_eq!(
        models,
        [
            "claude-sonnet-5-5 36 31 23670 10368 0.028669",
            "gpt-5.5 800 100 1600 0 -",
            "total 836 131 25270 10368 0.028669",
        ]
    );
    for (args, key) in [
        (&["--by", "project"][..], "/tmp/demo"),
        (&["--by", "month"], "2026-11"),
        // A folder is grouped by day unless --by says otherwise.
        (&[], "2026-11-15"),
    ] {
        let rows = usage_table(args, &[&claude]);
        assert_eq!(rows[0], format!("{key} 36 31 23670 10368 0.028669"));
    }
}

#[test]
fn days_are_in_local_time_unless_utc_is_requested() {
    let day = |zone: &str, more: &[&str]| {
        let mut command = streamj(&["usage", "--by", "day"]);
        let command = command.env("TZ", zone).args(more).arg(transcripts("claude.resume"));
        command.assert().rows()[0]["day"].clone()
    };
    // The session was at 23:19 UTC.
    assert_eq!(day("UTC", &[]), "2026-11-15");
    assert_eq!(day("Asia/Tokyo", &[]), "2026-11-16");
    assert_eq!(day("Asia/Tokyo", &["--utc"]), "2026-11-15");
}

/// Returns a transcript line of a model that is not in the price table.
fn message(id: &str, at: &str, output: u64) -> String {
    json!({"parentUuid": null, "isSidechain": false, "type": "assistant", "sessionId": "s1",
        "timestamp": at, "requestId": format!("r-{id}"),
        "message": {"id": id, "model": "custom-1", "content": [],
            "usage": {"input_tokens": 1, "output_tokens": output}}})
    .to_string()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn since_and_until_include_their_days() {
    let days = ["2026-11-01", "2026-11-02", "2026-11-03"];
    let lines: Vec<_> =
        days.iter().map(|day| message(day, &format!("{day}T12:00:00Z"), 5)).collect();
    let folder = folder(&[("a.jsonl", &lines.join("\n"))]);
    let rows = |args: &[&str]| usage(args, &[folder.path()]).rows().len() - 1;
    assert_eq!(rows(&[]), 3);
    assert_eq!(rows(&["--since", "2026-11-02"]), 2);
    assert_eq!(rows(&["--until", "2026-11-02"]), 2);
    assert_eq!(rows(&["--since", "20261102", "--until", "20261102"]), 1);
    assert_eq!(rows(&["--since", "2026-11-02T12:00:01Z"]), 1);
    assert_eq!(rows(&["--since", "today"]), 0);
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress_to_vec(text.as_bytes(), level)
}

#[test]
fn compressed_files_are_read_and_deduplicated() {
    let plain = message("m1", "2026-11-01T12:00:00Z", 5) + "\n";
    let more = message("m2", "2026-11-01T12:00:01Z", 7) + "\n";
    let folder = folder(&[]);
    let path = |name: &str| folder.path().join(name);
    // Two frames each, as tools that append to a compressed file leave them.
    std::fs::write(path("a.jsonl.gz"), [gzip(&plain), gzip(&more)].concat()).unwrap();
    std::fs::write(path("b.jsonl.zst"), [zstd(&plain), zstd(&more)].concat()).unwrap();
    for name in ["a.jsonl.gz", "b.jsonl.zst"] {
        assert_eq!(usage(&[], &[&path(name)]).row()["output_tokens"], 12, "{name}");
    }
    let all = usage(&["--by", "day"], &[folder.path()]).rows();
    assert_eq!(all[0]["output_tokens"], 12, "messages in both files count once");
    let whole = gzip(&plain);
    std::fs::write(path("c.jsonl.gz"), &whole[..whole.len() / 2]).unwrap();
    streamj(&["usage"])
        .arg(path("c.jsonl.gz"))
        .assert()
        .code(2)
        .stderr(predicate::str::contains("c.jsonl.gz: cannot read: "));
}

#[test]
fn home_reads_the_session_folders_of_every_cli() {
    let session = message("m1", "2026-11-01T12:00:00Z", 5);
    let elsewhere = message("m2", "2026-11-01T12:00:00Z", 7);
    let rollout = std::fs::read_to_string(transcripts("codex_0_60_1.web_search/sessions/2026/11/15/rollout-2026-11-15T23-36-38-01a1e191-e8b3-7ca0-8642-e9516196bf9e.jsonl")).unwrap();
    let home = folder(&[
        (".claude/projects/-p/a.jsonl", &session),
        (".claude/history.jsonl", &elsewhere),
        (".codex/sessions/2026/11/15/rollout-a.jsonl", &rollout),
        (".codex/archived_sessions/rollout-a.jsonl", &rollout),
        ("other/projects/-p/b.jsonl", &elsewhere),
    ]);
    let usage_of = |home: &Path, args: &[&str], variables: &[(&str, &str)]| {
        let mut command = streamj(&["usage", "--home"]);
        command.args(args).env("HOME", home);
        command.env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        command.envs(variables.iter().map(|(name, folder)| (name, home.join(folder)))).assert()
    };
    let total = |variables: &[(&str, &str)]| {
        table(&usage_of(home.path(), &["--by", "harness"], variables).rows())
    };
    // A rollout and its archived copy count once.
    assert_eq!(total(&[]), ["codex 400 50 800 - -", "claude 1 5 - - -", "total 401 55 800 - -"]);
    assert_eq!(
        total(&[("CLAUDE_CONFIG_DIR", "other"), ("CODEX_HOME", "none")]),
        ["claude 1 7 - - -", "total 1 7 - - -"]
    );
    usage_of(folder(&[]).path(), &[], &[])
        .code(2)
        .stderr(predicate::str::contains("no sessions here"));
}

#[test]
fn recorded_stream_and_its_transcript_count_once() {
    let stream = String::from_utf8(fixture_bytes("claude/text_success")).unwrap();
    let id = run(&["session", "--get", "/session_id"], stream.as_str());
    let transcript = message("m9", "2026-11-01T12:00:00Z", 5)
        .replace("\"s1\"", &format!("\"{}\"", id.text().trim()));
    let both = folder(&[("stream.jsonl", &stream), ("transcript.jsonl", &transcript)]);
    let alone = folder(&[("stream.jsonl", &stream)]);
    let output =
        |folder: &Path| usage(&["--by", "harness"], &[folder]).rows()[0]["output_tokens"].clone();
    assert_eq!(output(both.path()), 5);
    let row = usage(&[], &[&alone.path().join("stream.jsonl")]).row();
    assert_eq!(output(alone.path()), row["output_tokens"]);
}

#[test]
fn files_without_by_are_one_object_each() {
    let folder = transcripts("claude.resume/projects/-tmp-demo");
    let files = [
        "08f6a414-d5ac-4cb0-b727-8cd22852ccdd.jsonl",
        "31385d07-c2a7-4396-9321-21b16ed182c1.jsonl",
    ];
    let files = files.map(|file| folder.join(file));
    let rows = usage(&[], &[&files[0], &files[1]]).rows();
    assert_eq!(
        (rows.len(), &rows[0]["output_tokens"], &rows[1]["output_tokens"]),
        (2, &json!(31), &json!(22))
    );
    let rows = usage(&["--by", "harness"], &[&files[0], &files[1], &files[0]]).rows();
    assert_eq!(rows[0]["output_tokens"], 31);
}

#[test]
fn formats_print_the_same_values() {
    let folder = transcripts("claude.resume");
    let csv = usage(&["--format", "csv"], &[&folder]);
    let header = "day,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cache_write_5m_tokens,cache_write_1h_tokens,reasoning_tokens,total_tokens,cost_usd,estimated_cost_usd,sessions,prices_of,unpriced_models,cost_with_estimate_usd,cached_input_tokens,uncached_input_tokens,sessions_without_cost,undated_tokens,undated_sessions";
    let lines: Vec<_> = csv.text().lines().collect();
    assert_eq!(lines[0], header);
    let first = "2026-11-15,36,31,23670,10368,10368,0,0,34105,0.028669";
    assert!(lines[1].starts_with(first), "{}", lines[1]);
    assert!(lines[2].starts_with("total,36,31,"), "{}", lines[2]);
    usage(&["--format", "tsv"], &[&folder]).stdout(csv.text().replace(',', "\t"));
    let json: Value =
        serde_json::from_str(usage(&["--format", "json"], &[&folder]).text()).unwrap();
    assert_eq!(json.as_array().unwrap(), &usage(&[], &[&folder]).rows());
    usage(&["--get", "/output_tokens"], &[&folder]).stdout("31\n31\n");
    let session = "31385d07-c2a7-4396-9321-21b16ed182c1  2026-11-15 23:19  demo";
    usage(&["--format", "human", "--by", "session"], &[&folder])
        .stdout(predicate::str::contains(session).and(predicate::str::ends_with("2 sessions\n")));
}

#[test]
fn estimate_has_its_own_member_and_unknown_model_has_no_price() {
    let rows = usage(&["--estimate", "--by", "session"], &[&transcripts("claude.resume")]).rows();
    let near =
        |value: &Value, usd: f64| assert!((value.as_f64().unwrap() - usd).abs() < 1e-9, "{value}");
    // The price table gives the cost that the CLI reports.
    near(&rows[0]["estimated_cost_usd"], 0.019_126);
    near(&rows[1]["estimated_cost_usd"], 0.009_543);
    assert!(rows[0]["prices_of"].as_str().unwrap().starts_with("20"));
    let unpriced = folder(&[("a.jsonl", &message("m1", "2026-11-01T12:00:00Z", 5))]);
    let row = &usage(&["--estimate"], &[unpriced.path()]).rows()[0];
    assert_eq!(
        (&row["estimated_cost_usd"], &row["unpriced_models"]),
        (&Value::Null, &json!(["custom-1"]))
    );
    usage(&["--estimate", "--format", "human"], &[unpriced.path()]).stdout(
        predicate::str::contains("unknown")
            .and(predicate::str::contains("$0").not())
            .and(predicate::str::contains("no price is known for custom-1")),
    );
    // The same for a single file.
    let row = usage(&["--estimate"], &[&unpriced.path().join("a.jsonl")]).row();
    assert_eq!(row["unpriced_models"], json!(["custom-1"]));
}

#[test]
fn prices_are_read_from_a_file() {
    let folder = folder(&[
        ("a.jsonl", &message("m1", "2026-11-01T12:00:00Z", 5)),
        (
            "own.json",
            r#"{"date":"2027-01-01","models":{"custom-1":{"input":1000000,"output":2000000}}}"#,
        ),
        ("bad.json", r#"{"models":{"m":{"output":2}}}"#),
    ]);
    let own = folder.path().join("own.json");
    let row = &usage(&["--prices", own.to_str().unwrap()], &[folder.path()]).rows()[0];
    assert_eq!(
        (&row["estimated_cost_usd"], &row["prices_of"]),
        (&json!(11.0), &json!("2027-01-01"))
    );
    for (file, reason) in
        [("bad.json", "the price of m: `input` is missing"), ("none.json", "cannot read")]
    {
        streamj(&["usage", "--prices"])
            .args([&folder.path().join(file), folder.path()])
            .assert()
            .append_context("file", file)
            .code(2)
            .stderr(predicate::str::contains(reason));
    }
}

#[test]
fn plot_bars_grow_with_usage_and_fit_80_columns() {
    let lines: Vec<_> = (1..4)
        .map(|day| message(&format!("m{day}"), &format!("2026-11-0{day}T12:00:00Z"), day * 100))
        .collect();
    let folder = folder(&[("a.jsonl", &lines.join("\n"))]);
    let plot = usage(&["--plot", "--by", "day"], &[folder.path()]);
    let bars: Vec<usize> = plot.text().lines().map(|line| line.matches('█').count()).collect();
    assert_eq!(bars.len(), 3);
    assert!(bars[2] > bars[1] && bars[1] > bars[0], "{plot}");
    assert!(plot.text().lines().all(|line| line.chars().count() <= 80), "{plot}");
    usage(&["--plot=cost", "--by", "day"], &[folder.path()])
        .stdout(predicate::str::contains("unknown").and(predicate::str::contains("█").not()));
}

#[test]
fn unreadable_input_is_reported_and_the_rest_is_counted() {
    let lines = ["torn {", &message("m1", "2026-11-01T12:00:00Z", 5), "\0\0", "{}"];
    let folder =
        folder(&[("a.jsonl", &lines.join("\n")), ("empty.jsonl", ""), ("notes.txt", "no session")]);
    let missing = folder.path().join("missing.jsonl");
    let counted = streamj(&["usage"]).arg(folder.path()).arg(&missing).assert().code(2).stderr(
        predicate::str::contains("a.jsonl:1: not JSON")
            .and(predicate::str::contains("(1 more line skipped)"))
            .and(predicate::str::contains("missing.jsonl: cannot read: no such file")),
    );
    assert_eq!(counted.rows()[0]["output_tokens"], 5);
    streamj(&["usage", "--strict"]).arg(folder.path()).assert().code(1);
    streamj(&["usage", "--by", "day", "--format", "human"])
        .arg(folder.path().join("empty.jsonl"))
        .assert()
        .code(1)
        .stdout(predicate::str::contains("0 sessions"));
}

#[test]
fn thread_count_does_not_change_table() {
    let table = |threads: &str| {
        usage(&["--by", "session", "--threads", threads], &[&transcripts("")]).text().to_owned()
    };
    assert_eq!(table("1"), table("4"));
}

/// Returns a message of a session; `at` is a day, hour and minute of November.
fn answer(session: &str, id: &str, at: &str) -> String {
    let line = message(id, &format!("2026-11-{at}:00Z"), 100);
    line.replace("\"s1\"", &format!("\"{session}\""))
}

fn subagent_answer(session: &str, id: &str, at: &str) -> String {
    answer(session, id, at).replace("\"isSidechain\":false", "\"isSidechain\":true")
}

/// Returns the CLI's own count after a number of requests, at a dollar each.
fn count(session: &str, requests: u64) -> String {
    json!({"type": "cost-state", "sessionId": session, "totalCostUSD": requests,
        "modelUsage": {"custom-1": {"inputTokens": requests, "outputTokens": requests * 100,
            "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": requests}}})
    .to_string()
}

/// Counts files of these lines; formats each row as `key input output cost`.
fn sums(files: &[(&str, &[String])], by: &str) -> Vec<String> {
    let files: Vec<_> = files.iter().map(|(name, lines)| (*name, lines.join("\n"))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    usage_table(&["--by", by], &[folder(&files).path()])
        .iter()
        .map(|row| {
            let cells: Vec<_> = row.split(' ').collect();
            format!("{} {} {} {}", cells[0], cells[1], cells[2], cells[5])
        })
        .collect()
}

#[test]
fn count_covers_subagents_that_answer_after_the_main_thread() {
    let main = [answer("s", "a", "01T12:00"), count("s", 2)];
    let agent = [subagent_answer("s", "b", "01T12:30")];
    let files: [(&str, &[String]); 2] = [("s.jsonl", &main), ("s/subagents/agent-1.jsonl", &agent)];
    assert_eq!(sums(&files, "session"), ["s 2 200 2.000000", "total 2 200 2.000000"]);
    // After a resume, the first count still covers everything before it.
    let main =
        [&main[..], &[answer("s", "c", "01T13:00"), answer("s", "d", "01T13:10"), count("s", 4)]]
            .concat();
    let files: [(&str, &[String]); 2] = [("s.jsonl", &main), ("s/subagents/agent-1.jsonl", &agent)];
    assert_eq!(sums(&files, "session")[0], "s 4 400 4.000000");
}

#[test]
fn model_name_with_suffix_is_the_same_model() {
    let lines = [answer("s", "a", "01T12:00"), count("s", 1).replace("custom-1", "custom-1[1m]")];
    assert_eq!(sums(&[("s.jsonl", &lines)], "model")[0], "custom-1 1 100 -");
    assert_eq!(sums(&[("s.jsonl", &lines)], "session")[0], "s 1 100 1.000000");
}

#[test]
fn fork_with_the_first_message_of_its_parent_is_counted_as_fork() {
    let parent = [answer("zzz", "a", "01T12:00"), answer("zzz", "b", "01T12:01"), count("zzz", 2)];
    let fork = [
        answer("aaa", "a", "01T12:00"),
        answer("aaa", "b", "01T12:01"),
        answer("aaa", "c", "01T12:02"),
        count("aaa", 3),
    ];
    let files: [(&str, &[String]); 2] = [("zzz.jsonl", &parent), ("aaa.jsonl", &fork)];
    assert_eq!(
        sums(&files, "session"),
        ["zzz 2 200 2.000000", "aaa 1 100 1.000000", "total 3 300 3.000000"]
    );
}

#[test]
fn fork_count_includes_parent_usage_after_the_parent_count() {
    let parent = [answer("p", "a", "01T12:00"), count("p", 1), answer("p", "b", "01T12:01")];
    let fork = [
        answer("f", "a", "01T12:00"),
        answer("f", "b", "01T12:01"),
        answer("f", "c", "01T12:02"),
        count("f", 3),
    ];
    let files: [(&str, &[String]); 2] = [("p.jsonl", &parent), ("f.jsonl", &fork)];
    assert_eq!(sums(&files, "day"), ["2026-11-01 3 300 3.000000", "total 3 300 3.000000"]);
    // A fork whose count starts at zero inherits nothing.
    let restarted = [answer("f", "a", "01T12:00"), answer("f", "c", "01T12:02"), count("f", 1)];
    let parent = [answer("p", "a", "01T12:00"), answer("p", "b", "01T12:01"), count("p", 2)];
    let files: [(&str, &[String]); 2] = [("p.jsonl", &parent), ("f.jsonl", &restarted)];
    assert_eq!(
        sums(&files, "session"),
        ["p 2 200 2.000000", "f 1 100 1.000000", "total 3 300 3.000000"]
    );
}

#[test]
fn file_is_split_by_the_sessions_of_its_answers() {
    let prompt =
        json!({"parentUuid": null, "isSidechain": true, "type": "user", "sessionId": "other",
        "timestamp": "2026-11-01T11:59:00Z", "message": {"role": "user", "content": "Warmup"}})
        .to_string();
    let lines = [prompt, answer("s1", "a", "01T12:00"), answer("s2", "b", "01T12:01")];
    assert_eq!(
        sums(&[("x.jsonl", &lines)], "session"),
        ["s1 1 100 -", "s2 1 100 -", "total 2 200 -"]
    );
}

#[test]
fn count_belongs_to_the_day_it_was_written() {
    let first = count("s", 1).replace("\"inputTokens\":1", "\"inputTokens\":1001");
    let later = count("s", 2).replace("\"inputTokens\":2", "\"inputTokens\":1002");
    let lines = [answer("s", "a", "01T12:00"), first, answer("s", "b", "03T12:00"), later];
    assert_eq!(
        sums(&[("s.jsonl", &lines)], "day"),
        ["2026-11-01 1001 100 1.000000", "2026-11-03 1 100 1.000000", "total 1002 200 2.000000"]
    );
    // A line with an invalid timestamp does not move the cost to another day.
    let invalid = [
        answer("s", "a", "01T12:00"),
        count("s", 1),
        json!({"type": "last-prompt", "sessionId": "s", "timestamp": "soon"}).to_string(),
    ];
    assert_eq!(sums(&[("s.jsonl", &invalid)], "day")[0], "2026-11-01 1 100 1.000000");
}

#[test]
fn stream_recorded_twice_counts_once() {
    let alone = |stream: &str| {
        let folder = folder(&[("a.jsonl", stream)]);
        usage(&[], &[&folder.path().join("a.jsonl")]).row()
    };
    let stream = String::from_utf8(fixture_bytes("claude/text_success")).unwrap();
    let one = alone(&stream);
    let two = folder(&[("a.jsonl", &stream), ("b/a.jsonl", &stream)]);
    let rows = usage(&["--by", "harness"], &[two.path()]).rows();
    assert_eq!(
        (&rows[0]["output_tokens"], &rows[0]["cost_usd"]),
        (&one["output_tokens"], &one["cost_usd"])
    );
    // A transcript without requests does not replace the stream.
    let session = one["session_id"].as_str().unwrap();
    let empty = json!({"type": "last-prompt", "sessionId": session}).to_string();
    let both = folder(&[("a.jsonl", &stream), ("t.jsonl", &empty)]);
    assert_eq!(
        usage(&["--by", "harness"], &[both.path()]).rows()[0]["output_tokens"],
        one["output_tokens"]
    );
    // The totals of a resumed Codex thread continue those of its first run.
    let codex = String::from_utf8(fixture_bytes("codex/text_success")).unwrap();
    let id = alone(&codex);
    let more = codex.replace("\"input_tokens\":1200", "\"input_tokens\":9200");
    assert_ne!(more, codex);
    let resumed = folder(&[("a.jsonl", &codex), ("b.jsonl", &more)]);
    let row = &usage(&["--by", "session"], &[resumed.path()]).rows()[0];
    assert_eq!((&row["session_id"], &row["total_tokens"]), (&id["session_id"], &json!(9250)));
}

#[test]
fn missing_cost_is_estimated_and_added_to_reported_cost() {
    let lines = [answer("s", "a", "01T12:00"), count("s", 1), answer("s", "b", "01T13:00")];
    let prices = r#"{"date":"d","models":{"custom-1":{"input":0,"output":100000}}}"#;
    let folder = folder(&[("s.jsonl", &lines.join("\n")), ("prices.json", prices)]);
    let prices = folder.path().join("prices.json");
    let prices = prices.to_str().unwrap();
    let row = &usage(&["--prices", prices], &[folder.path()]).rows()[0];
    let costs = ["cost_usd", "estimated_cost_usd", "cost_with_estimate_usd"].map(|name| &row[name]);
    assert_eq!(costs, [&json!(1.0), &json!(20.0), &json!(11.0)]);
    assert_eq!(row["sessions_without_cost"], 1);
    usage(&["--plot=cost", "--prices", prices], &[folder.path()])
        .stdout(predicate::str::contains("~$11.00"));
    usage(&["--plot=cost"], &[folder.path()]).stdout(predicate::str::contains("$1.00 + unknown"));
}

#[test]
fn long_prompt_price_applies_in_table_and_single_file() {
    let prices = r#"{"date":"d","models":{"custom-1":{"input":1000000,"output":0,"above":{"prompt":0,"input":3000000,"output":0}}}}"#;
    let nameless = answer("s", "b", "01T12:00").replace("\"custom-1\"", "null");
    let folder = folder(&[
        ("s.jsonl", &answer("s", "a", "01T12:00")),
        ("prices.json", prices),
        ("nameless.ndjson.txt", &nameless),
    ]);
    let prices = folder.path().join("prices.json");
    let args = ["--prices", prices.to_str().unwrap()];
    let alone = usage(&args, &[&folder.path().join("s.jsonl")]).row();
    let table = &usage(&args, &[folder.path()]).rows()[0];
    assert_eq!(
        (&alone["estimated_cost_usd"], &table["estimated_cost_usd"]),
        (&json!(3.0), &json!(3.0))
    );
    let nameless = usage(&args, &[&folder.path().join("nameless.ndjson.txt")]).row();
    assert_eq!(
        (&nameless["estimated_cost_usd"], &nameless["unpriced_models"]),
        (&Value::Null, &json!([""]))
    );
}

#[test]
fn damaged_zstandard_file_is_reported() {
    let lines = (message("m1", "2026-11-01T12:00:00Z", 5) + "\n").repeat(50);
    let whole = zstd(&lines);
    let skippable = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'][..], &whole].concat();
    let folder = folder(&[]);
    let read = |bytes: &[u8]| {
        let path = folder.path().join("a.jsonl.zst");
        std::fs::write(&path, bytes).unwrap();
        streamj(&["text"]).arg(path).assert()
    };
    read(&skippable).success();
    read(&[&whole[..], &skippable].concat()).success();
    let mut reported = 0;
    for at in 4..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        let read = read(&damaged);
        let is_error = read.get_output().status.code() == Some(2);
        reported += usize::from(is_error && read.errors().contains("damaged Zstandard data"));
    }
    // Damage to flags of the frame header changes no content.
    assert!(reported + 4 >= whole.len() - 4, "{reported} of {}", whole.len() - 4);
}

#[test]
fn zstandard_window_over_the_limit_is_named() {
    let folder = folder(&[]);
    let path = folder.path().join("a.jsonl.zst");
    // A frame with a window of 256 MiB and one empty block.
    std::fs::write(&path, [0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0]).unwrap();
    let message = "cannot read: a Zstandard window of 256 MiB, over the limit of 128 MiB";
    streamj(&["text"]).arg(&path).assert().code(2).stderr(predicate::str::contains(message));
}

#[cfg(target_os = "linux")]
#[test]
fn folders_beyond_the_longest_path_are_noted() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let folder = folder(&[("a.jsonl", &answer("s", "a", "01T12:00"))]);
    // Created one below the other, since no path to the last one can be passed at once.
    let name = "n".repeat(200);
    let mut parent = openat(CWD, folder.path(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    for _ in 0..30 {
        mkdirat(&parent, &name, Mode::RWXU).unwrap();
        parent = openat(&parent, &name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let read = streamj(&["usage"]).arg(folder.path()).assert().code(2);
    assert_eq!(read.rows()[0]["output_tokens"], 100);
    assert!(read.errors().ends_with(": file name too long\n"), "{}", read.errors());
}

#[test]
fn standard_input_may_be_compressed() {
    let folder = folder(&[]);
    let path = folder.path().join("a.gz");
    std::fs::write(&path, gzip(&message("m1", "2026-11-01T12:00:00Z", 5))).unwrap();
    // A file, not a pipe.
    let mut command = std::process::Command::new(BIN);
    let row = command.arg("usage").stdin(std::fs::File::open(&path).unwrap()).assert().row();
    assert_eq!(row["output_tokens"], 5);
}

#[cfg(unix)]
#[test]
fn symlinked_folders_are_followed_and_cycles_end() {
    let other = folder(&[("a.jsonl", &answer("s", "a", "01T12:00"))]);
    let folder = folder(&[]);
    std::os::unix::fs::symlink(other.path(), folder.path().join("linked")).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).unwrap();
    assert_eq!(usage(&[], &[folder.path()]).rows()[0]["output_tokens"], 100);
}

#[test]
fn invalid_arguments_are_refused_with_a_reason() {
    let folder = folder(&[]);
    for (args, reason) in [
        (&["--since", "2026-11-05", "--until", "2026-11-01"][..], "--since comes after --until"),
        (&["--until", "9999-12-31"], "no such day"),
        (&["--since", "8000000d"], "not a day"),
        (&["--plot", "--format", "csv"], "cannot be used with"),
    ] {
        streamj(&["usage"])
            .args(args)
            .arg(folder.path())
            .assert()
            .append_context("arguments", format!("{args:?}"))
            .code(2)
            .stderr(predicate::str::contains(reason));
    }
    run(&["wrap", "--as", "usage --by day", "--", "true"], "")
        .stderr(predicate::str::contains("a table is made of files"));
}

#[cfg(unix)]
#[test]
fn table_fits_the_terminal() {
    let shown_on = |columns: u16, args: &[&str]| {
        let mut command = terminal_command(&["usage"]);
        command.env("NO_COLOR", "1").env("TZ", "UTC").args(args).arg(transcripts(""));
        on_terminal(&mut command, columns, b"")
    };
    for by in ["session", "model", "day", "project"] {
        for columns in [200, 100, 80] {
            let shown = shown_on(columns, &["--by", by, "--estimate"]);
            let table = shown.lines().take_while(|line| !line.contains(" sessions"));
            // On a busy machine progress is shown before, and erased.
            let table = table.map(|line| line.rsplit("\u{1b}[K").next().unwrap_or_default());
            let widest = table.map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.into(), "{by} on {columns}: {widest}\n{shown}");
        }
    }
    let wide = shown_on(200, &["--by", "model"]);
    assert!(wide.contains("118,350"), "{wide}");
}

#[test]
fn row_counts_only_sessions_that_contribute_to_it() {
    let (claude, codex) = (fixture("claude/text_success"), fixture("codex/text_success"));
    let rows = usage(&["--by", "model", "--format", "jsonl"], &[&claude, &codex]).rows();
    let sessions = |model: &str| {
        let row = rows.iter().find(|row| row["model"] == model);
        row.unwrap_or_else(|| panic!("{model}: {rows:?}"))["sessions"].clone()
    };
    assert_eq!(sessions("unknown"), 1, "Codex does not report its model, Claude does");
    assert_eq!(sessions("total"), 2);
}
