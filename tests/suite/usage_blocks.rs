//! `usage --by block`: windows of five hours.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::cli::{Printed, streamj};
use crate::support::root;
use crate::support::sessions::{answer, write_sessions};

fn folder(lines: &[Value]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write_sessions(folder.path(), &[("a.jsonl", lines)]);
    folder
}

fn usage(args: &[&str], folder: &std::path::Path) -> assert_cmd::assert::Assert {
    let mut command = streamj(&["usage", "--by", "block"]);
    command.env("TZ", "UTC").args(args).arg(folder).assert().success().stderr("")
}

fn blocks(args: &[&str], folder: &std::path::Path) -> Vec<String> {
    let rows = usage(&[args, &["--no-total"]].concat(), folder).rows();
    let text = |row: &Value| format!("{} {}", row["block"].as_str().unwrap(), row["output_tokens"]);
    rows.iter().map(text).collect()
}

fn answers(times: &[&str]) -> Vec<Value> {
    times.iter().map(|at| answer("s", at, &format!("2026-11-{at}Z"), 10)).collect()
}

#[test]
fn window_starts_at_the_full_hour_and_ends_after_five_hours() {
    let folder = folder(&answers(&[
        "01T10:20:30",
        "01T14:59:59",
        "01T15:00:00",
        "01T16:00:00",
        // After a gap, a window does not start where the last one ended.
        "02T03:30:00",
    ]));
    assert_eq!(
        blocks(&[], folder.path()),
        ["2026-11-01T10:00:00Z 20", "2026-11-01T15:00:00Z 20", "2026-11-02T03:00:00Z 10"]
    );
    let row = &usage(&[], folder.path()).rows()[0];
    assert_eq!(
        (&row["block_end"], &row["active"], &row["harness"]),
        (&json!("2026-11-01T15:00:00Z"), &json!(false), &json!("claude"))
    );
    assert_eq!(row.get("minutes_left"), None, "it has ended");
    assert_eq!(
        blocks(&["--timezone", "Asia/Kolkata", "--limit", "1"], folder.path()),
        ["2026-11-01T15:30:00+05:30 20"],
        "the full hour is that of UTC"
    );
}

#[test]
fn selected_requests_do_not_move_the_window() {
    let folder = folder(&answers(&["01T10:20:00", "01T12:00:00", "01T14:00:00"]));
    let since = ["--since", "2026-11-01T11:00:00Z"];
    assert_eq!(blocks(&since, folder.path()), ["2026-11-01T10:00:00Z 20"]);
}

#[test]
fn each_cli_has_its_own_windows() {
    let folder = folder(&answers(&["15T20:10:00"]));
    // Its requests are between 23:26 and 23:27, in the window of the other CLI.
    let codex = root().join("tests/fixtures/transcripts/codex.collab_spawn_agent");
    let mut command = streamj(&["usage", "--by", "block"]);
    let command = command.env("TZ", "UTC").arg(folder.path()).arg(codex);
    let rows = command.assert().success().rows();
    let keys: Vec<_> = rows.iter().map(|row| (&row["block"], &row["harness"])).collect();
    assert_eq!(
        keys[..2],
        [
            (&json!("2026-11-15T20:00:00Z"), &json!("claude")),
            (&json!("2026-11-15T23:00:00Z"), &json!("codex"))
        ]
    );
}

#[test]
fn active_window_shows_rate_and_projection() {
    let now = Timestamp::now();
    let at = |minutes: i64| {
        let at = now - SignedDuration::from_mins(minutes);
        answer("s", &format!("m{minutes}"), &at.to_string(), 3000)
    };
    let folder = folder(&[at(90), at(10)]);
    let row = &usage(&[], folder.path()).rows()[0];
    assert_eq!(row["active"], true, "{row}");
    let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"));
    let is_near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.05;
    // 6002 tokens in the 90 minutes since the first request.
    assert!(is_near(number("tokens_per_minute"), 6002.0 / 90.0), "{row}");
    let left = number("minutes_left");
    assert!((150.0..=210.0).contains(&left), "{row}");
    assert!(is_near(number("projected_tokens"), 6002.0 + left * 6002.0 / 90.0), "{row}");
    assert_eq!(row.get("projected_cost_usd"), None, "no cost is known");
    let shown = usage(&["--format", "human"], folder.path());
    assert!(shown.text().contains(" active "), "{shown}");
    assert!(shown.text().contains(" left): 6"), "{shown}");
    let prices = folder.path().join("prices.json");
    let table = r#"{"date":"d","models":{"custom-1":{"input":0,"output":1000}}}"#;
    std::fs::write(&prices, table).unwrap();
    let row = &usage(&["--prices", prices.to_str().unwrap()], folder.path()).rows()[0];
    let number = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"));
    assert!(is_near(number("cost_per_hour_usd"), 4.0), "$6 in 90 minutes: {row}");
    assert!(is_near(number("projected_cost_usd"), 6.0 + left / 15.0), "{row}");
}
