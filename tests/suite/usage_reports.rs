//! Tables of `usage` for people: several keys, filters, order, costs.

use std::path::Path;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, streamj};
use crate::support::root;
use crate::support::sessions::{answer, prompt, write_sessions};
#[cfg(unix)]
use crate::support::{on_terminal, terminal_command};

/// Returns an answer of a model in a session; `at` is a day and hour of November.
fn line(id: &str, at: &str, session: &str, model: &str, output: u64) -> Value {
    let mut line = answer(session, id, &format!("2026-11-{at}:00:00Z"), output);
    line["message"]["model"] = json!(model);
    line
}

/// Two projects, two models and three days: Sunday, Monday and Tuesday.
fn sessions() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let web = [
        prompt("web", "/home/me/web"),
        line("a", "01T10", "web", "claude-opus-5-5", 1000),
        line("b", "02T23", "web", "claude-sonnet-5-5", 200),
    ];
    let api = [
        prompt("api", "/home/me/api"),
        line("c", "02T11", "api", "claude-sonnet-5-5", 300),
        line("d", "03T12", "api", "custom-1", 40),
    ];
    write_sessions(folder.path(), &[("web.jsonl", &web), ("api.jsonl", &api)]);
    folder
}

fn usage(args: &[&str], folder: &Path) -> assert_cmd::assert::Assert {
    let mut command = streamj(&["usage"]);
    command.env("TZ", "UTC").args(args).arg(folder).assert().success().stderr("")
}

/// Returns the keys and the output of each row.
fn rows(args: &[&str], folder: &Path) -> Vec<String> {
    let rows = usage(args, folder).rows();
    let keys = ["day", "week", "month", "block", "project", "model", "harness"];
    rows.iter()
        .map(|row| {
            let keys = keys.iter().filter_map(|key| row[*key].as_str());
            let cells: Vec<_> =
                keys.map(str::to_owned).chain([row["output_tokens"].to_string()]).collect();
            cells.join(" ")
        })
        .collect()
}

#[test]
fn weeks_start_on_monday() {
    let folder = sessions();
    assert_eq!(
        rows(&["--by", "week"], folder.path()),
        ["2026-W44 1000", "2026-W45 540", "total 1540"]
    );
    let rows = usage(&["--by", "week"], folder.path()).rows();
    assert_eq!(rows[1]["week_start"], "2026-11-02");
}

#[test]
fn several_keys_give_a_row_for_each_combination() {
    let folder = sessions();
    assert_eq!(
        rows(&["--by", "day,project"], folder.path()),
        [
            "2026-11-01 /home/me/web 1000",
            "2026-11-02 /home/me/api 300",
            "2026-11-02 /home/me/web 200",
            "2026-11-03 /home/me/api 40",
            "total 1540"
        ]
    );
    // The larger project comes first, and within it the older day.
    assert_eq!(
        rows(&["--by", "project", "--by", "day", "--no-total"], folder.path()),
        [
            "2026-11-01 /home/me/web 1000",
            "2026-11-02 /home/me/web 200",
            "2026-11-02 /home/me/api 300",
            "2026-11-03 /home/me/api 40"
        ]
    );
    let csv = usage(&["--by", "project,session,day", "--format", "csv"], folder.path());
    assert!(csv.text().starts_with("project,session_id,day,harness,first,last,input_tokens,"));
    let shown = usage(&["--by", "day,project", "--format", "human"], folder.path());
    assert!(shown.text().starts_with("day         project       input"), "{shown}");
}

#[test]
fn rows_are_ordered_and_limited() {
    let folder = sessions();
    let args = ["--order", "desc", "--limit", "2"];
    let newest = ["2026-11-03 40", "2026-11-02 500", "total 1540"];
    assert_eq!(rows(&args, folder.path()), newest);
    let total = usage(&args, folder.path()).rows().pop().unwrap();
    assert_eq!(total["omitted_rows"], 1, "the total is that of all rows");
    usage(&[&args[..], &["--format", "human"]].concat(), folder.path())
        .stdout(predicate::str::contains("1 row not shown"));
    assert_eq!(
        rows(&["--by", "project", "--order", "asc"], folder.path())[0],
        "/home/me/api 340",
        "the smallest"
    );
}

