//! The JSON object that Claude Code gives its status line command on standard input.

use serde_json::Value;

use crate::harness::Harness;

/// The CLI whose status line this is.
pub(crate) const HARNESS: Harness = Harness::Claude;

/// What a status line can show of the current session. A value of the wrong type counts as
/// missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SessionStatus {
    pub(crate) model: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) version: Option<String>,
    /// The used part of the context window in percent.
    pub(crate) context_percent: Option<f64>,
    /// The tokens in the context window.
    pub(crate) context_tokens: Option<u64>,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) duration_ms: Option<u64>,
    /// Name, used part in percent, and time of the reset in seconds since 1970.
    pub(crate) limits: Vec<(&'static str, f64, Option<i64>)>,
}

/// The members of `rate_limits`, and short names for them.
const LIMITS: [(&str, &str); 2] = [("five_hour", "5h"), ("seven_day", "7d")];

/// Reads the object; `None` if it is none.
pub(crate) fn read(bytes: &[u8]) -> Option<SessionStatus> {
    let object: Value = serde_json::from_slice(bytes).ok()?;
    object.is_object().then(|| status(&object))
}

fn status(object: &Value) -> SessionStatus {
    let text = |pointers: &[&str]| {
        let texts = pointers.iter().filter_map(|pointer| object.pointer(pointer)?.as_str());
        texts.map(str::to_owned).find(|text| !text.trim().is_empty())
    };
    let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_f64);
    let count = |pointer: &str| object.pointer(pointer).and_then(Value::as_u64);
    let tokens = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"]
        .map(|name| count(&format!("/context_window/current_usage/{name}")));
    let context_tokens = tokens
        .iter()
        .any(Option::is_some)
        .then(|| tokens.into_iter().flatten().fold(0, u64::saturating_add));
    let size = number("/context_window/context_window_size").filter(|size| *size > 0.0);
    #[allow(clippy::cast_precision_loss)] // a share in percent
    let share = || Some(context_tokens? as f64 * 100.0 / size?);
    let limit = |(member, name): (&str, &'static str)| {
        let used = number(&format!("/rate_limits/{member}/used_percentage"))?;
        let reset = object.pointer(&format!("/rate_limits/{member}/resets_at"));
        Some((name, used, reset.and_then(Value::as_i64)))
    };
    SessionStatus {
        model: text(&["/model/display_name", "/model/id", "/model"]),
        folder: text(&["/workspace/current_dir", "/cwd"]),
        version: text(&["/version"]),
        context_percent: number("/context_window/used_percentage").or_else(share),
        context_tokens,
        cost_usd: number("/cost/total_cost_usd"),
        duration_ms: count("/cost/total_duration_ms"),
        limits: LIMITS.into_iter().filter_map(limit).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_and_wrong_types_are_missing() {
        let status = read(
            br#"{"session_id":"s","cwd":"/w","model":{"id":"m-1","display_name":"M 1"},
            "cost":{"total_cost_usd":1.5,"total_duration_ms":60000},
            "context_window":{"context_window_size":200000,"current_usage":
            {"input_tokens":1000,"cache_read_input_tokens":49000,"output_tokens":7}},
            "rate_limits":{"five_hour":{"used_percentage":24.5,"resets_at":1800000000},
            "seven_day":{"used_percentage":41}}}"#,
        );
        let expected = SessionStatus {
            model: Some("M 1".to_owned()),
            folder: Some("/w".to_owned()),
            version: None,
            context_percent: Some(25.0),
            context_tokens: Some(50_000),
            cost_usd: Some(1.5),
            duration_ms: Some(60_000),
            limits: vec![("5h", 24.5, Some(1_800_000_000)), ("7d", 41.0, None)],
        };
        assert_eq!(status, Some(expected));
        let wrong = br#"{"model":7,"cost":"x","context_window":[],"rate_limits":{"five_hour":1}}"#;
        assert_eq!(read(wrong), Some(SessionStatus::default()));
        assert_eq!(read(b"[]"), None);
        assert_eq!(read(b""), None);
    }
}
