//! The rows of one file.

use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::messages::MessageRows;
use super::schema::{ExportRow, TableName, TableOrigin, ToolRecord};
use super::text::{MaxText, cut};
use crate::catalog::{Overview, OverviewBuilder};
use crate::harness::Harness;
use crate::origin::OriginTracker;
use crate::output::RowOrigin;
use crate::reader::{DecodedLine, LineSink};
use crate::run::{ToolOutcome, ToolPairing};
use crate::sessions::SessionSource;
use crate::usage::{FileEnd, FileUsage, Prices};

/// What rows are made of.
#[derive(Clone, Copy)]
pub(crate) struct ExtractOptions<'a> {
    pub(crate) tables: &'a [TableName],
    pub(crate) max_text: MaxText,
    pub(crate) prices: &'a Prices,
    pub(crate) harness: Option<Harness>,
}

/// What a file adds to rows that are made of all files of a session.
pub(crate) struct FinishedFile {
    pub(crate) file: FileUsage,
    pub(super) overview: Overview,
    /// The origin of rows about the whole file.
    pub(super) origin: TableOrigin,
}

/// Turns the lines of a file into rows, which it passes on.
pub(crate) struct FileExtraction<'a, F> {
    options: ExtractOptions<'a>,
    overview: OverviewBuilder,
    tracker: OriginTracker,
    origin: RowOrigin,
    /// When the file was modified.
    modified: Option<Timestamp>,
    tools: Option<ToolPairing>,
    messages: Option<MessageRows>,
    row: F,
}

impl<'a, F: FnMut(ExportRow) -> io::Result<()>> FileExtraction<'a, F> {
    /// Starts a file, whose rows are passed to `row`.
    pub(crate) fn new(source: &SessionSource, options: ExtractOptions<'a>, row: F) -> Self {
        let mut origin = RowOrigin::default();
        let tracker = OriginTracker::start(&source.name(), &mut origin);
        let has = |table: TableName| options.tables.contains(&table);
        Self {
            overview: OverviewBuilder::new(options.harness),
            tracker,
            origin,
            modified: source.modified().and_then(|time| Timestamp::try_from(time).ok()),
            tools: has(TableName::Tools).then(|| ToolPairing::default().holding().with_times()),
            messages: has(TableName::Messages).then(|| MessageRows::new(options.max_text)),
            row,
            options,
        }
    }

    /// Ends the file. The rows that are left depend on other files of its session.
    pub(crate) fn finish(
        mut self,
        source: &SessionSource,
        end: FileEnd,
    ) -> io::Result<FinishedFile> {
        self.origin.line = None;
        if let Some(tools) = self.tools.take() {
            let Self { origin, options, modified, row, .. } = &mut self;
            tools.pending(|outcome| {
                row(tool_row(outcome, table_origin(origin, *modified), options.max_text))
            })?;
        }
        if let Some(mut messages) = self.messages.take() {
            let origin = table_origin(&self.origin, self.modified);
            messages.end(&origin, &mut self.row)?;
        }
        let (file, overview) = self.overview.finish(source, end);
        Ok(FinishedFile { origin: table_origin(&self.origin, self.modified), file, overview })
    }
}

impl<F: FnMut(ExportRow) -> io::Result<()>> LineSink for FileExtraction<'_, F> {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.overview.line(number, line)?;
        let DecodedLine::Record(record) = line else { return Ok(()) };
        let Self { tracker, origin, modified, tools, messages, options, row, .. } = self;
        tracker.apply(record, number, origin);
        if let Some(tools) = tools {
            tools.apply(record, |outcome| {
                row(tool_row(outcome, table_origin(origin, *modified), options.max_text))
            })?;
        }
        if let Some(messages) = messages {
            messages.apply(record, &|| table_origin(origin, *modified), row)?;
        }
        Ok(())
    }

    fn before_wait(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the columns that every table has.
fn table_origin(origin: &RowOrigin, modified: Option<Timestamp>) -> TableOrigin {
    let mut columns = TableOrigin {
        harness: if origin.harness.is_empty() { Harness::Unknown.name() } else { origin.harness },
        session_id: origin.session_id.clone().unwrap_or_else(|| origin.file.clone()),
        project: origin.project.clone(),
        file: origin.file.clone(),
        line: origin.line,
        ..TableOrigin::default()
    };
    let time = origin.time();
    set_time(&mut columns, time.or(modified), time.is_none());
    columns
}

pub(super) fn set_time(origin: &mut TableOrigin, time: Option<Timestamp>, is_undated: bool) {
    origin.timestamp = time;
    origin.day = time.map(|time| time.to_zoned(TimeZone::UTC).date());
    origin.is_undated = is_undated;
}

/// Returns the row of a call, at the time of its end, or of its start if it is pending.
fn tool_row(outcome: &ToolOutcome<'_>, origin: TableOrigin, max_text: MaxText) -> ExportRow {
    let mut origin = origin;
    let started = outcome.call.started_at.filter(|_| outcome.result.is_none());
    if let Some(time) = outcome.ended_at.or(started) {
        set_time(&mut origin, Some(time), false);
    }
    ExportRow { origin, record: tool(outcome, max_text).into() }
}

fn tool(outcome: &ToolOutcome<'_>, max_text: MaxText) -> ToolRecord {
    let ToolOutcome { call, status, result, .. } = outcome;
    let output = match result {
        Some(result) => result.output.as_deref(),
        None => call.output.as_deref(),
    };
    let input = call.input.as_deref().map(String::from_utf8_lossy);
    let (input, is_input_cut) = cut(input.as_deref(), max_text);
    let (kept, is_output_cut) = cut(output, max_text);
    ToolRecord {
        id: call.id.clone(),
        name: call.name.clone(),
        server: call.server.clone(),
        status: status.name(),
        is_error: result.and_then(|result| result.is_error),
        exit_code: outcome.exit_code(),
        parent_id: call.parent_id.clone(),
        started_at: call.started_at,
        duration_ms: outcome.duration().and_then(|time| u64::try_from(time.as_millis()).ok()),
        input,
        output: kept,
        output_bytes: output.map_or(0, str::len) as u64,
        is_truncated: is_input_cut || is_output_cut,
    }
}
