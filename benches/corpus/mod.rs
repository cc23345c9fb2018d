//! Generates streams of any size from a seed, in the shape of those of real CLIs.
#![allow(dead_code)] // each benchmark uses a part of it
#![allow(clippy::expect_used)]

pub mod transcripts;

use std::io::{self, Write};

use serde_json::{Value, json};

/// The kind of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Claude Code: messages, tool calls, tool results.
    Claude,
    /// Codex: commands, file changes, messages.
    Codex,
    /// Claude Code with partial messages: many small lines.
    Partial,
    /// Codex with outputs a hundred times as long.
    Long,
}

/// Writes a stream of about `size` bytes.
pub fn write(to: &mut impl Write, kind: Kind, size: usize, seed: u64) -> io::Result<()> {
    let mut generator = Generator { to, written: 0, random: Random(seed | 1), number: 0 };
    match kind {
        Kind::Claude => generator.claude(size, false),
        Kind::Codex => generator.codex(size, false),
        Kind::Long => generator.codex(size, true),
        Kind::Partial => generator.claude(size, true),
    }
}

/// A stream in memory.
pub fn stream(kind: Kind, size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size + 65_536);
    write(&mut bytes, kind, size, 7).expect("memory can be written");
    bytes
}

const SESSION: &str = "3f2b8c1e-94d7-4a52-8f10-5b6c7d8e9fa0";

const WORDS: &[&str] = &[
    "the",
    "of",
    "parser",
    "returns",
    "an",
    "error",
    "when",
    "line",
    "is",
    "empty",
    "fn",
    "let",
    "mut",
    "self",
    "->",
    "Result<()>",
    "{",
    "}",
    "\"quoted\"",
    "path\\to\\file",
    "//",
    "TODO:",
    "naïve",
    "— and",
    "größer",
    "test",
    "ok",
    "failed",
    "src/main.rs:42:",
    "cargo",
    "warning:",
    "unused",
    "variable",
    "0x7fff",
    "3.14159",
    "…",
    "if",
    "else",
    "match",
    "return",
    "None",
];

struct Random(u64);

impl Random {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    /// Returns lines of words with about this many bytes.
    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 16);
        while text.len() < bytes {
            text.push_str(WORDS[self.roll(WORDS.len())]);
            text.push(if self.roll(9) == 0 { '\n' } else { ' ' });
        }
        text
    }

    /// Returns the length of an output; few are long, as in real runs.
    fn length(&mut self) -> usize {
        match self.roll(10) {
            0..5 => 80 + self.roll(400),
            5..9 => 600 + self.roll(4_000),
            _ => 8_000 + self.roll(24_000),
        }
    }
}

struct Generator<'a, W> {
    to: &'a mut W,
    written: usize,
    random: Random,
    number: u64,
}

