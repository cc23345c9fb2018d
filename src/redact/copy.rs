//! Copies a stream without its secrets. Bytes that belong to no secret are unchanged, and
//! every line is kept.
//!
//! A line with a part of a text is held back until it is known whether its end starts a
//! secret that the next parts continue.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::line::{masked, masked_json, range_in};
use super::text::Mask;
use super::{LogRedactor, REDACTED, Redactor, TextRedactor};
use crate::harness::TextDelta;
use crate::json::{Json, Parser};

/// Lines and bytes that are held back at most; beyond that texts are ended.
const MAX_LINES: usize = 4096;
const MAX_BYTES: usize = 4 << 20;

/// Copies the lines of one stream.
pub(crate) struct CopyRedactor {
    redactor: Redactor,
    parser: Parser,
    log: LogRedactor,
    lines: VecDeque<HeldLine>,
    /// Number of lines that were passed on.
    passed: usize,
    held_bytes: usize,
    texts: Vec<CopiedText>,
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
    /// The number of its line.
    line: usize,
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
        }
    }

    /// Adds a line with its newline, and passes on the lines that are decided.
    pub(crate) fn line<E>(
        &mut self,
        line: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let json = Json::new(line.trim_ascii_end());
        if json.bytes().first() != Some(&b'{') || self.parser.parse(json.bytes(), |_| ()).is_err() {
            let line = self.masked_text(line).into_owned();
            self.hold(line, None, true);
            return self.pass(&mut each);
        }
        match TextDelta::of(json, !self.texts.is_empty()) {
            TextDelta::Append { thread, index, part, .. } => {
                let text = part.as_str().unwrap_or_default().into_owned();
                let number = self.hold(line.to_vec(), Some(range_in(json, part)), false);
                let is_previous = |open: &CopiedText| open.thread == thread && open.index != index;
                self.interrupt(is_previous);
                self.append(&thread, index, number, text);
            }
            TextDelta::EndThread(thread) => {
                self.interrupt(|open| open.thread == thread);
                self.hold(line.to_vec(), None, false);
            }
            TextDelta::StartMessage(thread) => {
                self.interrupt(|open| open.thread == thread);
                self.texts.retain(|open| open.thread != thread);
                self.hold(line.to_vec(), None, false);
            }
            TextDelta::EndAll => {
                self.interrupt(|_| true);
                self.texts.clear();
                self.hold(line.to_vec(), None, false);
            }
            TextDelta::EndThreadOf(_) | TextDelta::None => {
                self.hold(line.to_vec(), None, false);
            }
        }
        if self.lines.len() > MAX_LINES || self.held_bytes > MAX_BYTES {
            self.interrupt(|_| true);
        }
        self.pass(&mut each)
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

    /// Holds back a line and returns its number.
    fn hold(&mut self, bytes: Vec<u8>, part: Option<Range<usize>>, is_masked: bool) -> usize {
        let bytes = match part {
            None if !is_masked => masked_json(&bytes, &self.redactor).into_owned(),
            _ => bytes,
        };
        self.held_bytes += bytes.len();
        let is_decided = part.is_none();
        let part = part.map(|range| (range, String::new()));
        self.lines.push_back(HeldLine { bytes, part, is_decided });
        self.passed + self.lines.len() - 1
    }

    /// Continues a text.
    fn append(&mut self, thread: &str, index: u64, line: usize, text: String) {
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
            let line = part.line.checked_sub(passed).and_then(|at| lines.get_mut(at));
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
