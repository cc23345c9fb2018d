//! `--redact`: no output contains a secret.

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run, streamj};
use crate::support::{fixtures, rendered};

mod copy;
mod recall;

/// One secret of each kind. The last one is only known as the value of [`VARIABLE`].
const SECRETS: &[&str] = &[
    "sk-ant-api03-AbCdEfGhIjKlMnOp",
    "ghp_0123456789abcdefghij",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "correct horse battery staple",
];

const VARIABLE: &str = "STREAMJ_TEST_PASSWORD";

/// Runs a command with `--redact` and a secret in its environment.
fn redacted(args: &[&str], input: &str) -> Assert {
    streamj(&["--redact"]).args(args).env(VARIABLE, SECRETS[3]).write_stdin(input).assert()
}

/// Returns what `redact` prints.
fn copied(input: &[u8]) -> String {
    let copied = streamj(&["-q", "redact"]).write_stdin(input).assert().success();
    String::from_utf8_lossy(&copied.get_output().stdout).into_owned()
}

/// Matches text without any secret or the last ten bytes of one.
fn clean() -> impl Predicate<str> {
    predicate::function(|text: &str| {
        !SECRETS.iter().any(|secret| text.contains(&secret[secret.len() - 10..]))
    })
}

/// Returns a run that contains the secret in every member that may contain one.
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
    &["check", "--members"],
];

#[test]
fn no_command_prints_a_secret_and_json_stays_valid() {
    for secret in SECRETS {
        for args in COMMANDS {
            let open = run(args, stream(secret));
            let masked = redacted(args, &stream(secret))
                .append_context("command", format!("{args:?}"))
                .code(open.get_output().status.code().unwrap())
                .stdout(clean())
                .stderr(clean());
            // A masked id cannot be resumed.
            let shows_command =
                args.contains(&"view") || args.starts_with(&["session", "--format"]);
            if !args.contains(&"--width") && !shows_command {
                assert_eq!(masked.text().lines().count(), open.text().lines().count(), "{args:?}");
            }
            if args.len() == 1 && !matches!(args[0], "text" | "view") {
                assert!(masked.rows().iter().all(Value::is_object), "{args:?}");
            }
        }
    }
    redacted(&["text"], &stream(SECRETS[0]))
        .stdout(predicate::str::starts_with("The key is <redacted>, keep it.\n"));
}

#[test]
fn value_of_secret_member_is_masked_in_any_form() {
    let call = json!({"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "x",
        "input": {"api_key": "plainword", "Password": "opensesame", "apiKeySource": "none of it", "token_count": "twelve"}}]}});
    let row = redacted(&["tools"], &format!("{call}\n")).row();
    assert_eq!(
        row["input"],
        json!({"api_key": "<redacted>", "Password": "<redacted>", "apiKeySource": "none of it", "token_count": "twelve"})
    );
}

#[test]
fn secret_with_json_escapes_is_masked() {
    let line = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"a \u0073k-ant-\u0061pi03-AbCdEfGhIjKlMnOp b"}}"#;
    redacted(&["text"], line).stdout("a <redacted> b\n");
    redacted(&["events", "--get", "/item/text"], line).stdout("a <redacted> b\n");
}

/// Returns a message whose text arrives in these deltas, interleaved with those of a
/// subagent, and with `whole` once more as a complete message.
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
fn secret_split_over_deltas_is_masked_and_text_is_printed_once() {
    for secret in SECRETS {
        let text = format!("My key: {secret} is it");
        // In this process the value of the variable is not known.
        if *secret != SECRETS[3] {
            for cut in 1..text.len() {
                let (one, two) = text.split_at(cut);
                for whole in [false, true] {
                    let args = ["--redact", "text", "--main-only"];
                    let printed = rendered(&args, partial(&[one, two], whole).as_bytes());
                    assert_eq!(printed, "My key: <redacted> is it\n", "{cut} {whole}");
                }
            }
        }
        for cut in [9, 20, text.len() - 8] {
            let (one, two) = text.split_at(cut);
            for args in [&["text"][..], &["events", "--unified"], &["view"], &["summary"]] {
                redacted(args, &partial(&[one, two], true))
                    .append_context("case", format!("{args:?} {cut}"))
                    .stdout(clean());
            }
            let events = redacted(&["events"], &partial(&[one, two], false));
            let deltas: String = events
                .rows()
                .iter()
                .filter(|row| row["parent_tool_use_id"].is_null())
                .filter_map(|row| row["event"]["delta"]["text"].as_str())
                .collect();
            assert_eq!(deltas, "My key: <redacted> is it", "{cut}");
        }
    }
}

