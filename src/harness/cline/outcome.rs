//! The outputs of tools: a text, an object, or a list with an object for each command or
//! file. In a session an object is a string that contains JSON.

use crate::event::{ToolResult, ToolStatus};
use crate::json::Json;

/// What precedes the exit status in the error of a command.
const EXIT_STATUS: &str = "Command exited with code ";

/// What the error of a call contains that could not be approved.
const NEEDS_APPROVAL: &str = "requires approval in a TTY session";

/// What the output of a tool contains.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) text: String,
    has_failed: bool,
    is_denied: bool,
    exit_code: Option<i64>,
}

impl Outcome {
    /// Reads the output of a tool.
    pub(super) fn new(output: Json<'_>) -> Self {
        let text = output.as_str();
        let text = text.as_deref();
        if let Some(inner) = text.filter(|text| text.starts_with(['{', '['])) {
            return Self::new(Json::new(inner.as_bytes()));
        }
        match output.bytes().first() {
            Some(b'"') => Self::of_text(text.unwrap_or_default().to_owned()),
            Some(b'[') => {
                let mut all = Self::default();
                for (number, element) in output.elements().enumerate() {
                    all.add(&Self::of_object(element), number);
                }
                all
            }
            _ => Self::of_object(output),
        }
    }

    /// Returns the result of a call that reports its failure beside the output.
    pub(super) fn into_result<'a>(self, is_error: bool) -> ToolResult<'a> {
        let status = match (self.is_denied, is_error || self.has_failed) {
            (true, _) => ToolStatus::Denied,
            (false, true) => ToolStatus::Failed,
            (false, false) => ToolStatus::Completed,
        };
        ToolResult {
            status,
            output: Some(self.text.into()),
            exit_code: self.exit_code,
            is_error: Some(is_error),
            ..ToolResult::default()
        }
    }

    fn of_text(text: String) -> Self {
        Self { is_denied: text.contains(NEEDS_APPROVAL), text, ..Self::default() }
    }

    /// Reads the output of one command or file, or of a whole tool.
    fn of_object(object: Json<'_>) -> Self {
        let text = |key| object.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
        let error = text("error");
        let exit_code = error.as_deref().and_then(|error| error.strip_prefix(EXIT_STATUS));
        let is_unsuccessful = object.get("success").is_some_and(|flag| flag.bytes() == b"false");
        let shown = text("result").or_else(|| text("text")).or_else(|| text("error"));
        let whole = || String::from_utf8_lossy(object.bytes()).into_owned();
        Self {
            has_failed: error.is_some() || is_unsuccessful,
            exit_code: exit_code.and_then(|code| code.parse().ok()),
            ..Self::of_text(shown.map_or_else(whole, std::borrow::Cow::into_owned))
        }
    }

    /// Adds the outcome of the next command or file. Several have no exit status.
    fn add(&mut self, more: &Self, number: usize) {
        if number > 0 && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&more.text);
        self.has_failed |= more.has_failed;
        self.is_denied |= more.is_denied;
        self.exit_code = more.exit_code.filter(|_| number == 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(output: &str) -> Outcome {
        Outcome::new(Json::new(output.as_bytes()))
    }

    #[test]
    fn output_is_read_in_every_form() {
        let plain = |text: &str| Outcome { text: text.to_owned(), ..Outcome::default() };
        assert_eq!(outcome(r#""a""#), plain("a"));
        assert_eq!(outcome(r#"[{"query":"ls","result":"x\n","success":true}]"#), plain("x\n"));
        assert_eq!(outcome(r#"{"query":"e","result":"done","success":true}"#), plain("done"));
        assert_eq!(outcome(r#""{\"text\":\"Sub.\",\"iterations\":2}""#), plain("Sub."));
        assert_eq!(outcome(r#"{"status":"spawned"}"#), plain(r#"{"status":"spawned"}"#));
        assert_eq!(outcome("[]"), plain(""));
    }

    #[test]
    fn any_failed_command_fails_the_call() {
        let failed = r#"{"query":"x","result":"[Command exited with code 3]\nout","error":"Command exited with code 3","success":false}"#;
        let one = outcome(&format!("[{failed}]"));
        assert_eq!((one.has_failed, one.exit_code), (true, Some(3)));
        let two = outcome(&format!(r#"[{{"result":"a","success":true}},{failed}]"#));
        assert_eq!((two.has_failed, two.exit_code), (true, None));
        assert_eq!(two.text, "a\n[Command exited with code 3]\nout");
    }

    #[test]
    fn call_that_needs_approval_is_denied() {
        let output = r#"{"error":"Tool \"editor\" requires approval in a TTY session -- NOT a tool or system failure."}"#;
        assert_eq!(outcome(output).into_result(true).status, ToolStatus::Denied);
    }
}
