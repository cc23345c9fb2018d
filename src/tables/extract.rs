//! The rows of one file.

use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::messages::MessageRows;
use super::schema::{
    ErrorRecord, RequestRecord, RunRecord, Table, TableOrigin, TableRecord, TableRow, ToolRecord,
};
use super::text::{MaxText, cut};
use crate::catalog::{Overview, OverviewBuilder};
use crate::event::FailureReason;
use crate::harness::Harness;
use crate::origin::OriginTracker;
use crate::output::RowOrigin;
use crate::reader::{DecodedLine, LineSink};
use crate::run::{Failure, ToolOutcome, ToolPairing};
use crate::sessions::SessionSource;
use crate::usage::{FileEnd, FileUsage, ItemKind, Prices, RequestKeys, Used, merge};

/// What rows are made of.
#[derive(Clone, Copy)]
pub(crate) struct ExtractOptions<'a> {
    pub(crate) tables: &'a [Table],
    pub(crate) max_text: MaxText,
    pub(crate) prices: &'a Prices,
    pub(crate) harness: Option<Harness>,
}

/// Turns the lines of a file into rows, which it passes on.
pub(crate) struct Extraction<'a, F> {
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

impl<'a, F: FnMut(TableRow) -> io::Result<()>> Extraction<'a, F> {
    /// Starts a file, whose rows are passed to `row`.
    pub(crate) fn new(source: &SessionSource, options: ExtractOptions<'a>, row: F) -> Self {
        let mut origin = RowOrigin::default();
        let tracker = OriginTracker::start(&source.name(), &mut origin);
        let has = |table: Table| options.tables.contains(&table);
        Self {
            overview: OverviewBuilder::new(options.harness),
            tracker,
            origin,
            modified: source.modified().and_then(|time| Timestamp::try_from(time).ok()),
            tools: has(Table::Tools).then(|| ToolPairing::default().holding().with_times()),
            messages: has(Table::Messages).then(|| MessageRows::new(options.max_text)),
            row,
            options,
        }
    }

    /// Ends the file.
    pub(crate) fn finish(mut self, source: &SessionSource, end: FileEnd) -> io::Result<FileUsage> {
        self.origin.line = None;
        if let Some(tools) = self.tools.take() {
            let Self { origin, options, modified, row, .. } = &mut self;
            tools.pending(|outcome| {
                let mut origin = table_origin(origin, *modified);
                if let Some(started) = outcome.call.started_at {
                    set_time(&mut origin, Some(started), false);
                }
                row(TableRow { origin, record: tool(outcome, options.max_text).into() })
            })?;
        }
        if let Some(mut messages) = self.messages.take() {
            let origin = table_origin(&self.origin, self.modified);
            messages.end(&origin, &mut self.row)?;
        }
        let Self { overview, origin, options, modified, mut row, .. } = self;
        let (file, overview) = overview.finish(source, end);
        let mut files = [file];
        if files[0].problem.is_none() {
            let ending = Ending { origin: table_origin(&origin, modified), options, overview };
            ending.rows(&mut files, &mut row)?;
        }
        let [file] = files;
        Ok(file)
    }
}

