//! The tokeniser: one simd-json tape per line, all buffers reused.

use simd_json::{Buffers, INPUT_PADDING, Node, Tape};

use super::density;
use super::elide::{self, Elision};
use super::repair::{self, Malformed};
use super::value::{Origin, Value};
use crate::input::lazy_size;

/// Maximum nesting of objects and arrays, so that walking a value cannot
/// overflow the stack.
pub(super) const MAX_DEPTH: usize = simd_json::DEFAULT_MAX_DEPTH;

/// Buffers that a line has grown beyond this are dropped.
const MAX_RETAINED: usize = 4 << 20;

/// Tokenises one line after the other.
///
/// simd-json validates the whole line: grammar, UTF-8, numbers, nesting. It
/// unescapes strings in place, so it works on a copy of the line.
///
/// There are two storage modes. [`parse`](Self::parse) and
/// [`parse_elided`](Self::parse_elided) keep the tape in the parser and lend it
/// to a closure; [`tokenise`](Self::tokenise) writes into an [`Arena`] and a
/// [`TapeStore`] of the caller, where the tapes of many lines stay.
pub struct Parser {
    scratch: Vec<u8>,
    buffers: Buffers,
    tape: Tape<'static>,
    elisions: Vec<Elision>,
}

/// Which copy of a line is tokenised.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    Full,
    Elided,
    /// Without wide arrays and objects.
    WithoutWide,
    Repaired,
}

/// A line that is JSON.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t, 'a> {
    /// The value on the line.
    pub root: Value<'t, 'a>,
    /// Whether the line was repaired (invalid UTF-8, lone surrogates, numbers
    /// out of range) before it was tokenised.
    pub repaired: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self {
            scratch: Vec::new(),
            buffers: Buffers::default(),
            tape: Tape(Vec::new()),
            elisions: Vec::new(),
        }
    }
}

impl Parser {
    /// Tokenises `line` and passes the document to `read`.
    pub fn parse<R>(
        &mut self,
        line: &[u8],
        read: impl FnOnce(Document<'_, '_>) -> R,
    ) -> Result<R, Malformed> {
        if density::exceeds(line, line.len()) {
            return Err(Malformed::TOO_DENSE);
        }
        match self.parse_copy(line, line, Source::Full, read) {
            Ok(result) => Ok(result),
            Err(read) => {
                let repaired = repair::repair(line)?;
                self.parse_copy(&repaired.representable(), &repaired.text, Source::Repaired, read)
                    .map_err(|_| Malformed::REJECTED)
            }
        }
    }

    /// Tokenises `line` without its long strings, which can be read with
    /// [`Value::as_text`]; [`Value::as_str`] returns them empty and records that
    /// (see [`Value::touched_elided`]). The same applies to the members and elements of wide
    /// objects and arrays in a line of too many values. Returns `None` if the line must be parsed
    /// in full.
    pub fn parse_elided<R>(
        &mut self,
        line: &[u8],
        read: impl FnOnce(Document<'_, '_>) -> R,
    ) -> Option<R> {
        self.reserve(line.len());
        let Self { scratch, elisions, .. } = self;
        let elided = elide::elide(line, scratch, elisions);
        let is_dense = |json: &[u8]| density::exceeds(json, line.len());
        if elided.map_or_else(|| is_dense(line), |length| is_dense(&scratch[..length])) {
            let length = density::elide_wide(line, scratch, elisions)?;
            return self.parse_scratch(line, length, Source::WithoutWide, read).ok();
        }
        self.parse_scratch(line, elided?, Source::Elided, read).ok()
    }

    /// Tokenises a copy of `line`, or returns `read` if simd-json rejects it.
    ///
    /// The bytes of values are taken from `text`, which has the length of `line`
    /// and differs from it in numbers only.
    fn parse_copy<R, F: FnOnce(Document<'_, '_>) -> R>(
        &mut self,
        line: &[u8],
        text: &[u8],
        source: Source,
        read: F,
    ) -> Result<R, F> {
        self.reserve(line.len());
        self.scratch[..line.len()].copy_from_slice(line);
        self.parse_scratch(text, line.len(), source, read)
    }

    fn reserve(&mut self, length: usize) {
        if self.scratch.len() < length + INPUT_PADDING {
            // Zeroed by the system: what elided strings leave unused takes no memory.
            self.scratch = vec![0; lazy_size(length + INPUT_PADDING)];
        }
    }

