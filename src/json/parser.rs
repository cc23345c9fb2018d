//! The tokeniser: one simd-json tape per line, all buffers reused.

use simd_json::{Buffers, INPUT_PADDING, Node, Tape};

use super::check::{self, Malformed};
use super::skeleton::{self, Gap};
use super::value::{Origin, Value};

/// Objects and arrays nested deeper than this are refused, so that nothing
/// that walks a value can run out of stack.
pub const MAX_DEPTH: usize = simd_json::DEFAULT_MAX_DEPTH;

/// Tokenises one line after the other.
///
/// simd-json validates the whole line: grammar, UTF-8, numbers, nesting. It
/// unescapes strings in place, so it works on a copy and the caller's bytes
/// stay as they came. Who does not need the long strings of a line can
/// [skim](Self::skim) it: they are validated and stay where they are.
pub struct Parser {
    scratch: Vec<u8>,
    buffers: Buffers,
    tape: Tape<'static>,
    gaps: Vec<Gap>,
}

/// What is tokenised in the place of a line.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Line,
    Skeleton,
    Mended,
}

/// Buffers that a line has made larger than this are not kept.
const KEPT: usize = 4 << 20;

/// A line that is JSON.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t, 'a> {
    /// The value on the line.
    pub root: Value<'t, 'a>,
    /// Whether the line had to be mended (invalid UTF-8, lone surrogates,
    /// numbers beyond every range) before it could be tokenised.
    pub mended: bool,
}

impl Default for Parser {
    fn default() -> Self {
        Self {
            scratch: Vec::new(),
            buffers: Buffers::default(),
            tape: Tape(Vec::new()),
            gaps: Vec::new(),
        }
    }
}

impl Parser {
    /// Tokenises `line` and hands the document to `read`.
    ///
    /// # Errors
    ///
    /// [`Malformed`] says what is wrong with a line that is not JSON.
    pub fn parse<R>(
        &mut self,
        line: &[u8],
        read: impl FnOnce(Document<'_, '_>) -> R,
    ) -> Result<R, Malformed> {
        match self.whole(line, line, Form::Line, read) {
            Ok(answer) => Ok(answer),
            // Rare: the line is broken, or it is one of those worth keeping.
            Err(read) => {
                let mended = check::mend(line)?;
                self.whole(&mended.representable(), &mended.text, Form::Mended, read)
                    .map_err(|_| Malformed::REFUSED)
            }
        }
    }

    /// The same for a line with long strings, which are left out: they can be
    /// had as [texts](Value::as_text) and are empty otherwise, of which
    /// [`Value::lacks`] tells. None: the line is to be parsed.
    pub fn skim<R>(&mut self, line: &[u8], read: impl FnOnce(Document<'_, '_>) -> R) -> Option<R> {
        self.make_room(line.len());
        let length = skeleton::write(line, &mut self.scratch, &mut self.gaps)?;
        self.tokenise(line, length, Form::Skeleton, read).ok()
    }

    /// Tokenises `line`, or gives `read` back when simd-json refuses it.
    ///
    /// `text` is what the values' bytes are taken from; it is as long as
    /// `line` and differs from it in numbers at most.
    fn whole<R, F: FnOnce(Document<'_, '_>) -> R>(
        &mut self,
        line: &[u8],
        text: &[u8],
        form: Form,
        read: F,
    ) -> Result<R, F> {
        self.make_room(line.len());
        self.scratch[..line.len()].copy_from_slice(line);
        self.tokenise(text, line.len(), form, read)
    }

    fn make_room(&mut self, length: usize) {
        if self.scratch.len() < length + INPUT_PADDING {
            self.scratch.resize(length + INPUT_PADDING, 0);
        }
    }

    /// Tokenises the first `length` bytes of the scratch.
    fn tokenise<R, F: FnOnce(Document<'_, '_>) -> R>(
        &mut self,
        text: &[u8],
        length: usize,
        form: Form,
        read: F,
    ) -> Result<R, F> {
        let address = self.scratch.as_ptr().addr();
        let gaps = if form == Form::Skeleton { &*self.gaps } else { &[] };
        let mut tape = std::mem::replace(&mut self.tape, Tape(Vec::new())).reset();
        let padded = &mut self.scratch[..length + INPUT_PADDING];
        let answer = if fill(padded, length, &mut self.buffers, &mut tape) {
            let origin = Origin::new(text, address, gaps);
            let root = Value::new(&tape.0, &origin);
            Ok(read(Document { root, mended: form == Form::Mended }))
        } else {
            Err(read)
        };
        self.tape = tape.reset();
        if text.len() > KEPT {
            *self = Self::default();
        }
        answer
    }
}

