//! Errors of requests: `{name, data}`, where `data` has what the API answered.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use crate::event::{Event, Evidence, Finished, Scope};
use crate::json::{Json, Text, Value};

/// The word of [rules](super::rules) for a service that could not be reached.
pub(super) const UNREACHABLE: &str = "unreachable";

/// Returns the failure that an error means, which was written at `time`. Some errors of the
/// fork are texts.
pub(super) fn finished<'a>(
    error: Value<'_, 'a>,
    scope: Scope,
    time: Option<Timestamp>,
) -> Event<'a> {
    let data = error.get("data").filter(|data| data.is_object());
    let text = |key| data.and_then(|data| data.get(key)?.as_str());
    let name = error.get("name").and_then(Value::as_str);
    let message = error.as_str().or_else(|| text("message")).or(name);
    Event::Finished(Box::new(Finished {
        scope,
        failed: true,
        text: message.map(Text::from),
        error: Evidence {
            category: name,
            ..data.map(|data| evidence(data, time)).unwrap_or_default()
        },
        ..Finished::default()
    }))
}

/// Returns what the data of an error says about it.
pub(super) fn evidence<'a>(data: Value<'_, 'a>, time: Option<Timestamp>) -> Evidence<'a> {
    let status = data.get("statusCode").and_then(Value::as_i64);
    let is_retryable = data.get("isRetryable").and_then(Value::as_bool) == Some(true);
    let body = data.get("responseBody").and_then(Value::as_str);
    // A request without an answer that may be repeated did not reach the service.
    let unreachable = (status.is_none() && is_retryable).then_some(UNREACHABLE);
    Evidence {
        status,
        api_type: body.and_then(api_type).or(unreachable),
        resets_at: data.get("responseHeaders").and_then(|headers| resets_at(headers, time)),
        ..Evidence::default()
    }
}

/// Returns the code or type of the error in the body of a response.
fn api_type(body: &str) -> Option<&str> {
    let body = Json::new(body.as_bytes());
    let word = |pointer| match body.pointer(pointer)?.as_str()? {
        Cow::Borrowed(word) if !word.is_empty() => Some(word),
        _ => None,
    };
    word("/error/code").or_else(|| word("/error/type"))
}

/// Returns when a limit is reset, in seconds since 1970: as the headers of a response say, or
/// after the delay that they ask for.
fn resets_at(headers: Value<'_, '_>, time: Option<Timestamp>) -> Option<i64> {
    let header = |name| headers.get(name).and_then(Value::as_str).map(str::trim);
    let after = header("retry-after");
    let seconds = |text: &str| text.parse::<f64>().ok().filter(|delay| *delay >= 0.0);
    let milliseconds = || Some(header("retry-after-ms").and_then(seconds)? / 1e3);
    let date = || Some(rfc2822::parse(after?).ok()?.timestamp().as_second());
    let reset = header("anthropic-ratelimit-unified-reset");
    let delay = after.and_then(seconds).or_else(milliseconds);
    let later = || {
        #[allow(clippy::cast_possible_truncation)] // `as` saturates
        let delay = delay?.ceil() as i64;
        time?.as_second().checked_add(delay)
    };
    reset.and_then(|reset| reset.parse().ok()).or_else(later).or_else(date)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Parser;

    fn reset(headers: &str) -> Option<i64> {
        let time = Timestamp::from_second(1_000).ok();
        let mut found = None;
        let mut read = |document: crate::json::Document<'_, '_>| {
            found = resets_at(document.root, time);
        };
        Parser::default().parse(headers.as_bytes(), &mut read).unwrap();
        found
    }

    #[test]
    fn headers_tell_when_a_limit_is_reset() {
        assert_eq!(reset(r#"{"retry-after":"30"}"#), Some(1_030));
        assert_eq!(reset(r#"{"retry-after-ms":"1500"}"#), Some(1_002));
        assert_eq!(
            reset(r#"{"retry-after":"Tue, 17 Nov 2026 18:37:52 GMT"}"#),
            Some(1_794_940_672)
        );
        let both = r#"{"retry-after":"30","anthropic-ratelimit-unified-reset":"5000"}"#;
        assert_eq!(reset(both), Some(5_000));
        for none in ["{}", r#"{"retry-after":"soon"}"#, r#"{"retry-after":"-1"}"#, "[]"] {
            assert_eq!(reset(none), None, "{none}");
        }
    }

    #[test]
    fn code_of_the_api_comes_before_its_type() {
        let body = r#"{"error":{"type":"invalid_request_error","code":"model_not_found"}}"#;
        assert_eq!(api_type(body), Some("model_not_found"));
        let plain = r#"{"error":{"type":"rate_limit_error","code":null}}"#;
        assert_eq!(api_type(plain), Some("rate_limit_error"));
        assert_eq!(api_type("<html>"), None);
    }
}