impl<F: FnMut(TableRow) -> io::Result<()>> LineSink for Extraction<'_, F> {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.overview.line(number, line)?;
        let DecodedLine::Record(record) = line else { return Ok(()) };
        let Self { tracker, origin, modified, tools, messages, options, row, .. } = self;
        tracker.apply(record, number, origin);
        if let Some(tools) = tools {
            tools.apply(record, |outcome| {
                let origin = table_origin(origin, *modified);
                row(TableRow { origin, record: tool(outcome, options.max_text).into() })
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

fn set_time(origin: &mut TableOrigin, time: Option<Timestamp>, is_undated: bool) {
    origin.timestamp = time;
    origin.day = time.map(|time| time.to_zoned(TimeZone::UTC).date());
    origin.is_undated = is_undated;
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

/// The rows that are known when the file has ended.
struct Ending<'a> {
    origin: TableOrigin,
    options: ExtractOptions<'a>,
    overview: Overview,
}

impl Ending<'_> {
    fn rows(
        &self,
        files: &mut [FileUsage; 1],
        row: &mut impl FnMut(TableRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut each = |origin: TableOrigin, record: TableRecord| {
            if self.options.tables.contains(&record.table()) {
                row(TableRow { origin, record })?;
            }
            Ok::<_, io::Error>(())
        };
        let mut totals = RunRecord::default();
        self.requests(files, |origin, request| {
            totals.input_tokens += request.input_tokens;
            totals.output_tokens += request.output_tokens;
            totals.cache_read_tokens += request.cache_read_tokens;
            totals.cache_write_tokens += request.cache_write_tokens;
            totals.reasoning_tokens += request.reasoning_tokens;
            if let Some(cost) = request.cost_usd {
                *totals.cost_usd.get_or_insert(0.0) += cost;
            }
            each(origin, request.into())
        })?;
        let origin = || self.file_origin(&files[0]);
        each(origin(), self.run(&files[0], &totals).into())?;
        match &self.overview.verdict.failure {
            Some(failure) => each(origin(), error(failure).into()),
            None => Ok(()),
        }
    }

    /// Returns the origin of a row about the whole file.
    fn file_origin(&self, file: &FileUsage) -> TableOrigin {
        let mut origin = TableOrigin {
            harness: file.harness.name(),
            session_id: file.id.clone(),
            ..self.origin.clone()
        };
        set_time(&mut origin, Some(file.last), file.is_undated);
        origin
    }

    fn requests(
        &self,
        files: &mut [FileUsage],
        mut each: impl FnMut(TableOrigin, RequestRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        let (sessions, items) = merge(files);
        let mut keys = RequestKeys::default();
        for item in items.iter().filter(|item| item.is_used()) {
            let session = &sessions[item.session];
            let mut origin = TableOrigin {
                harness: session.harness.name(),
                session_id: item.own_session().to_owned(),
                project: session.project.map(str::to_owned),
                ..self.origin.clone()
            };
            set_time(&mut origin, Some(item.at), item.is_undated);
            let tokens = &item.tokens;
            let estimate = if item.kind == ItemKind::Request {
                self.options.prices.estimate_request(item.model, tokens)
            } else {
                self.options.prices.estimate(item.model, tokens)
            };
            let record = RequestRecord {
                request_key: keys.of(item).to_string(),
                kind: item.kind.name(),
                model: Some(item.model).filter(|name| !name.is_empty()).map(str::to_owned),
                parent_session_id: item.parent_session().map(str::to_owned),
                is_stream: matches!(item.file.used, Used::Stream(_)),
                run_started_at: item.file.first.or(Some(item.file.last)),
                input_tokens: tokens.input,
                output_tokens: tokens.output,
                cache_read_tokens: tokens.cache_read.unwrap_or(0),
                cache_write_tokens: tokens.cache_write.unwrap_or(0),
                cache_write_1h_tokens: tokens.cache_write_1h,
                reasoning_tokens: tokens.reasoning.unwrap_or(0),
                total_tokens: tokens.total(),
                cost_usd: item.cost_usd,
                estimated_cost_usd: estimate.usd.filter(|_| estimate.unpriced.is_empty()),
            };
            each(origin, record)?;
        }
        Ok(())
    }

    fn run(&self, file: &FileUsage, totals: &RunRecord) -> RunRecord {
        let Overview { turns, tools, verdict, lines, version, duration_ms, .. } = &self.overview;
        let measured = || {
            let first = file.first.filter(|_| !file.is_undated)?;
            u64::try_from(file.last.as_millisecond() - first.as_millisecond()).ok()
        };
        RunRecord {
            parent_session_id: file.started_by.clone(),
            model: file.model.clone(),
            version: version.clone(),
            started_at: file.first,
            duration_ms: duration_ms.or_else(measured),
            turns: *turns,
            tool_calls: tools.calls,
            failed_tool_calls: tools.failed,
            denied_tool_calls: tools.denied,
            succeeded: verdict.succeeded_cleanly,
            is_complete: verdict.complete,
            error_category: verdict.failure.as_ref().map(|failure| failure.category.name()),
            lines: lines.total,
            malformed_lines: lines.malformed,
            ..totals.clone()
        }
    }
}

fn error(failure: &Failure) -> ErrorRecord {
    ErrorRecord {
        category: failure.category.name(),
        reason: failure.reason.map(FailureReason::name),
        status: failure.status,
        is_retryable: failure.retryable(),
        retry_at: failure.retry_at,
        source: failure.source.name(),
        message: failure.message.clone(),
    }
}
