//! What the known releases write to session files, for `check`.

use super::format::{SYSTEM, blocks, known};
use crate::harness::format::{CheckedLine, Is, Node, Shape, Violation, find, require, word};

const TYPES: &[Shape] = &[
    Shape { name: "user", members: &[("sessionId", Is::String), ("message", Is::Object)] },
    Shape { name: "assistant", members: &[("sessionId", Is::String), ("message", Is::Object)] },
    Shape { name: "system", members: &[("sessionId", Is::String), ("subtype", Is::String)] },
    Shape { name: "summary", members: &[("summary", Is::String), ("leafUuid", Is::String)] },
    Shape { name: "queue-operation", members: &[("sessionId", Is::String)] },
    Shape { name: "last-prompt", members: &[("sessionId", Is::String)] },
    Shape { name: "cost-state", members: &[("sessionId", Is::String)] },
    Shape { name: "attachment", members: &[("sessionId", Is::String)] },
    Shape { name: "progress", members: &[("sessionId", Is::String)] },
    Shape { name: "api-request", members: &[("sessionId", Is::String)] },
    Shape { name: "api-request-shape", members: &[("sessionId", Is::String)] },
    Shape { name: "api-request-blob", members: &[("sessionId", Is::String)] },
    Shape { name: "atis-latch", members: &[("sessionId", Is::String)] },
    Shape { name: "tools-used", members: &[("sessionId", Is::String), ("tools", Is::Array)] },
    Shape { name: "file-history-snapshot", members: &[("snapshot", Is::Object)] },
    Shape { name: "ai-title", members: &[("sessionId", Is::String)] },
    Shape { name: "custom-title", members: &[("sessionId", Is::String)] },
    Shape { name: "agent-name", members: &[("sessionId", Is::String)] },
    Shape { name: "permission-mode", members: &[("sessionId", Is::String)] },
    Shape { name: "pr-link", members: &[("sessionId", Is::String)] },
    Shape { name: "tag", members: &[("sessionId", Is::String)] },
];

/// Types that the releases write in situations that were not recorded: their members are
/// unknown.
const UNRECORDED_TYPES: &[&str] = &[
    "agent-color",
    "agent-setting",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "continued-in",
    "data-flow-incomplete",
    "data-flow-records",
    "derived-from",
    "dev-mods",
    "ended-by-model",
    "file-history-delta",
    "fork-context-ref",
    "frame-link",
    "history-suppression",
    "isolation-latch",
    "memory-mode",
    "mode",
    "observer-ref",
    "relocated",
    "resume-head-vouch",
    "session-owner",
    "worktree-state",
];

/// Subtypes of system entries that the stream does not have.
const SYSTEM_ENTRIES: &[&str] =
    &["api_error", "away_summary", "local_command", "stop_hook_summary", "turn_duration"];

/// Returns whether a line is an entry of a session file.
pub(super) fn is_entry<'a>(raw: impl Node<'a>) -> bool {
    let has = |key| raw.get(key).is_some();
    let is_shared = matches!(raw.str("type"), Some("user" | "assistant" | "system"));
    has("parentUuid")
        || !is_shared
            && !has("session_id")
            && (has("sessionId") || has("leafUuid") || has("snapshot"))
}

/// Checks an entry.
pub(super) fn check<'a>(raw: impl Node<'a>) -> Result<CheckedLine<'a>, Violation> {
    let name = word(raw, "type")?;
    let shape = find(TYPES, name);
    if shape.is_none() && !UNRECORDED_TYPES.contains(&name) {
        return Ok(CheckedLine::unknown(name.to_owned()));
    }
    require(raw, shape.map_or(&[], |shape| shape.members))?;
    let mut checked = CheckedLine::new("SessionEntry");
    checked.session_id = raw.str("sessionId");
    checked.subtype = Some(name);
    match (name, raw.str("subtype")) {
        ("assistant", _) => blocks(raw, "assistant", &mut checked)?,
        ("user", _) => blocks(raw, "user", &mut checked)?,
        ("system", Some(subtype)) => {
            checked.subtype = Some(subtype);
            // Other members than in the stream.
            let is_known = SYSTEM_ENTRIES.contains(&subtype) || find(SYSTEM, subtype).is_some();
            if !is_known {
                known(raw, SYSTEM, subtype, "system", &mut checked)?;
            }
        }
        _ => {}
    }
    Ok(checked)
}