#[test]
fn text_withheld_as_possible_secret_is_printed_at_the_end() {
    for whole in [false, true] {
        redacted(&["text", "--main-only"], &partial(&["it i", "s s"], whole)).stdout("it is s\n");
    }
    let envelope = r#"{"id":"0","msg":{"type":"agent_message_delta","delta":"it is ghp_01234"}}
{"id":"0","msg":{"type":"token_count"}}
{"id":"0","msg":{"type":"agent_message_delta","delta":"56789abcdef"}}
{"id":"0","msg":{"type":"agent_message","message":"it is ghp_0123456789abcdef"}}
"#;
    redacted(&["text"], envelope).stdout("it is <redacted>\n");
}

#[test]
fn malformed_delta_is_skipped() {
    let mut stream = partial(&["it is s", "o."], false);
    let broken = stream.lines().nth(1).unwrap().replace("it is s", "lost s");
    let at = stream.find('\n').unwrap() + 1;
    stream.insert_str(at, &(broken[..broken.len() - 1].to_owned() + "\n"));
    redacted(&["text", "--main-only"], &stream)
        .stdout("it is so.\n")
        .stderr(predicate::str::contains("not JSON").count(1));
}

#[test]
fn stream_without_secrets_is_unchanged() {
    let mut same = 0;
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        for args in [&["text"][..], &["tools"], &["usage"], &["summary"], &["view", "--full"]] {
            let open = rendered(args, &bytes);
            let masked = rendered(&[&["--redact"], args].concat(), &bytes);
            if masked.contains("<redacted>") {
                continue;
            }
            same += 1;
            if args[0] != "summary" {
                assert_eq!(masked, open, "{args:?} {}", path.display());
            }
        }
    }
    assert!(same > 100, "{same}");
}

#[test]
fn messages_contain_no_secret() {
    let secret = SECRETS[0];
    run(&["text", &format!("{secret}.jsonl")], "")
        .stderr("streamj: <redacted>.jsonl: no such file or directory\n");
    let unknown =
        format!("{{\"type\":\"assistant\",\"session_id\":\"s\"}}\n{{\"type\":\"{secret}\"}}\n");
    run(&["check", "--contract", "v1"], unknown).stderr(clean());
    let broken = format!("{{\"key\": {secret}\n{secret}\n");
    for args in COMMANDS {
        run(args, broken.as_str()).append_context("command", format!("{args:?}")).stderr(clean());
    }
}

#[cfg(unix)]
#[test]
fn wrap_masks_output_and_record_but_not_tee() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let secret = SECRETS[3];
    std::fs::write(path("stream"), stream(secret)).unwrap();
    let (tee, record, source) = (path("tee"), path("record"), path("stream"));
    let options =
        ["wrap", "--tee", &tee, "--record", &record, "--with-events", "--", "cat", &source];
    redacted(&options, "").stdout(clean()).stderr(clean());
    let record = std::fs::read_to_string(record).unwrap();
    assert!(clean().eval(&record) && record.contains("<redacted>"), "{record}");
    assert_eq!(std::fs::read_to_string(tee).unwrap(), stream(secret));
    // The last message is only in a file.
    let script = format!(
        "while [ $# -gt 1 ]; do [ $1 = --output-last-message ] && echo 'it is {secret}' > $2; shift; done"
    );
    std::fs::write(path("codex"), format!("#!/bin/sh\n{script}\n")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(path("codex"), mode).unwrap();
    redacted(&["-q", "wrap", "--", &path("codex"), "exec", "hi"], "")
        .stdout("it is <redacted>\n\n");
    redacted(&["wrap", "--as", "raw", "--", "true"], "")
        .code(125)
        .stderr(predicate::str::contains("--redact masks decoded lines"));
}
