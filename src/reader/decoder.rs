//! Decodes a line: tokenise, detect, translate.

use bstr::ByteSlice;

use super::filter::keep_requested;
use super::options::{DecodeOptions, Objects};
use crate::event::{Event, EventFilter};
use crate::harness::{Detected, Detector, Envelope, Harness, Location, Record};
use crate::json::{self, Document, Json, Malformed, Parser, Value};
use crate::redact::LineRedactor;

/// Events whose memory is kept for the next line.
const MAX_RETAINED_EVENTS: usize = 1 << 12;

/// The result of decoding a line.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DecodedLine<'a> {
    /// The line is white space.
    Blank,
    /// The line is a JSON object, or an element of an array of messages.
    Record(Record<'a>),
    /// The line is JSON, but not an object.
    NotObject(Json<'a>),
    /// The line is not JSON.
    Malformed(Malformed),
    /// The line is text that the CLI prints between its events; contains the session that
    /// it names.
    Text(Option<&'a str>),
    /// The line exceeds the limit; contains its length in bytes.
    TooLong(u64),
}

/// Decodes the lines of one stream.
///
/// There are two storage modes: [`decode_line`](Self::decode_line) lends the
/// record to a closure, and `decode_block` keeps the records of many lines.
#[derive(Default)]
pub struct Decoder {
    pub(super) parser: Parser,
    events: Vec<Event<'static>>,
    pub(super) detector: Detector,
    pub(super) options: DecodeOptions,
}

impl Decoder {
    /// Creates a decoder for a new stream.
    #[must_use]
    pub fn new(options: DecodeOptions) -> Self {
        let detector = Detector::new(options.harness, options.described);
        Self { detector, options, ..Self::default() }
    }

    /// Decodes a line without its terminator and passes the result to `each`; an
    /// array of messages gives several results.
    ///
    /// # Errors
    ///
    /// Returns the first error of `each`.
    pub fn decode_line<E>(
        &mut self,
        line: &[u8],
        each: impl FnMut(DecodedLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.decode_accepted(line, |_| Some(true), each).unwrap_or(Ok(()))
    }

    /// Decodes a line after its secrets have been masked.
    pub(super) fn decode_redacted<E>(
        &mut self,
        line: &[u8],
        redactor: &mut LineRedactor,
        mut each: impl FnMut(DecodedLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if redactor.is_clean(line) {
            // Asked twice if the line has to be tokenised in full.
            let mut decision = None;
            let accepts = |value: Value<'_, '_>| {
                decision = decision.or_else(|| redactor.read_clean(line, value));
                decision
            };
            if let Some(result) = self.decode_accepted(line, accepts, &mut each) {
                return result;
            }
        } else {
            redactor.read_line(line);
        }
        self.decode_output(redactor, each)
    }

    /// Decodes what a redactor outputs in place of a line.
    pub(super) fn decode_output<E>(
        &mut self,
        redactor: &mut LineRedactor,
        mut each: impl FnMut(DecodedLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        redactor.take_output().iter().try_for_each(|line| self.decode_line(line, &mut each))
    }

    /// Decodes a line whose value is accepted; `None` if it is refused. `accepts` returns
    /// `None` if it needs the value in full.
    fn decode_accepted<E>(
        &mut self,
        line: &[u8],
        mut accepts: impl FnMut(Value<'_, '_>) -> Option<bool>,
        mut each: impl FnMut(DecodedLine<'_>) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        if is_blank(line) {
            return Some(each(DecodedLine::Blank));
        }
        let mut any = |_: Value<'_, '_>| Some(true);
        Some(match self.decode_object(line, &mut accepts, &mut each) {
            Ok(Found::Refused) => return None,
            Ok(Found::Object(result)) => result,
            Ok(Found::Document(member)) => {
                let (header, list) = split_document(line, member);
                match self.decode_object(&header, &mut any, &mut each) {
                    Ok(Found::Object(Err(error))) => Err(error),
                    _ => self.decode_elements(list, &mut each),
                }
            }
            Ok(Found::Messages) if self.options.split_arrays => {
                self.decode_elements(Json::new(line), &mut each)
            }
            Ok(Found::Messages | Found::Other) => each(DecodedLine::NotObject(Json::new(line))),
            // Each message may have as many values as a line.
            Err(malformed) if malformed.is_too_dense() && self.may_be_messages(line) => {
                match json::repair(line) {
                    Ok(_) if is_message_array(line) => {
                        self.decode_elements(Json::new(line), &mut each)
                    }
                    Ok(_) => each(DecodedLine::Malformed(malformed)),
                    Err(malformed) => each(DecodedLine::Malformed(malformed)),
                }
            }
            Err(malformed) => each(match self.detector.text_reader(line) {
                Some(read) => DecodedLine::Text(line.to_str().ok().and_then(read)),
                None => DecodedLine::Malformed(malformed),
            }),
        })
    }

    /// Returns whether a line starts like an array of messages, and such arrays are split.
    fn may_be_messages(&self, line: &[u8]) -> bool {
        self.options.split_arrays && line.trim_ascii_start().starts_with(b"[")
    }

    /// Decodes the objects of a list as records of their own.
    fn decode_elements<E>(
        &mut self,
        list: Json<'_>,
        each: &mut impl FnMut(DecodedLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut any = |_: Value<'_, '_>| Some(true);
        list.elements().try_for_each(|element| {
            match self.decode_object(element.bytes(), &mut any, each) {
                Ok(Found::Object(result)) => result,
                Ok(_) => Ok(()),
                Err(malformed) => each(DecodedLine::Malformed(malformed)),
            }
        })
    }

    fn decode_object<E>(
        &mut self,
        line: &[u8],
        accepts: &mut impl FnMut(Value<'_, '_>) -> Option<bool>,
        each: &mut impl FnMut(DecodedLine<'_>) -> Result<(), E>,
    ) -> Result<Found<E>, Malformed> {
        let Self { parser, events, detector, options } = self;
        let mut decode = |document: Document<'_, '_>| {
            let Document { root, repaired } = document;
            if !accepts(root)? {
                return Some(Found::Refused);
            }
            if !root.is_object() {
                let found = Found::of(root);
                return (!root.touched_elided()).then_some(found);
            }
            let mut own_events = reuse(std::mem::take(events));
            let mut updated = *detector;
            let meta = LineMeta::decode(root, options.filter, &mut updated, &mut own_events);
            let found = (!root.touched_elided()).then(|| {
                if let Some(member) = meta.elements {
                    return Found::Document(member);
                }
                *detector = updated;
                let object = Some(root).filter(|_| options.objects == Objects::Elided);
                let record = meta.record(&own_events, object, line, repaired);
                Found::Object(each(DecodedLine::Record(record)))
            });
            *events = reuse(own_events);
            if events.capacity() > MAX_RETAINED_EVENTS {
                *events = Vec::new();
            }
            found
        };
        if let Some(Some(found)) = parser.parse_elided(line, &mut decode) {
            return Ok(found);
        }
        Ok(parser.parse(line, decode)?.unwrap_or(Found::Other))
    }
}

/// The metadata of an object: everything of a record except its events.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineMeta<'a> {
    harness: Harness,
    is_certain: bool,
    is_recognized: bool,
    location: Location<'a>,
    timestamp: Option<&'a str>,
    is_tagged: bool,
    /// The member that contains further records, if there are any.
    pub(super) elements: Option<&'static str>,
}

impl<'a> LineMeta<'a> {
    /// Detects the dialect of `object` and appends its events to `events`.
    pub(super) fn decode(
        object: Value<'_, 'a>,
        filter: EventFilter,
        detector: &mut Detector,
        events: &mut Vec<Event<'a>>,
    ) -> Self {
        let envelope = Envelope::new(object, filter);
        let first = events.len();
        let detected = detector.detect(&envelope);
        let decode = |detected: Detected| detected.dialect.decode(&envelope, &mut *events);
        let location = detected.filter(|_| filter != EventFilter::None).map(decode);
        if filter != EventFilter::All {
            keep_requested(filter, events, first);
        } else if events.len() == first {
            events.push(envelope.other());
        }
        let elements = detected.and_then(|detected| detected.dialect.elements);
        let has_elements =
            |member: &&str| object.get(member).is_some_and(|list| list.elements().next().is_some());
        Self {
            harness: detected.map_or(Harness::Unknown, |detected| detected.dialect.harness),
            is_certain: detected.is_some_and(|detected| detected.is_certain),
            is_recognized: detected.is_some_and(|detected| detected.is_recognized),
            location: location.unwrap_or_default(),
            timestamp: envelope.timestamp,
            is_tagged: envelope.is_tagged,
            elements: elements.filter(has_elements),
        }
    }

    /// Assembles the record.
    pub(super) fn record<'b>(
        &self,
        events: &'b [Event<'b>],
        object: Option<Value<'b, 'b>>,
        line: &'b [u8],
        repaired: bool,
    ) -> Record<'b>
    where
        'a: 'b,
    {
        Record {
            harness: self.harness,
            is_certain: self.is_certain,
            is_recognized: self.is_recognized,
            session_id: self.location.session_id,
            parent_id: self.location.parent_id,
            timestamp: self.timestamp,
            written: self.location.time,
            on_disk: self.location.on_disk,
            events,
            object,
            repaired,
            json: Json::new(line),
            is_tagged: self.is_tagged,
        }
    }
}

/// What a line of JSON contains.
enum Found<E> {
    /// An object, with the result of the closure.
    Object(Result<(), E>),
    /// An object with further records in a member, which has not been passed on.
    Document(&'static str),
    /// A value that is not accepted.
    Refused,
    /// An array of typed objects, as `--output-format json --verbose` prints it.
    Messages,
    /// Any other value.
    Other,
}

impl<E> Found<E> {
    fn of(value: Value<'_, '_>) -> Self {
        let is_typed = |element: Value<'_, '_>| element.get("type").is_some_and(Value::is_string);
        if value.elements().next().is_some() && value.elements().all(is_typed) {
            Self::Messages
        } else {
            Self::Other
        }
    }
}

/// Splits a document into an object whose list `member` is empty, and the list.
pub(super) fn split_document<'a>(line: &'a [u8], member: &str) -> (Vec<u8>, Json<'a>) {
    let document = Json::new(line);
    let Some(list) = document.get(member) else { return (line.to_vec(), Json::new(b"[]")) };
    let start = document.offset_of(list);
    let end = start + list.bytes().len();
    ([&line[..start], b"[]", &line[end..]].concat(), list)
}

/// Returns whether a line of JSON is an array of typed objects.
pub(super) fn is_message_array(line: &[u8]) -> bool {
    let is_typed =
        |element: Json<'_>| element.get("type").is_some_and(|kind| kind.bytes().starts_with(b"\""));
    let elements = || Json::new(line).elements();
    elements().next().is_some() && elements().all(is_typed)
}

/// Returns whether a line is white space, in the sense of Unicode.
pub(super) fn is_blank(line: &[u8]) -> bool {
    match line.first() {
        None => true,
        // The first byte of nearly every line.
        Some(b'{') => false,
        Some(_) => line.trim().is_empty(),
    }
}

/// Empties a vector of events for another lifetime and keeps its memory: the
/// standard library collects in place, since the layout is the same.
pub(super) fn reuse<'b>(mut events: Vec<Event<'_>>) -> Vec<Event<'b>> {
    events.clear();
    events.into_iter().map(|_| Event::TurnStarted { id: None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_events_is_reused() {
        let mut events = Vec::with_capacity(7);
        events.push(Event::TurnStarted { id: None });
        let address = events.as_ptr().addr();
        let reused: Vec<Event<'_>> = reuse(events);
        assert_eq!((reused.len(), reused.capacity()), (0, 7));
        assert_eq!(reused.as_ptr().addr(), address);
    }

    #[test]
    fn long_ids_are_decoded_in_full() {
        let id = "0123456789abcdef".repeat(1 << 12);
        let line = format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","content":[{{"type":"text","text":"{id}"}}]}},"session_id":"{id}","parent_tool_use_id":null}}"#
        );
        for objects in [Objects::Elided, Objects::None] {
            let mut count = 0;
            let mut decoder = Decoder::new(DecodeOptions { objects, ..DecodeOptions::default() });
            let result = decoder.decode_line(line.as_bytes(), |line| {
                let DecodedLine::Record(record) = line else { panic!("{line:?}") };
                assert_eq!(record.session_id, Some(&*id));
                assert_eq!(record.harness, Harness::Claude);
                let [Event::Message(message), Event::Text { message_id, text, .. }] = record.events
                else {
                    panic!("{:?}", record.events)
                };
                assert_eq!((message.id, *message_id, &**text), (Some(&*id), Some(&*id), &*id));
                count += 1;
                Ok::<(), ()>(())
            });
            assert_eq!((result, count), (Ok(()), 1));
        }
    }
}
