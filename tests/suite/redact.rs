//! `--redact`: no secret in anything that is made of a stream.

use serde_json::{Value, json};

use crate::support::{Run, fixtures, run};

/// Secrets of all kinds; the last is known from the environment only.
const SECRETS: &[&str] = &[
    "sk-ant-api03-AbCdEfGhIjKlMnOp",
    "ghp_0123456789abcdefghij",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "correct horse battery staple",
];

const VARIABLE: &str = "STREAMJ_TEST_PASSWORD";

/// Runs a command with `--redact` and a secret in its environment.
fn redacted(args: &[&str], input: &str) -> Run {
    let output = crate::support::streamj()
        .args([&["--redact"], args].concat())
        .env(VARIABLE, SECRETS[3])
        .write_stdin(input)
        .output()
        .unwrap();
    Run {
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

fn assert_clean(what: &str, text: &str) {
    for secret in SECRETS {
        // Not even a good part of one.
        assert!(!text.contains(&secret[secret.len() - 10..]), "{what}: {secret} in {text}");
    }
}

/// A run with the secret wherever a run can have one.
fn stream(secret: &str) -> String {
    let text = format!("The key is {secret}, keep it.\n[EVENT:info:db] used {secret} today");
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": secret, "model": secret, "cwd": secret, "tools": [secret]}),
        json!({"type": "assistant", "session_id": secret, "message": {"id": "m", "model": secret, "content": [
            {"type": "thinking", "thinking": text},
            {"type": "text", "text": text},
            {"type": "tool_use", "id": secret, "name": secret, "input": {"command": format!("curl -H 'x: {secret}'"), secret: 1}}]}}),
        json!({"type": "user", "session_id": secret, "message": {"content": [
            {"type": "tool_result", "tool_use_id": secret, "is_error": true, "content": text}]},
            "tool_use_result": {"stdout": text, "stderr": secret}}),
        json!({"type": "result", "subtype": "error", "is_error": true, "result": text, "session_id": secret,
            "structured_output": {"summary": text, "events": []}}),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["text", "--last"],
    &["tools"],
    &["tools", "--format", "human"],
    &["tools", "--format", "csv"],
    &["tools", "--get", "/output"],
    &["usage"],
    &["error"],
    &["session"],
    &["session", "--format", "human"],
    &["summary"],
    &["events"],
    &["events", "--unified"],
    &["events", "--format", "sse"],
    &["view"],
    &["view", "--full", "--thinking"],
    &["view", "--width", "20"],
    &["structured"],
    &["findings"],
    &["check", "--every-line", "--format", "jsonl"],
];

#[test]
fn no_command_shows_a_secret_and_json_stays_json() {
    for secret in SECRETS {
        for args in COMMANDS {
            let shown = redacted(args, &stream(secret));
            assert_clean(&format!("{args:?}"), shown.text());
            assert_clean(&format!("{args:?}"), &shown.stderr);
            let open = run(args, stream(secret));
            assert_eq!(shown.code, open.code, "{args:?}");
            if !args.contains(&"--width") {
                assert_eq!(shown.text().lines().count(), open.text().lines().count(), "{args:?}");
            }
            if args.len() == 1 && !matches!(args[0], "text" | "view") {
                assert!(shown.rows().iter().all(Value::is_object), "{args:?}");
            }
        }
    }
    let text = redacted(&["text"], &stream(SECRETS[0]));
    assert!(text.text().starts_with("The key is <redacted>, keep it.\n"), "{text:?}");
}

#[test]
fn the_value_of_a_secret_member_is_masked_whatever_it_looks_like() {
    let call = json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "x",
        "input": {"api_key": "plainword", "Password": "opensesame", "apiKeySource": "none of it", "token_count": "twelve"}}]}});
    let row = redacted(&["tools"], &format!("{call}\n")).row();
    assert_eq!(
        row["input"],
        json!({"api_key": "<redacted>", "Password": "<redacted>", "apiKeySource": "none of it", "token_count": "twelve"})
    );
}

#[test]
fn an_escaped_spelling_hides_nothing() {
    let line = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a \u0073k-ant-\u0061pi03-AbCdEfGhIjKlMnOp b"}}"#;
    assert_eq!(redacted(&["text"], line).text(), "a <redacted> b\n");
    assert_eq!(redacted(&["events", "--get", "/item/text"], line).text(), "a <redacted> b\n");
}

/// The lines of a message whose text arrives in these deltas, interleaved with
/// a subagent's, and then whole.
fn partial(pieces: &[&str], whole: bool) -> String {
    let event = |event: &Value, parent: Option<&str>| {
        json!({"type": "stream_event", "parent_tool_use_id": parent, "event": event}).to_string()
            + "\n"
    };
    let delta = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    let mut lines = event(&json!({"type": "message_start", "message": {"id": "m"}}), None);
    for piece in pieces {
        lines += &event(&delta(piece), None);
        lines += &event(&json!({"type": "ping"}), None);
        lines += &event(&delta("a"), Some("toolu_1"));
    }
    if whole {
        let content = json!([{"type": "text", "text": pieces.concat()}]);
        let message = json!({"type": "assistant", "message": {"id": "m", "content": content}});
        lines += &(message.to_string() + "\n");
    }
    lines += &event(&json!({"type": "content_block_stop", "index": 0}), None);
    lines
}

