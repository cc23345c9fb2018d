//! Decides whose an object is, with a memory of one dialect.

use super::{Claim, DIALECTS, Dialect, Harness, Head};

/// What the stream has shown so far.
#[derive(Clone, Copy, Default)]
pub(super) struct Detector {
    forced: Option<Harness>,
    /// The dialect the stream has shown last.
    shown: Option<&'static Dialect>,
}

/// Whose an object is.
#[derive(Clone, Copy)]
pub(super) struct Detected {
    pub(super) dialect: &'static Dialect,
    /// Not just because nobody else has been seen yet.
    pub(super) certain: bool,
}

impl Detector {
    pub(super) fn new(forced: Option<Harness>) -> Self {
        Self { forced, shown: None }
    }

    /// Whether both would say the same of every object.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let dialect = |detector: &Self| detector.shown.map(std::ptr::from_ref);
        self.forced == other.forced && dialect(self) == dialect(other)
    }

    pub(super) fn detect(&mut self, head: &Head<'_, '_>) -> Option<Detected> {
        // A name, given by the user or in the object, decides.
        let named = self.forced.or(head.tag);
        let candidates = DIALECTS
            .iter()
            .filter(|dialect| named.is_none_or(|harness| dialect.harness == harness));
        // Of equal claims the first in the table is best.
        let mut best: Option<(Claim, &'static Dialect)> = None;
        for dialect in candidates {
            let claim = (dialect.claim)(head);
            if best.is_none_or(|(most, _)| claim > most) {
                best = Some((claim, dialect));
            }
            // Nothing is surer than that.
            if claim == Claim::Certain {
                break;
            }
        }
        let (claim, dialect) = best?;
        if named.is_some() || claim == Claim::Certain {
            self.shown = Some(dialect);
            return Some(Detected { dialect, certain: true });
        }
        match (self.shown, claim) {
            (Some(dialect), _) => Some(Detected { dialect, certain: true }),
            (None, Claim::Shared) => Some(Detected { dialect, certain: false }),
            (None, _) => None,
        }
    }
}
