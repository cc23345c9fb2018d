//! `prompt`: words for the agent, as `claude --input-format stream-json` reads
//! them: one user message per line.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use crate::cli::PromptArgs;
use crate::exit::Exit;
use crate::output::Notes;

/// An image larger than this no API takes.
const MAX_IMAGE: u64 = 20 << 20;

/// Writes the messages asked for.
///
/// # Errors
///
/// Writing fails.
pub fn run(args: &PromptArgs, to: &mut impl Write) -> io::Result<Exit> {
    match write(args, to) {
        Ok(()) => Ok(Exit::Done),
        Err(error) => match error.downcast::<Unwritable>() {
            Ok(Unwritable(error)) => Err(error),
            Err(error) => {
                Notes::stderr(false).error(&format!("{error:#}"));
                Ok(Exit::Trouble)
            }
        },
    }
}

/// Our output cannot be written.
#[derive(Debug)]
struct Unwritable(io::Error);

impl std::fmt::Display for Unwritable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for Unwritable {}

fn write(args: &PromptArgs, to: &mut impl Write) -> anyhow::Result<()> {
    let mut images =
        args.image.iter().map(|path| image(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut message = |text: &str| {
        let line = user_message(text, std::mem::take(&mut images), args.session_id.as_deref());
        put(to, &line)
    };
    let from_text = args.text.iter().filter(|text| !text.trim().is_empty() && *text != "-");
    for text in from_text {
        message(text)?;
    }
    let control = args.interrupt || args.cancel.is_some();
    let asked = args.lines || args.paragraphs || args.text.iter().any(|text| text == "-");
    let from_stdin = asked || args.text.is_empty() && !control;
    if from_stdin {
        if io::stdin().is_terminal() && !args.lines {
            bail!("nothing to say: give a TEXT, or pipe one in");
        }
        read_messages(args, &mut message)?;
    }
    // Images alone are a message, too.
    if !images.is_empty() {
        let line = user_message("", images, args.session_id.as_deref());
        put(to, &line)?;
    }
    if args.interrupt {
        let id = args.request_id.clone().unwrap_or_else(unique_id);
        let request = json!({"subtype": "interrupt"});
        put(to, &json!({"type": "control_request", "request_id": id, "request": request}))?;
    }
    if let Some(id) = &args.cancel {
        put(to, &json!({"type": "control_cancel_request", "request_id": id}))?;
    }
    Ok(())
}

/// Reads standard input: all of it, or piece by piece as it comes.
fn read_messages(
    args: &PromptArgs,
    message: &mut impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut stdin = io::stdin().lock();
    let mut gathered = Vec::new();
    loop {
        let before = gathered.len();
        let count = stdin.read_until(b'\n', &mut gathered).context("cannot read standard input")?;
        let blank = gathered[before..].trim_ascii().is_empty();
        let complete = args.lines || args.paragraphs && blank || count == 0;
        if complete {
            let text = String::from_utf8_lossy(&gathered);
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                message(text)?;
            }
            gathered.clear();
        }
        if count == 0 {
            return Ok(());
        }
    }
}

fn put(to: &mut impl Write, line: &Value) -> anyhow::Result<()> {
    let line = line.to_string() + "\n";
    to.write_all(line.as_bytes())
        .and_then(|()| to.flush())
        .map_err(|error| Unwritable(error).into())
}

fn user_message(text: &str, images: Vec<Value>, session_id: Option<&str>) -> Value {
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

fn image(path: &Path) -> anyhow::Result<Value> {
    let named = || path.display().to_string();
    let metadata = path.metadata().with_context(named)?;
    anyhow::ensure!(metadata.is_file(), "{}: not a file", path.display());
    let size = metadata.len();
    anyhow::ensure!(size <= MAX_IMAGE, "{}: too large: {size} bytes", path.display());
    let bytes = std::fs::read(path).with_context(named)?;
    let Some(media_type) = media_type(&bytes) else {
        bail!("{}: not a PNG, JPEG, GIF or WebP image", path.display());
    };
    let source = json!({"type": "base64", "media_type": media_type, "data": base64(&bytes)});
    Ok(json!({"type": "image", "source": source}))
}

/// The kind of an image, by how it begins.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        for at in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
            text.push(if at > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    text
}

/// An id nobody else has.
fn unique_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("streamj-{}-{:x}", std::process::id(), now.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_as_everywhere() {
        for (bytes, expected) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xff, 0xfe, 0xfd]), "//79");
    }

    #[test]
    fn ids_are_unique() {
        assert_ne!(unique_id(), unique_id());
    }
}
