//! Options of a reader.

use std::fmt;
use std::sync::Arc;

use crate::event::EventFilter;
use crate::harness::Harness;
use crate::redact::Redactor;

/// The longest line that is read by default: 64 MiB.
pub const DEFAULT_MAX_LINE: usize = 64 << 20;

/// How lines are decoded; one type from the projection to the decoder.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// Decodes every line as this CLI's instead of detecting it.
    pub harness: Option<Harness>,
    /// CLIs that are not built in, which are asked first.
    pub described: &'static [Harness],
    /// Which events are decoded.
    pub filter: EventFilter,
    /// Whether a line that is an array of messages gives a record for each of
    /// them.
    pub split_arrays: bool,
    /// Which JSON objects records contain.
    pub(crate) objects: Objects,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self {
            harness: None,
            described: &[],
            filter: EventFilter::All,
            split_arrays: true,
            objects: Objects::None,
        }
    }
}

/// Whether records contain their tokenised object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Objects {
    /// They do not.
    #[default]
    None,
    /// They do, with long strings elided; see
    /// [`Value::touched_elided`](crate::json::Value).
    Elided,
}

/// How an input is read.
#[derive(Clone, Debug)]
pub(crate) struct ReaderOptions {
    pub(crate) decode: DecodeOptions,
    /// The longest line in bytes; longer ones are skipped.
    pub(crate) max_line: usize,
    /// The number of threads that decode large inputs; one per core by default.
    pub(crate) threads: Option<usize>,
    /// Masks secrets before a line is decoded.
    pub(crate) redactor: Option<Redactor>,
    /// Selects the lines that are decoded, after the first ones, by which the CLI and the
    /// session are recognised. Has an effect on one thread only.
    pub(crate) line_filter: Option<Arc<dyn LineFilter>>,
}

/// Selects lines by their bytes.
pub(crate) trait LineFilter: fmt::Debug + Send + Sync {
    /// Returns whether a line is decoded.
    fn can_matter(&self, line: &[u8]) -> bool;
}

impl Default for ReaderOptions {
    fn default() -> Self {
        Self {
            decode: DecodeOptions::default(),
            max_line: DEFAULT_MAX_LINE,
            threads: None,
            redactor: None,
            line_filter: None,
        }
    }
}