/// Tokenises the first `length` bytes of `padded`, in place.
fn fill<'a>(
    padded: &'a mut [u8],
    length: usize,
    buffers: &mut Buffers,
    tape: &mut Tape<'a>,
) -> bool {
    padded[length..].fill(0);
    simd_json::fill_tape_padded(padded, length, buffers, tape).is_ok()
}

/// Tokenises many lines whose tapes can stay.
#[derive(Default)]
pub struct Tokeniser {
    buffers: Buffers,
}

/// The tape of the line that was tokenised last, and those that were kept, one
/// behind the other.
#[derive(Default)]
pub struct Tapes<'a> {
    last: Tokenised<'a>,
    kept: Vec<Kept<'a>>,
    nodes: Vec<Node<'a>>,
    gaps: Vec<Gap>,
}

/// A line, tokenised.
#[derive(Default)]
struct Tokenised<'a> {
    nodes: Vec<Node<'a>>,
    gaps: Vec<Gap>,
    line: &'a [u8],
    /// Where its first byte was tokenised.
    address: usize,
}

/// A line whose tape was kept.
#[derive(Default)]
struct Kept<'a> {
    /// How many are its own.
    nodes: usize,
    gaps: usize,
    line: &'a [u8],
    address: usize,
}

/// Memory that lines are tokenised in, one behind the other.
pub struct Room<'a>(pub &'a mut [u8]);

/// A line on the tapes.
pub struct OnTape<'t, 'a> {
    nodes: &'t [Node<'a>],
    origin: Origin<'t, 'a>,
}

impl<'a> OnTape<'_, 'a> {
    /// What it holds.
    #[must_use]
    pub fn value(&self) -> Value<'_, 'a> {
        Value::new(self.nodes, &self.origin)
    }
}

impl Tokeniser {
    /// Room that so many lines of so many bytes together need.
    #[must_use]
    pub fn room_for(bytes: usize, lines: usize) -> usize {
        bytes + lines * INPUT_PADDING
    }

    /// Tokenises `line` in the front of `room`; without its long strings (see
    /// [`Parser::skim`]) if it is to be skimmed. It is the [last](Tapes::last) one
    /// then. False: it is not JSON, has to be mended, or there is no room; there is
    /// no last one then.
    pub fn tokenise<'a>(
        &mut self,
        line: &'a [u8],
        skim: bool,
        room: &mut Room<'a>,
        tapes: &mut Tapes<'a>,
    ) -> bool {
        let Room(free) = room;
        if free.len() < line.len() + INPUT_PADDING {
            return false;
        }
        let Tokenised { mut nodes, mut gaps, .. } = std::mem::take(&mut tapes.last);
        let skeleton = if skim { skeleton::write(line, free, &mut gaps) } else { None };
        let length = skeleton.unwrap_or_else(|| {
            gaps.clear();
            free[..line.len()].copy_from_slice(line);
            line.len()
        });
        let (padded, rest) = std::mem::take(free).split_at_mut(length + INPUT_PADDING);
        *free = rest;
        let address = padded.as_ptr().addr();
        nodes.clear();
        let mut tape = Tape(nodes);
        let accepted = fill(padded, length, &mut self.buffers, &mut tape);
        tapes.last = Tokenised { nodes: tape.0, gaps, line, address };
        accepted
    }
}

impl<'a> Tapes<'a> {
    /// The same memory, for other lines.
    #[must_use]
    pub fn reset<'b>(self) -> Tapes<'b> {
        let Self { last, mut kept, nodes, mut gaps } = self;
        let last = Tokenised {
            nodes: Tape(last.nodes).reset().0,
            gaps: last.gaps,
            ..Tokenised::default()
        };
        kept.clear();
        gaps.clear();
        // In place: the layout is the same.
        let kept = kept.into_iter().map(|_| Kept::default()).collect();
        Tapes { last, kept, nodes: Tape(nodes).reset().0, gaps }
    }

