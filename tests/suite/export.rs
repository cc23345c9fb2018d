//! `export`: tables over many runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::sessions::{answer, write_sessions};
use crate::support::{files_under, root};

const TABLES: [&str; 5] = ["runs", "requests", "tools", "messages", "errors"];

fn transcripts() -> PathBuf {
    root().join("tests/fixtures/transcripts")
}

/// Exports files as JSON lines, and returns the rows of each table.
fn export(args: &[&str], paths: &[PathBuf]) -> BTreeMap<&'static str, Vec<Value>> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = streamj(&["-q", "export", "--format", "jsonl", "-o"]);
    command.arg(folder.path()).args(args).args(paths).assert().success();
    TABLES.into_iter().map(|table| (table, rows(folder.path(), table))).collect()
}

/// Returns the rows of a table, with the columns that its folders name.
fn rows(folder: &Path, table: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for file in table_files(folder, table, "jsonl") {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let mut row: Value = serde_json::from_str(line).unwrap();
            for part in file.strip_prefix(folder).unwrap() {
                if let Some((name, value)) = part.to_str().unwrap().split_once('=') {
                    assert_eq!(row.get(name), None);
                    row[name] = json!(value);
                }
            }
            rows.push(row);
        }
    }
    rows
}

fn table_files(folder: &Path, table: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = files_under(folder, extension);
    let start = format!("{table}-");
    files.retain(|file| file.file_name().unwrap().to_str().unwrap().starts_with(&start));
    files.sort();
    files
}

fn schema() -> Value {
    run(&["export", "--print-schema"], "").success().rows_of_document()
}

/// Reads one document that spans several lines.
trait Document {
    fn rows_of_document(&self) -> Value;
}

impl Document for assert_cmd::assert::Assert {
    fn rows_of_document(&self) -> Value {
        serde_json::from_str(self.text()).unwrap()
    }
}

#[test]
fn rows_have_the_columns_of_the_schema() {
    let schema = schema();
    assert_eq!(schema["version"], 1);
    let exported = export(&[], &[root().join("tests/fixtures")]);
    for table in schema["tables"].as_array().unwrap() {
        let rows = &exported[table["name"].as_str().unwrap()];
        assert!(rows.len() > 20, "{}: {}", table["name"], rows.len());
        let columns = table["columns"].as_array().unwrap();
        let mut seen = BTreeSet::new();
        for row in rows {
            let mut members = row.as_object().unwrap().clone();
            for column in columns {
                let name = column["name"].as_str().unwrap();
                let Some(value) = members.remove(name) else {
                    assert_eq!(column["nullable"], true, "{name}: {row}");
                    continue;
                };
                seen.insert(name);
                let is_valid = match column["type"].as_str().unwrap() {
                    "bigint" => value.is_i64(),
                    "double" => value.is_f64(),
                    "boolean" => value.is_boolean(),
                    "timestamp" => value.as_str().unwrap().ends_with('Z'),
                    "date" => value.as_str().unwrap().len() == 10,
                    "string" => value.is_string(),
                    other => panic!("{other}"),
                };
                assert!(is_valid, "{name}: {value}");
            }
            assert!(members.is_empty(), "{members:?}");
        }
        let missing: Vec<_> = columns
            .iter()
            .filter(|column| !seen.contains(column["name"].as_str().unwrap()))
            .collect();
        // Rows about several lines have none.
        let missing: Vec<_> =
            missing.into_iter().filter(|column| column["name"] != "line").collect();
        assert!(missing.is_empty(), "no row has {missing:#?}");
    }
}

