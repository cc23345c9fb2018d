//! `prompt`: input lines for `claude --input-format stream-json`, one user message
//! per line.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::cli::PromptArgs;
use crate::exit::Exit;
use crate::harness::stream_input;
use crate::output::Diagnostics;

/// Maximum size of an image; APIs reject larger ones.
const MAX_IMAGE: u64 = 20 << 20;

/// Writes the messages. An error is one of writing.
pub(super) fn run(args: &PromptArgs, to: &mut impl Write) -> io::Result<Exit> {
    match write(args, to) {
        Ok(()) => Ok(Exit::Success),
        Err(error) => match error.downcast::<WriteError>() {
            Ok(WriteError(error)) => Err(error),
            Err(error) => {
                Diagnostics::stderr(false).error(&format!("{error:#}"));
                Ok(Exit::Error)
            }
        },
    }
}

/// An error of writing, as opposed to one of the arguments.
#[derive(Debug)]
struct WriteError(io::Error);

impl std::fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

impl std::error::Error for WriteError {}

fn write(args: &PromptArgs, to: &mut impl Write) -> anyhow::Result<()> {
    let mut images =
        args.image.iter().map(|path| image(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let mut message = |text: &str| {
        let line = stream_input::user_message(
            text,
            std::mem::take(&mut images),
            args.session_id.as_deref(),
        );
        write_line(to, &line)
    };
    let from_text = args.text.iter().filter(|text| !text.trim().is_empty() && *text != "-");
    for text in from_text {
        message(text)?;
    }
    let is_control = args.interrupt || args.cancel.is_some();
    let reads_stdin = args.lines || args.paragraphs || args.text.iter().any(|text| text == "-");
    if reads_stdin || args.text.is_empty() && !is_control {
        if io::stdin().is_terminal() && !args.lines {
            bail!("no message: give a TEXT, or pipe one in");
        }
        read_messages(args, &mut message)?;
    }
    // Images without a text are a message of their own.
    if !images.is_empty() {
        let line = stream_input::user_message("", images, args.session_id.as_deref());
        write_line(to, &line)?;
    }
    if args.interrupt {
        let id = args.request_id.clone().unwrap_or_else(unique_id);
        write_line(to, &stream_input::interrupt(&id))?;
    }
    if let Some(id) = &args.cancel {
        write_line(to, &stream_input::cancel(id))?;
    }
    Ok(())
}

/// Reads messages from standard input: all of it as one, or one per line or
/// paragraph as they arrive.
fn read_messages(
    args: &PromptArgs,
    message: &mut impl FnMut(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut stdin = io::stdin().lock();
    let mut buffer = Vec::new();
    loop {
        let before = buffer.len();
        let count = stdin.read_until(b'\n', &mut buffer).context("cannot read standard input")?;
        let is_blank = buffer[before..].trim_ascii().is_empty();
        if args.lines || args.paragraphs && is_blank || count == 0 {
            let text = String::from_utf8_lossy(&buffer);
            let text = text.trim_end_matches(['\n', '\r']);
            if !text.trim().is_empty() {
                message(text)?;
            }
            buffer.clear();
        }
        if count == 0 {
            return Ok(());
        }
    }
}

fn write_line(to: &mut impl Write, line: &Value) -> anyhow::Result<()> {
    let line = line.to_string() + "\n";
    to.write_all(line.as_bytes())
        .and_then(|()| to.flush())
        .map_err(|error| WriteError(error).into())
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
    Ok(stream_input::image(media_type, &bytes))
}

/// Returns the media type of an image by its first bytes.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// Returns a unique id.
fn unique_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("streamj-{}-{:x}", std::process::id(), now.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        assert_ne!(unique_id(), unique_id());
    }
}