impl<W: Write> Generator<'_, W> {
    fn line(&mut self, line: &Value) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.written += bytes.len();
        self.to.write_all(&bytes)
    }

    fn id(&mut self, prefix: &str) -> String {
        self.number += 1;
        format!("{prefix}_{:016x}", self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn claude(&mut self, size: usize, partial: bool) -> io::Result<()> {
        self.line(&json!({
            "type": "system", "subtype": "init", "cwd": "/home/demo/project", "session_id": SESSION,
            "tools": ["Task", "Bash", "Edit", "Read", "Grep"], "mcp_servers": [],
            "model": "claude-sonnet-5-5", "permissionMode": "default", "slash_commands": ["clear"],
            "apiKeySource": "none", "claude_code_version": "2.1.325", "output_style": "default",
            "uuid": "u-0",
        }))?;
        let mut turns = 0;
        while self.written < size {
            turns += 1;
            let id = self.id("msg");
            let length = 60 + self.random.roll(900);
            let text = self.random.text(length);
            if partial {
                self.deltas(&id, &text)?;
            }
            self.message(&id, &json!({"type": "text", "text": text}))?;
            if partial && turns % 8 != 0 {
                continue;
            }
            for _ in 0..=self.random.roll(2) {
                self.tool_call(&id)?;
            }
        }
        self.line(&json!({
            "type": "result", "subtype": "success", "is_error": false, "duration_ms": 912_345,
            "duration_api_ms": 800_000, "num_turns": turns, "result": "Done.",
            "session_id": SESSION, "total_cost_usd": 1.25,
            "usage": {"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 30,
                "cache_creation_input_tokens": 40},
            "modelUsage": {"claude-sonnet-5-5": {"inputTokens": 10, "outputTokens": 20,
                "cacheReadInputTokens": 30, "cacheCreationInputTokens": 40, "costUSD": 1.25}},
            "permission_denials": [], "stop_reason": "end_turn", "uuid": "u-end",
        }))
    }

    fn message(&mut self, id: &str, block: &Value) -> io::Result<()> {
        let uuid = self.id("u");
        self.line(&json!({
            "type": "assistant",
            "message": {
                "id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-5-5",
                "content": [block], "stop_reason": null, "stop_sequence": null,
                "usage": {
                    "input_tokens": 4, "cache_creation_input_tokens": 3456,
                    "cache_read_input_tokens": 78_901,
                    "cache_creation": {"ephemeral_5m_input_tokens": 3456, "ephemeral_1h_input_tokens": 0},
                    "output_tokens": 1, "service_tier": "standard",
                },
            },
            "parent_tool_use_id": null, "session_id": SESSION, "uuid": uuid,
        }))
    }

    fn tool_call(&mut self, message: &str) -> io::Result<()> {
        let id = self.id("toolu");
        let (name, input) = match self.random.roll(4) {
            0 => {
                let (old, new) = (self.random.text(300), self.random.text(350));
                (
                    "Edit",
                    json!({"file_path": "/home/demo/project/src/lib.rs", "old_string": old, "new_string": new}),
                )
            }
            1 => ("Read", json!({"file_path": "/home/demo/project/src/main.rs"})),
            2 => ("Grep", json!({"pattern": "fn \\w+\\(", "path": "src"})),
            _ => (
                "Bash",
                json!({"command": "cargo test --all 2>&1 | tail -40", "description": "Run the tests"}),
            ),
        };
        self.message(
            message,
            &json!({"type": "tool_use", "id": id, "name": name, "input": input}),
        )?;
        let length = self.random.length();
        let output = self.random.text(length);
        let uuid = self.id("u");
        self.line(&json!({
            "type": "user",
            "message": {"role": "user", "content": [
                {"tool_use_id": id, "type": "tool_result", "content": output, "is_error": false},
            ]},
            "parent_tool_use_id": null, "session_id": SESSION, "uuid": uuid,
            "tool_use_result": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false},
        }))
    }

    fn deltas(&mut self, message: &str, text: &str) -> io::Result<()> {
        let event = |event: Value| {
            json!({
                "type": "stream_event", "event": event, "session_id": SESSION,
                "parent_tool_use_id": null, "uuid": "9d0c3f52-1b7e-4b41-a1a7-b4b3b3f5c8d1",
            })
        };
        self.line(&event(json!({"type": "message_start", "message": {"id": message, "role": "assistant",
            "content": [], "model": "claude-sonnet-5-5", "usage": {"input_tokens": 4, "output_tokens": 1}}})))?;
        self.line(&event(json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}})))?;
        for piece in text.split_inclusive(' ') {
            self.line(&event(json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "text_delta", "text": piece}})))?;
        }
        self.line(&event(json!({"type": "content_block_stop", "index": 0})))
    }

    fn codex(&mut self, size: usize, long: bool) -> io::Result<()> {
        self.line(&json!({"type": "thread.started", "thread_id": SESSION}))?;
        self.line(&json!({"type": "turn.started"}))?;
        while self.written < size {
            let (words, length) = (80 + self.random.roll(600), self.random.length());
            let (reasoning, message) = (self.random.text(120), self.random.text(words));
            let id = self.id("item");
            self.line(&json!({"type": "item.completed", "item": {"id": id, "type": "reasoning", "text": reasoning}}))?;
            let id = self.id("item");
            let command = "/bin/bash -lc 'cargo test --all 2>&1 | tail -40'";
            self.line(&json!({"type": "item.started", "item": {"id": id, "type": "command_execution",
                "command": command, "aggregated_output": "", "exit_code": null, "status": "in_progress"}}))?;
            let output = self.random.text(if long { 100 * length } else { length });
            self.line(&json!({"type": "item.completed", "item": {"id": id, "type": "command_execution",
                "command": command, "aggregated_output": output, "exit_code": 0, "status": "completed"}}))?;
            if self.random.roll(3) == 0 {
                let id = self.id("item");
                self.line(
                    &json!({"type": "item.completed", "item": {"id": id, "type": "file_change",
                    "changes": [{"path": "src/lib.rs", "kind": "update"}], "status": "completed"}}),
                )?;
            }
            let id = self.id("item");
            self.line(&json!({"type": "item.completed", "item": {"id": id, "type": "agent_message", "text": message}}))?;
        }
        self.line(&json!({"type": "turn.completed", "usage": {"input_tokens": 24_763,
            "cached_input_tokens": 24_448, "output_tokens": 122, "reasoning_output_tokens": 64}}))
    }
}