#[test]
fn tables_agree_with_the_commands() {
    let path = [transcripts()];
    let exported = export(&["--max-text", "0"], &path);
    let printed = |args: &[&str]| streamj(&["-q"]).args(args).args(&path).assert().rows();
    let texts = |rows: &[Value], members: &[&str]| {
        let text = |row: &Value| members.iter().map(|name| row[*name].to_string()).collect();
        let mut texts: Vec<Vec<String>> = rows.iter().map(text).collect();
        texts.sort();
        texts
    };
    let tools = ["file", "id", "name", "status", "exit_code", "is_error", "parent_id", "output"];
    assert_eq!(texts(&exported["tools"], &tools), texts(&printed(&["tools"]), &tools));
    let errors = ["file", "category", "message", "status", "reason", "source"];
    assert_eq!(texts(&exported["errors"], &errors), texts(&printed(&["error"]), &errors));
    let runs = printed(&["summary"]);
    let runs: Vec<_> = runs.iter().filter(|row| row["harness"] != "unknown").collect();
    assert_eq!(exported["runs"].len(), runs.len());
    for run in &exported["runs"] {
        let summary = runs.iter().find(|row| row["file"] == run["file"]).unwrap();
        assert_eq!(run["succeeded"], summary["succeeded_cleanly"], "{run}");
        assert_eq!(run["is_complete"], summary["complete"], "{run}");
        assert_eq!(run["tool_calls"], summary["tools"]["calls"], "{run}");
        assert_eq!(run["lines"], summary["lines"]["total"], "{run}");
    }
}

/// Returns the sums of the requests that remain of several exports by the documented rule.
fn merged(rows: &[Value]) -> BTreeMap<&'static str, u64> {
    const COUNTS: [&str; 6] = [
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "total_tokens",
    ];
    let on_disk: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row["is_stream"] == false)
        .map(|row| row["session_id"].as_str().unwrap())
        .collect();
    let mut largest: BTreeMap<(&str, &'static str), u64> = BTreeMap::new();
    for row in rows {
        let is_counted =
            row["is_stream"] == false || !on_disk.contains(row["session_id"].as_str().unwrap());
        for name in COUNTS.into_iter().filter(|_| is_counted) {
            let kept = largest.entry((row["request_key"].as_str().unwrap(), name)).or_default();
            *kept = row[name].as_u64().unwrap().max(*kept);
        }
    }
    let mut sums = BTreeMap::new();
    for ((_, name), count) in largest {
        *sums.entry(name).or_default() += count;
    }
    sums
}

#[test]
fn requests_add_up_to_the_usage_of_all_files() {
    for path in [transcripts(), root().join("tests/fixtures/codex")] {
        let total = streamj(&["-q", "usage", "--utc"]).arg(&path).assert().rows().pop().unwrap();
        let requests = &export(&[], &[path])["requests"];
        for (name, sum) in merged(requests) {
            assert_eq!(sum, total[name].as_u64().unwrap_or(0), "{name}");
        }
    }
}

#[test]
fn copies_of_a_request_keep_their_key() {
    let folder = tempfile::tempdir().unwrap();
    let line = answer("s", "msg_01XFDUDYJgAACzvnptvVoYEL", "2026-11-01T12:00:00Z", 5);
    let mut fork = line.clone();
    fork["sessionId"] = json!("fork");
    write_sessions(folder.path(), &[("a/a.jsonl", &[line]), ("b/b.jsonl", &[fork])]);
    let requests = export(&[], &[folder.path().to_owned()]).remove("requests").unwrap();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0]["request_key"], requests[1]["request_key"]);
    assert_eq!(requests[0]["request_key"], "7d695ff457be59be");
    assert_eq!(merged(&requests)["output_tokens"], 5);
}

#[test]
fn messages_are_the_text_of_the_run() {
    for name in ["claude/partial_multi_block", "claude/text_success", "codex/reasoning"] {
        let path = root().join(format!("tests/fixtures/{name}.jsonl"));
        let messages = &export(&[], std::slice::from_ref(&path))["messages"];
        let texts = messages.iter().filter(|row| row["role"] == "assistant");
        let texts: Vec<_> = texts.map(|row| row["text"].as_str().unwrap()).collect();
        let printed = streamj(&["text"]).arg(&path).assert().success();
        assert_eq!(texts.join("\n") + "\n", printed.text(), "{name}");
        for row in messages {
            assert_eq!(row["text_bytes"], row["text"].as_str().unwrap().len(), "{name}");
        }
    }
    let path = root().join("tests/fixtures/codex/reasoning.jsonl");
    let messages = &export(&["--max-text", "5"], &[path])["messages"];
    let reasoning = messages.iter().find(|row| row["role"] == "reasoning").unwrap();
    assert_eq!(reasoning["is_truncated"], true);
    assert!(reasoning["text"].as_str().unwrap().len() <= 5, "{reasoning}");
}

