//! Detects which CLI printed an object.

use std::sync::LazyLock;

use super::{Description, Envelope, Harness, Location};
use crate::event::Event;

/// One format in which a CLI prints or stores events.
pub(crate) struct Dialect {
    pub(crate) harness: Harness,
    /// Returns how certain it is that an object has this format.
    pub(super) claim: fn(&Envelope<'_, '_>) -> Claim,
    /// Appends the events of an object.
    pub(super) decode: for<'t, 'a> fn(&Envelope<'t, 'a>, &mut Vec<Event<'a>>) -> Location<'a>,
    /// Whether its messages have the shape that several CLIs share: an object of one of
    /// them may be typical for another one.
    pub(super) is_message_shape: bool,
    /// The member of a document that contains further objects of this format, each of
    /// which is a record of its own; `None` if an object is one record.
    pub(crate) elements: Option<&'static str>,
    /// Returns the session that a line of text between the events names. `None` if there
    /// is nothing but events.
    pub(super) read_text: Option<ReadText>,
    /// The description of a CLI that is not built in, in place of the functions.
    pub(super) description: Option<&'static Description>,
}

/// Returns the session that a line of text names.
pub(crate) type ReadText = for<'a> fn(&'a str) -> Option<&'a str>;

impl Dialect {
    /// A format in which every object is one record.
    pub(super) const fn lines(
        harness: Harness,
        claim: fn(&Envelope<'_, '_>) -> Claim,
        decode: for<'t, 'a> fn(&Envelope<'t, 'a>, &mut Vec<Event<'a>>) -> Location<'a>,
    ) -> Self {
        Self {
            harness,
            claim,
            decode,
            is_message_shape: false,
            elements: None,
            read_text: None,
            description: None,
        }
    }

    /// A format in which every object is one record, and whose messages have the shape
    /// that several CLIs share.
    pub(super) const fn messages(
        harness: Harness,
        claim: fn(&Envelope<'_, '_>) -> Claim,
        decode: for<'t, 'a> fn(&Envelope<'t, 'a>, &mut Vec<Event<'a>>) -> Location<'a>,
    ) -> Self {
        Self { is_message_shape: true, ..Self::lines(harness, claim, decode) }
    }

    /// Returns how certain it is that an object has this format.
    fn claim(&self, envelope: &Envelope<'_, '_>) -> Claim {
        match self.description {
            None => (self.claim)(envelope),
            Some(description) => description.claim(envelope),
        }
    }

    /// Appends the events of an object.
    pub(crate) fn decode<'a>(
        &self,
        envelope: &Envelope<'_, 'a>,
        events: &mut Vec<Event<'a>>,
    ) -> Location<'a> {
        match self.description {
            None => (self.decode)(envelope, events),
            Some(description) => description.decode(envelope, events),
        }
    }
}

/// How certain it is that an object has a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// It does not have the format.
    No,
    /// It may have the format, as well as that of other CLIs.
    Shared,
    /// It has the format, unless the stream has shown a CLI that shares its shape.
    Typical,
    /// It has the format, whatever came before.
    Certain,
}

impl Claim {
    pub(super) fn certain_if(condition: bool) -> Self {
        if condition { Self::Certain } else { Self::No }
    }
}

/// The dialects of all built-in CLIs.
static DIALECTS: LazyLock<Vec<&'static Dialect>> =
    LazyLock::new(|| Harness::ALL.iter().flat_map(|harness| harness.adapter().dialects).collect());

/// Those whose messages have the shape that several CLIs share.
static MESSAGE_DIALECTS: LazyLock<Vec<&'static Dialect>> =
    LazyLock::new(|| DIALECTS.iter().copied().filter(|dialect| dialect.is_message_shape).collect());

/// Detects the dialect of each object of a stream. Remembers the last one, for
/// objects whose shape several CLIs share.
///
/// The dialect that is certain has the object. Otherwise it is the one that the stream has
/// shown, provided it shares the shape of a typical object; a typical object of another
/// shape shows its dialect. A message that is typical for the dialect shown belongs to it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Detector {
    forced: Option<Harness>,
    /// CLIs that are not built in.
    described: &'static [Harness],
    /// The dialect the stream has shown last.
    shown: Option<&'static Dialect>,
}

