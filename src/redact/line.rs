//! Masks the strings in lines of JSON, and texts that span several lines. A line
//! that is not JSON is unchanged, since it is never printed.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::names::{SecretName, is_secret_name};
use super::plausible::is_random;
use super::{REDACTED, Redactor, TextRedactor};
use crate::harness::{Harness, TextDelta};
use crate::json::{Json, Parser, Text, Value};

/// Maximum number of open texts; the oldest one is ended to make room.
const MAX_OPEN: usize = 64;

/// Decides which lines may be decoded as they are.
#[derive(Clone, Debug)]
pub(crate) struct LineCheck {
    redactor: Redactor,
    /// CLIs that are not built in.
    described: &'static [Harness],
}

/// What a line means for the redaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEffect {
    /// It has no secret and does not affect texts in several lines.
    None,
    /// It has no secret, and may end texts in several lines.
    EndsTexts,
    /// It may have a secret, or a part of a text in several lines.
    Redact,
}

impl LineCheck {
    /// Checks for what `redactor` detects, in lines of these and all built-in CLIs.
    pub fn new(redactor: Redactor, described: &'static [Harness]) -> Self {
        Self { redactor, described }
    }

    /// Returns what a line means for the redaction, given its value. Does not depend on
    /// other lines.
    pub fn effect(&self, line: &[u8], value: Value<'_, '_>) -> LineEffect {
        if !self.redactor.is_clean(line) {
            return LineEffect::Redact;
        }
        match TextDelta::of(value, self.described, true) {
            TextDelta::Append { .. } => LineEffect::Redact,
            TextDelta::None => LineEffect::None,
            _ => LineEffect::EndsTexts,
        }
    }
}

/// Masks the lines of one stream.
pub(crate) struct LineRedactor {
    check: LineCheck,
    parser: Parser,
    open: Vec<OpenText>,
    /// Lines to be decoded in place of the last one.
    output: Vec<Vec<u8>>,
}

/// A text that arrives in several lines.
#[derive(Debug)]
struct OpenText {
    thread: String,
    index: u64,
    text: TextRedactor,
    /// The line of the last part, and the range of the part in it. Text that is held
    /// back is passed on with a copy of this line.
    line: Vec<u8>,
    part: Range<usize>,
}

impl LineRedactor {
    /// Masks what the check detects.
    pub fn new(check: LineCheck) -> Self {
        Self { check, parser: Parser::default(), open: Vec::new(), output: Vec::new() }
    }

    /// Returns whether a line certainly has no secret in itself.
    pub fn is_clean(&self, line: &[u8]) -> bool {
        self.check.redactor.is_clean(line)
    }

    /// Returns what it detects.
    pub fn check(&self) -> &LineCheck {
        &self.check
    }

    /// Returns whether there are texts that a line may end.
    pub fn has_open_texts(&self) -> bool {
        !self.open.is_empty()
    }

    /// Reads the next line. [`take_output`](Self::take_output) returns what to decode
    /// instead.
    pub fn read_line(&mut self, line: &[u8]) {
        let mut parser = std::mem::take(&mut self.parser);
        let is_clean = self.is_clean(line);
        let read = parser.parse(line, |document| self.read_value(line, is_clean, document.root));
        self.parser = parser;
        if !matches!(read, Ok(Some(false))) {
            let masked = masked(line, &[], &self.check.redactor).into_owned();
            self.output.push(masked);
        }
    }

    /// Reads the next line, which is clean, and its value, and returns whether it can be
    /// decoded as it is.
    /// Otherwise [`take_output`](Self::take_output) returns what to decode instead.
    ///
    /// Returns `None` if it has to be called with a value that is complete.
    pub fn read_clean(&mut self, line: &[u8], value: Value<'_, '_>) -> Option<bool> {
        self.read_value(line, true, value)
    }

