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
}

/// How certain it is that an object has a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    /// It does not have the format.
    No,
    /// It has the format unless the stream has shown another one.
    Shared,
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
        // Of equal claims the first in the registry wins.
        let mut best: Option<(Claim, &'static Dialect)> = None;
        for dialect in candidates {
            let claim = (dialect.claim)(envelope);
            if best.is_none_or(|(highest, _)| claim > highest) {
                best = Some((claim, dialect));
            }
            if claim == Claim::Certain {
                break;
            }
        }
        let (claim, dialect) = best?;
        let is_recognized = claim != Claim::No || envelope.tag.is_some();
        if named.is_some() || claim == Claim::Certain {
            self.shown = Some(dialect);
            return Some(Detected { dialect, is_certain: true, is_recognized });
        }
        match (self.shown, claim) {
            (Some(dialect), _) => Some(Detected { dialect, is_certain: true, is_recognized }),
            (None, Claim::Shared) => Some(Detected { dialect, is_certain: false, is_recognized }),
            (None, _) => None,
        }
    }
}