/// The dialect of an object.
#[derive(Clone, Copy)]
pub(crate) struct Detected {
    pub(crate) dialect: &'static Dialect,
    /// Whether it follows from the object or from the stream so far; otherwise it
    /// is a guess.
    pub(crate) is_certain: bool,
    /// Whether the object itself has the format.
    pub(crate) is_recognized: bool,
}

impl Detector {
    /// Creates a detector that assigns every object to `forced`, if given. Described CLIs
    /// are asked before those that are built in.
    pub(crate) fn new(forced: Option<Harness>, described: &'static [Harness]) -> Self {
        Self { forced, described, shown: None }
    }

    /// Returns the dialect that the stream has shown last: its CLI, and its place among the
    /// dialects of that.
    pub(crate) fn shown(&self) -> Option<(Harness, usize)> {
        let shown = self.shown?;
        let dialects = shown.harness.adapter().dialects;
        let place = dialects.iter().position(|dialect| std::ptr::eq(dialect, shown))?;
        Some((shown.harness, place))
    }

    /// Continues a stream that has shown this dialect.
    pub(crate) fn show(&mut self, shown: Option<(Harness, usize)>) {
        self.shown = shown.and_then(|(harness, place)| harness.adapter().dialects.get(place));
    }

    /// Returns whether both give the same result for every object.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        let dialect = |detector: &Self| detector.shown.map(std::ptr::from_ref);
        self.forced == other.forced && dialect(self) == dialect(other)
    }

    /// Returns how to read a line that is not JSON, if it is text that the CLI of the stream
    /// prints between its events. A line that starts like an event is none.
    pub(crate) fn text_reader(&self, line: &[u8]) -> Option<ReadText> {
        let forced = || self.forced?.adapter().dialects.first();
        let is_event = line.trim_ascii_start().starts_with(b"{");
        self.shown.or_else(forced)?.read_text.filter(|_| !is_event)
    }

    /// Detects the dialect of an object.
    pub(crate) fn detect(&mut self, envelope: &Envelope<'_, '_>) -> Option<Detected> {
        // A name given by the user or in the object decides.
        let tag = envelope.tag.or_else(|| self.described_tag(envelope));
        let named = self.forced.or(tag);
        let shown = self.shown.filter(|shown| named.is_none_or(|name| name == shown.harness));
        let shown_claim = shown.map_or(Claim::No, |shown| shown.claim(envelope));
        let (claim, dialect) = match shown {
            // Most objects have the dialect of the one before.
            Some(shown) if self.decides(shown_claim, envelope) => (shown_claim, shown),
            _ => {
                let shown = shown.map(|shown| (shown_claim, shown));
                best_claim(envelope, named, shown, self.described)?
            }
        };
        let is_recognized = claim != Claim::No || tag.is_some();
        let (dialect, is_certain) = match claim {
            _ if named.is_some() => (Some(dialect), true),
            Claim::Certain => (Some(dialect), true),
            Claim::Typical => {
                (Some(shown.filter(|_| shown_claim != Claim::No).unwrap_or(dialect)), true)
            }
            Claim::Shared => (Some(shown.unwrap_or(dialect)), shown.is_some()),
            Claim::No => (shown, true),
        };
        // A shared shape shows nothing.
        if is_certain {
            self.shown = dialect;
        }
        dialect.map(|dialect| Detected { dialect, is_certain, is_recognized })
    }

    /// Returns whether the claim of the dialect that the stream has shown settles whose
    /// object it is, so that no other dialect is asked.
    fn decides(&self, shown_claim: Claim, envelope: &Envelope<'_, '_>) -> bool {
        match shown_claim {
            Claim::Certain => true,
            Claim::Typical => is_message(envelope),
            Claim::Shared => self.described.is_empty() && is_bare(envelope),
            Claim::No => false,
        }
    }

    /// Returns the described CLI that the `harness` member names.
    fn described_tag(&self, envelope: &Envelope<'_, '_>) -> Option<Harness> {
        if !envelope.is_tagged || self.described.is_empty() {
            return None;
        }
        let name = envelope.str("harness")?;
        self.described.iter().copied().find(|harness| harness.name() == name)
    }
}