    /// Tokenises the first `length` bytes of the scratch buffer.
    fn parse_scratch<R, F: FnOnce(Document<'_, '_>) -> R>(
        &mut self,
        text: &[u8],
        length: usize,
        source: Source,
        read: F,
    ) -> Result<R, F> {
        let address = self.scratch.as_ptr().addr();
        let elisions: &[Elision] = match source {
            Source::Elided | Source::WithoutWide => &self.elisions,
            Source::Full | Source::Repaired => &[],
        };
        let mut tape = std::mem::replace(&mut self.tape, Tape(Vec::new())).reset();
        let padded = &mut self.scratch[..length + INPUT_PADDING];
        let result = if fill_tape(padded, length, &mut self.buffers, &mut tape) {
            let mut origin = Origin::new(text, address, elisions);
            origin.elides_wide = source == Source::WithoutWide;
            let root = Value::new(&tape.0, &origin);
            Ok(read(Document { root, repaired: source == Source::Repaired }))
        } else {
            Err(read)
        };
        self.tape = tape.reset();
        if text.len() > MAX_RETAINED {
            *self = Self::default();
        }
        result
    }

    /// Tokenises `line` in the free part of `arena`, without its long strings if
    /// `elide` is set, and stores the tape as [`TapeStore::last`]. Returns false,
    /// and leaves no last tape, if the line is not JSON, needs repair, or does not
    /// fit.
    pub fn tokenise<'a>(
        &mut self,
        line: &'a [u8],
        elide: bool,
        arena: &mut Arena<'a>,
        tapes: &mut TapeStore<'a>,
    ) -> bool {
        let Arena(free) = arena;
        if free.len() < line.len() + INPUT_PADDING {
            return false;
        }
        let LastTape { mut nodes, mut elisions, .. } = std::mem::take(&mut tapes.last);
        let elided = if elide { elide::elide(line, free, &mut elisions) } else { None };
        let length = elided.unwrap_or_else(|| {
            elisions.clear();
            free[..line.len()].copy_from_slice(line);
            line.len()
        });
        let (padded, rest) = std::mem::take(free).split_at_mut(length + INPUT_PADDING);
        *free = rest;
        let address = padded.as_ptr().addr();
        nodes.clear();
        let mut tape = Tape(nodes);
        let accepted = fill_tape(padded, length, &mut self.buffers, &mut tape);
        tapes.last = LastTape { nodes: tape.0, elisions, line, address };
        accepted
    }
}

/// Tokenises the first `length` bytes of `padded` in place.
fn fill_tape<'a>(
    padded: &'a mut [u8],
    length: usize,
    buffers: &mut Buffers,
    tape: &mut Tape<'a>,
) -> bool {
    padded[length..].fill(0);
    simd_json::fill_tape_padded(padded, length, buffers, tape).is_ok()
}

/// Free memory for the tokenised copies of lines.
pub struct Arena<'a>(pub &'a mut [u8]);

impl Arena<'_> {
    /// Returns the size of an arena for this many lines with `bytes` in total.
    pub fn size_for(bytes: usize, lines: usize) -> usize {
        bytes + lines * INPUT_PADDING
    }
}

/// The tape of the line tokenised last, and the tapes that were kept.
#[derive(Default)]
pub struct TapeStore<'a> {
    last: LastTape<'a>,
    kept: Vec<KeptTape<'a>>,
    /// Nodes and elisions of the kept tapes, in order.
    nodes: Vec<Node<'a>>,
    elisions: Vec<Elision>,
}

#[derive(Default)]
struct LastTape<'a> {
    nodes: Vec<Node<'a>>,
    elisions: Vec<Elision>,
    line: &'a [u8],
    /// Address of the tokenised copy.
    address: usize,
}

/// A kept tape; its nodes and elisions follow those of the tape before it.
#[derive(Default)]
struct KeptTape<'a> {
    node_count: usize,
    elision_count: usize,
    line: &'a [u8],
    address: usize,
}

/// One tape of a [`TapeStore`].
pub struct TapeView<'t, 'a> {
    nodes: &'t [Node<'a>],
    origin: Origin<'t, 'a>,
}

impl<'a> TapeView<'_, 'a> {
    /// Returns the value on the line.
    pub fn value(&self) -> Value<'_, 'a> {
        Value::new(self.nodes, &self.origin)
    }
}

impl<'a> TapeStore<'a> {
    /// Clears the store for lines of another lifetime and keeps its memory.
    pub fn reset<'b>(self) -> TapeStore<'b> {
        let Self { last, mut kept, nodes, mut elisions } = self;
        let last = LastTape {
            nodes: Tape(last.nodes).reset().0,
            elisions: last.elisions,
            ..LastTape::default()
        };
        kept.clear();
        elisions.clear();
        // Collects in place, since the layout is the same.
        let kept = kept.into_iter().map(|_| KeptTape::default()).collect();
        TapeStore { last, kept, nodes: Tape(nodes).reset().0, elisions }
    }

    /// Returns the approximate size of the kept tapes in bytes.
    pub fn size(&self) -> usize {
        size_of_val(&*self.kept) + size_of_val(&*self.nodes) + size_of_val(&*self.elisions)
    }

    /// Returns the tape of the line tokenised last.
    pub fn last(&self) -> TapeView<'_, 'a> {
        let LastTape { nodes, elisions, line, address } = &self.last;
        TapeView { nodes, origin: Origin::new(line, *address, elisions) }
    }

