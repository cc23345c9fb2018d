//! `prompt`: words for the agent.

use serde_json::{Value, json};

use crate::support::{fixture_bytes, run};

fn lines(args: &[&str], input: &str) -> Vec<Value> {
    let prompted = run(&[&["prompt"], args].concat(), input);
    assert_eq!(prompted.code, 0, "{prompted:?}");
    prompted.rows()
}

fn user(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

#[test]
fn every_argument_is_a_message() {
    assert_eq!(
        lines(&["What is Python?", "Show \"hello\"\nworld"], ""),
        [user("What is Python?"), user("Show \"hello\"\nworld")]
    );
}

#[test]
fn standard_input_is_one_message_or_one_per_line_or_paragraph() {
    let input = "one\ntwo\n\n\nthree\n";
    assert_eq!(lines(&[], input), [user("one\ntwo\n\n\nthree")]);
    assert_eq!(lines(&["--lines"], input), [user("one"), user("two"), user("three")]);
    assert_eq!(lines(&["--paragraphs"], input), [user("one\ntwo"), user("three")]);
    assert_eq!(lines(&["first", "--lines"], "then\r\n"), [user("first"), user("then")]);
    assert_eq!(lines(&[], ""), Vec::<Value>::new());
    assert_eq!(lines(&["first", "-"], "second"), [user("first"), user("second")]);
    assert_eq!(lines(&["", "  "], ""), Vec::<Value>::new());
}

#[test]
fn control_messages_have_ids() {
    let interrupt = |id: &str| json!({"type": "control_request", "request_id": id, "request": {"subtype": "interrupt"}});
    assert_eq!(lines(&["--interrupt", "--request-id", "r1"], ""), [interrupt("r1")]);
    assert_eq!(
        lines(&["--cancel", "r1"], ""),
        [json!({"type": "control_cancel_request", "request_id": "r1"})]
    );
    let id = |rows: &[Value]| rows[0]["request_id"].as_str().unwrap().to_owned();
    assert_ne!(id(&lines(&["--interrupt"], "")), id(&lines(&["--interrupt"], "")));
    assert_eq!(
        lines(&["stop that", "--interrupt", "--request-id", "x"], ""),
        [user("stop that"), interrupt("x")]
    );
    let named = &lines(&["hi", "--session-id", "s1"], "")[0];
    assert_eq!(named["session_id"], "s1");
}

#[test]
fn images_go_with_the_first_message() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.png");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
    let rows = lines(&["look", "again", "--image", path.to_str().unwrap()], "");
    let content = &rows[0]["message"]["content"];
    assert_eq!(content[0]["source"]["media_type"], "image/png");
    assert_eq!(content[0]["source"]["data"], "iVBORw0KGgo=");
    assert_eq!(content[1], json!({"type": "text", "text": "look"}));
    assert_eq!(rows[1], user("again"));
    for (name, bytes) in [("no.png", None), ("text.png", Some("hello"))] {
        let path = folder.path().join(name);
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        let failed = run(&["prompt", "x", "--image", path.to_str().unwrap()], "");
        assert_eq!((failed.code, failed.text()), (2, ""), "{failed:?}");
        assert!(failed.stderr.contains(name));
    }
}

#[test]
fn with_wrap_it_is_a_conversation() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("claude");
    // Answers every line it reads, as Claude does.
    let answer = String::from_utf8(fixture_bytes("claude/text_success")).unwrap();
    std::fs::write(folder.path().join("answer"), answer).unwrap();
    let script = "#!/bin/sh\nwhile read -r line; do cat \"$(dirname \"$0\")/answer\"; done\n";
    std::fs::write(&agent, script).unwrap();
    std::fs::set_permissions(&agent, PermissionsExt::from_mode(0o755)).unwrap();
    let prompts = run(&["prompt", "What is Python?", "Show hello world"], "");
    let agent = agent.to_str().unwrap();
    let args = ["wrap", "-q", "--as", "text", "--", agent, "-p", "--input-format", "stream-json"];
    let talk = run(&args, prompts.stdout);
    assert_eq!(talk.code, 0, "{talk:?}");
    assert_eq!(talk.text().lines().count(), 2, "{talk:?}");
}
