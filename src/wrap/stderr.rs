//! The child's standard error: read on a thread of its own, never taken for
//! events, passed on line by line without secrets, and kept in part.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::courier::Courier;
use crate::output::{Notes, visible};
use crate::redact::{REDACTED_LINE, Redactor};

/// What is kept for the record: the beginning, and more of the end.
const KEPT: usize = 8 * 1024;
const KEPT_BEGINNING: usize = 2 * 1024;
const LEFT_OUT: &str = "\n... (truncated)\n";

/// A longer line cannot be judged, and is not shown.
const LONGEST_LINE: u64 = 1 << 20;

/// Deprecations remembered.
const DEPRECATIONS: usize = 20;

/// What standard error said.
#[derive(Debug, Default)]
pub struct Said {
    /// It, without secrets, in part.
    pub text: String,
    /// Lines about something that will go away.
    pub deprecations: Vec<String>,
}

/// Our own standard error, for what the child says and for our notes. Nobody
/// who writes here waits for its reader.
#[derive(Clone)]
pub struct OurStderr(Courier);

impl OurStderr {
    /// Starts to write.
    pub fn start() -> Self {
        Self(Courier::start(io::stderr()))
    }

    /// Notes that go here.
    pub fn notes(&self, quiet: bool) -> Notes {
        Notes::new(Box::new(self.clone()), quiet)
    }

    /// Waits until all is written, but not for ever.
    pub fn drain(&self) {
        self.0.drain(PATIENCE);
    }

    /// Writes a line of the child's, in its turn.
    fn line(&self, line: &str) {
        while !self.0.has_room() {
            self.0.wait(PATIENCE);
        }
        // One piece, so that lines of ours do not come in between.
        self.0.put(format!("{line}\n").into_bytes());
    }
}

impl Write for OurStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.put(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How long a reader of standard error is waited for when all is over.
const PATIENCE: Duration = Duration::from_secs(2);

/// Reads standard error to its end.
pub struct Listener {
    kept: Arc<Mutex<Kept>>,
    ended: Receiver<()>,
}

impl Listener {
    /// Starts to read.
    pub fn start(stderr: impl Read + Send + 'static, redactor: Redactor, ours: OurStderr) -> Self {
        let (sender, ended) = channel();
        let kept = Arc::<Mutex<Kept>>::default();
        let keeper = Arc::clone(&kept);
        std::thread::spawn(move || {
            let terminal = io::stderr().is_terminal();
            let mut reader = BufReader::new(stderr);
            while let Some(line) = next_line(&mut reader, &redactor) {
                keeper.lock().unwrap_or_else(PoisonError::into_inner).add(&line);
                ours.line(&if terminal { visible(&line) } else { line.as_str().into() });
            }
            let _ = sender.send(());
        });
        Self { kept, ended }
    }

    /// What was said, once it has ended; waits for that, but not for ever.
    pub fn finish(&self) -> Said {
        let _ = self.ended.recv_timeout(PATIENCE);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner)).said()
    }
}

/// The next line, without its end and without secrets.
fn next_line(reader: &mut impl BufRead, redactor: &Redactor) -> Option<String> {
    let mut line = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).ok()?;
    if line.is_empty() {
        return None;
    }
    if line.last() != Some(&b'\n') && line.len() as u64 == LONGEST_LINE {
        let rest = skip_line(reader);
        return Some(format!("<line too long: {} bytes>", line.len() as u64 + rest));
    }
    let line = line.strip_suffix(b"\n").unwrap_or(&line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if redactor.leaks(line) {
        return Some(REDACTED_LINE.to_owned());
    }
    Some(String::from_utf8_lossy(line).into_owned())
}

/// Skips to the next line; how much that was.
fn skip_line(reader: &mut impl BufRead) -> u64 {
    let mut skipped = 0;
    loop {
        let (found, count) = match reader.fill_buf() {
            Ok([]) | Err(_) => return skipped,
            Ok(bytes) => match memchr::memchr(b'\n', bytes) {
                Some(at) => (true, at),
                None => (false, bytes.len()),
            },
        };
        skipped += count as u64;
        reader.consume(count + usize::from(found));
        if found {
            return skipped;
        }
    }
}

/// Keeps the beginning and the end of a text.
#[derive(Default)]
struct Kept {
    beginning: String,
    end: String,
    left_out: bool,
    deprecations: Vec<String>,
}

impl Kept {
    fn add(&mut self, line: &str) {
        let deprecated = line.to_ascii_lowercase().contains("deprecat");
        if deprecated && self.deprecations.len() < DEPRECATIONS {
            let told = &line[..line.floor_char_boundary(KEPT)];
            self.deprecations.push(told.to_owned());
        }
        if self.end.is_empty() && self.beginning.len() + line.len() < KEPT_BEGINNING {
            self.beginning.push_str(line);
            self.beginning.push('\n');
            return;
        }
        self.end.push_str(line);
        self.end.push('\n');
        let room = KEPT - KEPT_BEGINNING - LEFT_OUT.len();
        if self.end.len() > room {
            let cut = self.end.ceil_char_boundary(self.end.len() - room);
            self.end.drain(..cut);
            self.left_out = true;
        }
    }

    fn said(self) -> Said {
        let between = if self.left_out { LEFT_OUT } else { "" };
        Said { text: self.beginning + between + &self.end, deprecations: self.deprecations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let redactor = Redactor::new([b"topsecret-value".to_vec()]);
        let mut reader = BufReader::with_capacity(16, bytes);
        std::iter::from_fn(|| next_line(&mut reader, &redactor)).collect()
    }

    #[test]
    fn lines_with_secrets_are_replaced_whole() {
        let said = lines(b"fine\r\nOPENAI_API_KEY=sk-x\nand topsecret-value\n\nend");
        assert_eq!(said, ["fine", REDACTED_LINE, REDACTED_LINE, "", "end"]);
    }

    #[test]
    fn a_line_without_end_is_neither_held_nor_shown() {
        let long = [vec![b'x'; 3 << 20], b"\nnext\n".to_vec()].concat();
        assert_eq!(lines(&long), [format!("<line too long: {} bytes>", 3 << 20).as_str(), "next"]);
    }

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = Kept::default();
        for number in 0..10_000 {
            kept.add(&format!("line {number} é"));
        }
        let said = kept.said().text;
        assert!(said.len() <= KEPT, "{}", said.len());
        assert!(said.starts_with("line 0 é\nline 1 é\n"));
        assert!(said.contains(LEFT_OUT));
        assert!(said.ends_with("line 9999 é\n"));
        let mut few = Kept::default();
        few.add("one");
        few.add("two");
        assert_eq!(few.said().text, "one\ntwo\n");
    }

    #[test]
    fn deprecations_are_remembered() {
        let mut kept = Kept::default();
        kept.add("WARNING: `-x` is Deprecated");
        kept.add("other");
        assert_eq!(kept.said().deprecations, ["WARNING: `-x` is Deprecated"]);
    }
}