    /// Keeps the tape of the line tokenised last.
    pub fn keep_last(&mut self) {
        let LastTape { nodes, elisions, line, address } = &mut self.last;
        let (node_count, elision_count) = (nodes.len(), elisions.len());
        self.kept.push(KeptTape { node_count, elision_count, line, address: *address });
        self.nodes.append(nodes);
        self.elisions.append(elisions);
    }

    /// Iterates over the kept tapes.
    pub fn kept(&self) -> impl Iterator<Item = TapeView<'_, 'a>> {
        let (mut nodes, mut elisions) = (&*self.nodes, &*self.elisions);
        self.kept.iter().map(move |kept| {
            let (own_nodes, own_elisions);
            (own_nodes, nodes) = nodes.split_at(kept.node_count);
            (own_elisions, elisions) = elisions.split_at(kept.elision_count);
            let origin = Origin::new(kept.line, kept.address, own_elisions);
            TapeView { nodes: own_nodes, origin }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(parser: &mut Parser, line: &[u8]) -> Result<(String, bool), Malformed> {
        parser.parse(line, |document| {
            let text = document.root.get("text").and_then(Value::as_str);
            (text.unwrap_or_default().to_owned(), document.repaired)
        })
    }

    #[test]
    fn broken_line_does_not_affect_the_next_one() {
        let mut parser = Parser::default();
        for _ in 0..3 {
            assert!(text_of(&mut parser, br#"{"text":"cut"#).is_err());
            let read = text_of(&mut parser, br#"{"text":"a\nb"}"#).unwrap();
            assert_eq!(read, ("a\nb".to_owned(), false));
        }
    }

    #[test]
    fn invalid_utf8_becomes_replacement_characters() {
        let read = text_of(&mut Parser::default(), b"{\"text\":\"a\xff\xfeb\"}").unwrap();
        assert_eq!(read, ("a\u{fffd}\u{fffd}b".to_owned(), true));
    }

    #[test]
    fn lone_surrogate_becomes_a_replacement_character() {
        let mut parser = Parser::default();
        let lone = text_of(&mut parser, br#"{"text":"x\ud83dy"}"#).unwrap();
        assert_eq!(lone, ("x\u{fffd}y".to_owned(), true));
        let pair = text_of(&mut parser, br#"{"text":"\ud83d\ude00"}"#).unwrap();
        assert_eq!(pair, ("\u{1f600}".to_owned(), false));
    }

    #[test]
    fn line_with_a_number_out_of_range_is_kept() {
        let mut parser = Parser::default();
        for number in ["123456789012345678901234567890", "1e999", "-1E+400"] {
            let line = format!(r#"{{"n":{number},"text":"kept"}}"#);
            let (text, bytes) = parser
                .parse(line.as_bytes(), |document| {
                    let root = document.root;
                    let bytes = root.members().next().map(|member| member.json().bytes().to_vec());
                    (root.get("text").and_then(Value::as_str).map(str::to_owned), bytes)
                })
                .unwrap();
            assert_eq!(text.as_deref(), Some("kept"), "{number}");
            assert_eq!(bytes.unwrap(), number.as_bytes());
        }
    }

    #[test]
    fn nesting_is_bounded_without_recursion() {
        let mut parser = Parser::default();
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parser.parse(nest(MAX_DEPTH).as_bytes(), |_| ()).is_ok());
        for depth in [MAX_DEPTH + 1, 100_000] {
            let error = parser.parse(nest(depth).as_bytes(), |_| ()).unwrap_err();
            assert_eq!(error.to_string(), "nested deeper than 1024 levels");
        }
    }

    #[test]
    fn kept_tapes_have_their_own_elisions() {
        let long = |word: &str| word.repeat(90);
        let lines = [
            format!(r#"{{"a":"{}","b":["{}"]}}"#, long("one "), long("two ")),
            r#"{"a":"short"}"#.to_owned(),
            format!(r#"{{"more":{{}},"a":"{}"}}"#, long("three\\n")),
        ];
        let mut memory = vec![0; Arena::size_for(lines.concat().len(), lines.len())];
        let (mut parser, mut tapes) = (Parser::default(), TapeStore::default());
        let mut arena = Arena(&mut memory);
        for line in &lines {
            assert!(parser.tokenise(line.as_bytes(), true, &mut arena, &mut tapes));
            tapes.keep_last();
        }
        let texts: Vec<String> = tapes
            .kept()
            .map(|line| line.value().get("a").and_then(Value::as_text).unwrap().to_string())
            .collect();
        assert_eq!(texts, [long("one "), "short".to_owned(), long("three\n")]);
        let touched = tapes.kept().map(|line| {
            let _ = line.value().get("a").and_then(Value::as_str);
            line.value().touched_elided()
        });
        assert_eq!(touched.collect::<Vec<_>>(), [true, false, true]);
    }
}