#[test]
fn filters_combine() {
    let folder = sessions();
    let total = |args: &[&str]| rows(args, folder.path()).pop().unwrap();
    assert_eq!(total(&["--project", "web"]), "total 1200");
    assert_eq!(total(&["--project", "/home/*/api"]), "total 340");
    assert_eq!(total(&["--project", "home"]), "total 0", "a part of the path is not enough");
    assert_eq!(total(&["--model", "claude-*"]), "total 1500");
    assert_eq!(total(&["--model", "claude-*", "--project", "api"]), "total 300");
    let day = ["--since", "2026-11-02", "--until", "2026-11-02"];
    assert_eq!(total(&day), "total 500");
    assert_eq!(total(&[&day[..], &["--project", "web"]].concat()), "total 200");
    // At 23:00 UTC it is the next day in Tokyo.
    let zone = ["--timezone", "Asia/Tokyo"];
    assert_eq!(total(&[&day[..], &zone].concat()), "total 300");
    assert_eq!(total(&[&day[..], &["--timezone", "+09:00"]].concat()), "total 300");
    assert_eq!(rows(&zone, folder.path())[2], "2026-11-03 240");
}

#[test]
fn folder_filter_includes_folders_below() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::fs::canonicalize(folder.path()).unwrap();
    let here = path.to_str().unwrap();
    for (session, project, output) in [
        ("a", here.to_owned(), 1),
        ("b", format!("{here}/below"), 20),
        ("c", format!("{here}-other"), 300),
    ] {
        let lines =
            [prompt(session, &project), line(session, "01T10", session, "custom-1", output)];
        write_sessions(folder.path(), &[(&format!("{session}.jsonl"), &lines)]);
    }
    let mut command = streamj(&["usage", "--by", "day", "--project", ".", "."]);
    let rows = command.current_dir(folder.path()).assert().success().rows();
    assert_eq!(rows[0]["output_tokens"], 21);
}

#[test]
fn breakdown_shows_models_that_add_up() {
    let folder = sessions();
    let shown = usage(&["--by", "project", "--breakdown", "--format", "human"], folder.path());
    let outputs: Vec<(&str, u64)> = shown
        .text()
        .lines()
        .skip(1)
        .filter_map(|line| {
            let cells: Vec<_> = line.split_whitespace().collect();
            Some((cells[0], cells.get(2)?.replace(',', "").parse().ok()?))
        })
        .collect();
    assert_eq!(
        outputs,
        [
            ("/home/me/web", 1000 + 200),
            ("claude-opus-5-5", 1000),
            ("claude-sonnet-5-5", 200),
            ("/home/me/api", 300 + 40),
            ("claude-sonnet-5-5", 300),
            ("custom-1", 40),
            ("total", 1540)
        ]
    );
}

/// Returns the words of the row of a key, without the tokens.
fn cost_cells(shown: &assert_cmd::assert::Assert, key: &str) -> String {
    let row = shown.text().lines().find(|line| line.starts_with(key)).unwrap();
    let from = row.find(['$', '~']).or_else(|| row.find("unknown")).or_else(|| row.find("- "));
    row[from.unwrap_or(row.len())..].to_owned()
}

#[test]
fn total_never_hides_that_a_cost_is_missing() {
    let folder = sessions();
    let shown = |args: &[&str]| {
        usage(&[&["--by", "model", "--format", "human"], args].concat(), folder.path())
    };
    let default = shown(&[]);
    assert_eq!(cost_cells(&default, "claude-opus-5-5"), "~$0.0200");
    assert_eq!(cost_cells(&default, "custom-1"), "unknown");
    assert_eq!(cost_cells(&default, "total"), "~$0.0250 + unknown");
    assert!(default.text().contains("no price is known for custom-1"), "{default}");
    let both = shown(&["--cost", "both"]);
    assert!(
        both.text().lines().next().unwrap().ends_with("reported           estimated"),
        "{both}"
    );
    let reported = shown(&["--cost", "reported"]);
    assert!(!reported.text().contains('~'), "{reported}");
    // A reported cost of a part is not the cost of everything.
    let count = json!({"type": "cost-state", "sessionId": "web", "totalCostUSD": 7,
        "modelUsage": {}});
    write_sessions(
        folder.path(),
        &[("web.jsonl", &[line("a", "01T10", "web", "claude-opus-5-5", 1000), count])],
    );
    assert_eq!(cost_cells(&shown(&["--cost", "reported"]), "total"), "$7.00 + unknown");
    assert_eq!(cost_cells(&shown(&[]), "total"), "~$7.00 + unknown");
}