/// Returns whether an object is a message. Of CLIs that share their shape, the lines that
/// start and end a run differ; the messages between them are not examined any further.
fn is_message(envelope: &Envelope<'_, '_>) -> bool {
    matches!(envelope.kind, Some("assistant" | "user" | "stream_event"))
}

/// Returns whether an object has a type, a `message` and nothing else, as errors do. If it may
/// be of the CLI that the stream has shown, it has nothing of its own to show another one.
fn is_bare(envelope: &Envelope<'_, '_>) -> bool {
    let has_message = envelope.kind.is_some() && envelope.message.is_some();
    has_message && !is_message(envelope) && envelope.object.members().nth(2).is_none()
}

/// Returns the highest claim on an object, of equal ones the first: described CLIs, then
/// those in the registry. Given the claim of the dialect that the stream has shown.
fn best_claim(
    envelope: &Envelope<'_, '_>,
    named: Option<Harness>,
    shown: Option<(Claim, &'static Dialect)>,
    described: &'static [Harness],
) -> Option<(Claim, &'static Dialect)> {
    let mut best = shown;
    let is_typical = |(claim, _): (Claim, _)| claim == Claim::Typical;
    let built_in = if shown.is_some_and(is_typical) { &*MESSAGE_DIALECTS } else { &*DIALECTS };
    let described = described.iter().flat_map(|harness| harness.adapter().dialects);
    for dialect in described.chain(built_in.iter().copied()) {
        let has_other_shape = |best: (Claim, _)| is_typical(best) && !dialect.is_message_shape;
        let is_known = shown.is_some_and(|(_, shown)| std::ptr::eq(shown, dialect));
        let is_excluded = named.is_some_and(|name| name != dialect.harness);
        if best.is_some_and(has_other_shape) || is_known || is_excluded {
            continue;
        }
        let claim = dialect.claim(envelope);
        if best.is_none_or(|(highest, _)| claim > highest) {
            best = Some((claim, dialect));
        }
        if claim == Claim::Certain {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;
    use crate::event::EventFilter;
    use crate::json::Parser;

    /// Calls `each` with every object in the recordings.
    fn each_recorded(folder: &Path, each: &mut impl FnMut(&serde_json::Map<String, Value>)) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                each_recorded(&path, each);
            } else if path.extension().is_some_and(|extension| extension == "jsonl") {
                let text = std::fs::read(&path).unwrap();
                let values = text.split(|byte| *byte == b'\n').map(serde_json::from_slice);
                values.flatten().for_each(|value: Value| {
                    value.as_object().into_iter().for_each(&mut *each);
                });
            }
        }
    }

    type Value = serde_json::Value;

    /// The dialect that the stream has shown has such an object without others being asked.
    #[test]
    fn no_dialect_is_certain_of_a_bare_object_that_another_one_shares() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let (mut kinds, mut messages) = (BTreeSet::new(), BTreeMap::new());
        each_recorded(&folder, &mut |object| {
            kinds.extend(object.get("type").and_then(Value::as_str).map(str::to_owned));
            if let Some(message) = object.get("message") {
                // One message with the same members is enough for the dialects.
                let shape = message.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
                messages.entry(shape).or_insert_with(|| message.clone());
            }
        });
        assert!(kinds.len() > 100 && messages.len() > 5, "{} {}", kinds.len(), messages.len());
        let (mut parser, mut shared) = (Parser::default(), 0);
        for kind in &kinds {
            for message in messages.values() {
                let line = format!(r#"{{"type":"{kind}","message":{message}}}"#);
                let claims = parser.parse(line.as_bytes(), |document| {
                    let envelope = Envelope::new(document.root, EventFilter::All);
                    let dialects = DIALECTS.iter().filter(|_| is_bare(&envelope));
                    dialects.map(|dialect| dialect.claim(&envelope)).collect::<Vec<_>>()
                });
                let claims = claims.unwrap();
                if claims.contains(&Claim::Shared) {
                    assert!(!claims.contains(&Claim::Certain), "{line}");
                    shared += 1;
                }
            }
        }
        assert!(shared > 0);
    }
}
