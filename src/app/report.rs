//! `report`: runs as one document.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tempfile::{Builder, NamedTempFile};

use super::read::OpenInput;
use super::sessions::find_sources;
use crate::catalog::Catalog;
use crate::cli::{Global, ReportArgs, ReportFormat, usage_of};
use crate::exit::Exit;
use crate::output::{
    Diagnostics, Output, OutputSafety, RowWriter, Sink, Style, error_message, plural,
    system_message,
};
use crate::page::{PageDocument, PageMode, SessionsOverview};
use crate::pipeline::RunResult;
use crate::program::Streams;
use crate::projection::{Projection, RunContext};
use crate::redact::Redactor;
use crate::report::{HtmlRun, MarkdownRun, markdown_index, write_element};
use crate::sessions::SessionSource;
use crate::usage::Prices;

/// Writes the document. An error is one of writing.
pub(super) fn run(args: &ReportArgs, global: &Global, mut streams: Streams) -> io::Result<Exit> {
    let mut diagnostics = Diagnostics::new(streams.stderr(), global.quiet);
    let mut fail = |message: &str, has_usage: bool| {
        diagnostics.error(message);
        if has_usage {
            diagnostics.usage(&usage_of("report"));
        }
        Ok(Exit::Error)
    };
    let paths = match args.input.files.as_slice() {
        [] if streams.stdin_is_terminal() => {
            return fail("nothing to read: give a FILE, or pipe a stream in", true);
        }
        [] => vec![PathBuf::from("-")],
        files => files.to_vec(),
    };
    let target = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    if args.output.is_none() && streams.is_terminal() {
        return fail("standard output is a terminal: name a file with -o", false);
    }
    if paths.len() > 1 && paths.iter().any(|path| path.as_os_str() == "-") {
        return fail("standard input cannot be read together with files", false);
    }
    let prices = match Prices::open(None) {
        Ok(prices) => Rc::new(prices),
        Err(error) => return fail(&error_message(&error), false),
    };
    let style = Style::from_environment(global.color, false);
    let file = match target.map(ReportFile::create).transpose() {
        Ok(file) => file,
        Err(error) => {
            let name = target.unwrap_or(Path::new("")).display().to_string();
            return fail(&format!("{name}: {}", system_message(&error)), false);
        }
    };
    let sink = match &file {
        Some(file) => Sink::new(Box::new(file.writer()?), false, style),
        None => streams.sink(style),
    };
    let out = Output::new(sink, diagnostics, RowWriter::default(), OutputSafety::default());
    let mut report = Report { args, global, streams, prices, out };
    let exit = report.write(&paths)?;
    report.out.sink.flush()?;
    match file {
        Some(file) if exit != Exit::Error => file.persist().map(|()| exit),
        _ => Ok(exit),
    }
}

/// Where a report is written.
enum ReportFile {
    /// A file that replaces another one when it is complete.
    Replacing(NamedTempFile, PathBuf),
    /// A device or a pipe, which is never replaced.
    Special(File),
}

impl ReportFile {
    fn create(path: &Path) -> io::Result<Self> {
        // A link stays, and what it leads to is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.metadata().is_ok_and(|existing| !existing.is_file()) {
            return File::options().write(true).open(&path).map(Self::Special);
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        builder.prefix(".streamj-report-");
        // A report is written to be shared: it has the permissions of any new file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Self::Replacing(file, path))
    }

    fn writer(&self) -> io::Result<File> {
        match self {
            Self::Replacing(file, _) => file.reopen(),
            Self::Special(file) => file.try_clone(),
        }
    }

    fn persist(self) -> io::Result<()> {
        match self {
            Self::Replacing(file, path) => {
                file.persist(path).map(drop).map_err(|error| error.error)
            }
            Self::Special(_) => Ok(()),
        }
    }
}

/// Writes a report.
struct Report<'a> {
    args: &'a ReportArgs,
    global: &'a Global,
    streams: Streams,
    prices: Rc<Prices>,
    out: Output,
}

