//! The members that `codex exec --json` prints, for `check --members`.

use crate::harness::format::{Content, Known, Report, known};
use crate::json::Value;

const EVENTS: &[(&str, Known)] = &[
    ("thread.started", Known::members("thread_id")),
    ("turn.started", Known::members("")),
    ("turn.completed", Known::members("usage").with(&[("usage", Content::Object(USAGE))])),
    ("turn.failed", Known::members("error").with(&[("error", Content::Object(ERROR))])),
    ("item.started", Known::members("item")),
    ("item.updated", Known::members("item")),
    ("item.completed", Known::members("item")),
    ("error", ERROR),
];

const USAGE: Known = Known::members(
    "input_tokens cached_input_tokens cache_write_input_tokens output_tokens \
     reasoning_output_tokens",
);

const ERROR: Known = Known::members("message");

/// Members of an item beside `id` and `type`. The arguments and the result of an MCP
/// call are those of its server.
const ITEMS: &[(&str, Known)] = &[
    ("agent_message", Known::members("text")),
    ("reasoning", Known::members("text")),
    ("command_execution", Known::members("command aggregated_output exit_code status")),
    (
        "file_change",
        Known::members("changes status")
            .with(&[("changes", Content::Object(Known::members("path kind")))]),
    ),
    (
        "mcp_tool_call",
        Known::members("server tool arguments result error status")
            .with(&[("error", Content::Object(ERROR))]),
    ),
    (
        "collab_tool_call",
        Known::members("tool sender_thread_id receiver_thread_ids prompt agents_states status")
            .with(&[("agents_states", Content::Map(Known::members("status message")))]),
    ),
    (
        "web_search",
        Known::members("query action")
            .with(&[("action", Content::Object(Known::members("type query queries url pattern")))]),
    ),
    (
        "todo_list",
        Known::members("items")
            .with(&[("items", Content::Object(Known::members("text completed")))]),
    ),
    ("error", ERROR),
];

/// Reports the members that no known release prints.
pub(super) fn report_unknown(line: Value<'_, '_>, report: Report<'_>) {
    let word =
        |object: Value<'_, '_>| object.get("type").and_then(Value::as_str).map(str::to_owned);
    let Some(event) = word(line) else { return };
    let Some(members) = known(EVENTS, &event) else { return };
    members.report(line, "type", &event, report);
    let item = line.get("item").filter(|_| event.starts_with("item."));
    if let Some((item, name)) = item.and_then(|item| Some((item, word(item)?)))
        && let Some(members) = known(ITEMS, &name)
    {
        members.report(item, "id type", &format!("{event}/{name}"), report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::codex::format;

    #[test]
    fn required_members_are_known() {
        let tables = [(format::EVENTS, EVENTS, "type"), (format::ITEMS, ITEMS, "id type")];
        for (shapes, table, common) in tables {
            for shape in shapes {
                let members = known(table, shape.name);
                let members = members.unwrap_or_else(|| panic!("no members of {}", shape.name));
                assert!(members.contains_required(shape, common), "{}", shape.name);
            }
        }
    }
}
