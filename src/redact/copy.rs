//! Copies a stream without its secrets. Bytes that belong to no secret are unchanged, and
//! every line is kept.
//!
//! A line with a part of a text is held back until it is known whether its end starts a
//! secret that the next parts continue.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::line::{masked, masked_json, range_of};
use super::text::Mask;
use super::{LogRedactor, REDACTED, Redactor, TextRedactor};
use crate::harness::{Harness, TextDelta};
use crate::json::{Document, Parser, Value};

/// Lines and bytes that are held back at most; beyond that texts are ended.
const MAX_LINES: usize = 4096;
const MAX_BYTES: usize = 4 << 20;

/// Copies the lines of one stream.
pub(crate) struct CopyRedactor {
    redactor: Redactor,
    parser: Parser,
    log: LogRedactor,
    lines: VecDeque<HeldLine>,
    /// Number of lines that were held back and passed on.
    passed: usize,
    held_bytes: usize,
    texts: Vec<CopiedText>,
    /// CLIs that are not built in.
    described: &'static [Harness],
}

/// A line that is not passed on yet.
struct HeldLine {
    /// The line with its newline.
    bytes: Vec<u8>,
    /// The part of a text in it, and what replaces it.
    part: Option<(Range<usize>, String)>,
    is_decided: bool,
}

/// A text that arrives in several lines.
struct CopiedText {
    thread: String,
    index: u64,
    text: TextRedactor,
    /// Bytes of the text so far.
    length: usize,
    /// Parts that are not decided.
    parts: VecDeque<HeldPart>,
}

struct HeldPart {
    /// The number of its line, if that is held back.
    line: Option<usize>,
    text: String,
    /// Its bytes in the whole text.
    range: Range<usize>,
    masks: Vec<Mask>,
}

impl CopyRedactor {
    /// Masks what `redactor` detects.
    pub(crate) fn new(redactor: Redactor) -> Self {
        Self {
            parser: Parser::default(),
            log: LogRedactor::new(redactor.clone()),
            redactor,
            lines: VecDeque::new(),
            passed: 0,
            held_bytes: 0,
            texts: Vec::new(),
            described: &[],
        }
    }

    /// Also follows the texts of these CLIs.
    pub(crate) fn with_described(self, described: &'static [Harness]) -> Self {
        Self { described, ..self }
    }

    /// Adds a line with its newline, and passes on the lines that are decided.
    pub(crate) fn line<E>(
        &mut self,
        line: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let json = line.trim_ascii_end();
        let mut is_held = None;
        if json.trim_ascii_start().first() == Some(&b'{') {
            let mut parser = std::mem::take(&mut self.parser);
            let mut read = |document: Document<'_, '_>| self.object(line, document.root);
            is_held = parser.parse_elided(json, &mut read).flatten();
            is_held = is_held.or_else(|| parser.parse(json, read).ok().flatten());
            self.parser = parser;
        }
        match is_held {
            Some(true) => {}
            Some(false) => {
                let line = masked_json(line, &self.redactor);
                self.decided(line, &mut each)?;
            }
            None => {
                let line = self.masked_text(line);
                self.decided(line, &mut each)?;
            }
        }
        if self.lines.len() > MAX_LINES || self.held_bytes > MAX_BYTES {
            self.interrupt(|_| true);
        }
        self.pass(&mut each)
    }

    /// Follows the texts in a line with an object, and returns whether the line is held back.
    /// Returns `None` if it has to be called with a value that is complete.
    fn object(&mut self, line: &[u8], value: Value<'_, '_>) -> Option<bool> {
        let delta = TextDelta::of(value, self.described, !self.texts.is_empty());
        if value.touched_elided() {
            return None;
        }
        match delta {
            TextDelta::Append { thread, index, part, .. } => {
                let is_previous = |open: &CopiedText| open.thread == thread && open.index != index;
                self.interrupt(is_previous);
                let range = range_of(line.trim_ascii_end(), value, &part);
                let number = range.clone().map(|range| self.hold(line.to_vec(), Some(range)));
                self.append(&thread, index, number, part.to_unescaped());
                return Some(range.is_some());
            }
            TextDelta::EndThread(thread) => self.interrupt(|open| open.thread == thread),
            TextDelta::StartMessage(thread) => {
                self.interrupt(|open| open.thread == thread);
                self.texts.retain(|open| open.thread != thread);
            }
            TextDelta::EndAll => {
                self.interrupt(|_| true);
                self.texts.clear();
            }
            TextDelta::EndThreadOf(_) | TextDelta::None => {}
        }
        Some(false)
    }

