//! Figures of `usage`: costs without tokens, the input of every CLI, sums, times, and
//! columns that add up.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run, streamj};
use crate::support::{files_under, fixture, root};
#[cfg(unix)]
use crate::support::{on_terminal, terminal_command};

fn transcripts(name: &str) -> PathBuf {
    root().join("tests/fixtures/transcripts").join(name)
}

/// Returns the session file of a run.
fn session_file(name: &str) -> PathBuf {
    files_under(&transcripts(name), "jsonl").remove(0)
}

/// Runs `usage` on a file in UTC.
fn usage(args: &[&str], path: &Path) -> assert_cmd::assert::Assert {
    streamj(&["-q", "usage"]).env("TZ", "UTC").args(args).arg(path).assert().success()
}

/// Returns the cells of a CSV row by their columns.
fn csv_row(text: &str, row: usize) -> Vec<(&str, &str)> {
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',');
    header.zip(lines.nth(row).unwrap().split(',')).collect()
}

fn cell<'a>(row: &[(&'a str, &'a str)], column: &str) -> &'a str {
    row.iter().find(|(name, _)| *name == column).unwrap_or_else(|| panic!("{column}: {row:?}")).1
}

#[test]
fn cost_of_result_without_tokens_is_reported() {
    for member in ["cost_usd", "total_cost_usd"] {
        let line = format!(
            r#"{{"type":"result","subtype":"success","duration_ms":12345,"{member}":0.05,"session_id":"a"}}"#
        );
        let usage = read(&["usage"], &[&line]).row();
        assert_eq!((&usage["cost_usd"], &usage["source"]), (&json!(0.05), &json!("result")));
        assert_eq!(read(&["summary"], &[&line]).row()["cost_usd"], 0.05);
        let shown = "[result] success, 12.3 s, $0.0500\n[resume] claude --resume a\n";
        read(&["view"], &[&line]).stdout(shown);
        let rows = read(&["usage", "--by", "session"], &[&line]).rows();
        assert_eq!((rows.len(), &rows[0]["session_id"]), (2, &json!("a")));
        assert_eq!((&rows[0]["cost_usd"], &rows[1]["cost_usd"]), (&json!(0.05), &json!(0.05)));
    }
}

#[test]
fn cost_of_result_without_tokens_belongs_to_its_messages() {
    let message = r#"{"type":"assistant","message":{"id":"a","model":"m","usage":{"input_tokens":10,"output_tokens":2},"content":[]}}"#;
    let result = r#"{"type":"result","subtype":"success","total_cost_usd":0.05}"#;
    let usage = read(&["usage"], &[message, result]).row();
    assert_eq!((&usage["total_tokens"], &usage["cost_usd"]), (&json!(12), &json!(0.05)));
    assert_eq!(usage["source"], "messages");
}

#[test]
fn record_and_table_of_a_file_have_the_same_input_columns() {
    for (file, cached, uncached) in [
        (session_file("codex.resume"), "1600", "800"),
        (session_file("claude.json_schema_ok"), "7890", "12"),
        (fixture("codex/text_success"), "800", "400"),
        (fixture("claude/text_success"), "7890", "12"),
    ] {
        let record = usage(&["--format", "csv"], &file);
        let table = usage(&["--by", "session", "--format", "csv"], &file);
        let (record, table) = (csv_row(record.text(), 0), csv_row(table.text(), 0));
        for row in [&record, &table] {
            assert_eq!(cell(row, "cached_input_tokens"), cached, "{}", file.display());
            assert_eq!(cell(row, "uncached_input_tokens"), uncached, "{}", file.display());
            let number = |column| cell(row, column).parse::<u64>().unwrap_or(0);
            let parts = [
                "cached_input_tokens",
                "cache_write_tokens",
                "uncached_input_tokens",
                "output_tokens",
            ];
            assert_eq!(parts.map(number).iter().sum::<u64>(), number("total_tokens"));
        }
        assert_eq!(cell(&table, "input_tokens"), uncached, "in a table, as its help says");
        let is_codex = cell(&record, "harness") == "codex";
        assert_eq!(cell(&record, "input_tokens") == uncached, !is_codex, "as the CLI counts it");
    }
}

