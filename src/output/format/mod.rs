//! Output formats, one file each.

mod csv;
mod human;
mod json;
mod jsonl;
mod member;
mod sse;
mod table;
mod tsv;

use std::borrow::Cow;
use std::io;

use super::row::{Row, RowLayout};
use super::sink::Sink;
use crate::json::Json;

pub(super) use member::Member;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people; may change in any release
    #[value(alias = "text")]
    Human,
    /// One document per run
    Json,
    /// One line per row
    Jsonl,
    /// Tab-separated values with a header line
    Tsv,
    /// Comma-separated values with a header line
    Csv,
    /// Server-sent events for a browser
    Sse,
}

impl Format {
    /// Returns whether commands that print rows offer the format.
    pub(crate) fn accepts_rows(self) -> bool {
        match self {
            Self::Human | Self::Json | Self::Jsonl | Self::Tsv | Self::Csv => true,
            Self::Sse => false,
        }
    }

    /// Returns whether `events` offers the format: events have no human form and no
    /// columns.
    pub(crate) fn accepts_events(self) -> bool {
        match self {
            Self::Json | Self::Jsonl | Self::Sse => true,
            Self::Human | Self::Tsv | Self::Csv => false,
        }
    }

    /// Returns the writer of the format.
    pub(super) fn writer(self, layout: RowLayout) -> Box<dyn FormatWriter> {
        match self {
            Self::Human => Box::new(human::Human::new(layout)),
            Self::Json => Box::new(json::JsonDocument::new(layout)),
            Self::Jsonl => Box::new(jsonl::JsonLines),
            Self::Tsv => Box::new(tsv::writer(layout)),
            Self::Csv => Box::new(csv::writer(layout)),
            Self::Sse => Box::new(sse::ServerSentEvents::default()),
        }
    }
}

/// Writes rows in one format.
pub(super) trait FormatWriter {
    /// Writes a row.
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()>;

    /// Ends the rows of a run.
    fn end_run(&mut self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }

    /// Ends the output.
    fn end(&mut self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }

    /// Makes cells safe for spreadsheets, if there are any.
    fn guard_formulas(&mut self) {}

    /// Returns the member that was requested and that no row has.
    fn missing_member(&self) -> Option<&str> {
        None
    }
}

/// Returns a string's text, or the JSON of any other value.
fn plain(value: Json<'_>) -> Cow<'_, [u8]> {
    match value.as_str() {
        Some(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        None => Cow::Borrowed(value.bytes()),
    }
}
