//! `export`: writes tables over many runs.

use std::borrow::Cow;
use std::io;
use std::ops::ControlFlow;

use anyhow::{Context, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::print;
use super::progress::Progress;
use super::sessions::{find_sources, table_paths};
use super::usage_table::report_problems;
use crate::cli::{ExportArgs, Global};
use crate::exit::Exit;
use crate::output::{
    ColorChoice, Diagnostics, ObjectWriter, Output, OutputSafety, Row, RowWriter, Sink, Style,
    error_message, plural,
};
use crate::program::Streams;
use crate::reader::{self, DecodeOptions, ReaderOptions, thread_count};
use crate::sessions::SessionSource;
use crate::tables::{
    ExportRow, ExtractOptions, FileExtraction, FinishedFile, SessionRows, TableName, TableWriter,
    WriteOptions, json_schema,
};
use crate::usage::{FileEnd, Prices, read_file};
use crate::workers;

/// Files up to this size are read by one thread each; their rows are kept until those of
/// the files before them are written.
const MAX_SMALL: u64 = 2 << 20;

/// Writes the tables. An error is one of writing to standard output.
pub(super) fn run(args: &ExportArgs, global: &Global, mut streams: Streams) -> io::Result<Exit> {
    if args.print_schema {
        let schema = serde_json::to_string_pretty(&json_schema())?;
        return print(format!("{schema}\n").as_bytes());
    }
    let diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let sink = streams.sink(Style::from_environment(ColorChoice::Never, false));
    let mut out = Output::new(sink, diagnostics, RowWriter::default(), OutputSafety::default());
    match Export::new(args, global).and_then(|export| export.run(&mut out)) {
        Ok(exit) => Ok(exit),
        Err(error) => {
            out.diagnostics.error(&error_message(&error));
            Ok(Exit::Error)
        }
    }
}

/// What is exported, and how.
struct Export<'a> {
    args: &'a ExportArgs,
    global: &'a Global,
    tables: Vec<TableName>,
    prices: Prices,
    reader: ReaderOptions,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

/// A file that was read, and its rows.
struct FileRows {
    file: io::Result<FinishedFile>,
    rows: Vec<ExportRow>,
}

impl<'a> Export<'a> {
    fn new(args: &'a ExportArgs, global: &'a Global) -> anyhow::Result<Self> {
        let now = Timestamp::now();
        let since =
            args.since.map(|since| since.resolve(&TimeZone::UTC, now, false)).transpose()?;
        let until = args.until.map(|until| until.resolve(&TimeZone::UTC, now, true)).transpose()?;
        if since >= until && until.is_some() {
            bail!("--since comes after --until");
        }
        let reader = ReaderOptions {
            decode: DecodeOptions {
                harness: global.harness,
                described: global.described,
                ..DecodeOptions::default()
            },
            max_line: global.max_line,
            threads: global.threads,
            redactor: global.redactor(),
            ..ReaderOptions::default()
        };
        let mut tables: Vec<TableName> = TableName::ALL.to_vec();
        tables.retain(|table| args.tables.is_empty() || args.tables.contains(table));
        Ok(Self { args, global, tables, prices: Prices::open(None)?, reader, since, until })
    }

    fn run(&self, out: &mut Output) -> anyhow::Result<Exit> {
        let paths = table_paths(&self.args.input, self.args.home)?;
        let (mut sources, mut exit) = find_sources(&paths, &self.args.input, self.global, out);
        sources.retain(|source| !self.is_old(source));
        if self.args.list {
            list(&sources, out)?;
            return Ok(exit);
        }
        let folder = self.args.output.clone().unwrap_or_default();
        let options = WriteOptions {
            folder: folder.clone(),
            format: self.args.format,
            partition_by: self.args.partition_by.clone(),
            guards_formulas: self.global.csv_safe,
        };
        let at_folder = || folder.display().to_string();
        let mut writer = TableWriter::new(options, self.args.append).with_context(at_folder)?;
        let mut progress = Progress::new(sources.len(), self.global.quiet);
        let mut sessions = SessionRows::new(self.extract_options());
        let mut each = |read: FileRows, writer: &mut TableWriter| -> anyhow::Result<()> {
            self.write(&read.rows, writer).with_context(at_folder)?;
            let finished = read.file.with_context(at_folder)?;
            let is_named = paths.contains(&finished.file.path);
            exit = exit.or_worse(report_problems(&finished.file, is_named, self.global, out));
            let mut row = |row| self.write(&[row], writer);
            sessions.add(finished, &mut row).with_context(at_folder)?;
            progress.step();
            Ok(())
        };
        writer.create(&self.tables).with_context(at_folder)?;
        for batch in workers::batches(&sources, |source| self.is_small(source)) {
            match batch {
                [source] => {
                    let file = self.read_large(source, |row| self.write(&[row], &mut writer));
                    each(FileRows { file, rows: Vec::new() }, &mut writer)?;
                }
                batch => self.read_small(batch, |read| each(read, &mut writer))?,
            }
        }
        progress.finish();
        sessions.end(&mut |row| self.write(&[row], &mut writer)).with_context(at_folder)?;
        let (rows, files) = writer.finish().with_context(at_folder)?;
        let [rows, files] = [plural(rows, "row"), plural(files, "file")];
        out.diagnostics.note(&format!("{rows} in {files} written to {}", folder.display()));
        Ok(exit)
    }

    /// Returns whether no line of a file can have been written since the first day.
    fn is_old(&self, source: &SessionSource) -> bool {
        let modified = source.modified().and_then(|time| Timestamp::try_from(time).ok());
        self.since.is_some_and(|since| modified.is_some_and(|modified| modified < since))
    }

    fn is_small(&self, source: &SessionSource) -> bool {
        self.global.threads != Some(1) && source.size().is_some_and(|size| size <= MAX_SMALL)
    }

    /// Reads files at the same time, and passes them on in their order.
    fn read_small(
        &self,
        sources: &[SessionSource],
        mut each: impl FnMut(FileRows) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let read = |(): &mut (), source: &SessionSource| {
            let mut rows = Vec::new();
            let mut extraction = self.extraction(source, |row| {
                rows.push(row);
                Ok(())
            });
            let end = read_file(source, &self.reader, &mut extraction);
            let file = extraction.finish(source, end);
            FileRows { file, rows }
        };
        let each = |read| each(read).map_or_else(ControlFlow::Break, ControlFlow::Continue);
        let threads = thread_count(self.global.threads);
        match workers::in_order(sources, threads, || (), read, each) {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// Reads a file on all threads, and passes on its rows as they come.
    fn read_large(
        &self,
        source: &SessionSource,
        row: impl FnMut(ExportRow) -> io::Result<()>,
    ) -> io::Result<FinishedFile> {
        let mut extraction = self.extraction(source, row);
        let mut end = FileEnd::default();
        match source.open() {
            Ok(mut input) => {
                end.modified = Some(input.modified());
                end.is_file = crate::input::Input::is_file(&input);
                end.error = reader::read(&mut input, &self.reader, &mut extraction)?;
            }
            Err(error) => end.error = Some(error),
        }
        extraction.finish(source, end)
    }

    fn extract_options(&self) -> ExtractOptions<'_> {
        ExtractOptions {
            tables: &self.tables,
            max_text: Some(self.args.max_text).filter(|max| *max > 0),
            prices: &self.prices,
            harness: self.global.harness,
        }
    }

    fn extraction<F: FnMut(ExportRow) -> io::Result<()>>(
        &self,
        source: &SessionSource,
        row: F,
    ) -> FileExtraction<'_, F> {
        FileExtraction::new(source, self.extract_options(), row)
    }

    /// Writes the rows that are requested.
    fn write(&self, rows: &[ExportRow], writer: &mut TableWriter) -> io::Result<()> {
        rows.iter().filter(|row| self.selects(row)).try_for_each(|row| writer.write(row))
    }

    fn selects(&self, row: &ExportRow) -> bool {
        let time = row.origin.timestamp;
        self.since.is_none_or(|since| time.is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| time.is_some_and(|time| time < until))
            && self
                .args
                .input
                .project
                .as_ref()
                .is_none_or(|project| project.matches(row.origin.project.as_deref()))
    }
}

/// Prints the names and sizes of files.
fn list(sources: &[SessionSource], out: &mut Output) -> io::Result<()> {
    sources.iter().try_for_each(|source| out.row(&ListedFile(source)))?;
    out.sink.flush()
}

struct ListedFile<'a>(&'a SessionSource);

impl Row for ListedFile<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("file")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| {
            object.text("file", self.0.name().as_str()).count("size", self.0.size());
        });
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let name = self.0.name();
        sink.print(&format!("{}\n", sink.sanitize(&name)))
    }
}
