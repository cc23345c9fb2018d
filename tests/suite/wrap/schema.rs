//! `--schema`: passing a JSON schema to the agent and checking its document.

use super::*;

const SCHEMA: &str = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;

/// Writes the schema that an agent is given, as a file or as text, to `$DIR/seen`.
const SAVE_SCHEMA: &str = r#"for arg; do
    [ "$last" = --output-schema ] && cat "$arg" >$DIR/seen
    [ "$last" = --json-schema ] && printf %s "$arg" >$DIR/seen
    last=$arg
done"#;

/// Returns shell commands that print a message and a result with a structured
/// document, as Claude does.
pub fn claude_result(document: &str) -> String {
    format!(
        r#"echo '{{"type":"assistant","session_id":"s1","message":{{"id":"m","content":[{{"type":"text","text":"[EVENT:critical:db] down\\n[COOLDOWN:restart:db] success - up"}}]}}}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","structured_output":{document}}}'"#
    )
}

fn write_schema(workspace: &Workspace, text: &str) -> String {
    workspace.write("schema.json", text);
    workspace.arg("schema.json")
}

#[test]
fn schema_is_passed_to_claude_as_text_and_to_codex_as_file() {
    let workspace = Workspace::new();
    let path = write_schema(&workspace, SCHEMA);
    let save_args = r#"printf '%s\n' "$@" >$DIR/args"#;
    workspace.program("claude", &format!("{save_args}\n{}", claude_result(r#"{"n":1}"#)));
    workspace.wrap(&["--schema", &path, "--", "claude", "hi"]).success();
    let args = workspace.read("args");
    assert!(args.starts_with(&format!("--json-schema\n{SCHEMA}\n-p\n")), "{args}");

    let message = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{\\"n\\":1}"}}"#;
    let end = r#"{"type":"turn.completed","usage":{}}"#;
    workspace.program("codex", &format!("{SAVE_SCHEMA}\necho '{message}'\necho '{end}'"));
    std::fs::create_dir(workspace.path("elsewhere")).unwrap();
    let folder = workspace.arg("elsewhere");
    // The path is relative to the folder of streamj, not to that of the command.
    let options = ["wrap", "--schema", "schema.json", "--cwd", &folder];
    workspace
        .streamj(&[&options[..], &["--", "codex", "exec", "hi"]].concat())
        .current_dir(workspace.folder.path())
        .assert()
        .success()
        .stdout("{\"n\":1}\n");
    assert_eq!(workspace.read("seen"), SCHEMA);
}

#[test]
fn invalid_document_is_a_warning_and_exit_status_1() {
    let workspace = Workspace::new();
    let path = write_schema(&workspace, SCHEMA);
    workspace.program("claude", &claude_result(r#"{"n":"sk-ant-secret"}"#));
    let (run, record) = workspace.record(&["--schema", &path, "--", "claude", "hi"]);
    run.code(1).stderr(
        predicate::str::contains("streamj: structured: /n: ")
            .and(predicate::str::contains("secret").not()),
    );
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("structured: /n: "), "{warnings}");
    workspace.wrap(&["--schema", &path, "--exit-status", "child", "--", "claude", "hi"]).code(0);

    workspace.program("claude", &claude_result("null"));
    let (run, record) = workspace.record(&["--schema", &path, "--", "claude", "hi"]);
    run.code(1);
    assert!(record["warnings"].to_string().contains("structured: no structured output: "));
}

#[test]
fn schema_without_file_is_that_of_the_environment_or_the_shipped_one() {
    let workspace = Workspace::new();
    let path = write_schema(&workspace, SCHEMA);
    workspace.program("claude", &claude_result(r#"{"n":1}"#));
    let args = ["wrap", "--schema", "--", "claude", "hi"];
    workspace.streamj(&args).env("CLAUDEOPS_SCHEMA_PATH", &path).assert().success();
    workspace
        .streamj(&args)
        .env_remove("CLAUDEOPS_SCHEMA_PATH")
        .assert()
        .code(1)
        .stderr(predicate::str::contains("streamj: structured: \"summary\" is a required"));
    // Without --schema the variable is not read.
    let mut command = workspace.streamj(&["wrap", "--", "claude", "hi"]);
    command.env("CLAUDEOPS_SCHEMA_PATH", "/nowhere").assert().success();
    assert_eq!(workspace.temporary_files(), [""; 0]);
}

#[test]
fn unusable_schema_is_refused_before_the_command_starts() {
    let workspace = Workspace::new();
    workspace.program("claude", "touch $DIR/started");
    let broken = write_schema(&workspace, "{not json");
    for (path, message) in [(&*broken, "not JSON"), ("/nowhere/s.json", "/nowhere/s.json: ")] {
        workspace
            .wrap(&["--schema", path, "--", "claude", "hi"])
            .code(125)
            .stderr(predicate::str::contains(message));
    }
    let command = format!("structured --schema {broken}");
    workspace.wrap(&["--as", &command, "--", "claude", "hi"]).code(125);
    assert!(!workspace.path("started").exists());
}

#[test]
fn document_is_read_from_the_last_message_file() {
    let workspace = Workspace::new();
    let path = write_schema(&workspace, SCHEMA);
    workspace.program("codex", "for arg; do [ \"$last\" = --output-last-message ] && printf '{\"n\":1}' >\"$arg\"; last=$arg; done\necho '{\"type\":\"turn.completed\",\"usage\":{}}'");
    for command in ["structured", "text"] {
        workspace
            .wrap(&["--schema", &path, "--as", command, "--", "codex", "exec", "hi"])
            .success()
            .stdout("{\"n\":1}\n");
    }
    workspace.wrap(&["--as", "findings", "--", "codex", "exec", "hi"]).success().stdout("");
}

#[test]
fn schema_from_pipe_or_with_byte_order_mark_is_passed_unchanged() {
    let workspace = Workspace::new();
    workspace.program("codex", SAVE_SCHEMA).program("claude", SAVE_SCHEMA);
    let with_mark = write_schema(&workspace, &format!("\u{feff}{SCHEMA}"));
    for command in [&["codex", "exec", "hi"][..], &["claude", "hi"]] {
        for path in [with_mark.as_str(), "/dev/stdin"] {
            let _ = std::fs::remove_file(workspace.path("seen"));
            let args = [&["wrap", "--no-stdin", "--schema", path, "--"], command].concat();
            let _ = assert_cmd::Command::from_std(workspace.streamj(&args))
                .write_stdin(SCHEMA)
                .output()
                .unwrap();
            assert_eq!(workspace.read("seen"), SCHEMA, "{command:?} {path}");
        }
    }
    assert_eq!(workspace.temporary_files(), [""; 0]);
}

#[test]
fn command_without_schema_support_is_reported() {
    let workspace = Workspace::new();
    let path = write_schema(&workspace, SCHEMA);
    workspace
        .wrap(&["--schema", &path, "--", "true"])
        .stderr(predicate::str::contains("--schema: the command has no known option for it"));
}

#[test]
fn missing_document_is_reported_once() {
    let workspace = Workspace::new();
    let path = write_schema(&workspace, SCHEMA);
    workspace.program("claude", &claude_result("null"));
    workspace
        .wrap(&["--schema", &path, "--as", "structured", "--", "claude", "hi"])
        .code(1)
        .stderr(predicate::str::contains("no structured output").count(1));
}

#[test]
fn shipped_schema_is_strict_for_codex_and_as_printed_for_claude() {
    let workspace = Workspace::new();
    workspace.program("codex", SAVE_SCHEMA).program("claude", SAVE_SCHEMA);
    let passed_to = |command: &[&str]| -> Value {
        let args = [&["wrap", "--schema", "--"], command].concat();
        workspace.streamj(&args).env_remove("CLAUDEOPS_SCHEMA_PATH").output().unwrap();
        workspace.read_json("seen")
    };
    let shipped = std::fs::read("schemas/agent-response.json").unwrap();
    let shipped: Value = serde_json::from_slice(&shipped).unwrap();
    assert_eq!(passed_to(&["claude", "hi"]), shipped);
    let strict = passed_to(&["codex", "exec", "hi"]);
    assert_eq!(strict["additionalProperties"], json!(false));
    assert_eq!(strict["required"].as_array().unwrap().len(), 5);
}

#[test]
fn printed_summary_and_record_have_the_same_document() {
    let workspace = Workspace::new();
    let document = json!({"summary": "s", "events": [], "escalation": {"needed": false},
        "services_checked": []});
    let text = json!(document.to_string());
    let item = format!(
        r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":{text}}}}}"#
    );
    let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
    workspace.program("codex", &format!("cat <<'END'\n{item}\n{end}\nEND"));
    let args =
        ["-q", "--complete", "none", "--as", "summary", "--schema", "--", "codex", "exec", "hi"];
    let (run, record) = workspace.record(&args);
    assert_eq!(run.row()["structured_output"], record["structured_output"]);
    assert!(record["structured_output"].is_object(), "{record}");
}
