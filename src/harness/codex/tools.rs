//! Descriptions of tool calls for people.

use std::borrow::Cow;

use super::shell;
use crate::harness::changes::{FileChange, Patch, changed_texts};
use crate::harness::tools::{self, TodoItem, TodoState, ToolTexts, descriptive_member};
use crate::json::Json;

pub(super) const TOOLS: ToolTexts = ToolTexts {
    summary,
    title: Some(title),
    file_change: None,
    file_changes: Some(file_changes),
    todo_items: Some(todo_items),
    command_output: None,
    describe: None,
};

/// Returns the names of items and of tools in sessions that are not words.
fn title(name: &str) -> Option<&'static str> {
    Some(match name {
        "command_execution" | "exec_command" | "shell_command" | "local_shell" => "shell",
        "file_change" | "apply_patch" => "edit",
        "web_search" => "search",
        "todo_list" | "update_plan" => "plan",
        "collab_tool_call" => "agent",
        "view_image" => "image",
        _ => return None,
    })
}

/// Summarises a call: the command without its shell, the changed files, the message to
/// another agent, or the most descriptive member.
fn summary(input: Json<'_>) -> Cow<'_, str> {
    if let Some(patch) = patch(input).as_deref().and_then(Patch::new) {
        return Cow::Owned(patch.summary());
    }
    let text = |key| input.get(key).and_then(Json::as_str);
    let is_collaboration = input.get("receiver_thread_ids").is_some();
    if let Some(tool) = text("tool").filter(|_| is_collaboration) {
        let prompt = text("prompt").unwrap_or_default();
        return Cow::Owned(format!("{tool} {prompt}").trim_end().to_owned());
    }
    if let Some(message) = text("message").or_else(|| text("objective")) {
        return message;
    }
    match descriptive_member(input) {
        Some(("command" | "cmd", command)) => command_of(command),
        Some(("changes", _)) => Cow::Owned(describe_changes(input)),
        _ if changed_files(input).next().is_some() => Cow::Owned(describe_changes(input)),
        _ => tools::summary(input),
    }
}

/// Returns the command of a text or of a list of arguments.
fn command_of(command: Json<'_>) -> Cow<'_, str> {
    match command.as_str() {
        Some(Cow::Borrowed(text)) => shell::unwrap(text),
        Some(Cow::Owned(text)) => Cow::Owned(shell::unwrap(&text).into_owned()),
        None => {
            let arguments: Vec<_> = command.elements().filter_map(Json::as_str).collect();
            Cow::Owned(shell::unwrap_list(&arguments))
        }
    }
}

/// Returns the text of the patch that a call applies: its input, or an argument.
fn patch(input: Json<'_>) -> Option<Cow<'_, str>> {
    let argument = || {
        let mut arguments = input.get("command")?.elements();
        arguments.next()?.as_str().filter(|program| program == "apply_patch")?;
        arguments.next()?.as_str()
    };
    input.as_str().or_else(|| input.get("input")?.as_str()).or_else(argument)
}

/// A changed file, as items list it.
struct ChangedFile<'a> {
    kind: Cow<'a, str>,
    path: Cow<'a, str>,
    /// What else is known about it.
    details: Json<'a>,
}

/// Returns the files of a list of changes, or of an object whose members are files.
fn changed_files(input: Json<'_>) -> impl Iterator<Item = ChangedFile<'_>> {
    let changes = input.get("changes").unwrap_or(input);
    let listed = changes.elements().filter_map(|change| {
        let text = |key| change.get(key).and_then(Json::as_str);
        Some(ChangedFile { kind: text("kind")?, path: text("path")?, details: change })
    });
    let named = changes.members().filter_map(|(path, change)| {
        // Older releases have `{"add": {…}}` instead of `{"type": "add", …}`.
        let (kind, details) = if let Some(kind) = change.get("type") {
            (kind, change)
        } else {
            change.members().next()?
        };
        let kind = kind.as_str()?;
        let is_known = matches!(&*kind, "add" | "update" | "delete");
        is_known.then_some(ChangedFile { kind, path: path.as_str()?, details })
    });
    listed.chain(named)
}

/// Returns a list like `update src/lib.rs, add src/new.rs`.
fn describe_changes(input: Json<'_>) -> String {
    let files = changed_files(input).map(|file| format!("{} {}", file.kind, file.path));
    files.collect::<Vec<_>>().join(", ")
}

/// Returns the changes of a patch, or of the files that an item lists.
fn file_changes(input: Json<'_>) -> Vec<FileChange<'_>> {
    if let Some(patch) = patch(input).as_deref().and_then(Patch::new) {
        return patch.changes(&["input"]);
    }
    let change = |file: ChangedFile<'_>| {
        let text = |key| file.details.get(key).and_then(Json::as_str);
        let diff = text("unified_diff").map(|diff| changed_texts(diff.lines()));
        let (old, new) = match (&*file.kind, diff) {
            ("add", _) => (None, text("content").map(Cow::into_owned)),
            (_, Some((old, new))) => (Some(old), Some(new)),
            _ => (None, None),
        };
        let path = Some(Cow::Owned(file.path.into_owned()));
        FileChange {
            path,
            members: &["changes"],
            old: old.map(Cow::Owned),
            new: new.map(Cow::Owned),
        }
    };
    changed_files(input).map(change).collect()
}

/// Returns the items of a `todo_list`, or of an `update_plan` call.
fn todo_items(tool: &str, input: Json<'_>) -> Option<Vec<TodoItem>> {
    if tool == "update_plan" {
        return Some(tools::todo_list(input.get("plan")?, "step"));
    }
    let items = input.get("items").filter(|_| tool == "todo_list")?;
    let item = |item: Json<'_>| {
        let completed = item.get("completed").is_some_and(|flag| flag.bytes() == b"true");
        TodoItem {
            text: item.get("text").and_then(Json::as_str).unwrap_or_default().into_owned(),
            state: if completed { TodoState::Completed } else { TodoState::Open },
        }
    };
    Some(items.elements().map(item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_names_commands_files_and_agents() {
        for (input, expected) in [
            (
                r#"{"changes":[{"path":"a","kind":"add"},{"path":"b","kind":"update"}]}"#,
                "add a, update b",
            ),
            (r#"{"a":{"type":"add","content":"x\n"},"b":{"type":"update"}}"#, "add a, update b"),
            (r#"{"tool":"wait","prompt":null,"receiver_thread_ids":["x"]}"#, "wait"),
            (r#"{"command":"ls"}"#, "ls"),
            (r#"{"command":"/bin/bash -lc 'ls -l'"}"#, "ls -l"),
            (r#"{"command":["bash","-lc","ls -l"],"cwd":"/w"}"#, "ls -l"),
            (r#"{"cmd":"ls"}"#, "ls"),
            (r#""*** Begin Patch\n*** Add File: n\n+x\n*** End Patch\n""#, "add n"),
            (
                r#"{"command":["apply_patch","*** Begin Patch\n*** Delete File: n\n*** End Patch\n"]}"#,
                "delete n",
            ),
            (r#"{"message":"Find the answer."}"#, "Find the answer."),
            (r#"{"status":"complete"}"#, "status=complete"),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }

    #[test]
    fn changes_have_the_texts_that_items_contain() {
        let texts = |input: &'static str| {
            let changes = file_changes(Json::new(input.as_bytes())).into_iter();
            let texts = changes.map(|change| {
                let [path, old, new] = [change.path, change.old, change.new];
                [path, old, new].map(|text| text.unwrap_or_else(|| "-".into()).into_owned())
            });
            texts.collect::<Vec<_>>()
        };
        let listed = r#"{"changes":[{"path":"a","kind":"update"}]}"#;
        assert_eq!(texts(listed), [["a", "-", "-"]]);
        let named = r#"{"changes":{"a":{"type":"add","content":"x\n"},"b":{"update":{"unified_diff":"@@ -1,2 +1,2 @@\n y\n-z\n+w\n"}}}}"#;
        assert_eq!(texts(named), [["a", "-", "x\n"], ["b", "y\nz\n", "y\nw\n"]]);
        assert!(texts(r#"{"command":"ls"}"#).is_empty());
    }

    #[test]
    fn plan_is_a_todo_list() {
        let plan = br#"{"plan":[{"step":"One","status":"in_progress"}]}"#;
        let items = todo_items("update_plan", Json::new(plan)).unwrap();
        assert_eq!((items[0].text.as_str(), items[0].state), ("One", TodoState::InProgress));
    }
}
