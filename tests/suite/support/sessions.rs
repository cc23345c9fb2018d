//! Session files that tests write themselves.

use std::path::Path;

use serde_json::{Value, json};

/// Returns an answer in a session file of a model that is not in the price table; its
/// request id is `r-` and its id.
pub fn answer(session: &str, id: &str, at: &str, output: u64) -> Value {
    json!({"parentUuid": null, "isSidechain": false, "type": "assistant", "sessionId": session,
        "timestamp": at, "requestId": format!("r-{id}"),
        "message": {"id": id, "model": "custom-1", "content": [],
            "usage": {"input_tokens": 1, "output_tokens": output}}})
}

/// Returns a prompt, which says in which folder the agent works.
pub fn prompt(session: &str, folder: &str) -> Value {
    json!({"parentUuid": null, "isSidechain": false, "type": "user", "sessionId": session,
        "timestamp": "2026-11-01T09:00:00Z", "cwd": folder,
        "message": {"role": "user", "content": "Go on."}})
}

/// Writes files below a folder, each with these lines.
pub fn write_sessions(folder: &Path, files: &[(&str, &[Value])]) {
    for (name, lines) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        std::fs::write(path, lines.join("\n")).unwrap();
    }
}
