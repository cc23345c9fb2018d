//! A line becomes what it says: tokenise, detect, translate.

use super::detector::{Detected, Detector};
use super::{Event, Harness, Head, Json, Packet, Place, Value};
use crate::event::Interest;
use crate::json::{Document, Malformed, Parser};

/// What a line turned out to be.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Reading<'a> {
    /// Nothing but space.
    Blank,
    /// A JSON object. A line that is an array of messages gives one per
    /// element.
    Packet(Packet<'a>),
    /// JSON, but no object.
    Ignored(Json<'a>),
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
    habits: Habits,
}

/// How lines are decoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Habits {
    /// A line that is an array of messages stays one.
    pub whole_lines: bool,
    /// What packets have of their [objects](Packet::object).
    pub objects: Objects,
    /// What is decoded.
    pub interest: Interest,
}

/// How much of an object can be seen, beside what is made of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objects {
    /// Nothing.
    #[default]
    None,
    /// Everything but long strings, which cost little then. They seem to be empty;
    /// whoever has asked for one learns it from [`Value::lacks`], and has to
    /// [parse](Parser::parse) the line.
    Skimmed,
    /// Everything, for users of the library.
    Whole,
}

impl Objects {
    /// Whether nobody needs the long strings of a line, but for what is made of them.
    pub(super) fn skims(self) -> bool {
        self != Self::Whole
    }

    /// Whether somebody sees them.
    pub(super) fn are_seen(self) -> bool {
        self != Self::None
    }
}

impl Decoder {
    /// A decoder that reads everything as `forced` if that is given.
    #[must_use]
    pub fn new(forced: Option<Harness>) -> Self {
        Self { detector: Detector::new(forced), ..Self::default() }
    }

    /// Goes on where a stream has come to.
    pub(super) fn go_on_at(&mut self, detector: Detector, habits: Habits) {
        (self.detector, self.habits) = (detector, habits);
    }

    pub(super) fn detector(&self) -> Detector {
        self.detector
    }

    pub(super) fn set_detector(&mut self, detector: Detector) {
        self.detector = detector;
    }

    pub(super) fn habits(&self) -> Habits {
        self.habits
    }

    /// The same with other habits.
    #[must_use]
    pub fn with(self, habits: Habits) -> Self {
        Self { habits, ..self }
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
            Ok(Found::Messages) if !self.habits.whole_lines => Json::new(line)
                .elements()
                .try_for_each(|element| match self.object(element.bytes(), &mut each) {
                    Ok(Found::Object(done)) => done,
                    Ok(_) => Ok(()),
                    Err(malformed) => each(Reading::Malformed(malformed)),
                }),
            Ok(Found::Messages | Found::Other) => each(Reading::Ignored(Json::new(line))),
            Err(malformed) => each(Reading::Malformed(malformed)),
        }
    }

    fn object<E>(
        &mut self,
        line: &[u8],
        each: &mut impl FnMut(Reading<'_>) -> Result<(), E>,
    ) -> Result<Found<E>, Malformed> {
        let Self { parser, events, detector, habits } = self;
        let Habits { objects, interest, .. } = *habits;
        let mut read = |document: Document<'_, '_>| {
            let Document { root, mended } = document;
            if !root.is_object() {
                return Some(Found::of(root));
            }
            let mut own = reuse(std::mem::take(events));
            let mut seen = *detector;
            let about = About::of(root, interest, &mut seen, &mut own);
            let found = (!root.lacks()).then(|| {
                *detector = seen;
                let object = Some(root).filter(|_| objects.are_seen());
                Found::Object(each(Reading::Packet(about.packet(&own, object, line, mended))))
            });
            *events = reuse(own);
            found
        };
        if objects.skims()
            && let Some(Some(found)) = parser.skim(line, &mut read)
        {
            return Ok(found);
        }
        Ok(parser.parse(line, read)?.unwrap_or(Found::Other))
    }
}

/// What is known of an object beside its events.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    harness: Harness,
    certain: bool,
    place: Place<'a>,
    timestamp: Option<&'a str>,
    tagged: bool,
}