#[test]
fn json_has_estimates_only_if_requested() {
    let folder = sessions();
    let row = |args: &[&str]| usage(args, folder.path()).rows().remove(0);
    let has_estimate = |args: &[&str]| row(args).get("estimated_cost_usd").is_some();
    assert!(!has_estimate(&["--by", "day"]));
    assert!(!has_estimate(&["--by", "day", "--cost", "reported"]));
    for args in [&["--estimate"][..], &["--cost", "both"], &["--cost", "estimated"]] {
        assert!(has_estimate(args), "{args:?}");
    }
    assert_eq!(row(&["--estimate"])["models"][0]["estimated_cost_usd"], 0.020_004);
}

#[test]
fn unnamed_model_is_estimated_by_the_given_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = [line("a", "01T10", "/p", "", 1_000_000)];
    lines[0]["message"]["model"] = Value::Null;
    write_sessions(folder.path(), &[("a.jsonl", &lines)]);
    let args = ["--estimate-model", "claude-sonnet-5-5"];
    let row = &usage(&args, folder.path()).rows()[0];
    assert_eq!(row["estimated_cost_usd"], 10.000_002);
    assert_eq!(row.get("unpriced_models"), None);
    let row = usage(&args, &folder.path().join("a.jsonl")).row();
    assert_eq!(row["estimated_cost_usd"], 10.000_002, "of a single file, too");
    streamj(&["usage", "--estimate-model", "custom-1"])
        .arg(folder.path())
        .assert()
        .code(2)
        .stderr(predicate::str::contains("no price is known for custom-1"));
}

#[test]
fn invalid_combinations_are_refused() {
    let folder = sessions();
    for (args, reason) in [
        (&["--by", "request,day"][..], "--by request cannot be combined"),
        (&["--by", "request", "--plot"], "--plot cannot draw single requests"),
        (&["--timezone", "Atlantis"], "not a time zone"),
        (&["--timezone", "UTC", "--utc"], "cannot be used with"),
        (&["--project", "./missing"], "./missing is no folder"),
    ] {
        streamj(&["usage"])
            .args(args)
            .arg(folder.path())
            .assert()
            .append_context("arguments", format!("{args:?}"))
            .code(2)
            .stderr(predicate::str::contains(reason));
    }
}

#[cfg(unix)]
#[test]
fn every_table_fits_80_columns_and_adds_up() {
    let folder = root().join("tests/fixtures/transcripts");
    for args in [
        &["--by", "day,project", "--breakdown"][..],
        &["--by", "week,model"],
        &["--by", "block"],
        &["--by", "block,session"],
        &["--by", "request"],
        &["--by", "session,model", "--cost", "both"],
        &["--by", "project,session,day", "--breakdown"],
    ] {
        let mut command = terminal_command(&["-q", "usage"]);
        command.env("NO_COLOR", "1").env("TZ", "UTC").args(args).arg(&folder);
        let shown = on_terminal(&mut command, 80, b"");
        let lines = shown.lines().take_while(|line| !line.contains(" sessions"));
        let table: Vec<&str> = lines.filter(|line| !line.contains("at this rate")).collect();
        for line in &table {
            assert!(line.chars().count() <= 80, "{args:?}: {line}\n{shown}");
        }
        // The start of an id may be a number without commas.
        let is_count = |word: &str| word.len() <= 3 || word.contains(',');
        let count =
            |word: &str| word.replace(',', "").parse().ok().filter(|_: &u64| is_count(word));
        for line in &table[1..] {
            let words = line.split("  ").map(str::trim).filter(|word| !word.contains(['-', ':']));
            let numbers: Vec<u64> = words.filter_map(count).collect();
            let (sum, parts) = numbers.split_last().unwrap_or_else(|| panic!("{line}\n{shown}"));
            assert!(parts.is_empty() || parts.iter().sum::<u64>() == *sum, "{line}\n{shown}");
        }
    }
}
