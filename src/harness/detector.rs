//! Detects which CLI printed an object.

use std::sync::LazyLock;

use super::{Envelope, Harness, Location};
use crate::event::Event;

/// One format in which a CLI prints or stores events.
pub(crate) struct Dialect {
    pub(crate) harness: Harness,
    /// Returns how certain it is that an object has this format.
    pub(super) claim: fn(&Envelope<'_, '_>) -> Claim,
    /// Appends the events of an object.
    pub(crate) decode: for<'t, 'a> fn(&Envelope<'t, 'a>, &mut Vec<Event<'a>>) -> Location<'a>,
    /// The member of a document that contains further objects of this format, each of
    /// which is a record of its own; `None` if an object is one record.
    pub(crate) elements: Option<&'static str>,
}

impl Dialect {
    /// A format in which every object is one record.
    pub(super) const fn lines(
        harness: Harness,
        claim: fn(&Envelope<'_, '_>) -> Claim,
        decode: for<'t, 'a> fn(&Envelope<'t, 'a>, &mut Vec<Event<'a>>) -> Location<'a>,
    ) -> Self {
        Self { harness, claim, decode, elements: None }
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

static DIALECTS: LazyLock<Vec<&'static Dialect>> = LazyLock::new(|| {
    Harness::ALL.iter().flat_map(|harness| harness.adapter().dialects()).collect()
});

/// Detects the dialect of each object of a stream. Remembers the last one, for
/// objects whose shape several CLIs share.
///
/// The first dialect that is certain has the object. Otherwise it is the one that the
/// stream has shown, provided it shares the shape of a typical object; a typical object
/// of another shape shows its dialect.
#[derive(Clone, Copy, Default)]
pub(crate) struct Detector {
    forced: Option<Harness>,
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
    /// Creates a detector that assigns every object to `forced`, if given.
    pub(crate) fn new(forced: Option<Harness>) -> Self {
        Self { forced, shown: None }
    }

    /// Returns whether both give the same result for every object.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        let dialect = |detector: &Self| detector.shown.map(std::ptr::from_ref);
        self.forced == other.forced && dialect(self) == dialect(other)
    }

    /// Detects the dialect of an object.
    pub(crate) fn detect(&mut self, envelope: &Envelope<'_, '_>) -> Option<Detected> {
        // A name given by the user or in the object decides.
        let named = self.forced.or(envelope.tag);
        let candidates = DIALECTS
            .iter()
            .filter(|dialect| named.is_none_or(|harness| dialect.harness == harness));
        // Of equal claims the first in the registry wins. CLIs that share the shape of a
        // typical object stand before the one it is typical for.
        let mut best: Option<(Claim, &'static Dialect)> = None;
        for dialect in candidates {
            let claim = (dialect.claim)(envelope);
            if best.is_none_or(|(highest, _)| claim > highest) {
                best = Some((claim, dialect));
            }
            if claim >= Claim::Typical {
                break;
            }
        }
        let (claim, dialect) = best?;
        let is_recognized = claim != Claim::No || envelope.tag.is_some();
        let shares_shape = |shown: &&'static Dialect| (shown.claim)(envelope) != Claim::No;
        let (dialect, is_certain) = match claim {
            _ if named.is_some() => (Some(dialect), true),
            Claim::Certain => (Some(dialect), true),
            Claim::Typical => (Some(self.shown.filter(shares_shape).unwrap_or(dialect)), true),
            Claim::Shared => (Some(self.shown.unwrap_or(dialect)), self.shown.is_some()),
            Claim::No => (self.shown, true),
        };
        // A shared shape shows nothing.
        if is_certain {
            self.shown = dialect;
        }
        dialect.map(|dialect| Detected { dialect, is_certain, is_recognized })
    }
}
