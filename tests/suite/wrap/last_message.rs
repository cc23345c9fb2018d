//! The file of `codex exec --output-last-message`.

use super::*;

#[test]
fn last_message_file_is_used_if_the_stream_has_no_message() {
    let workspace = Workspace::new();
    let body =
        "while [ \"$1\" != --output-last-message ]; do shift; done; printf 'from the file' > $2;
        echo '{\"type\":\"thread.started\",\"thread_id\":\"t\"}';
        echo '{\"type\":\"turn.completed\",\"usage\":{}}'";
    workspace.program("codex", body);
    let (run, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    run.stdout("from the file\n");
    assert_eq!(record["output"], "from the file");
    let warnings = record["warnings"].as_array().unwrap();
    assert!(warnings[0].as_str().unwrap().starts_with("last-message-empty:"), "{warnings:?}");
    assert_eq!(record["succeeded_cleanly"], true);
    workspace.program("codex", &format!("{body}; {}", cat(CODEX_OK)));
    let (run, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    run.stdout("Hello from the fake model.\n");
    let warnings = record["warnings"].to_string();
    assert!(!warnings.contains("last-message-empty:"), "{warnings}");
}

#[test]
fn last_message_file_of_the_user_is_kept() {
    let workspace = Workspace::new();
    workspace.program("codex", "printf mine > $DIR/own");
    let own = workspace.arg("own");
    let (_, record) = workspace.record(&["--", "codex", "exec", "-o", &own, "hi"]);
    assert_eq!(record["output"], "mine");
    assert_eq!(record["harness_metadata"]["last_message_path"], *own);
    assert!(workspace.path("own").exists());
}

#[test]
fn last_message_of_an_earlier_run_is_ignored() {
    let workspace = Workspace::new();
    let failed = json!({"type": "turn.failed", "error": {"message": "no"}});
    workspace.program("codex", &format!("echo '{failed}'; exit 1"));
    workspace.write("old.txt", "YESTERDAY");
    let folder = workspace.folder.path().to_str().unwrap();
    let args = ["-q", "--cwd", folder, "--", "codex", "exec", "-o", "old.txt", "hi"];
    let (run, record) = workspace.record(&args);
    run.stdout("");
    assert_eq!(record["output"], "");
    // A relative path is resolved in the folder of the command.
    workspace.program("codex", "echo '{\"type\":\"turn.started\"}'; printf TODAY > old.txt");
    let (_, record) = workspace.record(&args);
    assert_eq!(record["output"], "TODAY");
}

#[test]
fn last_message_from_the_file_has_no_blank_line_before_it() {
    let workspace = Workspace::new();
    workspace.program(
        "codex",
        r#"while [ "$1" != --output-last-message ]; do shift; done; echo answer > "$2"
           echo '{"type":"turn.started"}'; echo '{"type":"turn.completed"}'"#,
    );
    for projection in ["text", "text --last"] {
        let args = ["-q", "--as", projection, "--", "codex", "exec", "x"];
        workspace.wrap(&args).success().stdout("answer\n\n");
    }
}