impl<'a> About<'a> {
    /// Detects whose `object` is and puts what it says behind `events`.
    pub(super) fn of(
        object: Value<'_, 'a>,
        interest: Interest,
        detector: &mut Detector,
        events: &mut Vec<Event<'a>>,
    ) -> Self {
        let head = Head::new(object, interest);
        let before = events.len();
        let detected = detector.detect(&head);
        let decode = |detected: Detected| (detected.dialect.decode)(&head, &mut *events);
        let place = detected.filter(|_| interest != Interest::Nothing).map(decode);
        if interest != Interest::All {
            let mut kept = before;
            for at in before..events.len() {
                if interest.simplify(&mut events[at]) {
                    if kept < at {
                        events.swap(kept, at);
                    }
                    kept += 1;
                }
            }
            events.truncate(kept);
        } else if events.len() == before {
            events.push(head.other());
        }
        Self {
            harness: detected.map_or(Harness::Unknown, |detected| detected.dialect.harness),
            certain: detected.is_some_and(|detected| detected.certain),
            place: place.unwrap_or_default(),
            timestamp: head.timestamp,
            tagged: head.tagged,
        }
    }

    pub(super) fn packet<'b>(
        &self,
        events: &'b [Event<'b>],
        object: Option<Value<'b, 'b>>,
        line: &'b [u8],
        mended: bool,
    ) -> Packet<'b>
    where
        'a: 'b,
    {
        Packet {
            harness: self.harness,
            certain: self.certain,
            session_id: self.place.session_id,
            parent_id: self.place.parent_id,
            timestamp: self.timestamp,
            on_disk: self.place.on_disk,
            events,
            object,
            mended,
            json: Json::new(line),
            tagged: self.tagged,
        }
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
    fn of(value: Value<'_, '_>) -> Self {
        let typed = |element: Value<'_, '_>| element.get("type").is_some_and(Value::is_string);
        if value.elements().next().is_some() && value.elements().all(typed) {
            Self::Messages
        } else {
            Self::Other
        }
    }
}

/// Nothing but white space, of Unicode's kinds too.
pub(super) fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        None => true,
        // Nearly every line: an object.
        Some(b'{') => false,
        Some(_) => bstr::ByteSlice::trim(line).is_empty(),
    }
}

/// The same allocation, emptied, for events of another lifetime: collecting
/// a vector's own iterator into a vector of the same layout happens in place.
pub(super) fn reuse<'b>(mut events: Vec<Event<'_>>) -> Vec<Event<'b>> {
    events.clear();
    events.into_iter().map(|_| Event::TurnStarted { id: None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_events_is_allocated_once() {
        let mut events = Vec::with_capacity(7);
        events.push(Event::TurnStarted { id: None });
        let place = events.as_ptr().addr();
        let reused: Vec<Event<'_>> = reuse(events);
        assert_eq!((reused.len(), reused.capacity()), (0, 7));
        assert_eq!(reused.as_ptr().addr(), place);
    }

    #[test]
    fn an_id_may_be_as_long_as_a_text() {
        let id = "0123456789abcdef".repeat(1 << 12);
        let line = format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","content":[{{"type":"text","text":"{id}"}}]}},"session_id":"{id}","parent_tool_use_id":null}}"#
        );
        for objects in [Objects::Whole, Objects::Skimmed, Objects::None] {
            let mut seen = 0;
            let mut decoder = Decoder::default().with(Habits { objects, ..Habits::default() });
            let done = decoder.decode(line.as_bytes(), |reading| {
                let Reading::Packet(packet) = reading else { panic!("{reading:?}") };
                assert_eq!(packet.session_id, Some(&*id));
                assert_eq!(packet.harness, Harness::Claude);
                let [Event::Message(message), Event::Text { message_id, text }] = packet.events
                else {
                    panic!("{:?}", packet.events)
                };
                assert_eq!((message.id, *message_id, &**text), (Some(&*id), Some(&*id), &*id));
                seen += 1;
                Ok::<(), ()>(())
            });
            assert_eq!((done, seen), (Ok(()), 1));
        }
    }
}
