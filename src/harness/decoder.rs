//! A line becomes what it says: tokenise, detect, translate.

use super::{Claim, DIALECTS, Dialect, Event, Harness, Head, Json, Origin, Packet, Value};
use crate::json::{Malformed, Parser};

/// What a line turned out to be.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'a> {
    /// Nothing but space.
    Blank,
    /// A JSON object. A line that is an array of messages gives one per
    /// element.
    Packet(Packet<'a>),
    /// JSON, but no object.
    Ignored,
    /// Not JSON.
    Malformed(Malformed),
    /// Longer than the limit.
    TooLong(u64),
}

/// Decodes line after line of one stream.
#[derive(Default)]
pub struct Decoder {
    parser: Parser,
    events: Vec<Event<'static>>,
    detector: Detector,
}

impl Decoder {
    /// A decoder that reads everything as `forced` if that is given.
    #[must_use]
    pub fn new(forced: Option<Harness>) -> Self {
        Self {
            detector: Detector {
                forced,
                shown: None,
            },
            ..Self::default()
        }
    }

    /// Decodes a line and hands on what it is.
    ///
    /// # Errors
    ///
    /// The first error of `each`.
    pub fn decode<E>(
        &mut self,
        line: &[u8],
        mut each: impl FnMut(Reading<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if is_blank(line) {
            return each(Reading::Blank);
        }
        match self.object(line, &mut each) {
            Ok(Found::Object(done)) => done,
            Ok(Found::Messages) => Json::new(line).elements().try_for_each(|element| {
                match self.object(element.bytes(), &mut each) {
                    Ok(Found::Object(done)) => done,
                    Ok(_) => Ok(()),
                    Err(malformed) => each(Reading::Malformed(malformed)),
                }
            }),
            Ok(Found::Other) => each(Reading::Ignored),
            Err(malformed) => each(Reading::Malformed(malformed)),
        }
    }

    fn object<E>(
        &mut self,
        line: &[u8],
        each: &mut impl FnMut(Reading<'_>) -> Result<(), E>,
    ) -> Result<Found<E>, Malformed> {
        let Self {
            parser,
            events: idle,
            detector,
        } = self;
        parser.parse(line, |document| {
            if !document.root.is_object() {
                return Found::of(document.root);
            }
            let head = Head::new(document.root);
            let mut events = reuse(std::mem::take(idle));
            let (harness, origin) = match detector.detect(&head) {
                Some(dialect) => (dialect.harness, (dialect.decode)(&head, &mut events)),
                None => (Harness::Unknown, Origin::default()),
            };
            if events.is_empty() {
                events.push(head.other());
            }
            let done = each(Reading::Packet(Packet {
                harness,
                session_id: origin.session_id,
                parent_id: origin.parent_id,
                events: &events,
                json: Json::new(line),
            }));
            *idle = reuse(events);
            Found::Object(done)
        })
    }
}

/// What a JSON line holds.
enum Found<E> {
    /// An object, already handed on.
    Object(Result<(), E>),
    /// An array of objects with a type: `--output-format json --verbose`.
    Messages,
    /// Any other value.
    Other,
}

impl<E> Found<E> {
    fn of(value: Value<'_>) -> Self {
        let typed = |element: Value<'_>| element.get("type").and_then(Value::as_str).is_some();
        if value.elements().next().is_some() && value.elements().all(typed) {
            Self::Messages
        } else {
            Self::Other
        }
    }
}

/// Decides whose an object is.
#[derive(Default)]
struct Detector {
    forced: Option<Harness>,
    /// The dialect the stream has shown last.
    shown: Option<&'static Dialect>,
}

impl Detector {
    fn detect(&mut self, head: &Head<'_>) -> Option<&'static Dialect> {
        if let Some(harness) = self.forced.or(head.tag) {
            let mut own = DIALECTS.iter().filter(|dialect| dialect.harness == harness);
            let first = own.next();
            let best = own.fold(first, |best, dialect| {
                let claims_more = |than: &&Dialect| (dialect.claim)(head) > (than.claim)(head);
                if best.as_ref().is_none_or(claims_more) {
                    Some(dialect)
                } else {
                    best
                }
            });
            self.shown = best;
            return best;
        }
        let best = DIALECTS
            .iter()
            .map(|dialect| ((dialect.claim)(head), dialect))
            .max_by_key(|(claim, _)| *claim);
        match best {
            Some((Claim::Certain, dialect)) => {
                self.shown = Some(dialect);
                Some(dialect)
            }
            Some((Claim::Shared, dialect)) => self.shown.or(Some(dialect)),
            _ => self.shown,
        }
    }
}

/// Nothing but white space, of Unicode's kinds too.
fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        None => true,
        // Nearly every line: an object.
        Some(b'{') => false,
        Some(_) => bstr::ByteSlice::trim(line).is_empty(),
    }
}

/// The same allocation, emptied, for events of another lifetime.
fn reuse<'b>(mut events: Vec<Event<'_>>) -> Vec<Event<'b>> {
    events.clear();
    events.into_iter().map(|_| Event::TurnStarted).collect()
}
