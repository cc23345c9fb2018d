//! `usage` over many files.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::support::{
    BIN, Run, fixture, fixture_bytes, on_terminal, root, streamj, terminal_command,
};

fn transcripts(name: &str) -> PathBuf {
    root().join("tests/fixtures/transcripts").join(name)
}

fn done(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    Run {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

fn usage(args: &[&str], paths: &[&Path]) -> Run {
    let run = done(streamj().env("TZ", "UTC").arg("usage").args(args).args(paths));
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run:?}");
    run
}

/// Key, input, output, cache read, cache write, cost of every row.
fn table(run: &Run) -> Vec<String> {
    let rows = run.rows();
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

#[test]
fn a_folder_is_one_table_by_harness_with_a_total() {
    let run = usage(&["--by", "harness"], &[&transcripts("")]);
    // Added up by hand, file by file, copies left out.
    assert_eq!(
        table(&run),
        [
            "claude 264 624 173580 76032 0.146425",
            "codex 4800 600 9600 0 -",
            "total 5064 1224 183180 76032 0.146425",
        ]
    );
    let total = &run.rows()[2];
    assert_eq!(total["total"], true);
    assert_eq!((&total["sessions"], &total["sessions_without_cost"]), (&json!(15), &json!(7)));
}

#[test]
fn what_a_fork_copies_is_counted_where_it_was_said_first() {
    for (folder, cost) in
        [("claude.resume", ["0.019126", "0.009543"]), ("claude_1_0_128.resume", ["-", "-"])]
    {
        let rows = table(&usage(&["--by", "session"], &[&transcripts(folder)]));
        assert_eq!(rows.len(), 3, "{rows:?}");
        let ends = |row: &str, figures: &str| assert!(row.ends_with(figures), "{folder}: {row}");
        ends(&rows[0], &format!(" 24 22 15780 6912 {}", cost[0]));
        ends(&rows[1], &format!(" 12 9 7890 3456 {}", cost[1]));
    }
}

#[test]
fn a_subagents_file_belongs_to_its_session() {
    let folder = transcripts("claude.signal_sigint_background_agent");
    let rows = usage(&["--by", "session"], &[&folder]).rows();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["output_tokens"], 131);
    assert_eq!(rows[0]["unattributed"], Value::Null, "{}", rows[0]);
    // Without that file its tokens are in the count alone.
    let main = folder.join("projects/-tmp-demo/512c201f-1b1a-4e02-a4eb-28352ee3c43a.jsonl");
    let alone = &usage(&["--by", "session"], &[&main]).rows()[0];
    assert_eq!(
        (&alone["output_tokens"], &alone["unattributed"]["output_tokens"]),
        (&json!(131), &json!(32))
    );
    // Codex: the thread that was started is part of the session that started it.
    let rows = usage(&["--by", "session"], &[&transcripts("codex.collab_spawn_agent")]).rows();
    assert_eq!((rows.len(), &rows[0]["total_tokens"]), (2, &json!(8750)));
}

#[test]
fn every_grouping_has_its_rows() {
    let models = table(&usage(
        &["--by", "model"],
        &[&transcripts("codex.resume"), &transcripts("claude.resume")],
    ));
    assert_eq!(
        models,
        [
            "claude-sonnet-5-5 36 31 23670 10368 0.028669",
            "gpt-5.5 800 100 1600 0 -",
            "total 836 131 25270 10368 0.028669",
        ]
    );
    let project = table(&usage(&["--by", "project"], &[&transcripts("claude.resume")]));
    assert_eq!(project[0], "/tmp/demo 36 31 23670 10368 0.028669");
    let month = table(&usage(&["--by", "month"], &[&transcripts("claude.resume")]));
    assert_eq!(month[0], "2026-11 36 31 23670 10368 0.028669");
    // A folder alone is by day.
    let day = table(&usage(&[], &[&transcripts("claude.resume")]));
    assert_eq!(day[0], "2026-11-15 36 31 23670 10368 0.028669");
}

#[test]
fn a_day_is_a_day_of_the_users_time_zone() {
    let day = |zone: &str, more: &[&str]| {
        let mut command = streamj();
        command.env("TZ", zone).args(["usage", "--by", "day"]).args(more);
        done(command.arg(transcripts("claude.resume"))).rows()[0]["day"].clone()
    };
    // It was 23:19 in UTC.
    assert_eq!(day("UTC", &[]), "2026-11-15");
    assert_eq!(day("Asia/Tokyo", &[]), "2026-11-16");
    assert_eq!(day("Asia/Tokyo", &["--utc"]), "2026-11-15");
}

fn message(id: &str, at: &str, output: u64) -> String {
    json!({"parentUuid": null, "isSidechain": false, "type": "assistant", "sessionId": "s1",
        "timestamp": at, "requestId": format!("r-{id}"),
        "message": {"id": id, "model": "nobody-1", "content": [],
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

#[test]
fn compressed_files_are_read_as_they_are() {
    let plain = message("m1", "2026-11-01T12:00:00Z", 5) + "\n";
    let more = message("m2", "2026-11-01T12:00:01Z", 7) + "\n";
    let folder = folder(&[]);
    let gzip = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |text: &str| {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(text.as_bytes(), level)
    };
    // Of several parts, too, as appending tools leave them.
    std::fs::write(folder.path().join("a.jsonl.gz"), [gzip(&plain), gzip(&more)].concat()).unwrap();
    std::fs::write(folder.path().join("b.jsonl.zst"), [zstd(&plain), zstd(&more)].concat())
        .unwrap();
    for name in ["a.jsonl.gz", "b.jsonl.zst"] {
        let row = usage(&[], &[&folder.path().join(name)]).row();
        assert_eq!(row["output_tokens"], 12, "{name}");
    }
    let all = usage(&["--by", "day"], &[folder.path()]).rows();
    assert_eq!(all[0]["output_tokens"], 12, "what both say counts once");
    let cut = gzip(&plain);
    std::fs::write(folder.path().join("c.jsonl.gz"), &cut[..cut.len() / 2]).unwrap();
    let run = done(streamj().arg("usage").arg(folder.path().join("c.jsonl.gz")));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("c.jsonl.gz: cannot read: "), "{}", run.stderr);
}

#[test]
fn home_is_where_the_clis_keep_their_sessions() {
    let session = message("m1", "2026-11-01T12:00:00Z", 5);
    let elsewhere = message("m2", "2026-11-01T12:00:00Z", 7);
    let rollout = String::from_utf8(fixture_bytes("transcripts/codex_0_60_1.web_search/sessions/2026/11/15/rollout-2026-11-15T23-36-38-01a1e191-e8b3-7ca0-8642-e9516196bf9e")).unwrap();
    let home = folder(&[
        (".claude/projects/-p/a.jsonl", &session),
        (".claude/history.jsonl", &elsewhere),
        (".codex/sessions/2026/11/15/rollout-a.jsonl", &rollout),
        (".codex/archived_sessions/rollout-a.jsonl", &rollout),
        ("other/projects/-p/b.jsonl", &elsewhere),
    ]);
    let total = |variables: &[(&str, &str)]| {
        let mut command = streamj();
        command
            .args(["usage", "--home", "--by", "harness"])
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CODEX_HOME");
        command.env("HOME", home.path());
        for (name, folder) in variables {
            command.env(name, home.path().join(folder));
        }
        table(&done(&mut command))
    };
    // A rollout and its copy in the archive are one.
    assert_eq!(total(&[]), ["codex 400 50 800 - -", "claude 1 5 - - -", "total 401 55 800 - -"]);
    assert_eq!(
        total(&[("CLAUDE_CONFIG_DIR", "other"), ("CODEX_HOME", "none")]),
        ["claude 1 7 - - -", "total 1 7 - - -"]
    );
    let nothing = folder(&[]);
    let run = done(
        streamj()
            .args(["usage", "--home"])
            .env("HOME", nothing.path())
            .env_remove("CLAUDE_CONFIG_DIR")
            .env_remove("CODEX_HOME"),
    );
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no sessions here"), "{}", run.stderr);
}

#[test]
fn a_recorded_stream_and_its_transcript_count_once() {
    let stream = String::from_utf8(fixture_bytes("claude/text_success")).unwrap();
    let id = done(streamj().args(["session", "--get", "/session_id"]).write_stdin(stream.clone()));
    let transcript = message("m9", "2026-11-01T12:00:00Z", 5)
        .replace("\"s1\"", &format!("\"{}\"", id.text().trim()));
    let both = folder(&[("stream.jsonl", &stream), ("transcript.jsonl", &transcript)]);
    let alone = folder(&[("stream.jsonl", &stream)]);
    let output =
        |folder: &Path| usage(&["--by", "harness"], &[folder]).rows()[0]["output_tokens"].clone();
    assert_eq!(output(both.path()), 5);
    let told = usage(&[], &[&alone.path().join("stream.jsonl")]).row();
    assert_eq!(output(alone.path()), told["output_tokens"]);
}

#[test]
fn plain_files_without_by_stay_one_object_each() {
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
fn all_formats_say_the_same() {
    let folder = transcripts("claude.resume");
    let csv = usage(&["--format", "csv"], &[&folder]);
    let header = "day,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cache_write_5m_tokens,cache_write_1h_tokens,reasoning_tokens,total_tokens,cost_usd,estimated_cost_usd,sessions,prices_of,unpriced_models,cost_with_estimate_usd";
    let lines: Vec<_> = csv.text().lines().collect();
    assert_eq!(lines[0], header);
    assert!(
        lines[1].starts_with("2026-11-15,36,31,23670,10368,10368,0,0,34105,0.028669"),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with("total,36,31,"), "{}", lines[2]);
    let tsv = usage(&["--format", "tsv"], &[&folder]);
    assert_eq!(tsv.text(), csv.text().replace(',', "\t"));
    let json: Value =
        serde_json::from_slice(&usage(&["--format", "json"], &[&folder]).stdout).unwrap();
    assert_eq!(json.as_array().unwrap(), &usage(&[], &[&folder]).rows());
    assert_eq!(usage(&["--get", "/output_tokens"], &[&folder]).text(), "31\n31\n");
    let human = usage(&["--format", "human", "--by", "session"], &[&folder]);
    assert!(
        human.text().contains("31385d07-c2a7-4396-9321-21b16ed182c1  2026-11-15 23:19  demo"),
        "{}",
        human.text()
    );
    assert!(human.text().ends_with("2 sessions\n"), "{}", human.text());
}

#[test]
fn an_estimate_is_marked_as_one_and_an_unknown_model_is_not_free() {
    let rows = usage(&["--estimate", "--by", "session"], &[&transcripts("claude.resume")]).rows();
    let near =
        |value: &Value, usd: f64| assert!((value.as_f64().unwrap() - usd).abs() < 1e-9, "{value}");
    // By the table it is what the CLI itself has counted.
    near(&rows[0]["estimated_cost_usd"], 0.019_126);
    near(&rows[1]["estimated_cost_usd"], 0.009_543);
    assert!(rows[0]["prices_of"].as_str().unwrap().starts_with("20"));
    let unknown = folder(&[("a.jsonl", &message("m1", "2026-11-01T12:00:00Z", 5))]);
    let row = &usage(&["--estimate"], &[unknown.path()]).rows()[0];
    assert_eq!(
        (&row["estimated_cost_usd"], &row["unpriced_models"]),
        (&Value::Null, &json!(["nobody-1"]))
    );
    let human = usage(&["--estimate", "--format", "human"], &[unknown.path()]);
    assert!(human.text().contains("unknown") && !human.text().contains("$0"), "{}", human.text());
    assert!(human.text().contains("no price is known for nobody-1"), "{}", human.text());
    // One file has its estimate, too.
    let row = usage(&["--estimate"], &[&unknown.path().join("a.jsonl")]).row();
    assert_eq!(row["unpriced_models"], json!(["nobody-1"]));
}

#[test]
fn prices_can_be_given() {
    let folder = folder(&[
        ("a.jsonl", &message("m1", "2026-11-01T12:00:00Z", 5)),
        (
            "own.json",
            r#"{"date":"2027-01-01","models":{"nobody-1":{"input":1000000,"output":2000000}}}"#,
        ),
        ("bad.json", r#"{"models":{"m":{"output":2}}}"#),
    ]);
    let own = folder.path().join("own.json");
    let row = &usage(&["--prices", own.to_str().unwrap()], &[folder.path()]).rows()[0];
    assert_eq!(
        (&row["estimated_cost_usd"], &row["prices_of"]),
        (&json!(11.0), &json!("2027-01-01"))
    );
    for (file, why) in
        [("bad.json", "the price of m: `input` is missing"), ("none.json", "cannot read")]
    {
        let file = folder.path().join(file);
        let run = done(streamj().args(["usage", "--prices"]).arg(file).arg(folder.path()));
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn a_plot_is_bars_no_wider_than_asked() {
    let lines: Vec<_> = (1..4)
        .map(|day| message(&format!("m{day}"), &format!("2026-11-0{day}T12:00:00Z"), day * 100))
        .collect();
    let folder = folder(&[("a.jsonl", &lines.join("\n"))]);
    let plot = usage(&["--plot", "--by", "day"], &[folder.path()]);
    let bars: Vec<usize> = plot.text().lines().map(|line| line.matches('█').count()).collect();
    assert_eq!(bars.len(), 3);
    assert!(bars[2] > bars[1] && bars[1] > bars[0], "{}", plot.text());
    assert!(plot.text().lines().all(|line| line.chars().count() <= 80), "{}", plot.text());
    let cost = usage(&["--plot=cost", "--by", "day"], &[folder.path()]);
    assert!(cost.text().contains("unknown") && !cost.text().contains('█'), "{}", cost.text());
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_counted() {
    let lines = ["torn {", &message("m1", "2026-11-01T12:00:00Z", 5), "\0\0", "{}"];
    let folder =
        folder(&[("a.jsonl", &lines.join("\n")), ("empty.jsonl", ""), ("notes.txt", "no session")]);
    let missing = folder.path().join("missing.jsonl");
    let run = done(streamj().arg("usage").arg(folder.path()).arg(&missing));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("a.jsonl:1: not JSON"), "{}", run.stderr);
    assert!(run.stderr.contains("(1 more line skipped)"), "{}", run.stderr);
    assert!(run.stderr.contains("missing.jsonl: cannot read: no such file"), "{}", run.stderr);
    assert_eq!(run.rows()[0]["output_tokens"], 5);
    let strict = done(streamj().args(["usage", "--strict"]).arg(folder.path()));
    assert_eq!(strict.code, 1);
    let nothing = done(
        streamj()
            .args(["usage", "--by", "day", "--format", "human"])
            .arg(folder.path().join("empty.jsonl")),
    );
    assert_eq!(nothing.code, 0);
    assert!(nothing.text().contains("0 sessions"), "{}", nothing.text());
}

#[test]
fn nothing_shows_how_many_threads_read_the_files() {
    let one = usage(&["--by", "session", "--threads", "1"], &[&transcripts("")]);
    let four = usage(&["--by", "session", "--threads", "4"], &[&transcripts("")]);
    assert_eq!(one.text(), four.text());
}

/// A line of a session's transcript, an hour and minute of 1 November.
fn answer(session: &str, id: &str, at: &str) -> String {
    let line = message(id, &format!("2026-11-{at}:00Z"), 100);
    line.replace("\"s1\"", &format!("\"{session}\""))
}

fn subagents(session: &str, id: &str, at: &str) -> String {
    answer(session, id, at).replace("\"isSidechain\":false", "\"isSidechain\":true")
}

/// The CLI's own count: so many requests, a dollar each.
fn count(session: &str, requests: u64) -> String {
    json!({"type": "cost-state", "sessionId": session, "totalCostUSD": requests,
        "modelUsage": {"nobody-1": {"inputTokens": requests, "outputTokens": requests * 100,
            "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": requests}}})
    .to_string()
}

/// Input, output and cost of every row, and the key where it is a session or day.
fn sums(files: &[(&str, &[String])], by: &str) -> Vec<String> {
    let files: Vec<_> = files.iter().map(|(name, lines)| (*name, lines.join("\n"))).collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder(&files);
    table(&usage(&["--by", by], &[folder.path()]))
        .iter()
        .map(|row| {
            let cells: Vec<_> = row.split(' ').collect();
            format!("{} {} {} {}", cells[0], cells[1], cells[2], cells[5])
        })
        .collect()
}

#[test]
fn a_count_covers_subagents_that_answer_after_the_main_thread() {
    let main = [answer("s", "a", "01T12:00"), count("s", 2)];
    let agent = [subagents("s", "b", "01T12:30")];
    let files: [(&str, &[String]); 2] = [("s.jsonl", &main), ("s/subagents/agent-1.jsonl", &agent)];
    assert_eq!(sums(&files, "session"), ["s 2 200 2.000000", "total 2 200 2.000000"]);
    // Resumed: the count is of what came before that.
    let main =
        [&main[..], &[answer("s", "c", "01T13:00"), answer("s", "d", "01T13:10"), count("s", 4)]]
            .concat();
    let files: [(&str, &[String]); 2] = [("s.jsonl", &main), ("s/subagents/agent-1.jsonl", &agent)];
    assert_eq!(sums(&files, "session")[0], "s 4 400 4.000000");
}

#[test]
fn a_model_by_another_name_is_the_same_model() {
    let lines = [answer("s", "a", "01T12:00"), count("s", 1).replace("nobody-1", "nobody-1[1m]")];
    assert_eq!(sums(&[("s.jsonl", &lines)], "model")[0], "nobody-1 1 100 -");
    assert_eq!(sums(&[("s.jsonl", &lines)], "session")[0], "s 1 100 1.000000");
}

#[test]
fn a_fork_that_begins_like_its_parent_is_still_the_fork() {
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
fn a_fork_inherits_what_its_parent_used_since_it_had_counted() {
    let parent = [answer("p", "a", "01T12:00"), count("p", 1), answer("p", "b", "01T12:01")];
    let fork = [
        answer("f", "a", "01T12:00"),
        answer("f", "b", "01T12:01"),
        answer("f", "c", "01T12:02"),
        count("f", 3),
    ];
    let files: [(&str, &[String]); 2] = [("p.jsonl", &parent), ("f.jsonl", &fork)];
    assert_eq!(sums(&files, "day"), ["2026-11-01 3 300 3.000000", "total 3 300 3.000000"]);
    // And one that begins to count anew inherits nothing.
    let anew = [answer("f", "a", "01T12:00"), answer("f", "c", "01T12:02"), count("f", 1)];
    let parent = [answer("p", "a", "01T12:00"), answer("p", "b", "01T12:01"), count("p", 2)];
    let files: [(&str, &[String]); 2] = [("p.jsonl", &parent), ("f.jsonl", &anew)];
    assert_eq!(
        sums(&files, "session"),
        ["p 2 200 2.000000", "f 1 100 1.000000", "total 3 300 3.000000"]
    );
}

#[test]
fn a_file_is_about_the_sessions_its_answers_name() {
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
fn what_was_counted_is_of_the_day_it_was_counted_on() {
    let twice = count("s", 1).replace("\"inputTokens\":1", "\"inputTokens\":1001");
    let later = count("s", 2).replace("\"inputTokens\":2", "\"inputTokens\":1002");
    let lines = [answer("s", "a", "01T12:00"), twice, answer("s", "b", "03T12:00"), later];
    assert_eq!(
        sums(&[("s.jsonl", &lines)], "day"),
        ["2026-11-01 1001 100 1.000000", "2026-11-03 1 100 1.000000", "total 1002 200 2.000000"]
    );
    // A line that cannot tell its time does not put the cost on another day.
    let odd = [
        answer("s", "a", "01T12:00"),
        count("s", 1),
        json!({"type": "last-prompt", "sessionId": "s", "timestamp": "soon"}).to_string(),
    ];
    assert_eq!(sums(&[("s.jsonl", &odd)], "day")[0], "2026-11-01 1 100 1.000000");
}

#[test]
fn a_stream_that_was_recorded_twice_counts_once() {
    let stream = String::from_utf8(fixture_bytes("claude/text_success")).unwrap();
    let one = usage(&[], &[&folder(&[("a.jsonl", &stream)]).path().join("a.jsonl")]).row();
    let two = folder(&[("a.jsonl", &stream), ("b/a.jsonl", &stream)]);
    let rows = usage(&["--by", "harness"], &[two.path()]).rows();
    assert_eq!(
        (&rows[0]["output_tokens"], &rows[0]["cost_usd"]),
        (&one["output_tokens"], &one["cost_usd"])
    );
    // A transcript without a single request does not stand for it.
    let session = one["session_id"].as_str().unwrap();
    let empty = json!({"type": "last-prompt", "sessionId": session}).to_string();
    let both = folder(&[("a.jsonl", &stream), ("t.jsonl", &empty)]);
    assert_eq!(
        usage(&["--by", "harness"], &[both.path()]).rows()[0]["output_tokens"],
        one["output_tokens"]
    );
    // The counts of a Codex thread go on when it is resumed.
    let codex = String::from_utf8(fixture_bytes("codex/text_success")).unwrap();
    let id = usage(&[], &[&folder(&[("a.jsonl", &codex)]).path().join("a.jsonl")]).row();
    let more = codex.replace("\"input_tokens\":1200", "\"input_tokens\":9200");
    assert_ne!(more, codex);
    let resumed = folder(&[("a.jsonl", &codex), ("b.jsonl", &more)]);
    let row = &usage(&["--by", "session"], &[resumed.path()]).rows()[0];
    assert_eq!((&row["session_id"], &row["total_tokens"]), (&id["session_id"], &json!(9250)));
}

#[test]
fn the_cost_of_the_rest_is_estimated_beside_what_was_told() {
    let lines = [answer("s", "a", "01T12:00"), count("s", 1), answer("s", "b", "01T13:00")];
    let prices = r#"{"date":"d","models":{"nobody-1":{"input":0,"output":100000}}}"#;
    let folder = folder(&[("s.jsonl", &lines.join("\n")), ("prices.json", prices)]);
    let prices = folder.path().join("prices.json");
    let row = &usage(&["--prices", prices.to_str().unwrap()], &[folder.path()]).rows()[0];
    let costs = ["cost_usd", "estimated_cost_usd", "cost_with_estimate_usd"].map(|name| &row[name]);
    assert_eq!(costs, [&json!(1.0), &json!(20.0), &json!(11.0)]);
    assert_eq!(row["sessions_without_cost"], 1);
    let plot = usage(&["--plot=cost", "--prices", prices.to_str().unwrap()], &[folder.path()]);
    assert!(plot.text().contains("~$11.00"), "{}", plot.text());
    let plot = usage(&["--plot=cost"], &[folder.path()]);
    assert!(plot.text().contains("$1.00 + unknown"), "{}", plot.text());
}

#[test]
fn a_long_prompt_has_its_price_in_the_table_and_alone() {
    let prices = r#"{"date":"d","models":{"nobody-1":{"input":1000000,"output":0,"above":{"prompt":0,"input":3000000,"output":0}}}}"#;
    let nameless = answer("s", "b", "01T12:00").replace("\"nobody-1\"", "null");
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
fn a_damaged_zstandard_file_is_told() {
    let text = message("m1", "2026-11-01T12:00:00Z", 5).repeat(50);
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let whole = ruzstd::encoding::compress_to_vec(text.as_bytes(), level);
    let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'][..], &whole].concat();
    let folder = folder(&[]);
    let read = |bytes: &[u8]| {
        let path = folder.path().join("a.jsonl.zst");
        std::fs::write(&path, bytes).unwrap();
        done(streamj().arg("text").arg(path))
    };
    assert_eq!(read(&skipped).code, 0);
    assert_eq!(read(&[&whole[..], &skipped].concat()).code, 0);
    let mut told = 0;
    for at in 4..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        let run = read(&damaged);
        told += usize::from(run.code == 2 && run.stderr.contains("damaged Zstandard data"));
    }
    // But for what is no content: flags of the frame.
    assert!(told + 4 >= whole.len() - 4, "{told} of {}", whole.len() - 4);
}

#[test]
fn a_compressed_file_can_be_standard_input() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, message("m1", "2026-11-01T12:00:00Z", 5).as_bytes())
        .unwrap();
    let folder = folder(&[]);
    let path = folder.path().join("a.gz");
    std::fs::write(&path, encoder.finish().unwrap()).unwrap();
    let mut command = std::process::Command::new(BIN);
    let output = command.arg("usage").stdin(std::fs::File::open(&path).unwrap()).output().unwrap();
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(row["output_tokens"], 5);
}

#[test]
fn links_to_folders_are_followed_but_not_in_circles() {
    let other = folder(&[("a.jsonl", &answer("s", "a", "01T12:00"))]);
    let folder = folder(&[]);
    std::os::unix::fs::symlink(other.path(), folder.path().join("linked")).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).unwrap();
    assert_eq!(usage(&[], &[folder.path()]).rows()[0]["output_tokens"], 100);
}

#[test]
fn what_cannot_be_asked_for_is_refused_with_a_reason() {
    let folder = folder(&[]);
    for (args, why) in [
        (&["--since", "2026-11-05", "--until", "2026-11-01"][..], "--since comes after --until"),
        (&["--until", "9999-12-31"], "no such day"),
        (&["--since", "8000000d"], "not a day"),
        (&["--plot", "--format", "csv"], "cannot be used with"),
    ] {
        let run = done(streamj().arg("usage").args(args).arg(folder.path()));
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
    let wrapped = done(streamj().args(["wrap", "--as", "usage --by day", "--", "true"]));
    assert!(wrapped.stderr.contains("a table is made of files"), "{}", wrapped.stderr);
}

/// A table on a terminal of so many columns.
fn table_on(columns: u16, args: &[&str], path: &Path) -> String {
    let mut command = terminal_command(&["usage"]);
    command.env("NO_COLOR", "1").env("TZ", "UTC").args(args).arg(path);
    on_terminal(&mut command, columns, b"")
}

#[test]
fn a_table_fits_the_terminal() {
    let all = transcripts("");
    for by in ["session", "model", "day", "project"] {
        for columns in [200, 100, 80] {
            let shown = table_on(columns, &["--by", by, "--estimate"], &all);
            let table = shown.lines().take_while(|line| !line.contains(" sessions"));
            let widest = table.map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= columns.into(), "{by} on {columns}: {widest}\n{shown}");
        }
    }
    let wide = table_on(200, &["--by", "model"], &all);
    assert!(wide.contains("118,350"), "{wide}");
}

#[test]
fn a_row_counts_the_sessions_that_have_used_something_of_it() {
    let (claude, codex) = (fixture("claude/text_success"), fixture("codex/text_success"));
    let rows = usage(&["--by", "model", "--format", "jsonl"], &[&claude, &codex]).rows();
    let sessions = |model: &str| {
        let row = rows.iter().find(|row| row["model"] == model);
        row.unwrap_or_else(|| panic!("{model}: {rows:?}"))["sessions"].clone()
    };
    assert_eq!(sessions("unknown"), 1, "Codex does not tell, Claude does");
    assert_eq!(sessions("total"), 2);
}
