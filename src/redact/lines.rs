//! Masks the strings in a line of JSON, and the texts that come in several
//! lines. What is no JSON stays as it is: nobody shows it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use super::patterns::is_secret_name;
use super::{REDACTED, Redactor, SECRET_LENGTH, TextMask};
use crate::harness::Growth;
use crate::json::{Json, Parser};

/// So many texts can grow at once; of more, the oldest is taken for complete.
const MOST_GROWING: usize = 64;

/// Masks line after line of one stream.
pub struct LineMask {
    redactor: Redactor,
    parser: Parser,
    growing: Vec<Growing>,
}

/// A text that comes in pieces.
#[derive(Debug)]
struct Growing {
    thread: String,
    index: u64,
    mask: TextMask,
    /// The line that brought the last piece, and where that is in it. If the end
    /// of the text is kept back, it comes with this line once more.
    line: Vec<u8>,
    piece: Range<usize>,
}

impl LineMask {
    /// Masks what `redactor` recognises.
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, parser: Parser::default(), growing: Vec::new() }
    }

    /// Hands on a line without its secrets; before it, what was kept back of
    /// texts that are complete now.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn pass<E>(
        &mut self,
        line: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let json = Json::new(line);
        match Growth::of(json) {
            // What is no JSON brings nothing.
            Growth::Piece { .. } if self.parser.parse(line, |_| ()).is_err() => each(line),
            Growth::Piece { thread, index, piece } => {
                let other = |text: &Growing| text.thread == thread && text.index != index;
                self.release(other, &mut each)?;
                let known = self.growing.iter().position(|text| text.thread == thread);
                let at = match known {
                    Some(at) => at,
                    None => self.begin(&thread, index, &mut each)?,
                };
                let start = json.offset_of(piece);
                let place = start..start + piece.bytes().len();
                let text = &mut self.growing[at];
                let shown = text.mask.push(&piece.as_str().unwrap_or_default(), &self.redactor);
                let masked = masked(json.bytes(), Some((&place, &shown)), &self.redactor);
                if text.mask.is_holding() {
                    json.bytes().clone_into(&mut text.line);
                    text.piece = place;
                }
                each(&masked)
            }
            Growth::Ends(thread) => {
                self.release(|text| text.thread == thread, &mut each)?;
                each(&masked(line, None, &self.redactor))
            }
            Growth::EndsAll => {
                self.release(|_| true, &mut each)?;
                each(&masked(line, None, &self.redactor))
            }
            Growth::None => each(&masked(line, None, &self.redactor)),
        }
    }

    /// Hands on what is kept back when nothing follows.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn end<E>(&mut self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.release(|_| true, &mut each)
    }

    /// A text begins; its place.
    fn begin<E>(
        &mut self,
        thread: &str,
        index: u64,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, E> {
        if self.growing.len() == MOST_GROWING {
            let oldest = self.growing.remove(0);
            oldest.release(&self.redactor, each)?;
        }
        self.growing.push(Growing {
            thread: thread.to_owned(),
            index,
            mask: TextMask::default(),
            line: Vec::new(),
            piece: 0..0,
        });
        Ok(self.growing.len() - 1)
    }

    /// These texts are complete.
    fn release<E>(
        &mut self,
        complete: impl Fn(&Growing) -> bool,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let texts = self.growing.extract_if(.., |text| complete(text)).collect::<Vec<_>>();
        texts.into_iter().try_for_each(|text| text.release(&self.redactor, each))
    }
}

impl Growing {
    /// Hands on what is kept back.
    fn release<E>(
        mut self,
        redactor: &Redactor,
        each: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.mask.is_holding() {
            return Ok(());
        }
        let rest = self.mask.end(redactor);
        each(&masked(&self.line, Some((&self.piece, &rest)), redactor))
    }
}

/// A line with its strings masked; the one at the given place becomes another.
fn masked<'l>(
    line: &'l [u8],
    instead: Option<(&Range<usize>, &str)>,
    redactor: &Redactor,
) -> Cow<'l, [u8]> {
    if instead.is_none() && redactor.passes(line) {
        return Cow::Borrowed(line);
    }
    let mut masked = Vec::new();
    let mut copied = 0;
    // Whether the string that follows is the value of a secret member.
    let mut secret = false;
    for string in strings(line) {
        let Some(text) = Json::new(&line[string.clone()]).as_str() else {
            secret = false;
            continue;
        };
        let own = match instead {
            Some((place, other)) if *place == string => {
                (other != text).then_some(Cow::Borrowed(other))
            }
            _ if secret && text.len() >= SECRET_LENGTH => Some(Cow::Borrowed(REDACTED)),
            _ => match redactor.mask(&text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(masked) => Some(Cow::Owned(masked)),
            },
        };
        secret = is_name_of_string(line, string.end) && is_secret_name(&text);
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

/// Where the strings of a line are, with their quotes.
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

/// Whether a colon and another string follow the string that ends there.
fn is_name_of_string(line: &[u8], end: usize) -> bool {
    let value = line[end..].trim_ascii_start().strip_prefix(b":");
    value.is_some_and(|value| value.trim_ascii_start().starts_with(b"\""))
}