impl Report<'_> {
    fn write(&mut self, paths: &[PathBuf]) -> io::Result<Exit> {
        let Self { args, global, out, .. } = self;
        let (sources, mut exit) = find_sources(paths, &args.input, global, out);
        if sources.is_empty() {
            if exit == Exit::Success {
                out.diagnostics.note("no sessions");
            }
            return Ok(exit.or_worse(Exit::No));
        }
        let is_html = args.format == ReportFormat::Html;
        let title = match sources.as_slice() {
            [source] => source.name(),
            sources => format!("{} sessions", sources.len()),
        };
        let document = PageDocument { mode: PageMode::Report, title: &title };
        if is_html {
            out.sink.print(&document.start())?;
        }
        let skipped = if sources.len() > 1 { self.write_index(&sources)? } else { HashSet::new() };
        for (number, source) in sources.iter().enumerate() {
            // Not every file in a folder is a session.
            let is_named = paths.iter().any(|path| path == source.path());
            if is_named || !skipped.contains(&source.name()) {
                exit = exit.or_worse(self.write_run(number, source)?);
            }
        }
        if is_html {
            self.out.sink.print(&PageDocument::end())?;
        }
        Ok(exit)
    }

    /// Writes what the sessions have in common, and returns the names of files that are no
    /// sessions.
    fn write_index(&mut self, sources: &[SessionSource]) -> io::Result<HashSet<String>> {
        let Self { args, global, prices, out, .. } = self;
        let mut catalog = Catalog::read(sources, &global.reader_options(), prices, || ());
        let foreign = catalog.files.iter().filter(|file| file.problem.is_some());
        let foreign = foreign.map(|file| file.name.clone()).collect();
        if args.format == ReportFormat::Markdown {
            out.sink.print_input(markdown_index(&catalog.entries).as_bytes())?;
            return Ok(foreign);
        }
        let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
        let overview = SessionsOverview { prices, zone: &zone, now: Timestamp::now() };
        let mut json = Vec::new();
        let runs: Vec<_> = sources.iter().map(SessionSource::name).collect();
        overview.write(&runs, &mut catalog, &mut json);
        write_element("data-overview", 0, &json, &mut out.sink)?;
        Ok(foreign)
    }

    fn write_run(&mut self, number: usize, source: &SessionSource) -> io::Result<Exit> {
        let Self { args, global, streams, prices, out } = self;
        let mut input = match OpenInput::open(source, false, streams) {
            Ok(input) => input,
            Err(error) => {
                out.diagnostics.start_input(&source.name());
                out.input_error(&system_message(&error))?;
                return Ok(Exit::Error);
            }
        };
        let (name, written) = input.name_and_time(source.path());
        let context =
            RunContext { name: name.clone(), harness: global.harness, written, process: None };
        let is_masked = global.redacts();
        let detector = (!is_masked)
            .then(|| Redactor::of_variables(std::env::vars_os(), &global.own_patterns()));
        let prices = Rc::clone(prices);
        let projection: Box<dyn Projection> = match args.format {
            ReportFormat::Html => {
                Box::new(HtmlRun::new(number, &context, prices, detector.clone()))
            }
            ReportFormat::Markdown => {
                Box::new(MarkdownRun::new(&context, prices, detector.clone()))
            }
        };
        let RunResult { mut exit, skipped, read_error } =
            input.run(&name, &global.reader_options(), projection, out)?;
        let found: u64 = detector.iter().flat_map(Redactor::counts).map(|(_, count)| count).sum();
        if found > 0 {
            let secrets = plural(found, "secret");
            out.input_note(&format!("{secrets} found and not masked; --redact masks them"))?;
        }
        if global.strict && skipped > 0 {
            exit = exit.or_worse(Exit::No);
        }
        if let Some(error) = read_error {
            out.input_error(&format!("cannot read: {}", system_message(&error)))?;
            exit = Exit::Error;
        }
        Ok(exit)
    }
}
