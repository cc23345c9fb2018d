//! The rows that need all files of a session: requests, runs and errors.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use super::extract::{ExtractOptions, FinishedFile, set_time};
use super::schema::{
    ErrorRecord, ExportRow, RequestRecord, RunRecord, TableName, TableOrigin, TableRecord,
};
use crate::catalog::Overview;
use crate::event::FailureReason;
use crate::run::Failure;
use crate::usage::{FileUsage, ItemKind, RequestKeys, UsageItem, Used, merge};

/// Requests of the files that are kept, at about 130 bytes each; a file counts like some.
const MAX_KEPT: usize = 400_000;
const FILE_WEIGHT: usize = 10;

/// Collects the files of a folder, as far as they follow each other. A CLI counts in one file
/// what subagents or a resumed session used, whose requests are in others: these must not count
/// twice.
pub(crate) struct SessionRows<'a> {
    options: ExtractOptions<'a>,
    /// The folder of the files, which may be in folders below it.
    folder: Option<PathBuf>,
    /// What the files count for [`MAX_KEPT`].
    kept: usize,
    files: Vec<FileUsage>,
    /// What else is known about each file.
    overviews: Vec<(TableOrigin, Overview)>,
}

impl<'a> SessionRows<'a> {
    pub(crate) fn new(options: ExtractOptions<'a>) -> Self {
        let (files, overviews) = (Vec::new(), Vec::new());
        Self { options, folder: None, kept: 0, files, overviews }
    }

    /// Adds a file. If it is in another folder than those before it, their rows are passed to
    /// `row`.
    pub(crate) fn add(
        &mut self,
        finished: FinishedFile,
        row: &mut impl FnMut(ExportRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let FinishedFile { file, overview, origin } = finished;
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let is_within = |one: &Path, other: &Path| one.starts_with(other);
        let is_related = self
            .folder
            .as_deref()
            .is_some_and(|known| is_within(known, folder) || is_within(folder, known));
        if !is_related || self.kept > MAX_KEPT {
            self.end(row)?;
            self.folder = None;
        }
        // The folder above both.
        if self.folder.as_deref().is_none_or(|known| is_within(known, folder)) {
            self.folder = Some(folder.to_owned());
        }
        self.kept += file.request_count() + FILE_WEIGHT;
        if file.problem.is_none() {
            let origin = file_origin(&origin, &file);
            self.files.push(file);
            self.overviews.push((origin, overview));
        }
        Ok(())
    }

    /// Passes on the rows of the files that are kept.
    pub(crate) fn end(
        &mut self,
        row: &mut impl FnMut(ExportRow) -> io::Result<()>,
    ) -> io::Result<()> {
        let tables = self.options.tables;
        let mut each = |origin: &TableOrigin, record: TableRecord| {
            if tables.contains(&record.table()) {
                row(ExportRow { origin: origin.clone(), record })?;
            }
            Ok::<_, io::Error>(())
        };
        let mut totals: HashMap<String, RunRecord> = HashMap::new();
        if tables.iter().any(|table| matches!(table, TableName::Requests | TableName::Runs)) {
            self.requests(|origin, request| {
                totals.entry(origin.file.clone()).or_default().add(&request);
                each(&origin, request.into())
            })?;
        }
        // The requests are sorted by their files' times.
        let files: HashMap<&str, &FileUsage> =
            self.files.iter().map(|file| (file.name.as_str(), file)).collect();
        for (origin, overview) in &self.overviews {
            let Some(file) = files.get(origin.file.as_str()) else { continue };
            let totals = totals.remove(&origin.file).unwrap_or_default();
            each(origin, run(file, overview, &totals).into())?;
            if let Some(failure) = &overview.verdict.failure {
                each(origin, error(failure).into())?;
            }
        }
        self.kept = 0;
        self.files.clear();
        self.overviews.clear();
        Ok(())
    }

    fn requests(
        &mut self,
        mut each: impl FnMut(TableOrigin, RequestRecord) -> io::Result<()>,
    ) -> io::Result<()> {
        let (sessions, items) = merge(&mut self.files);
        let mut keys = RequestKeys::default();
        for item in items.iter().filter(|item| item.is_used()) {
            let session = &sessions[item.session];
            let mut origin = TableOrigin {
                harness: session.harness.name(),
                session_id: item.own_session().to_owned(),
                project: session.project.map(str::to_owned),
                file: item.file.name.clone(),
                ..TableOrigin::default()
            };
            set_time(&mut origin, Some(item.at), item.is_undated);
            let request_key = keys.of(item).to_string();
            each(origin, RequestRecord { request_key, ..self.options.request(item) })?;
        }
        Ok(())
    }
}

impl ExtractOptions<'_> {
    fn request(&self, item: &UsageItem<'_>) -> RequestRecord {
        let tokens = &item.tokens;
        let estimate = if item.kind == ItemKind::Request {
            self.prices.estimate_request(item.model, tokens)
        } else {
            self.prices.estimate(item.model, tokens)
        };
        RequestRecord {
            request_key: String::new(),
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
        }
    }
}

impl RunRecord {
    /// Adds what a request used.
    fn add(&mut self, request: &RequestRecord) {
        self.input_tokens += request.input_tokens;
        self.output_tokens += request.output_tokens;
        self.cache_read_tokens += request.cache_read_tokens;
        self.cache_write_tokens += request.cache_write_tokens;
        self.reasoning_tokens += request.reasoning_tokens;
        if let Some(cost) = request.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }
}

/// Returns the origin of rows about the whole file.
fn file_origin(origin: &TableOrigin, file: &FileUsage) -> TableOrigin {
    let (harness, session_id) = (file.harness.name(), file.id.clone());
    let mut origin = TableOrigin { harness, session_id, line: None, ..origin.clone() };
    set_time(&mut origin, Some(file.last), file.is_undated);
    origin
}

fn run(file: &FileUsage, overview: &Overview, totals: &RunRecord) -> RunRecord {
    let Overview { turns, tools, verdict, lines, version, duration_ms, .. } = overview;
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