#[test]
fn a_secret_in_two_deltas_is_masked_and_nothing_is_printed_twice() {
    for secret in SECRETS {
        let text = format!("My key: {secret} is it");
        for cut in 1..text.len() {
            let pieces = text.split_at(cut);
            for whole in [false, true] {
                let input = partial(&[pieces.0, pieces.1], whole);
                let shown = crate::properties::project(
                    &["--redact", "text", "--main-only"],
                    input.as_bytes(),
                    &[usize::MAX],
                );
                // The value of a variable is not known here.
                if *secret != SECRETS[3] {
                    assert_eq!(shown.0, "My key: <redacted> is it\n", "{cut} {whole}");
                }
            }
        }
        for cut in [9, 20, text.len() - 8] {
            let (one, two) = text.split_at(cut);
            for args in [&["text"][..], &["events", "--unified"], &["view"], &["summary"]] {
                let shown = redacted(args, &partial(&[one, two], true));
                assert_clean(&format!("{args:?} {cut}"), shown.text());
            }
            let events = redacted(&["events"], &partial(&[one, two], false));
            let said: String = events
                .rows()
                .iter()
                .filter(|row| row["parent_tool_use_id"].is_null())
                .filter_map(|row| row["event"]["delta"]["text"].as_str())
                .collect();
            assert_eq!(said, "My key: <redacted> is it", "{cut}");
        }
    }
}

#[test]
fn the_end_of_a_text_that_might_have_been_a_secret_is_not_lost() {
    for whole in [false, true] {
        let shown = redacted(&["text", "--main-only"], &partial(&["it i", "s s"], whole));
        assert_eq!(shown.text(), "it is s\n", "{whole}");
    }
    let envelope = r#"{"id":"0","msg":{"type":"agent_message_delta","delta":"it is ghp_01234"}}
{"id":"0","msg":{"type":"token_count"}}
{"id":"0","msg":{"type":"agent_message_delta","delta":"56789abcdef"}}
{"id":"0","msg":{"type":"agent_message","message":"it is ghp_0123456789abcdef"}}
"#;
    assert_eq!(redacted(&["text"], envelope).text(), "it is <redacted>\n");
}

#[test]
fn a_broken_piece_brings_nothing() {
    let mut stream = partial(&["it is s", "o."], false);
    let broken = stream.lines().nth(1).unwrap().replace("it is s", "lost s");
    let at = stream.find('\n').unwrap() + 1;
    stream.insert_str(at, &(broken[..broken.len() - 1].to_owned() + "\n"));
    let shown = redacted(&["text", "--main-only"], &stream);
    assert_eq!(shown.text(), "it is so.\n");
    assert_eq!(shown.stderr.matches("not JSON").count(), 1, "{shown:?}");
}

#[test]
fn a_stream_without_secrets_stays_as_it_is() {
    let mut same = 0;
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        for args in [&["text"][..], &["tools"], &["usage"], &["summary"], &["view", "--full"]] {
            let open = crate::properties::project(args, &bytes, &[usize::MAX]);
            let args = [&["--redact"], args].concat();
            let masked = crate::properties::project(&args, &bytes, &[usize::MAX]);
            if masked.0.contains("<redacted>") {
                continue;
            }
            same += 1;
            if args[1] != "summary" {
                assert_eq!(masked.0, open.0, "{args:?} {}", path.display());
            }
        }
    }
    assert!(same > 100, "{same}");
}

#[test]
fn no_note_repeats_a_secret() {
    let secret = SECRETS[0];
    let missing = run(&["text", &format!("{secret}.jsonl")], "");
    assert_eq!(missing.stderr, "streamj: <redacted>.jsonl: no such file or directory\n");
    let unknown =
        format!(r#"{{"type":"assistant","session_id":"s"}}{}{{"type":"{secret}"}}{}"#, "\n", "\n");
    assert_clean("check", &run(&["check"], unknown.as_str()).stderr);
    let broken = format!("{{\"key\": {secret}\n{secret}\n");
    for args in COMMANDS {
        assert_clean("a broken line", &run(args, broken.as_str()).stderr);
    }
}

#[cfg(unix)]
#[test]
fn what_wrap_shows_and_records_is_masked_and_what_it_keeps_is_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let secret = SECRETS[3];
    std::fs::write(path("stream"), stream(secret)).unwrap();
    let (tee, record, source) = (path("tee"), path("record"), path("stream"));
    let options =
        ["wrap", "--tee", &tee, "--record", &record, "--with-events", "--", "cat", &source];
    let done = redacted(&options, "");
    assert_clean("text", done.text());
    assert_clean("notes", &done.stderr);
    let record = std::fs::read_to_string(record).unwrap();
    assert_clean("record", &record);
    assert!(record.contains("<redacted>"));
    assert_eq!(std::fs::read_to_string(tee).unwrap(), stream(secret));
    // A last message that is in a file only.
    let script = format!(
        "while [ $# -gt 1 ]; do [ $1 = --output-last-message ] && echo 'it is {secret}' > $2; shift; done"
    );
    std::fs::write(path("codex"), format!("#!/bin/sh\n{script}\n")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path("codex"), mode).unwrap();
    let done = redacted(&["-q", "wrap", "--", &path("codex"), "exec", "hi"], "");
    assert_eq!(done.text(), "it is <redacted>\n\n", "{done:?}");
    let refused = redacted(&["wrap", "--as", "raw", "--", "true"], "");
    assert_eq!(refused.code, 125);
    assert!(refused.stderr.contains("--redact masks decoded lines"), "{refused:?}");
}