    fn read_value(&mut self, line: &[u8], is_clean: bool, value: Value<'_, '_>) -> Option<bool> {
        let delta = TextDelta::of(value, self.check.described, !self.open.is_empty());
        if value.touched_elided() {
            return None;
        }
        match delta {
            TextDelta::Append { thread, index, part, so_far } => {
                let is_previous = |open: &OpenText| open.thread == thread && open.index != index;
                self.interrupt(is_previous);
                let at = self.open_text(&thread, index);
                let OpenText { text, line: held, part: held_part, .. } = &mut self.open[at];
                let redactor = &self.check.redactor;
                let mut replaced = Vec::new();
                replaced.extend(replacement(line, value, &part, text, redactor));
                if let Some(so_far) = so_far {
                    // What may be the start of a secret is left out.
                    let mut text = TextRedactor::default();
                    replaced.extend(replacement(line, value, &so_far, &mut text, redactor));
                    replaced.sort_by_key(|(range, _)| range.start);
                }
                if text.is_holding() {
                    line.clone_into(held);
                    *held_part = range_of(line, value, &part).unwrap_or_default();
                }
                return Some(self.mask(line, is_clean, &replaced));
            }
            TextDelta::EndThread(thread) => self.interrupt(|open| open.thread == thread),
            TextDelta::StartMessage(thread) => {
                self.interrupt(|open| open.thread == thread);
                self.open.retain(|open| open.thread != thread);
            }
            TextDelta::EndAll => self.finish(),
            TextDelta::EndThreadOf(_) | TextDelta::None => {}
        }
        Some(self.mask(line, is_clean, &[]))
    }

    /// Masks the strings of a line, and returns whether it can be decoded as it is.
    fn mask(&mut self, line: &[u8], is_clean: bool, replaced: &[(Range<usize>, String)]) -> bool {
        let masked = if is_clean {
            with_replaced(line, replaced)
        } else {
            masked_strings(line, replaced, &self.check.redactor)
        };
        if self.output.is_empty() && matches!(masked, Cow::Borrowed(_)) {
            return true;
        }
        self.output.push(masked.into_owned());
        false
    }

    /// Returns the lines to decode in place of the last one.
    pub fn take_output(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.output)
    }

    /// Ends all texts, at the end of the stream; [`take_output`](Self::take_output) returns
    /// what was held back.
    pub fn finish(&mut self) {
        self.interrupt(|_| true);
        self.open.clear();
    }

    /// Returns the index of a text, which starts unless it is open.
    fn open_text(&mut self, thread: &str, index: u64) -> usize {
        let is_known = |open: &OpenText| open.thread == thread && open.index == index;
        if let Some(known) = self.open.iter().position(is_known) {
            return known;
        }
        if self.open.len() == MAX_OPEN {
            let mut oldest = self.open.remove(0);
            self.output.extend(oldest.release(&self.check.redactor));
        }
        self.open.push(OpenText {
            thread: thread.to_owned(),
            index,
            text: TextRedactor::default(),
            line: Vec::new(),
            part: 0..0,
        });
        self.open.len() - 1
    }

    /// Outputs what was held back of the selected texts. One that ended within a secret may
    /// continue.
    fn interrupt(&mut self, is_selected: impl Fn(&OpenText) -> bool) {
        let selected = self.open.iter_mut().filter(|open| is_selected(open));
        let redactor = &self.check.redactor;
        self.output.extend(selected.filter_map(|open| open.release(redactor)));
        self.open.retain(|open| !is_selected(open) || open.text.is_inside());
    }
}

impl OpenText {
    /// Returns a line with what is held back.
    fn release(&mut self, redactor: &Redactor) -> Option<Vec<u8>> {
        self.text.is_holding().then(|| {
            let rest = self.text.interrupt(redactor);
            masked(&self.line, &[(self.part.clone(), rest)], redactor).into_owned()
        })
    }
}

/// Adds a text of a line to a text in several lines, and returns what replaces it in the
/// line, if it is not passed on as it is.
fn replacement(
    line: &[u8],
    value: Value<'_, '_>,
    part: &Text<'_>,
    text: &mut TextRedactor,
    redactor: &Redactor,
) -> Option<(Range<usize>, String)> {
    match text.push(part, redactor) {
        Cow::Borrowed(_) => None,
        Cow::Owned(own) if own == **part => None,
        Cow::Owned(own) => Some((range_of(line, value, part)?, own)),
    }
}

/// Returns the range of a string in its line, given the value of the line.
pub(super) fn range_of(line: &[u8], value: Value<'_, '_>, text: &Text<'_>) -> Option<Range<usize>> {
    let read = value.line();
    let json = text.json()?.bytes();
    let start = json.as_ptr().addr().checked_sub(read.as_ptr().addr())?;
    let range = start..start + json.len();
    if std::ptr::eq(read, line) {
        return Some(range);
    }
    // The line was repaired, which changes the content of strings, but not their number.
    let number = strings(read).position(|string| string == range)?;
    strings(line).nth(number)
}

