//! The run record of `--record`, and the process part of `--as summary`.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;
use crate::support::warnings;

#[test]
fn record_is_the_summary_with_process_details() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("echo note >&2; {}", cat(CODEX_OK)));
    let (run, record) =
        workspace.record(&["--", "codex", "exec", "-s", "read-only", "-m", "o3", "hi"]);
    run.success().stdout("Hello from the fake model.\n");
    assert_eq!(record["output"], "Hello from the fake model.");
    assert_eq!(record["exit_code"], 0);
    assert_eq!(record["stderr"], "note\n");
    assert_eq!(record["succeeded_cleanly"], true);
    assert!(record["duration_seconds"].as_f64().unwrap() > 0.0);
    let digits = record["duration_seconds"].to_string();
    assert!(digits.split_once('.').unwrap().1.len() <= 3, "milliseconds: {digits}");
    let command = record["command"].as_array().unwrap();
    assert_eq!(command[..3], [json!("codex"), json!("exec"), json!("--json")]);
    let metadata = &record["harness_metadata"];
    assert_eq!(metadata["sandbox_mode"], "read-only");
    assert_eq!(metadata["model"], "o3");
    assert_eq!(metadata["auth_source"], "unknown");
    assert_eq!(metadata["turn_count"], 1);
    assert!(!Path::new(metadata["last_message_path"].as_str().unwrap()).exists());
    assert!(record.get("stream_events").is_none());
    assert_eq!(workspace.temporary_files(), [""; 0]);
    let (_, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    assert!(record["harness_metadata"].get("sandbox_mode").is_none());
    assert!(record["harness_metadata"].get("model").is_none());
}

#[test]
fn metadata_has_what_is_on_the_command_line() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat(CODEX_OK));
    let metadata = |options: &[&str], args: &[&str]| {
        let command = [&["-q"], options, &["--", "codex", "exec"], args, &["hi"]].concat();
        let (_, record) = workspace.record(&command);
        let metadata = record["harness_metadata"].clone();
        ["sandbox_mode", "model", "last_message_path"].map(|name| metadata.get(name).is_some())
    };
    assert_eq!(metadata(&["--complete", "full", "--model", "m"], &[]), [true, true, true]);
    assert_eq!(metadata(&[], &[]), [false, false, true]);
    assert_eq!(metadata(&[], &["-s", "read-only", "-m", "m"]), [true, true, true]);
    assert_eq!(metadata(&["--complete", "none"], &[]), [false, false, false]);
}

#[test]
fn duration_counts_from_before_the_start_of_the_command() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("sleep 0.2; {}", cat(CODEX_OK)));
    let (_, record) = workspace.record(&["-q", "--", "codex", "exec", "x"]);
    assert!(record["duration_seconds"].as_f64().unwrap() >= 0.2, "{record}");
}

#[test]
fn summary_and_error_of_wrap_include_the_process() {
    let workspace = Workspace::new();
    workspace.program("agent", "echo oops >&2; exit 3");
    let summary = workspace.wrap(&["--as", "summary", "--", "agent"]).code(3).row();
    assert_eq!(summary["exit_code"], 3);
    assert_eq!(summary["stderr"], "oops\n");
    assert_eq!(summary["error"], "oops");
    assert_eq!(summary["error_category"], "subprocess");
    let error = workspace.wrap(&["--as", "error", "--", "agent"]).row();
    assert_eq!(error["category"], "subprocess");
    assert_eq!(error["source"], "process");
}

#[test]
fn with_events_marks_codex_events_only() {
    let workspace = Workspace::new();
    workspace.program("agent", &format!("{}; {}", cat(CODEX_OK), cat(CLAUDE_OK)));
    let (_, record) = workspace.record(&["--with-events", "--", "agent"]);
    let events = record["stream_events"].as_array().unwrap();
    assert_eq!(events.len(), 7);
    assert!(events[..4].iter().all(|event| event["harness"] == "codex"));
    assert!(events[4..].iter().all(|event| event.get("harness").is_none()));
    assert!(record["harness_metadata"].get("stream_events_truncated").is_none());
}

#[test]
fn with_events_is_truncated_and_the_stream_read_to_its_end() {
    let workspace = Workspace::new();
    let padding = "x".repeat(1 << 20);
    workspace.write("big", format!("{{\"type\":\"turn.started\",\"x\":\"{padding}\"}}\n"));
    let body = format!("for i in $(seq 60); do cat $DIR/big; done; {}", cat(CODEX_OK));
    workspace.program("agent", &body);
    let (run, record) = workspace.record(&["--with-events", "--", "agent"]);
    run.success();
    assert_eq!(record["harness_metadata"]["stream_events_truncated"], true);
    assert!(record["stream_events"].as_array().unwrap().len() < 60);
    assert_eq!(record["input_tokens"], 1200, "from the last line");
    let warnings = warnings(&record);
    let truncated = warnings.iter().filter(|text| text.starts_with("stream-events-truncated:"));
    assert_eq!(truncated.count(), 1);
}

#[test]
fn secret_argument_is_redacted_in_the_record() {
    let workspace = Workspace::new();
    workspace.program("agent", "exit 0");
    let (_, record) = workspace.record(&["--", "agent", "sk-ant-api03-abcdefghijkl", "plain"]);
    assert_eq!(record["command"], json!(["agent", "<redacted>", "plain"]));
}

