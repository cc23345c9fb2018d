//! Terminal safety: escape sequences in a stream, a file name or an option are
//! shown as text, and no printed line is a command to a CI log viewer.

use proptest::prelude::*;
use serde_json::json;

use crate::support::{on_terminal, rendered, terminal_command};

/// Escape sequences, control characters, invisible and bidirectional characters,
/// and commands of CI logs.
const ATTACKS: &[&str] = &[
    "\u{1b}[2J\u{1b}[H",
    "\u{1b}[31m",
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;http://evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\",
    "\u{1b}]52;c;ZXZpbA==\u{7}",
    "\u{1b}P1;2q\u{1b}\\",
    "\u{1b}c",
    "\u{1b}",
    "\u{9b}2J",
    "\u{9d}52;c;eA==\u{9c}",
    "good\rbad",
    "\u{8}\u{8}",
    "\u{0}\u{1}\u{5}\u{7}\u{b}\u{c}\u{e}\u{f}\u{11}\u{13}\u{1a}",
    "\u{7f}",
    "\u{85}\u{84}\u{8d}\u{90}\u{9f}",
    "\u{202e}gpj.exe\u{202c}",
    "\u{2066}\u{2067}\u{2068}\u{2069}\u{200e}\u{200f}\u{61c}",
    "pay\u{200b}pal\u{feff}\u{2060}\u{ad}",
    "a \u{200d} \u{200c}",
    "\u{2028}\u{2029}",
    "\u{e0041}\u{180e}\u{3164}",
    "plain words",
    "::error::x",
    "##[error]",
];

fn attack() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(ATTACKS), 1..5).prop_map(|parts| parts.join(" a\n"))
}

/// Returns lines of Claude and Codex with the attack in every string.
fn stream(bad: &str) -> Vec<u8> {
    let claude = [
        json!({"type": "system", "subtype": "init", "session_id": bad, "model": bad, "cwd": bad, "tools": [bad], "claude_code_version": bad,
            "mcp_servers": [{"name": bad, "status": bad}], "permissionMode": bad, "apiKeySource": bad, "agents": [bad], "slash_commands": [bad]}),
        json!({"type": "stream_event", "session_id": bad, "event": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": bad}}}),
        json!({"type": "assistant", "session_id": bad, "message": {"id": bad, "model": bad, "stop_reason": bad, "usage": {"input_tokens": 1}, "content": [
            {"type": "text", "text": bad}, {"type": "thinking", "thinking": bad},
            {"type": "tool_use", "id": "t", "name": bad, "input": {"command": bad, bad: bad}},
            {"type": "tool_use", "id": "u", "name": "TodoWrite", "input": {"todos": [{"content": bad, "status": bad}]}},
            {"type": "tool_use", "id": "v", "name": "Edit", "input": {"file_path": bad, "old_string": bad, "new_string": bad}},
            {"type": "tool_use", "id": "w", "name": "Task", "input": {"description": bad, "run_in_background": true}}]}}),
        json!({"type": "user", "session_id": bad, "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": bad},
            {"type": "tool_result", "tool_use_id": "v", "content": [{"type": bad, "tool_name": bad}]}]}}),
        json!({"type": "user", "isReplay": true, "message": {"content": bad}}),
        json!({"type": "system", "subtype": "task_started", "task_id": bad, "description": bad}),
        json!({"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 2, "error": bad, "error_status": 500}),
        json!({"type": "system", "subtype": "compact_boundary", "compact_metadata": {"trigger": bad}}),
        json!({"type": "rate_limit_event", "rate_limit_info": {"status": bad, "rateLimitType": bad, "resetsAt": 1}}),
        json!({"type": "control_request", "request_id": bad, "request": {"subtype": bad, "tool_name": bad}}),
        json!({"type": "control_response", "response": {"subtype": bad, "request_id": bad, "error": bad}}),
        json!({"type": bad, "subtype": bad, "session_id": bad, bad: bad}),
        json!({"type": "result", "subtype": bad, "is_error": true, "result": bad, "terminal_reason": bad, "modelUsage": {bad: {"inputTokens": 1}, "b": {}},
            "structured_output": {"summary": bad, "events": [{"level": bad, "service": bad, "message": bad}], "memories": [{"key": bad, "value": bad}],
                "escalation": {"needed": true, "reason": bad, "failed_checks": [bad]}, "services_checked": [{"name": bad, "status": bad, "detail": bad}]}}),
    ];
    let codex = [
        json!({"type": "thread.started", "thread_id": bad}),
        json!({"type": "item.completed", "item": {"id": bad, "type": "agent_message", "text": format!("{bad}\n[EVENT:info:db] {bad}")}}),
        json!({"type": "item.completed", "item": {"id": "c", "type": "command_execution", "command": bad, "aggregated_output": bad, "exit_code": 1, "status": bad}}),
        json!({"type": "item.completed", "item": {"id": "m", "type": "mcp_tool_call", "server": bad, "tool": bad, "arguments": {bad: bad}, "error": {"message": bad}, "status": "failed"}}),
        json!({"type": "item.completed", "item": {"id": "f", "type": "file_change", "changes": [{"path": bad, "kind": bad}], "status": "completed"}}),
        json!({"type": "item.completed", "item": {"id": "e", "type": "error", "message": bad}}),
        json!({"type": "error", "message": format!("Reconnecting... {bad}")}),
        json!({"type": "turn.failed", "error": {"message": bad}}),
    ];
    let mut bytes = Vec::new();
    for line in claude.iter().chain(&codex) {
        bytes.extend_from_slice(line.to_string().as_bytes());
        bytes.push(b'\n');
    }
    // Lines that are not JSON or not UTF-8.
    let raw = bad.replace('\n', "");
    bytes.extend_from_slice(format!("{raw}\n{{\"type\":\"{raw}\"}}\n").as_bytes());
    bytes.extend_from_slice(b"{\"type\":\"error\",\"message\":\"\x9b2J\xc2\x1b[2J\"}\n");
    bytes.extend_from_slice(b"{\"type\":\"error\",\"message\":\"\x9b2J \xff \x85\"}\n");
    bytes
}

/// Every reading command, and every format that differs on a terminal.
const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["text", "--last"],
    &["tools"],
    &["tools", "--format", "jsonl"],
    &["tools", "--format", "json"],
    &["tools", "--format", "csv"],
    &["tools", "--get", "/output"],
    &["usage"],
    &["error"],
    &["error", "--format", "tsv"],
    &["session"],
    &["session", "--get", "/model"],
    &["summary"],
    &["summary", "--format", "json"],
    &["events"],
    &["events", "--unified"],
    &["events", "--format", "sse"],
    &["view"],
    &["view", "--full", "--thinking", "--width", "30"],
    &["view", "--ascii", "--no-markdown"],
    &["check", "--contract", "v1"],
    &["check", "--members", "--every-line"],
    &["structured"],
    &["findings"],
    &["text", "--redact"],
];