#[test]
fn help_says_what_the_input_is() {
    let help = run(&["usage", "--help"], "");
    let text = help.text().split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "In the record of a run `input_tokens` is what the CLI calls input",
        "In a table `input_tokens` is the uncached input of every CLI",
    ] {
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
}

#[test]
fn sum_of_costs_has_no_more_digits_than_its_parts() {
    let result = |cost: f64, model: &str| {
        format!(
            r#"{{"type":"result","session_id":"s","usage":{{"input_tokens":1}},"total_cost_usd":{cost},"model_usage_since_last_result":{{"{model}":{{"inputTokens":1,"costUSD":{cost}}}}}}}"#
        )
    };
    // In binary, these sums are 0.30000000000000004 and 0.8999999999999999.
    let lines = [result(0.1, "a"), result(0.2, "a"), result(0.6, "b")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for format in ["json", "jsonl", "csv", "tsv"] {
        let args = ["usage", "--format", format];
        for args in [args.to_vec(), [args.as_slice(), &["--by", "session"]].concat()] {
            let printed = read(&args, &lines);
            let has = |cost: &str| {
                let cells = printed.text().split([',', '\t', '}', '\n', ' ']);
                cells.map(|cell| cell.rsplit(':').next().unwrap()).any(|cell| cell == cost)
            };
            assert!(has("0.9"), "{args:?}: {}", printed.text());
            assert!(!format.starts_with("json") || has("0.3"), "{args:?}: {}", printed.text());
            assert!(!printed.text().contains("00000"), "{args:?}: {}", printed.text());
        }
    }
    let cost =
        r#"{"type":"result","usage":{"input_tokens":1},"total_cost_usd":0.058258000000000004}"#;
    for command in ["usage", "summary"] {
        read(&[command, "--get", "/cost_usd"], &[cost]).stdout("0.058258\n");
    }
    assert!(read(&["events", "--unified"], &[cost]).text().contains(r#""cost_usd":0.058258}"#));
}

#[test]
fn times_of_sessions_have_their_offset() {
    let path = transcripts("codex.resume");
    for (zone, first) in [
        ("UTC", "2026-11-15T23:22:53Z"),
        ("Asia/Kolkata", "2026-11-16T04:52:53+05:30"),
        ("America/New_York", "2026-11-15T18:22:53-05:00"),
    ] {
        let mut command = streamj(&["usage", "--by", "session"]);
        let rows = command.env("TZ", zone).arg(&path).assert().success().rows();
        assert_eq!(rows[0]["first"], first);
        assert!(rows[0]["last"].as_str().unwrap().ends_with(&first[19..]), "{}", rows[0]);
    }
}

/// Copies a recorded stream to a file that was modified on 2026-03-04.
fn recorded(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name.replace('/', ".") + ".jsonl");
    fs::copy(fixture(name), &path).unwrap();
    let modified: SystemTime = "2026-03-04T11:00:00Z".parse::<jiff::Timestamp>().unwrap().into();
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    path
}

#[test]
fn stream_without_times_is_marked_as_dated_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), "codex/text_success");
    let rows = usage(&["--by", "day"], folder.path()).rows();
    assert_eq!((&rows[0]["day"], &rows[0]["undated_tokens"]), (&json!("2026-03-04"), &json!(1250)));
    assert_eq!(rows[0]["undated_sessions"], 1);
    let csv = usage(&["--by", "month", "--format", "csv"], folder.path());
    let row = csv_row(csv.text(), 0);
    assert_eq!((cell(&row, "month"), cell(&row, "undated_tokens")), ("2026-03", "1250"));
    let note = "* no timestamps: dated by its file, or by now if it was piped (1 session)\n";
    for (by, marked) in [
        ("day", "\n2026-03-04*  "),
        ("month", "\n2026-03*  "),
        ("session", "  2026-03-04 11:00*  "),
    ] {
        let shown = usage(&["--by", by, "--format", "human"], folder.path());
        assert!(shown.text().contains(marked) && shown.text().ends_with(note), "{shown}");
    }
    let plot = usage(&["--by", "day", "--plot"], folder.path());
    assert!(plot.text().starts_with("2026-03-04*  ") && plot.text().ends_with(note), "{plot}");
    let since = streamj(&["usage", "--utc", "--since", "2026-03-05"]).arg(folder.path()).assert();
    since.success().stderr(
        "streamj: 1 stream without timestamps left out by --since or --until: dated by their files\n",
    );
    // A model is no time.
    let shown = usage(&["--by", "model", "--format", "human"], folder.path());
    assert!(!shown.text().contains('*'), "{shown}");
}