#[test]
fn formats_have_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = transcripts();
    for format in ["jsonl", "csv"] {
        let mut command = streamj(&["-q", "export", "--append", "--format", format, "-o"]);
        command.arg(folder.path()).arg(&path).assert().success();
    }
    for table in TABLES {
        let csv = fs::read_to_string(&table_files(folder.path(), table, "csv")[0]).unwrap();
        let header: Vec<_> = csv.lines().next().unwrap().split(',').collect();
        let schema = schema();
        let described = schema["tables"].as_array().unwrap().iter();
        let columns = described.clone().find(|other| other["name"] == table).unwrap();
        let names = columns["columns"].as_array().unwrap().iter();
        assert_eq!(
            header,
            names.map(|column| column["name"].as_str().unwrap()).collect::<Vec<_>>()
        );
        let lines = rows(folder.path(), table).len();
        assert!(csv.matches('\n').count() > lines, "{table}");
    }
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let on = |threads: &str| export(&["--threads", threads], &[root().join("tests/fixtures")]);
    assert_eq!(on("1"), on("5"));
}

#[test]
fn folders_name_the_values_of_partitions() {
    let path = [transcripts()];
    let by = |row: &Value| row.to_string();
    let sorted = |rows: &[Value]| rows.iter().map(by).collect::<BTreeSet<_>>();
    let whole = export(&[], &path);
    let parts = export(&["--partition-by", "day,harness"], &path);
    for table in TABLES {
        assert_eq!(sorted(&parts[table]), sorted(&whole[table]), "{table}");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command =
        streamj(&["-q", "export", "--format", "jsonl", "--partition-by", "day,harness"]);
    command.arg("-o").arg(folder.path()).args(&path).assert().success();
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    assert!(names.len() > 2 && names.iter().all(|name| name.starts_with("day=2026-")), "{names:?}");
}

/// More partitions than files may be open.
#[test]
fn many_partitions_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let day = |number: i64| {
        let day =
            jiff::civil::date(2026, 1, 1).checked_add(jiff::Span::new().days(number)).unwrap();
        format!("{day}T12:00:00Z")
    };
    let line = |at: i64| answer("s", &format!("msg_of_many_partitions_{at}"), &day(at % 250), 1);
    let lines: Vec<Value> = (0..1000).map(line).collect();
    write_sessions(folder.path(), &[("a.jsonl", &lines)]);
    let path = [folder.path().to_owned()];
    let requests = export(&["--partition-by", "day", "--tables", "requests"], &path);
    assert_eq!(requests["requests"].len(), 1000);
    let days: BTreeSet<_> = requests["requests"].iter().map(|row| row["day"].to_string()).collect();
    assert_eq!(days.len(), 250);
}

#[test]
fn days_divide_the_rows() {
    let path = [transcripts()];
    let all = export(&[], &path);
    let middle = "2026-11-16";
    let before = export(&["--until", "2026-11-15"], &path);
    let after = export(&["--since", middle], &path);
    for table in TABLES {
        assert_eq!(before[table].len() + after[table].len(), all[table].len(), "{table}");
        assert!(after[table].iter().all(|row| row["day"].as_str().unwrap() >= middle), "{table}");
        assert!(!before[table].is_empty() && !after[table].is_empty(), "{table}");
    }
}

#[test]
fn file_that_is_older_than_the_first_day_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.jsonl");
    fs::write(&file, "{\"type\":\n").unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(24);
    fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    let export = |args: &[&str]| {
        let out = tempfile::tempdir().unwrap();
        let mut command = streamj(&["export", "--format", "csv", "-o"]);
        command.arg(out.path()).args(args).arg(&file).assert()
    };
    export(&[]).code(1);
    export(&["--since", "2026-01-01"]).success();
}

