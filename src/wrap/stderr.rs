//! The child's standard error: read on a thread of its own, never parsed as events,
//! passed on line by line without secrets, and kept in part for the record.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::background_writer::BackgroundWriter;
use crate::output::{CommandEscaper, Diagnostics, is_ci, sanitize};
use crate::redact::{LogRedactor, Redactor};

/// Bytes kept for the record, and how many of them from the start.
const MAX_KEPT: usize = 8 * 1024;
const KEPT_START: usize = 2 * 1024;
const TRUNCATED: &str = "\n... (truncated)\n";

/// A longer line is not printed, since it cannot be searched for secrets.
const MAX_LINE: u64 = 1 << 20;

/// Number of lines about deprecations that are kept.
const MAX_DEPRECATIONS: usize = 20;

/// How long to wait for a reader of standard error at the end.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// The standard error of the child.
#[derive(Debug, Default)]
pub(super) struct CapturedStderr {
    /// The text without secrets, in part.
    pub(super) text: String,
    /// Lines about something deprecated.
    pub(super) deprecations: Vec<String>,
}

/// Our standard error, for the child's lines and our diagnostics. Writing does not
/// wait for its reader.
#[derive(Clone)]
pub(super) struct SharedStderr {
    writer: BackgroundWriter,
    redactor: Redactor,
}

impl SharedStderr {
    pub(super) fn start() -> io::Result<Self> {
        let writer = BackgroundWriter::start(io::stderr())?;
        Ok(Self { writer, redactor: Redactor::default() })
    }

    /// Masks what `redactor` detects in what is written from now on.
    pub(super) fn with_redactor(self, redactor: Redactor) -> Self {
        Self { redactor, ..self }
    }

    /// Returns diagnostics that are written here.
    pub(super) fn diagnostics(&self, quiet: bool) -> Diagnostics {
        Diagnostics::new(Box::new(self.clone()), quiet).with_redactor(self.redactor.clone())
    }

    /// Waits until everything is written, for a limited time.
    pub(super) fn drain(&self) {
        self.writer.drain(END_TIMEOUT);
    }

    /// Writes a line of the child, waiting for room.
    fn line(&self, line: &str) {
        while !self.writer.has_room() {
            self.writer.wait(END_TIMEOUT);
        }
        let line = if is_ci() { CommandEscaper::default().escape(line) } else { line.to_owned() };
        // One chunk, so that a line is not interrupted by a diagnostic.
        self.writer.put(format!("{line}\n").into_bytes());
    }
}

impl Write for SharedStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.put(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Reads standard error to its end.
pub(super) struct StderrReader {
    excerpt: Arc<Mutex<StderrExcerpt>>,
    ended: Receiver<()>,
}

impl StderrReader {
    pub(super) fn start(
        stderr: impl Read + Send + 'static,
        ours: SharedStderr,
    ) -> io::Result<Self> {
        let (sender, ended) = channel();
        let excerpt = Arc::<Mutex<StderrExcerpt>>::default();
        let shared = Arc::clone(&excerpt);
        std::thread::Builder::new().spawn(move || {
            let is_terminal = io::stderr().is_terminal() || is_ci();
            let mut reader = BufReader::new(stderr);
            let mut redactor = LogRedactor::new(ours.redactor.clone());
            while let Some(line) = next_line(&mut reader, &mut redactor) {
                shared.lock().unwrap_or_else(PoisonError::into_inner).add(&line);
                ours.line(&if is_terminal { sanitize(&line) } else { line.as_str().into() });
            }
            let _ = sender.send(());
        })?;
        Ok(Self { excerpt, ended })
    }

    /// Waits for the end, for a limited time, and returns what was read.
    pub(super) fn finish(&self) -> CapturedStderr {
        let _ = self.ended.recv_timeout(END_TIMEOUT);
        let mut excerpt = self.excerpt.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *excerpt).into_captured()
    }
}