#[test]
fn row_tells_how_much_of_it_is_dated_by_files() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), "codex/text_success");
    let dated = transcripts("codex.resume");
    let mut command = streamj(&["usage", "--by", "harness"]);
    let rows = command.arg(folder.path()).arg(dated).assert().success().rows();
    assert_eq!(
        (&rows[0]["total_tokens"], &rows[0]["undated_tokens"]),
        (&json!(3750), &json!(1250))
    );
    assert_eq!((&rows[0]["sessions"], &rows[0]["undated_sessions"]), (&json!(2), &json!(1)));
    let rows = usage(&["--by", "day"], &transcripts("codex.resume")).rows();
    assert_eq!((rows[0].get("undated_tokens"), rows[0].get("undated_sessions")), (None, None));
}

/// Returns a recorded transcript with one request and its `cost-state` line.
fn transcript() -> (Vec<String>, String) {
    let text = fs::read_to_string(session_file("claude.tool_permission_denied")).unwrap();
    let lines = text.lines().map(str::to_owned);
    let (counts, lines): (Vec<_>, Vec<_>) =
        lines.partition(|line| line.contains(r#""type":"cost-state""#));
    (lines, counts.into_iter().next_back().unwrap())
}

#[test]
fn cost_before_the_only_request_is_not_its_cost() {
    let (lines, count) = transcript();
    let mut nothing: Value = serde_json::from_str(&count).unwrap();
    nothing["totalCostUSD"] = json!(0);
    nothing["modelUsage"] = json!({});
    let nothing = nothing.to_string();
    let lines: Vec<&str> =
        [nothing.as_str()].into_iter().chain(lines.iter().map(String::as_str)).collect();
    let usage = read(&["usage"], &lines).row();
    assert!(usage["total_tokens"].as_u64().unwrap() > 10_000, "{usage}");
    assert_eq!((usage.get("cost_usd"), usage.get("partial_cost_usd")), (None, None));
    assert_eq!(usage["source"], "messages", "the figures are those of the message");
    assert_eq!(usage["models"][0].get("cost_usd"), None);
    assert_eq!(read(&["summary"], &lines).row().get("cost_usd"), None);
    let rows = read(&["usage", "--by", "session"], &lines).rows();
    assert_eq!((rows[0].get("cost_usd"), &rows[0]["sessions_without_cost"]), (None, &json!(1)));
    let csv = read(&["usage", "--by", "session", "--format", "csv"], &lines);
    let row = csv_row(csv.text(), 0);
    assert_eq!((cell(&row, "cost_usd"), cell(&row, "sessions_without_cost")), ("", "1"));
}

#[test]
fn cost_of_a_part_of_the_requests_is_not_the_cost_of_the_run() {
    let (lines, count) = transcript();
    let later = r#"{"parentUuid":"x","isSidechain":false,"message":{"id":"later","type":"message","role":"assistant","model":"other-model","content":[{"type":"text","text":"More."}],"usage":{"input_tokens":7,"output_tokens":1}},"type":"assistant","timestamp":"2026-11-15T23:59:59Z","sessionId":"s","requestId":"r"}"#;
    let mut all: Vec<&str> = lines.iter().map(String::as_str).collect();
    all.push(&count);
    let covered = read(&["usage"], &all).row();
    let cost = covered["cost_usd"].as_f64().unwrap();
    assert!(cost > 0.0 && covered.get("partial_cost_usd").is_none(), "{covered}");
    all.push(later);
    let usage = read(&["usage"], &all).row();
    assert_eq!(usage["total_tokens"].as_u64(), covered["total_tokens"].as_u64().map(|all| all + 8));
    assert_eq!((usage.get("cost_usd"), &usage["partial_cost_usd"]), (None, &json!(cost)));
    // The models before the count have their costs, the one after it has none.
    assert_eq!(usage["models"][0]["cost_usd"], json!(cost));
    assert_eq!(usage["models"][1].get("cost_usd"), None, "{usage}");
    let human = read(&["usage", "--format", "human"], &all);
    assert!(human.text().contains(&format!("${cost:.4} + unknown\n")), "{human}");
    // A count that is written later covers it.
    all.push(&count);
    assert_eq!(read(&["usage"], &all).row()["cost_usd"], json!(cost));
}

#[cfg(unix)]
fn shown(columns: u16, args: &[&str], path: &Path) -> String {
    let mut command = terminal_command(&["-q", "usage"]);
    command.env("NO_COLOR", "1").env("TZ", "UTC").args(args).arg(path);
    on_terminal(&mut command, columns, b"")
}

/// Returns the numbers of a line of a table.
#[cfg(unix)]
fn numbers(line: &str) -> Vec<u64> {
    let words = line.split_whitespace().filter(|word| !word.contains(['$', ':', '…']));
    // The start of an id may be a number without commas.
    let words = words.filter(|word| word.len() <= 3 || word.contains(','));
    words.filter_map(|word| word.replace(',', "").parse().ok()).collect()
}

#[cfg(unix)]
#[test]
fn token_columns_add_up_on_every_terminal() {
    let folder = transcripts("");
    let total = usage(&["--by", "harness"], &folder).rows().pop().unwrap();
    let total = total["total_tokens"].as_u64().unwrap();
    for by in ["session", "day", "month", "model", "project", "harness"] {
        for estimate in [&[][..], &["--estimate"]] {
            for columns in [200, 120, 100, 80, 70, 60, 50, 40] {
                let args = [&["--by", by], estimate].concat();
                let shown = shown(columns, &args, &folder);
                let is_table = |line: &&str| !line.contains(" sessions");
                let table: Vec<&str> = shown.lines().take_while(is_table).collect();
                for line in &table {
                    assert!(line.chars().count() <= columns.into(), "{columns}: {line}\n{shown}");
                }
                for line in &table[1..] {
                    let numbers = numbers(line);
                    let (sum, parts) = numbers.split_last().unwrap();
                    let adds_up = parts.is_empty() || parts.iter().sum::<u64>() == *sum;
                    assert!(adds_up, "{by} on {columns}: {line}\n{shown}");
                }
                assert_eq!(numbers(table.last().unwrap()).last(), Some(&total), "{shown}");
            }
        }
    }
    let wide = shown(80, &["--by", "day"], &folder);
    assert!(wide.starts_with("day "), "{wide}");
    assert!(wide.contains("  cache read  cache write  "), "80 columns are enough: {wide}");
}

#[cfg(unix)]
#[test]
fn token_columns_of_a_run_add_up_on_every_terminal() {
    for name in ["claude/subagent_foreground", "codex/text_success"] {
        let total = usage(&[], &fixture(name)).row()["total_tokens"].as_u64().unwrap();
        for columns in [200, 80, 60, 40] {
            let shown = shown(columns, &["--format", "human"], &fixture(name));
            let table: Vec<&str> =
                shown.lines().skip(1).take_while(|line| !line.contains(" · ")).collect();
            for line in &table {
                assert!(line.chars().count() <= columns.into(), "{columns}: {line}\n{shown}");
            }
            let numbers = numbers(table.last().unwrap());
            let (sum, parts) = numbers.split_last().unwrap();
            assert_eq!(*sum, total, "{shown}");
            assert!(parts.is_empty() || parts.iter().sum::<u64>() == *sum, "{shown}");
        }
    }
}

#[cfg(unix)]
#[test]
fn shortened_ids_differ() {
    let shown = shown(80, &["--by", "session"], &transcripts(""));
    let is_row = |line: &&str| !line.starts_with("total");
    let ids: Vec<&str> = shown
        .lines()
        .skip(1)
        .take_while(is_row)
        .filter_map(|line| line.split(' ').next())
        .collect();
    let distinct: std::collections::HashSet<_> = ids.iter().collect();
    assert!(ids.len() > 10, "{shown}");
    assert_eq!(distinct.len(), ids.len(), "{shown}");
    assert!(ids.iter().all(|id| (8..20).contains(&id.chars().count())), "{shown}");
}