#[test]
fn secrets_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let secret = "sk-ant-api03-A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    let mut line = answer("s", "msg_01XFDUDYJgAACzvnptvVoYEL", "2026-11-01T12:00:00Z", 5);
    line["message"]["content"] = json!([{"type": "text", "text": format!("key: {secret}")}]);
    write_sessions(folder.path(), &[("a.jsonl", &[line])]);
    let path = [folder.path().to_owned()];
    let text = |args: &[&str]| export(args, &path)["messages"][0]["text"].to_string();
    assert!(text(&[]).contains(secret));
    let masked = text(&["--redact"]);
    assert!(masked.contains("<redacted>") && !masked.contains(secret), "{masked}");
}

#[test]
fn bad_file_costs_its_own_rows_only() {
    let folder = tempfile::tempdir().unwrap();
    let line = answer("s", "msg_01XFDUDYJgAACzvnptvVoYEL", "2026-11-01T12:00:00Z", 5);
    let lines = [line];
    let other = [answer("t", "msg_01XFDUDYJgAACzvnptvVoABC", "2026-11-01T12:00:00Z", 5)];
    write_sessions(folder.path(), &[("a.jsonl", &lines), ("c.jsonl", &other)]);
    fs::write(folder.path().join("b.jsonl"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 1, 2]).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut command = streamj(&["-q", "export", "--format", "jsonl", "-o"]);
    let printed = command.arg(out.path()).arg(folder.path()).assert().code(2);
    assert!(printed.errors().contains("b.jsonl: cannot read: "), "{printed}");
    assert_eq!(rows(out.path(), "requests").len(), 2);
}

#[test]
fn folder_with_tables_is_not_added_to_by_accident() {
    let out = tempfile::tempdir().unwrap();
    let export = |args: &[&str]| {
        let mut command = streamj(&["-q", "export", "--format", "jsonl", "-o"]);
        command.arg(out.path()).args(args).arg(transcripts()).assert()
    };
    export(&[]).success();
    let count = rows(out.path(), "runs").len();
    let refused = export(&[]).code(2);
    assert!(refused.errors().contains("has tables already"), "{refused}");
    assert_eq!(rows(out.path(), "runs").len(), count);
    export(&["--append"]).success();
    assert_eq!(rows(out.path(), "runs").len(), 2 * count);
}

#[test]
fn files_appear_when_all_are_complete() {
    let out = tempfile::tempdir().unwrap();
    let reader = root().join("tests/fixtures/codex/reasoning.jsonl");
    let text = fs::read_to_string(reader).unwrap();
    // The input waits for more, so the export is not complete.
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("streamj"))
        .args(["export", "--format", "jsonl", "-o"])
        .arg(out.path())
        .arg("-")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, text.as_bytes()).unwrap();
    let names = || {
        let entries = fs::read_dir(out.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    while names().len() < TABLES.len() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(names().iter().all(|name| name.starts_with('.')), "{:?}", names());
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(names().iter().all(|name| name.starts_with('.')), "{:?}", names());
    drop(stdin);
    let mut command = streamj(&["-q", "export", "--format", "jsonl", "-o"]);
    command.arg(out.path()).arg("-").write_stdin(text).assert().success();
    let complete = names().into_iter().filter(|name| !name.starts_with('.')).count();
    assert_eq!(complete, TABLES.len());
}

#[cfg(target_os = "linux")]
#[test]
fn failed_export_leaves_no_file() {
    let out = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let line = |at: usize| {
        answer("s", &format!("msg_01XFDUDYJgAACzvnptv_{at}"), "2026-11-01T12:00:00Z", 5)
    };
    let lines: Vec<Value> = (0..2000).map(line).collect();
    write_sessions(folder.path(), &[("a.jsonl", &lines)]);
    // No file may be larger than a block.
    let program = assert_cmd::cargo::cargo_bin!("streamj");
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec {} export --format jsonl -o {} {}",
        program.display(),
        out.path().display(),
        folder.path().display()
    );
    let mut command = assert_cmd::Command::new("sh");
    let printed = command.args(["-c", &script]).assert().code(2);
    assert!(printed.errors().contains("file too large"), "{printed}");
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}
