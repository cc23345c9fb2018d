//! Reading commands: each file prints one view of a run.
//!
//! A projection receives the decoded lines one by one and writes to the
//! [output](crate::output). It neither reads input nor opens outputs.

mod check;
mod error;
mod events;
mod findings;
mod grep;
mod session;
mod sessions;
mod short_ids;
mod structured;
mod summary;
mod text;
mod token_columns;
mod tools;
mod unified;
mod usage;
mod usage_table;

use std::io;
use std::rc::Rc;
use std::time::SystemTime;

pub(crate) use check::{COLUMNS as CHECK_COLUMNS, CheckOptions, CheckProjection};
pub(crate) use error::{COLUMNS as ERROR_COLUMNS, ErrorProjection};
pub(crate) use events::{EventsProjection, Tag};
pub(crate) use findings::{COLUMNS as FINDINGS_COLUMNS, FindingsProjection};
pub(crate) use grep::{GrepOutput, GrepRows};
pub(crate) use session::{COLUMNS as SESSION_COLUMNS, SessionProjection};
pub(crate) use sessions::{ListedSession, SessionTable};
pub(crate) use structured::StructuredProjection;
pub(crate) use summary::{COLUMNS as SUMMARY_COLUMNS, SummaryProjection, SummaryRow};
pub(crate) use text::TextProjection;
pub(crate) use tools::{COLUMNS as TOOLS_COLUMNS, ToolSelection, ToolsProjection};
pub(crate) use usage::{COLUMNS as USAGE_COLUMNS, UsageProjection};
pub(crate) use usage_table::{CostChoice, PlotValue, TableRows, UsageTable, draw_plot};

use crate::event::Tokens;
use crate::exit::Exit;
use crate::harness::Harness;
use crate::output::{ObjectWriter, Output};
use crate::reader::DecodedLine;
use crate::run::ProcessEnd;
use crate::usage::Estimate;

/// What a reading command does with a run.
pub(crate) trait Projection {
    /// Receives the next line, or the next message of a line that contains several.
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()>;

    /// Ends the run.
    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit>;

    /// Called before a read that may wait.
    fn before_wait(&mut self, _: &mut Output) -> io::Result<()> {
        Ok(())
    }

    /// Returns whether it reports lines that cannot be decoded itself.
    fn reports_bad_lines(&self) -> bool {
        false
    }

    /// Returns whether it reports on every line itself, whichever CLI wrote it.
    fn reports_every_line(&self) -> bool {
        false
    }
}

/// A projection that prints nothing.
pub(crate) struct NoProjection;

impl Projection for NoProjection {
    fn line(&mut self, _: &DecodedLine<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        Ok(())
    }

    fn end(self: Box<Self>, _: &mut Output) -> io::Result<Exit> {
        Ok(Exit::Success)
    }
}

/// What is known about a run before its first line.
#[derive(Clone)]
pub(crate) struct RunContext {
    /// The name of the input.
    pub(crate) name: String,
    /// The harness given by the user.
    pub(crate) harness: Option<Harness>,
    /// When the lines were written.
    pub(crate) written: SystemTime,
    /// Waits for the end of the supervised process and returns it.
    pub(crate) process: Option<ProcessEndFn>,
}

/// Waits for the end of a supervised process and returns it.
pub(crate) type ProcessEndFn = Rc<dyn Fn() -> Rc<ProcessEnd>>;

/// Prints the contract's warning about a stream without a result. The failure of a
/// supervised run says the same.
fn note_missing_end(
    warning: Option<&str>,
    is_supervised: bool,
    out: &mut Output,
) -> io::Result<()> {
    match warning.filter(|_| !is_supervised) {
        Some(warning) => out.input_note(warning),
        None => Ok(()),
    }
}

/// Writes token counts and their sums, with the names that all rows use. The cached
/// and the uncached input mean the same for every CLI, unlike the input.
pub(crate) fn write_all_tokens(object: &mut ObjectWriter<'_>, tokens: &Tokens) {
    write_tokens(object, tokens);
    object
        .count("total_tokens", tokens.total())
        .count("cached_input_tokens", tokens.cache_read)
        .count("uncached_input_tokens", tokens.uncached_input());
}

/// Writes token counts with the names that all rows use.
fn write_tokens(object: &mut ObjectWriter<'_>, tokens: &Tokens) {
    object
        .count("input_tokens", tokens.input)
        .count("output_tokens", tokens.output)
        .count("cache_read_tokens", tokens.cache_read)
        .count("cache_write_tokens", tokens.cache_write)
        .count("cache_write_5m_tokens", tokens.cache_write_5m())
        .count("cache_write_1h_tokens", tokens.cache_write_1h)
        .count("reasoning_tokens", tokens.reasoning);
}

/// Writes an estimated cost and the date of its prices.
pub(crate) fn write_estimate(object: &mut ObjectWriter<'_>, estimate: &Estimate, date: &str) {
    object.cost("estimated_cost_usd", estimate.usd).text("prices_of", date);
    if !estimate.unpriced.is_empty() {
        object.texts("unpriced_models", estimate.unpriced.iter().map(String::as_str));
    }
}