/// Returns the next line without its newline and without secrets.
fn next_line(reader: &mut impl BufRead, redactor: &mut LogRedactor) -> Option<String> {
    let mut line = Vec::new();
    reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).ok()?;
    if line.is_empty() {
        return None;
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == MAX_LINE {
        let rest = skip_line(reader);
        return Some(format!("<line too long: {} bytes>", line.len() as u64 + rest));
    }
    let line = line.strip_suffix(b"\n").unwrap_or(&line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    Some(redactor.strict(&String::from_utf8_lossy(line)).into_owned())
}

/// Skips the rest of a line and returns its length.
fn skip_line(reader: &mut impl BufRead) -> u64 {
    let mut skipped = 0;
    loop {
        let (is_found, count) = match reader.fill_buf() {
            Ok([]) | Err(_) => return skipped,
            Ok(bytes) => match memchr::memchr(b'\n', bytes) {
                Some(at) => (true, at),
                None => (false, bytes.len()),
            },
        };
        skipped += count as u64;
        reader.consume(count + usize::from(is_found));
        if is_found {
            return skipped;
        }
    }
}

/// Keeps a text up to the limit; of a longer one the start and the end.
#[derive(Default)]
struct StderrExcerpt {
    /// All of the text, or its start.
    start: String,
    /// The end of a text that exceeds the limit.
    end: Option<String>,
    deprecations: Vec<String>,
}

impl StderrExcerpt {
    fn add(&mut self, line: &str) {
        let is_deprecation = line.to_ascii_lowercase().contains("deprecat");
        if is_deprecation && self.deprecations.len() < MAX_DEPRECATIONS {
            self.deprecations.push(line[..line.floor_char_boundary(MAX_KEPT)].to_owned());
        }
        let text = self.end.as_mut().unwrap_or(&mut self.start);
        text.push_str(line);
        text.push('\n');
        if self.end.is_none() && self.start.len() > MAX_KEPT {
            self.end = Some(self.start.split_off(start_length(&self.start)));
        }
        if let Some(end) = &mut self.end {
            let room = MAX_KEPT - self.start.len() - TRUNCATED.len();
            let cut = end.ceil_char_boundary(end.len().saturating_sub(room));
            end.drain(..cut);
        }
    }

    fn into_captured(self) -> CapturedStderr {
        let text = match self.end {
            Some(end) => self.start + TRUNCATED + &end,
            None => self.start,
        };
        CapturedStderr { text, deprecations: self.deprecations }
    }
}

/// Returns the length of the start that is kept of a text: whole lines, if possible.
fn start_length(text: &str) -> usize {
    let start = &text[..text.floor_char_boundary(KEPT_START)];
    start.rfind('\n').map_or(start.len(), |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::REDACTED_LINE;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let redactor = Redactor::new([b"topsecret-value".to_vec()], Vec::new());
        let mut redactor = LogRedactor::new(redactor);
        let mut reader = BufReader::with_capacity(16, bytes);
        std::iter::from_fn(|| next_line(&mut reader, &mut redactor)).collect()
    }

    #[test]
    fn lines_with_secrets_are_replaced() {
        let lines = lines(b"fine\r\nOPENAI_API_KEY=sk-x\nand topsecret-value\n\nend");
        assert_eq!(lines, ["fine", REDACTED_LINE, REDACTED_LINE, "", "end"]);
    }

    #[test]
    fn endless_line_is_neither_held_nor_printed() {
        let long = [vec![b'x'; 3 << 20], b"\nnext\n".to_vec()].concat();
        assert_eq!(lines(&long), [format!("<line too long: {} bytes>", 3 << 20).as_str(), "next"]);
    }

    #[test]
    fn start_and_end_are_kept() {
        let mut excerpt = StderrExcerpt::default();
        for number in 0..10_000 {
            excerpt.add(&format!("line {number} é"));
        }
        let text = excerpt.into_captured().text;
        assert!(text.len() <= MAX_KEPT, "{}", text.len());
        assert!(text.starts_with("line 0 é\nline 1 é\n"));
        assert!(text.contains(TRUNCATED));
        assert!(text.ends_with("line 9999 é\n"));
        let mut long = StderrExcerpt::default();
        long.add(&"é".repeat(10_000));
        assert!((MAX_KEPT - 8..=MAX_KEPT).contains(&long.into_captured().text.len()));
    }

    #[test]
    fn eight_kibibytes_are_kept_whole() {
        let text = |lengths: &[usize]| {
            let mut excerpt = StderrExcerpt::default();
            for length in lengths {
                excerpt.add(&"x".repeat(*length));
            }
            excerpt.into_captured().text
        };
        assert_eq!(text(&[2100; 3]), ("x".repeat(2100) + "\n").repeat(3));
        assert_eq!(text(&[MAX_KEPT - 1]).len(), MAX_KEPT);
        assert_eq!(text(&[MAX_KEPT]).len(), MAX_KEPT, "one byte is cut with the newline");
        assert!(text(&[2100, 2100, 2100, 2100]).contains(TRUNCATED));
    }

    #[test]
    fn deprecations_are_kept() {
        let mut excerpt = StderrExcerpt::default();
        excerpt.add("WARNING: `-x` is Deprecated");
        excerpt.add("other");
        assert_eq!(excerpt.into_captured().deprecations, ["WARNING: `-x` is Deprecated"]);
    }
}