    /// How much memory the lines that were kept take, about.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of_val(&*self.kept) + size_of_val(&*self.nodes) + size_of_val(&*self.gaps)
    }

    /// The line that was tokenised last.
    #[must_use]
    pub fn last(&self) -> OnTape<'_, 'a> {
        let Tokenised { nodes, gaps, line, address } = &self.last;
        OnTape { nodes, origin: Origin::new(line, *address, gaps) }
    }

    /// Keeps the line that was tokenised last.
    pub fn keep_last(&mut self) {
        let Tokenised { nodes, gaps, line, address } = &mut self.last;
        self.kept.push(Kept { nodes: nodes.len(), gaps: gaps.len(), line, address: *address });
        self.nodes.append(nodes);
        self.gaps.append(gaps);
    }

    /// The lines that were kept.
    pub fn kept(&self) -> impl Iterator<Item = OnTape<'_, 'a>> {
        let (mut nodes, mut gaps) = (&*self.nodes, &*self.gaps);
        self.kept.iter().map(move |kept| {
            let (own_nodes, own_gaps);
            (own_nodes, nodes) = nodes.split_at(kept.nodes);
            (own_gaps, gaps) = gaps.split_at(kept.gaps);
            OnTape { nodes: own_nodes, origin: Origin::new(kept.line, kept.address, own_gaps) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(parser: &mut Parser, line: &[u8]) -> Result<(String, bool), Malformed> {
        parser.parse(line, |document| {
            let text = document.root.get("text").and_then(Value::as_str);
            (text.unwrap_or_default().to_owned(), document.mended)
        })
    }

    #[test]
    fn a_broken_line_does_not_harm_the_next_one() {
        let mut parser = Parser::default();
        for _ in 0..3 {
            assert!(text_of(&mut parser, br#"{"text":"cut"#).is_err());
            let read = text_of(&mut parser, br#"{"text":"a\nb"}"#).unwrap();
            assert_eq!(read, ("a\nb".to_owned(), false));
        }
    }

    #[test]
    fn invalid_utf8_is_kept_with_replacement_characters() {
        let read = text_of(&mut Parser::default(), b"{\"text\":\"a\xff\xfeb\"}").unwrap();
        assert_eq!(read, ("a\u{fffd}\u{fffd}b".to_owned(), true));
    }

    #[test]
    fn a_lone_surrogate_is_kept_with_a_replacement_character() {
        let mut parser = Parser::default();
        let lone = text_of(&mut parser, br#"{"text":"x\ud83dy"}"#).unwrap();
        assert_eq!(lone, ("x\u{fffd}y".to_owned(), true));
        let pair = text_of(&mut parser, br#"{"text":"\ud83d\ude00"}"#).unwrap();
        assert_eq!(pair, ("\u{1f600}".to_owned(), false));
    }

    #[test]
    fn numbers_beyond_every_range_do_not_cost_the_line() {
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
            assert_eq!(bytes.unwrap(), number.as_bytes(), "the spelling stays");
        }
    }

    #[test]
    fn nesting_is_bounded_without_recursion() {
        let mut parser = Parser::default();
        let nest = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parser.parse(nest(MAX_DEPTH).as_bytes(), |_| ()).is_ok());
        for depth in [MAX_DEPTH + 1, 100_000] {
            let refused = parser.parse(nest(depth).as_bytes(), |_| ()).unwrap_err();
            assert_eq!(refused.to_string(), "nested deeper than 1024 levels");
        }
    }

    #[test]
    fn lines_that_are_kept_know_what_was_left_out_of_each() {
        let long = |word: &str| word.repeat(90);
        let lines = [
            format!(r#"{{"a":"{}","b":["{}"]}}"#, long("one "), long("two ")),
            r#"{"a":"short"}"#.to_owned(),
            format!(r#"{{"more":{{}},"a":"{}"}}"#, long("three\\n")),
        ];
        let mut memory = vec![0; Tokeniser::room_for(lines.concat().len(), lines.len())];
        let (mut tokeniser, mut tapes) = (Tokeniser::default(), Tapes::default());
        let mut room = Room(&mut memory);
        for line in &lines {
            assert!(tokeniser.tokenise(line.as_bytes(), true, &mut room, &mut tapes));
            tapes.keep_last();
        }
        let texts: Vec<String> = tapes
            .kept()
            .map(|line| line.value().get("a").and_then(Value::as_text).unwrap().to_string())
            .collect();
        assert_eq!(texts, [long("one "), "short".to_owned(), long("three\n")]);
        let lacking = tapes.kept().map(|line| {
            let _ = line.value().get("a").and_then(Value::as_str);
            line.value().lacks()
        });
        assert_eq!(lacking.collect::<Vec<_>>(), [true, false, true]);
    }
}