/// Shorter values are too common to be secrets.
const MIN_SECRET: usize = 6;

/// The name in reports of values of members.
const MEMBER: &str = "member";

/// Masks the strings of a line of JSON.
pub(super) fn masked_json<'l>(line: &'l [u8], redactor: &Redactor) -> Cow<'l, [u8]> {
    masked(line, &[], redactor)
}

/// Masks the strings of a line; those at the given ranges are replaced.
pub(super) fn masked<'l>(
    line: &'l [u8],
    replaced: &[(Range<usize>, String)],
    redactor: &Redactor,
) -> Cow<'l, [u8]> {
    if redactor.is_clean(line) {
        with_replaced(line, replaced)
    } else {
        masked_strings(line, replaced, redactor)
    }
}

/// Masks the strings of a line that may have a secret.
fn masked_strings<'l>(
    line: &'l [u8],
    replaced: &[(Range<usize>, String)],
    redactor: &Redactor,
) -> Cow<'l, [u8]> {
    let mut masked = Vec::new();
    let mut copied = 0;
    // The name of the member whose value is next, and the end of that value.
    let mut member: Option<(SecretName, usize)> = None;
    for string in strings(line) {
        let Some(text) = Json::new(&line[string.clone()]).as_str() else {
            continue;
        };
        let other = replaced.iter().find(|(range, _)| *range == string);
        let own = match other {
            Some((_, other)) => (*other != text).then_some(Cow::Borrowed(other.as_str())),
            None if is_secret_member(member, string.start, &text) => {
                redactor.count_rule(MEMBER);
                Some(Cow::Borrowed(REDACTED))
            }
            None => match redactor.mask(&text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(masked) => Some(Cow::Owned(masked)),
            },
        };
        if let Some(value) = value_of(line, string.end)
            && member.is_none_or(|(_, end)| string.start >= end)
        {
            member = is_secret_name(&text).map(|name| (name, value.end));
        }
        let Some(own) = own else { continue };
        if copied == 0 {
            // Masks may be longer than secrets, but lines of megabytes are mostly text.
            masked.reserve_exact(line.len());
        }
        masked.extend_from_slice(&line[copied..string.start]);
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(&mut masked, &own);
        copied = string.end;
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    masked.extend_from_slice(&line[copied..]);
    Cow::Owned(masked)
}

/// Replaces the strings at the given ranges, which are in order. Those that stay the same
/// keep their escapes.
fn with_replaced<'l>(line: &'l [u8], replaced: &[(Range<usize>, String)]) -> Cow<'l, [u8]> {
    let (mut text, mut copied) = (Vec::new(), 0);
    for (range, own) in replaced {
        if Json::new(&line[range.clone()]).as_str().as_deref() == Some(own) {
            continue;
        }
        text.extend_from_slice(&line[copied..range.start]);
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(&mut text, own);
        copied = range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    text.extend_from_slice(&line[copied..]);
    Cow::Owned(text)
}

/// Iterates over the ranges of the strings in a line, quotes included.
fn strings(line: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr(b'"', &line[at..])?;
        let mut end = start + 1;
        loop {
            end += memchr2(b'"', b'\\', line.get(end..)?)?;
            if line[end] == b'"' {
                break;
            }
            end += 2;
        }
        at = end + 1;
        Some(start..at)
    })
}

/// Returns whether a string is part of the value of a member with a secret.
fn is_secret_member(member: Option<(SecretName, usize)>, start: usize, text: &str) -> bool {
    let Some((name, end)) = member else { return false };
    let is_certain = name == SecretName::Certain;
    start < end
        && text.len() >= MIN_SECRET
        && (is_certain || text.len() >= 8 && is_random(text.as_bytes(), 0..text.len()))
}

/// Returns the range of the value of the member whose name ends at `end`: a string, or an
/// array of strings.
fn value_of(line: &[u8], end: usize) -> Option<Range<usize>> {
    let value = line[end..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let start = line.len() - value.len();
    match value.first()? {
        b'"' => Some(start..start + strings(value).next()?.end),
        b'[' => {
            // The end of the last string of the array.
            let mut end = start + 1;
            loop {
                let rest = line[end..].trim_ascii_start();
                let rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
                let at = line.len() - rest.len();
                if !rest.starts_with(b"\"") {
                    return Some(start..end);
                }
                let Some(string) = strings(rest).next() else { return Some(start..end) };
                end = at + string.end;
            }
        }
        _ => None,
    }
}