    /// Passes on all lines, at the end of the stream.
    pub(crate) fn finish<E>(
        &mut self,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.interrupt(|_| true);
        self.pass(&mut each)
    }

    /// Masks a line that is not JSON.
    fn masked_text<'l>(&mut self, line: &'l [u8]) -> Cow<'l, [u8]> {
        let content = line.strip_suffix(b"\n").unwrap_or(line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        let text = String::from_utf8_lossy(content);
        let masked = self.log.line(&text);
        if masked == text {
            return Cow::Borrowed(line);
        }
        Cow::Owned([masked.as_bytes(), &line[content.len()..]].concat())
    }

    /// Adds a masked line, which is held back only behind others.
    fn decided<E>(
        &mut self,
        line: Cow<'_, [u8]>,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.pass(each)?;
        if self.lines.is_empty() {
            return each(&line);
        }
        self.hold(line.into_owned(), None);
        Ok(())
    }

    /// Holds back a line and returns its number.
    fn hold(&mut self, bytes: Vec<u8>, part: Option<Range<usize>>) -> usize {
        self.held_bytes += bytes.len();
        let is_decided = part.is_none();
        let part = part.map(|range| (range, String::new()));
        self.lines.push_back(HeldLine { bytes, part, is_decided });
        self.passed + self.lines.len() - 1
    }

    /// Continues a text.
    fn append(&mut self, thread: &str, index: u64, line: Option<usize>, text: String) {
        let is_known = |open: &CopiedText| open.thread == thread && open.index == index;
        let at = self.texts.iter().position(is_known).unwrap_or_else(|| {
            let (text, parts) = (TextRedactor::default(), VecDeque::new());
            self.texts.push(CopiedText {
                thread: thread.to_owned(),
                index,
                text,
                length: 0,
                parts,
            });
            self.texts.len() - 1
        });
        let open = &mut self.texts[at];
        let range = open.length..open.length + text.len();
        open.length = range.end;
        open.text.push(&text, &self.redactor);
        open.parts.push_back(HeldPart { line, text, range, masks: Vec::new() });
        open.decide(&mut self.lines, self.passed);
    }

    /// Decides about all parts of the selected texts. One that ended within a secret may
    /// continue.
    fn interrupt(&mut self, is_selected: impl Fn(&CopiedText) -> bool) {
        for open in self.texts.iter_mut().filter(|open| is_selected(open)) {
            open.text.interrupt(&self.redactor);
            open.decide(&mut self.lines, self.passed);
        }
        self.texts.retain(|open| !is_selected(open) || open.text.is_inside());
    }

    /// Passes on the lines up to the first that is not decided.
    fn pass<E>(&mut self, each: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        while let Some(line) = self.lines.pop_front_if(|line| line.is_decided) {
            self.passed += 1;
            self.held_bytes -= line.bytes.len();
            match line.part {
                Some(part) => each(&masked(&line.bytes, &[part], &self.redactor))?,
                None => each(&line.bytes)?,
            }
        }
        Ok(())
    }
}

impl CopiedText {
    /// Writes the parts that are decided into their lines.
    fn decide(&mut self, lines: &mut VecDeque<HeldLine>, passed: usize) {
        let (masks, position) = self.text.decided();
        for part in &mut self.parts {
            let overlaps = |mask: &&Mask| {
                mask.range.start < part.range.end && part.range.start < mask.range.end
            };
            part.masks.extend(masks.iter().filter(overlaps).cloned());
        }
        while let Some(part) = self.parts.pop_front_if(|part| part.range.end <= position) {
            let at = part.line.and_then(|line| line.checked_sub(passed));
            let line = at.and_then(|at| lines.get_mut(at));
            if let Some(line) = line {
                line.is_decided = true;
                if let Some((_, text)) = &mut line.part {
                    *text = part.masked();
                }
            }
        }
    }
}

impl HeldPart {
    /// Returns the text of the part without secrets.
    fn masked(&self) -> String {
        let mut masked = String::new();
        let mut at = self.range.start;
        let text = |range: Range<usize>| {
            &self.text[range.start - self.range.start..range.end - self.range.start]
        };
        for Mask { range, is_start } in &self.masks {
            if range.start > at {
                masked += text(at..range.start);
            }
            if *is_start && range.start >= self.range.start {
                masked += REDACTED;
            }
            at = at.max(range.end.min(self.range.end));
        }
        masked + text(at..self.range.end)
    }
}