#[test]
fn argument_about_secrets_is_not_redacted() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat(CLAUDE_OK));
    let (_, record) = workspace.record(&["-q", "--", "claude", "fix the authorization bug"]);
    let command = record["command"].as_array().unwrap();
    assert_eq!(command.last().unwrap(), "fix the authorization bug");
}

#[test]
fn record_in_removed_folder_is_125() {
    let workspace = Workspace::new();
    std::fs::create_dir(workspace.path("sub")).unwrap();
    workspace.program("agent", &format!("rm -rf $DIR/sub; {}", cat(CODEX_OK)));
    workspace
        .wrap(&["--record", &workspace.arg("sub/r.json"), "--", "agent"])
        .code(125)
        .stdout("Hello from the fake model.\n")
        .stderr(predicate::str::contains("r.json: cannot write the record: "));
}

#[test]
fn record_replaces_regular_files_only() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat(CLAUDE_OK));
    let record_to = |path: &str| workspace.wrap(&["-q", "--record", path, "--", "claude", "x"]);
    // The target of a link is replaced, with its mode.
    let (real, link) = (workspace.path("real.json"), workspace.path("link.json"));
    workspace.write("real.json", "old");
    std::fs::set_permissions(&real, PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("real.json", &link).unwrap();
    record_to(&workspace.arg("link.json")).success();
    assert!(link.is_symlink());
    assert!(workspace.read("real.json").starts_with('{'));
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    // Pipes and devices are written to.
    let fifo = workspace.path("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let path = fifo.clone();
    let reader = std::thread::spawn(move || std::fs::read_to_string(path).unwrap());
    record_to(&workspace.arg("fifo")).success();
    assert!(reader.join().unwrap().starts_with('{'));
    assert!(!fifo.is_file());
    record_to("/dev/null").success();
    assert!(!Path::new("/dev/null").is_file());
    record_to("/dev/full")
        .code(125)
        .stderr(predicate::str::contains("/dev/full: cannot write the record"));
    // A folder is refused before the command starts.
    workspace.program("claude", "touch $DIR/started");
    record_to(workspace.folder.path().to_str().unwrap()).code(125);
    assert!(!workspace.path("started").exists());
}

#[test]
fn new_files_are_for_the_user_only_and_existing_ones_keep_their_mode() {
    use std::os::unix::fs::PermissionsExt;

    let workspace = Workspace::new();
    workspace.program(
        "codex",
        &format!("stat -c %a \"$TMPDIR\"/streamj-* > $DIR/mode; {}", cat(CODEX_OK)),
    );
    let mode =
        |name: &str| std::fs::metadata(workspace.path(name)).unwrap().permissions().mode() & 0o777;
    let [tee, record, db] = ["tee", "record", "db"].map(|name| workspace.arg(name));
    let projection = format!("findings --db {db}");
    let args =
        ["-q", "--tee", &tee, "--record", &record, "--as", &projection, "--", "codex", "exec", "x"];
    workspace.wrap(&args).success();
    for name in ["tee", "record", "db"] {
        assert_eq!(mode(name), 0o600, "{name}");
        std::fs::set_permissions(workspace.path(name), PermissionsExt::from_mode(0o644)).unwrap();
    }
    assert_eq!(workspace.read("mode").trim(), "700");
    workspace.wrap(&args).success();
    for name in ["tee", "record", "db"] {
        assert_eq!(mode(name), 0o644, "{name}");
    }
}

#[test]
fn dash_writes_the_record_or_the_stream_to_standard_output() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat(CODEX_OK));
    let command = ["--", "codex", "exec", "hi"];
    let run = workspace.wrap(&[&["-q", "--record", "-"], &command[..]].concat()).success();
    assert_eq!(run.row()["output"], "Hello from the fake model.");
    let run = workspace.wrap(&[&["-q", "--tee", "-"], &command[..]].concat()).success();
    assert_eq!(run.get_output().stdout, fixture_bytes(CODEX_OK));
    for refused in [
        &["--record", "-", "--tee", "-"][..],
        &["--record", "-", "--as", "text"],
        &["--tee", "-", "--as", "usage"],
    ] {
        workspace.wrap(&[refused, &command].concat()).code(125).stdout("");
    }
    assert!(!workspace.path("-").exists());
}

#[test]
fn record_of_codex_has_the_requested_document() {
    let workspace = Workspace::new();
    let item = json!({"id": "i", "type": "agent_message", "text": r#"{"n":1}"#});
    let message = json!({"type": "item.completed", "item": item});
    let end = json!({"type": "turn.completed", "usage": {}});
    workspace.write("stream", format!("{message}\n{end}\n"));
    workspace.program("codex", "cat $DIR/stream");
    workspace.write("schema.json", r#"{"type":"object"}"#);
    let schema = workspace.arg("schema.json");
    let (run, record) = workspace.record(&["--schema", &schema, "--", "codex", "exec", "hi"]);
    run.success();
    assert_eq!(record["structured_output"], json!({"n": 1}));
    let (_, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    assert_eq!(record["structured_output"], Value::Null);
}
