//! A folder like Claude Code's own: many sessions, some with subagents, some
//! forked, so that their beginning is a copy of another's.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Random;

const MODELS: &[&str] = &["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"];

/// Writes so many files of about `size` bytes in all under `folder/projects`.
pub fn write(folder: &Path, files: usize, size: usize) -> io::Result<()> {
    let mut random = Random(11);
    let mut before: Vec<Value> = Vec::new();
    for number in 0..files {
        let project = folder.join(format!("projects/-home-demo-project{}", number % 40));
        fs::create_dir_all(&project)?;
        let id = format!("{number:08x}-94d7-4a52-8f10-5b6c7d8e9fa0");
        let mut session = Session { id, number, sidechain: false, minute: number * 7, lines: 0 };
        let path = match number % 10 {
            // A subagent of the session before it.
            9 => {
                session.id = format!("{:08x}-94d7-4a52-8f10-5b6c7d8e9fa0", number - 1);
                session.sidechain = true;
                let folder = project.join(&session.id).join("subagents");
                fs::create_dir_all(&folder)?;
                folder.join(format!("agent-{number:x}.jsonl"))
            }
            _ => project.join(&session.id).with_extension("jsonl"),
        };
        let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        let mut written = 0;
        // A fork begins with what its parent has said.
        let copied = if number % 10 == 5 { std::mem::take(&mut before) } else { Vec::new() };
        before.clear();
        for mut line in copied {
            line["sessionId"] = json!(session.id);
            written += put(&mut file, &line)?;
        }
        while written < size / files {
            for line in session.turn(&mut random) {
                written += put(&mut file, &line)?;
                if number % 10 == 4 && before.len() < 40 {
                    before.push(line);
                }
            }
        }
        file.flush()?;
    }
    Ok(())
}

fn put(to: &mut impl Write, line: &Value) -> io::Result<usize> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    to.write_all(&bytes)?;
    Ok(bytes.len())
}

struct Session {
    id: String,
    number: usize,
    sidechain: bool,
    minute: usize,
    lines: usize,
}

impl Session {
    /// A message in two lines, the second a tool call, and what the tool said.
    fn turn(&mut self, random: &mut Random) -> Vec<Value> {
        let message = format!("msg_{:06x}{:06x}", self.number, self.lines);
        let usage = json!({
            "input_tokens": 4 + random.roll(40), "output_tokens": 100 + random.roll(900),
            "cache_creation_input_tokens": 3456, "cache_read_input_tokens": 70_000 + random.roll(9_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 3456, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard",
        });
        let length = 60 + random.roll(900);
        let text = json!({"type": "text", "text": random.text(length)});
        let id = format!("toolu_{:06x}{:06x}", self.number, self.lines);
        let input = json!({"command": "cargo test --all 2>&1 | tail -40"});
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
        let length = random.length();
        let output = random.text(length);
        let mut lines: Vec<Value> = [text, call]
            .into_iter()
            .map(|block| {
                let model = MODELS[self.number % MODELS.len()];
                let mut line = self.line("assistant");
                line["requestId"] = json!(format!("req_{message}"));
                line["message"] = json!({
                    "id": message, "type": "message", "role": "assistant", "model": model,
                    "content": [block], "stop_reason": null, "stop_sequence": null, "usage": usage,
                });
                line
            })
            .collect();
        let mut result = self.line("user");
        result["message"] = json!({"role": "user", "content": [
            {"tool_use_id": id, "type": "tool_result", "content": output, "is_error": false},
        ]});
        result["toolUseResult"] = json!({"stdout": output, "stderr": "", "interrupted": false});
        lines.push(result);
        lines
    }

    fn line(&mut self, kind: &str) -> Value {
        self.lines += 1;
        let minutes = self.minute + self.lines / 4;
        let (day, hour, minute) = (minutes / 1440 % 28 + 1, minutes / 60 % 24, minutes % 60);
        let second = self.lines % 60;
        json!({
            "parentUuid": format!("u-{}", self.lines - 1), "isSidechain": self.sidechain,
            "userType": "external", "cwd": format!("/home/demo/project{}", self.number % 40),
            "sessionId": self.id, "version": "2.1.150", "gitBranch": "main", "type": kind,
            "uuid": format!("u-{}-{}", self.number, self.lines),
            "timestamp": format!("2026-10-{day:02}T{hour:02}:{minute:02}:{second:02}.000Z"),
        })
    }
}