/// Returns the first character that a terminal would act on or not show.
fn unsafe_character(text: &str) -> Option<char> {
    let mut before = ' ';
    text.chars().find(|c| {
        // Scripts such as Persian need joiners between letters.
        let after_letter = before.is_alphanumeric();
        before = *c;
        match c {
            '\n' | '\t' => false,
            '\u{200c}' | '\u{200d}' => !after_letter,
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{e0000}'..='\u{e0fff}' => true,
            c => c.is_control(),
        }
    })
}

/// Removes the colours and the line redraws that the program itself prints.
fn without_own_sequences(text: &str) -> String {
    let mut text = text.replace("\r\u{1b}[2K", "");
    for code in ["0", "1", "2", "3", "22", "23", "31", "32", "33", "36", "39"] {
        text = text.replace(&format!("\u{1b}[{code}m"), "");
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn input_is_safe_on_a_terminal(
        bad in attack(),
        args in prop::sample::select(COMMANDS),
        colour in any::<bool>(),
    ) {
        let mut command = terminal_command(args);
        command.args(["--color", if colour { "always" } else { "never" }]);
        let shown = on_terminal(&mut command, 80, &stream(&bad));
        let text = if colour { without_own_sequences(&shown) } else { shown.replace("\r\u{1b}[2K", "") };
        prop_assert_eq!(unsafe_character(&text), None, "{:?} {:?}: {:?}", args, bad, text);
    }

    #[test]
    fn command_line_is_safe_on_a_terminal(bad in attack()) {
        let bad = bad.replace('\0', "");
        let subject = ["wrap", "--subject", &bad, "--", "codex", "exec"];
        let missing = ["wrap", "--", &format!("/nowhere/{bad}")];
        let command_lines: [&[&str]; 10] = [
            &["text", &bad],
            &["text", "--get", &bad],
            &[&bad],
            &["tools", "--format", &bad],
            &["structured", "--schema", &bad],
            &["wrap", "--as", &bad, "--", "true"],
            &["wrap", "--env", &bad, "--", "true"],
            &["wrap", "--dry-run", "--", "codex", "exec", &bad],
            &subject,
            &missing,
        ];
        for args in command_lines {
            let mut command = terminal_command(args);
            command.env("PATH", "/nowhere");
            let shown = on_terminal(&mut command, 80, b"");
            // Styles of the messages of clap.
            let shown = shown.replace("\u{1b}[4m", "").replace("\u{1b}[1m", "");
            prop_assert_eq!(unsafe_character(&without_own_sequences(&shown)), None, "{:?}: {:?}", args, shown);
        }
    }

    #[test]
    fn agent_output_is_safe_on_a_terminal(
        bad in attack(),
        show in prop::sample::select(vec!["view", "text", "raw", "events"]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stream");
        let bytes = [bad.as_bytes(), b"\n\x9b2J\xe4\xb8\n", &stream(&bad)].concat();
        std::fs::write(&path, bytes).unwrap();
        let mut command = terminal_command(&["wrap"]);
        let script = "cat \"$0\"; cat \"$0\" >&2";
        command.args(["--color", "never", "--subject", &bad.replace('\0', ""), "--as", show]);
        command.args(["--", "sh", "-c", script]).arg(&path);
        let shown = on_terminal(&mut command, 80, b"").replace("\r\u{1b}[2K", "");
        prop_assert_eq!(unsafe_character(&shown), None, "{:?} {}: {:?}", bad, show, shown);
    }

    #[test]
    fn view_prints_no_ci_log_command(
        parts in prop::collection::vec(prop::sample::select(vec![
            "::", "::error::", "::set-output name=x::y", "##[", "##", "[error]", "##vso[task]", "\n", " ", "\t", "word",
            "a longer word", ":", "#", "```\n", "- ", "> ", "| ",
        ]), 1..12),
        args in prop::sample::select(vec![
            &["view"][..], &["view", "--full"], &["view", "--width", "20"], &["view", "--full", "--thinking", "--width", "20", "--ascii"],
        ]),
    ) {
        let shown = rendered(args, &stream(&parts.concat()));
        for line in shown.lines() {
            let command = line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[");
            prop_assert!(!command, "{:?} {:?}: {:?}", args, parts, line);
        }
    }
}

/// Shows that the attacks reach the output when it is not a terminal.
#[test]
fn pipe_receives_text_unchanged() {
    let shown = rendered(&["text"], &stream(ATTACKS[0]));
    assert!(shown.contains(ATTACKS[0]));
    assert_eq!(unsafe_character(&shown), Some('\u{1b}'));
}
