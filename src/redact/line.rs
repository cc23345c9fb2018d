//! Masks the strings in lines of JSON, and texts that span several lines. A line
//! that is not JSON is unchanged, since it is never printed.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::names::{SecretName, is_secret_name};
use super::plausible::is_random;
use super::{REDACTED, Redactor, TextRedactor};
use crate::harness::{Harness, TextDelta};
use crate::json::{Json, Parser};

/// Maximum number of open texts; the oldest one is ended to make room.
const MAX_OPEN: usize = 64;

/// Masks the lines of one stream.
pub(crate) struct LineRedactor {
    redactor: Redactor,
    parser: Parser,
    open: Vec<OpenText>,
    /// CLIs that are not built in.
    described: &'static [Harness],
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
    /// Masks what `redactor` detects.
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, parser: Parser::default(), open: Vec::new(), described: &[] }
    }

    /// Also follows the texts of these CLIs.
    pub fn with_described(self, described: &'static [Harness]) -> Self {
        Self { described, ..self }
    }

    /// Masks a line and passes it to `each`, after the text that was held back of
    /// texts that are complete now.
    pub fn redact<E>(
        &mut self,
        line: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let json = Json::new(line);
        match TextDelta::of(json, self.described, !self.open.is_empty()) {
            TextDelta::Append { .. } if self.parser.parse(line, |_| ()).is_err() => each(line),
            TextDelta::Append { thread, index, part, so_far } => {
                let is_previous = |open: &OpenText| open.thread == thread && open.index != index;
                self.interrupt(is_previous, &mut each)?;
                let is_known = |open: &OpenText| open.thread == thread && open.index == index;
                let known = self.open.iter().position(is_known);
                let at = match known {
                    Some(at) => at,
                    None => self.start(&thread, index, &mut each)?,
                };
                let range = |value| range_in(json, value);
                let open = &mut self.open[at];
                let text = open.text.push(&part.as_str().unwrap_or_default(), &self.redactor);
                let mut replaced = vec![(range(part), text)];
                if let Some(so_far) = so_far {
                    // What may be the start of a secret is left out.
                    let text = so_far.as_str().unwrap_or_default();
                    let text = TextRedactor::default().push(&text, &self.redactor);
                    replaced.push((range(so_far), text));
                }
                let masked = masked(json.bytes(), &replaced, &self.redactor);
                if open.text.is_holding() {
                    json.bytes().clone_into(&mut open.line);
                    open.part = range(part);
                }
                each(&masked)
            }
            TextDelta::EndThread(thread) => {
                self.interrupt(|open| open.thread == thread, &mut each)?;
                each(&masked(line, &[], &self.redactor))
            }
            TextDelta::StartMessage(thread) => {
                self.interrupt(|open| open.thread == thread, &mut each)?;
                self.open.retain(|open| open.thread != thread);
                each(&masked(line, &[], &self.redactor))
            }
            TextDelta::EndAll => {
                self.finish(&mut each)?;
                each(&masked(line, &[], &self.redactor))
            }
            TextDelta::EndThreadOf(_) | TextDelta::None => each(&masked(line, &[], &self.redactor)),
        }
    }

    /// Passes on all text that is held back, at the end of the stream.
    pub fn finish<E>(&mut self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.interrupt(|_| true, &mut each)?;
        self.open.clear();
        Ok(())
    }

    /// Starts a text and returns its index.
    fn start<E>(
        &mut self,
        thread: &str,
        index: u64,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, E> {
        if self.open.len() == MAX_OPEN {
            let mut oldest = self.open.remove(0);
            oldest.release(&self.redactor, each)?;
        }
        self.open.push(OpenText {
            thread: thread.to_owned(),
            index,
            text: TextRedactor::default(),
            line: Vec::new(),
            part: 0..0,
        });
        Ok(self.open.len() - 1)
    }

    /// Passes on what was held back of the selected texts. One that ended within a secret
    /// may continue.
    fn interrupt<E>(
        &mut self,
        is_selected: impl Fn(&OpenText) -> bool,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut selected = self.open.iter_mut().filter(|open| is_selected(open));
        selected.try_for_each(|open| open.release(&self.redactor, each))?;
        self.open.retain(|open| !is_selected(open) || open.text.is_inside());
        Ok(())
    }
}

impl OpenText {
    /// Passes on what is held back.
    fn release<E>(
        &mut self,
        redactor: &Redactor,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.text.is_holding() {
            return Ok(());
        }
        let rest = self.text.interrupt(redactor);
        each(&masked(&self.line, &[(self.part.clone(), rest)], redactor))
    }
}

/// Returns the range of a value in its line.
pub(super) fn range_in(line: Json<'_>, value: Json<'_>) -> Range<usize> {
    let start = line.offset_of(value);
    start..start + value.bytes().len()
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
    if replaced.is_empty() && redactor.is_clean(line) {
        return Cow::Borrowed(line);
    }
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
        let Some(json) = own.and_then(|own| serde_json::to_vec(&own).ok()) else { continue };
        masked.extend_from_slice(&line[copied..string.start]);
        masked.extend_from_slice(&json);
        copied = string.end;
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    masked.extend_from_slice(&line[copied..]);
    Cow::Owned(masked)
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
