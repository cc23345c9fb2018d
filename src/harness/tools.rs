//! Descriptions of tool calls that CLIs have in common.

use std::borrow::Cow;

use super::changes::FileChange;
use crate::json::Json;

/// Descriptions of tool calls for people.
pub(crate) struct ToolTexts {
    /// Summarises a tool call in one line.
    pub(crate) summary: for<'a> fn(Json<'a>) -> Cow<'a, str>,
    /// Returns the name of a tool for people, if it is not the CLI's own.
    pub(crate) title: Option<fn(&str) -> Option<&'static str>>,
    /// Returns the change of a file that a tool call makes.
    pub(crate) file_change: Option<for<'a> fn(Json<'a>) -> Option<FileChange<'a>>>,
    /// Returns the changes of a tool call that can change several files.
    pub(crate) file_changes: Option<for<'a> fn(Json<'a>) -> Vec<FileChange<'a>>>,
    /// Returns the items if a call of this tool updates a to-do list.
    pub(crate) todo_items: Option<fn(&str, Json<'_>) -> Option<Vec<TodoItem>>>,
    /// Returns the output of one of the CLI's own commands if that is what a prompt
    /// contains.
    pub(crate) command_output: Option<fn(&str) -> Option<&str>>,
    /// Describes an object of this type that has no neutral event but matters to a person.
    pub(crate) describe: Option<fn(&str, Json<'_>) -> Option<String>>,
}

/// A tool call in words.
pub(crate) struct CallText<'a> {
    /// The name of the tool; of a server's tool `server.tool`.
    pub(crate) name: Cow<'a, str>,
    /// What it does.
    pub(crate) summary: Cow<'a, str>,
}

impl ToolTexts {
    /// Describes a call of a tool, which may be that of a server.
    pub(crate) fn describe_call<'a>(
        &self,
        name: &'a str,
        server: Option<&str>,
        input: Json<'a>,
    ) -> CallText<'a> {
        let Some(server) = server else {
            return CallText { name: self.name(name).into(), summary: (self.summary)(input) };
        };
        // Some CLIs add the server to the name.
        let tool = name.split_once(&format!("{server}__")).map_or(name, |(_, tool)| tool);
        CallText { name: format!("{server}.{tool}").into(), summary: arguments(input) }
    }

    /// Returns the name of a tool for people.
    pub(crate) fn name<'a>(&self, name: &'a str) -> &'a str {
        self.title.and_then(|title| title(name)).unwrap_or(name)
    }

    /// Returns the changes of files that a call makes.
    pub(crate) fn changes<'a>(&self, input: Json<'a>) -> Vec<FileChange<'a>> {
        let several = self.file_changes.map(|changes| changes(input)).unwrap_or_default();
        if several.is_empty() {
            return self.file_change.and_then(|change| change(input)).into_iter().collect();
        }
        several
    }
}

/// Members that describe a call best, the best one first.
const DESCRIPTIVE: [&str; 15] = [
    "command",
    "cmd",
    "pattern",
    "file_path",
    "notebook_path",
    "path",
    "query",
    "url",
    "description",
    "prompt",
    "skill",
    "changes",
    "tool",
    "items",
    "todos",
];

/// Summarises the input of a tool by the member that describes it best.
pub(super) fn summary(input: Json<'_>) -> Cow<'_, str> {
    match descriptive_member(input) {
        Some(("items" | "todos", items)) => {
            let count = items.elements().count();
            Cow::Owned(format!("{count} item{}", if count == 1 { "" } else { "s" }))
        }
        Some((_, value)) => text(value),
        None => arguments(input),
    }
}

/// A longer list of arguments is cut.
const MAX_ARGUMENTS: usize = 1000;

/// Returns the members of an input: `limit=5 query="two words"`. Any other value is unchanged.
fn arguments(input: Json<'_>) -> Cow<'_, str> {
    if !input.bytes().starts_with(b"{") {
        return text(input);
    }
    let mut arguments = String::new();
    for (name, value) in input.members() {
        let is_word = value.as_str().is_some_and(|text| !text.contains(char::is_whitespace));
        let value = if is_word { text(value) } else { String::from_utf8_lossy(value.bytes()) };
        let separator = if arguments.is_empty() { "" } else { " " };
        let name = name.as_str().unwrap_or_default();
        arguments.extend([separator, &name, "=", &value]);
        if arguments.len() > MAX_ARGUMENTS {
            arguments.truncate(arguments.floor_char_boundary(MAX_ARGUMENTS));
            break;
        }
    }
    Cow::Owned(arguments)
}

/// Returns the member that describes a call best.
pub(super) fn descriptive_member(input: Json<'_>) -> Option<(&'static str, Json<'_>)> {
    let is_set = |value: &Json<'_>| !matches!(value.bytes(), b"null" | b"\"\"" | b"[]");
    DESCRIPTIVE.iter().find_map(|key| Some((*key, input.get(key).filter(is_set)?)))
}

/// Returns a string's text, or the JSON of any other value.
fn text(value: Json<'_>) -> Cow<'_, str> {
    value.as_str().unwrap_or_else(|| String::from_utf8_lossy(value.bytes()))
}

/// Returns the items of a to-do list whose texts are in the member `name`.
pub(super) fn todo_list(items: Json<'_>, name: &str) -> Vec<TodoItem> {
    let item = |item: Json<'_>| {
        let text = |key| item.get(key).and_then(Json::as_str);
        let state = match text("status").as_deref() {
            Some("completed") => TodoState::Completed,
            Some("in_progress") => TodoState::InProgress,
            _ => TodoState::Open,
        };
        TodoItem { text: text(name).unwrap_or_default().into_owned(), state }
    };
    items.elements().map(item).collect()
}

/// An item of a to-do list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TodoItem {
    pub(crate) text: String,
    pub(crate) state: TodoState,
}

/// The state of an item of a to-do list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TodoState {
    Open,
    InProgress,
    Completed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_of_a_server_is_named_with_it() {
        let texts = &crate::harness::Harness::Unknown.adapter().tools;
        let input = Json::new(br#"{"path":"p","all":true}"#);
        for name in ["read", "mcp__files__read"] {
            let call = texts.describe_call(name, Some("files"), input);
            assert_eq!((&*call.name, &*call.summary), ("files.read", "path=p all=true"));
        }
        let call = texts.describe_call("read", None, input);
        assert_eq!((&*call.name, &*call.summary), ("read", "p"));
    }

    #[test]
    fn most_descriptive_member_is_the_summary() {
        for (input, expected) in [
            (r#"{"description":"Run","command":"ls -l"}"#, "ls -l"),
            (r#"{"file_path":"/a.rs","old_string":"x"}"#, "/a.rs"),
            (r#"{"todos":[{},{}]}"#, "2 items"),
            (r#"{"a":1,"b":"x","c":"y z","d":[1]}"#, r#"a=1 b=x c="y z" d=[1]"#),
            (r#"{"command":null,"path":"p"}"#, "p"),
            ("{}", ""),
        ] {
            assert_eq!(summary(Json::new(input.as_bytes())), expected);
        }
    }
}
