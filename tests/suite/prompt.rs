//! `prompt`: input messages for an agent.

use predicates::prelude::predicate;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run};

fn prompt(args: &[&str], input: &str) -> Vec<Value> {
    run(&[&["prompt"], args].concat(), input).code(0).rows()
}

fn user(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

#[test]
fn every_argument_is_a_message() {
    assert_eq!(
        prompt(&["What is Python?", "Show \"hello\"\nworld"], ""),
        [user("What is Python?"), user("Show \"hello\"\nworld")]
    );
}

#[test]
fn standard_input_is_one_message_or_one_per_line_or_paragraph() {
    let input = "one\ntwo\n\n\nthree\n";
    assert_eq!(prompt(&[], input), [user("one\ntwo\n\n\nthree")]);
    assert_eq!(prompt(&["--lines"], input), [user("one"), user("two"), user("three")]);
    assert_eq!(prompt(&["--paragraphs"], input), [user("one\ntwo"), user("three")]);
    assert_eq!(prompt(&["first", "--lines"], "then\r\n"), [user("first"), user("then")]);
    assert_eq!(prompt(&[], ""), Vec::<Value>::new());
    assert_eq!(prompt(&["first", "-"], "second"), [user("first"), user("second")]);
    assert_eq!(prompt(&["", "  "], ""), Vec::<Value>::new());
}

#[test]
fn control_messages_have_ids() {
    let interrupt = |id: &str| json!({"type": "control_request", "request_id": id, "request": {"subtype": "interrupt"}});
    assert_eq!(prompt(&["--interrupt", "--request-id", "r1"], ""), [interrupt("r1")]);
    assert_eq!(
        prompt(&["--cancel", "r1"], ""),
        [json!({"type": "control_cancel_request", "request_id": "r1"})]
    );
    let generated_id =
        || prompt(&["--interrupt"], "")[0]["request_id"].as_str().unwrap().to_owned();
    assert_ne!(generated_id(), generated_id());
    assert_eq!(
        prompt(&["stop that", "--interrupt", "--request-id", "x"], ""),
        [user("stop that"), interrupt("x")]
    );
    assert_eq!(prompt(&["hi", "--session-id", "s1"], "")[0]["session_id"], "s1");
}

#[test]
fn images_are_added_to_the_first_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
    let rows = prompt(&["look", "again", "--image", path.to_str().unwrap()], "");
    let content = &rows[0]["message"]["content"];
    assert_eq!(content[0]["source"]["media_type"], "image/png");
    assert_eq!(content[0]["source"]["data"], "iVBORw0KGgo=");
    assert_eq!(content[1], json!({"type": "text", "text": "look"}));
    assert_eq!(rows[1], user("again"));
}

#[test]
fn invalid_image_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text.png"), "hello").unwrap();
    for name in ["missing.png", "text.png"] {
        let path = folder.path().join(name);
        run(&["prompt", "x", "--image", path.to_str().unwrap()], "")
            .code(2)
            .stdout("")
            .stderr(predicate::str::contains(name));
    }
}

#[cfg(unix)]
#[test]
fn wrapped_agent_answers_every_prompt() {
    use crate::support::fixture;
    use crate::workspace::Workspace;

    let workspace = Workspace::new();
    std::fs::copy(fixture("claude/text_success"), workspace.path("answer")).unwrap();
    workspace.program("claude", "while read -r line; do cat \"$DIR/answer\"; done");
    let prompts = run(&["prompt", "What is Python?", "Show hello world"], "");
    let args =
        ["wrap", "-q", "--as", "text", "--", "claude", "-p", "--input-format", "stream-json"];
    let answers = assert_cmd::Command::from_std(workspace.streamj(&args))
        .write_stdin(prompts.text())
        .assert()
        .code(0);
    assert_eq!(answers.text().lines().count(), 2, "{answers}");
}
