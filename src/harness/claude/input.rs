//! Input lines for `claude --input-format stream-json`.

use data_encoding::BASE64;
use serde_json::{Value, json};

/// Returns a message of the user, with images in front of the text.
pub(crate) fn user_message(text: &str, images: Vec<Value>, session_id: Option<&str>) -> Value {
    let content = if images.is_empty() {
        json!(text)
    } else {
        let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
        Value::Array(images.into_iter().chain(text).collect())
    };
    let mut line = json!({"type": "user", "message": {"role": "user", "content": content}});
    if let Some(id) = session_id {
        line["session_id"] = json!(id);
    }
    line
}

/// Returns an image for [`user_message`].
pub(crate) fn image(media_type: &str, bytes: &[u8]) -> Value {
    let source = json!({"type": "base64", "media_type": media_type, "data": BASE64.encode(bytes)});
    json!({"type": "image", "source": source})
}

/// Returns a request to interrupt the current turn.
pub(crate) fn interrupt(request_id: &str) -> Value {
    let request = json!({"subtype": "interrupt"});
    json!({"type": "control_request", "request_id": request_id, "request": request})
}

/// Returns a request to cancel an earlier request.
pub(crate) fn cancel(request_id: &str) -> Value {
    json!({"type": "control_cancel_request", "request_id": request_id})
}
