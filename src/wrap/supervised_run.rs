//! A run under supervision: started, read, judged, recorded.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use super::child_output::{ChildOutput, NonBlockingStdout};
use super::command_info::CommandInfo;
use super::environment::Environment;
use super::event_log::EventLog;
use super::observer::RunObserver;
use super::record::RecordFile;
use super::run_spec::{OutputFiles, RunSpec};
use super::schema_request::SchemaRequest;
use super::start::{StartError, StartRequest, StartedChild};
use super::status;
use super::stderr::SharedStderr;
use super::subject::sanitize_subject;
use super::supervisor::EndCause;
use crate::cli::{ExitStatus, Global, WrapArgs};
use crate::event::EventFilter;
use crate::harness::Harness;
use crate::harness::command::AgentCommand;
use crate::output::{Output, Sink, Style};
use crate::pipeline::{self, RunResult};
use crate::projection::{RunContext, SummaryRow};
use crate::read_spec::ReadSpec;
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::run::{ProcessEnd, Run};
use crate::schema::SchemaViolations;

/// The outcome of a run.
pub(crate) struct RunOutcome {
    /// The exit status, regardless of the document.
    pub(crate) status: u8,
    /// Whether the requested document is missing or invalid.
    pub(crate) violates_schema: bool,
    /// The first violation of a document that exists.
    pub(crate) invalid_document: Option<String>,
    /// What could not be written.
    pub(crate) lost: Option<&'static str>,
    pub(crate) end: Rc<ProcessEnd>,
    /// The signal to this process that ended the run.
    pub(crate) signal: Option<i32>,
}

impl RunOutcome {
    fn never_started(error: &StartError, end: ProcessEnd) -> Self {
        Self {
            status: error.status(),
            violates_schema: false,
            invalid_document: None,
            lost: None,
            end: Rc::new(end),
            signal: error.signal(),
        }
    }

    /// Returns the exit status of `wrap`.
    pub fn exit_status(&self, meaning: ExitStatus) -> u8 {
        let is_violated = self.violates_schema && meaning != ExitStatus::Child;
        if self.status == 0 { u8::from(is_violated) } else { self.status }
    }
}

/// A run that is ready to be started.
pub(super) struct SupervisedRun<'a> {
    pub(super) spec: RunSpec<'a>,
    pub(super) command: AgentCommand,
    pub(super) environment: Environment,
    pub(super) schema: Option<SchemaRequest>,
    pub(super) files: OutputFiles,
}

impl SupervisedRun<'_> {
    /// Runs it to its end.
    pub(super) fn run(self) -> RunOutcome {
        let Self { spec, command, environment, schema, files } = self;
        let RunSpec { args, global, read_spec, stdin, is_last, pending_signal, .. } = spec;
        let stderr = SharedStderr::start();
        let mut diagnostics = stderr.diagnostics(global.quiet);
        let subject = args.subject.as_deref().and_then(sanitize_subject);
        let subject = subject.map(|subject| format!(" ({subject})")).unwrap_or_default();
        let directory = args.surroundings.cwd.as_deref();
        let info = CommandInfo::new(&command, &environment, directory, global.redact);
        if let Some(source) = info.auth_source {
            diagnostics.note(&format!("{} auth={source}{subject}", command.harness));
        }
        if schema.is_some() && !command.requests_document() {
            diagnostics.note(
                "--schema: the command has no known option for it; only its answer is validated",
            );
        }

        let mut observer = observer(args, global.harness, command.harness);
        observer.subject = subject;
        let (run, event_log) = (Rc::clone(&observer.run), observer.event_log.clone());

        let request = StartRequest {
            args,
            command: &command,
            environment: &environment,
            stdin,
            progress: Rc::clone(&observer.progress),
            tee: files.tee,
            pending_signal,
        };
        let started = match StartedChild::start(request, &stderr, diagnostics) {
            Ok(started) => started,
            Err(error) => {
                let message = error.message(&command);
                stderr.diagnostics(false).error(&message);
                let end = info.never_started(message);
                write_record(files.record, &run.borrow(), args, &end, None, &stderr);
                stderr.drain();
                return RunOutcome::never_started(&error, end);
            }
        };
        let supervisor = Rc::clone(&started.supervisor);
        let process_end = started.into_process_end(info, Rc::clone(&run), event_log.clone());
        let name = program_name(&command.argv);
        let context = RunContext {
            name: name.clone(),
            harness: global.harness,
            written: SystemTime::now(),
            process: Some(Rc::clone(&process_end)),
        };
        observer.projection = read_spec.as_ref().map(|spec| spec.projection(&context));

        let is_terminal = io::stdout().is_terminal();
        let stdout = NonBlockingStdout::new(Rc::clone(&supervisor));
        let mut out = Output {
            sink: Sink::stdout_through(
                Box::new(stdout.clone()),
                Style::from_environment(global.color, is_terminal),
            ),
            diagnostics: stderr.diagnostics(global.quiet),
            rows: read_spec.as_ref().map(|spec| spec.row_writer(is_terminal)).unwrap_or_default(),
        };
        let options = reader_options(global, &environment, read_spec.as_ref());
        let copy = read_spec.is_none().then_some(stdout);
        let mut input = ChildOutput::new(Rc::clone(&supervisor), copy);
        let result =
            pipeline::run_serial(&name, &mut input, &options, Box::new(observer), &mut out)
                .and_then(|result| {
                    out.rows.end(&mut out.sink)?;
                    out.sink.flush()?;
                    Ok(result)
                });

        let end = process_end();
        let mut supervisor = supervisor.borrow_mut();
        let exit = supervisor.finish();
        if is_last {
            supervisor.release_signals();
        }
        let mut run = run.borrow_mut();
        let verdict = run.verdict(args.heuristics.mode()).with_process(&end);
        if let Some(message) = &end.last_message {
            run.structured.set_last_message(message);
        }
        let shows_document = read_spec.as_ref().is_some_and(|spec| spec.name == "structured");
        let violations = schema
            .map(|schema| schema.validate(&mut run, &verdict, shows_document, &stderr))
            .unwrap_or_default();
        let event_log = event_log.as_ref().map(|event_log| event_log.borrow());
        let is_recorded =
            write_record(files.record, &run, args, &end, event_log.as_deref(), &stderr);
        let lost = lost(is_recorded, !supervisor.has_tee_failed());
        let status = status::of_run(args.exit_status, exit, supervisor.cause(), &verdict);
        let own = OwnResult { result, lost, is_strict: global.strict };
        let status = own.combine(status, &mut out, &stderr);
        stderr.drain();
        RunOutcome {
            status,
            violates_schema: !violations.is_empty(),
            invalid_document: invalid_document(&run, &violations),
            lost,
            end,
            signal: signal_of(supervisor.cause()),
        }
    }
}

fn observer(args: &WrapArgs, forced: Option<Harness>, harness: Harness) -> RunObserver {
    let known = Some(harness).filter(|harness| *harness != Harness::Unknown);
    let run = Run::new(forced.or(known), SystemTime::now());
    let run = if args.record.is_some() { run } else { run.without_output() };
    let mut observer = RunObserver::new(run);
    observer.event_log = args.with_events.then(Rc::default);
    observer
}

fn reader_options(
    global: &Global,
    environment: &Environment,
    spec: Option<&ReadSpec<'_>>,
) -> ReaderOptions {
    let decode = spec.map(|spec| spec.decode_options(global.harness));
    let decode =
        decode.unwrap_or(DecodeOptions { harness: global.harness, ..DecodeOptions::default() });
    ReaderOptions {
        // The record needs all events, whatever is printed.
        decode: DecodeOptions { filter: EventFilter::All, ..decode },
        max_line: global.max_line,
        threads: Some(1),
        redactor: global.redact.then(|| environment.redactor()),
    }
}

fn invalid_document(run: &Run, violations: &SchemaViolations) -> Option<String> {
    run.structured.document().and(violations.first.first()).map(ToString::to_string)
}

fn signal_of(cause: Option<EndCause>) -> Option<i32> {
    match cause {
        Some(EndCause::Signal(signal)) => Some(signal),
        _ => None,
    }
}

fn lost(is_recorded: bool, is_copied: bool) -> Option<&'static str> {
    match (is_recorded, is_copied) {
        (false, _) => Some("the record could not be written"),
        (true, false) => Some("the copy of the stream could not be written"),
        (true, true) => None,
    }
}

/// The result of streamj's own work.
struct OwnResult {
    result: io::Result<RunResult>,
    /// What could not be written.
    lost: Option<&'static str>,
    is_strict: bool,
}

impl OwnResult {
    /// Combines the status of the run with our own result.
    fn combine(self, status: u8, out: &mut Output, stderr: &SharedStderr) -> u8 {
        let missing = out.rows.missing_member();
        if let Some(pointer) = missing {
            out.diagnostics.note(&format!("no record has {pointer}"));
        }
        match self.result {
            Err(error) => {
                stderr.diagnostics(false).error(&format!("cannot write: {error}"));
                status::OWN_FAILURE
            }
            Ok(_) if status != 0 => status,
            // A run whose record or copy is lost does not succeed.
            Ok(_) if self.lost.is_some() => status::OWN_FAILURE,
            Ok(result) if self.is_strict && result.skipped > 0 => 1,
            Ok(_) if missing.is_some() => 1,
            Ok(result) => result.exit.code(),
        }
    }
}

/// Writes the record, if one was requested. Returns false if that failed.
fn write_record(
    file: Option<RecordFile>,
    run: &Run,
    args: &WrapArgs,
    end: &ProcessEnd,
    event_log: Option<&EventLog>,
    stderr: &SharedStderr,
) -> bool {
    let (Some(file), Some(path)) = (file, &args.record) else {
        return true;
    };
    let row = SummaryRow::new(run, args.heuristics.mode(), Some(end));
    match file.write(&row, event_log) {
        Ok(()) => true,
        Err(error) => {
            let message = format!("{}: cannot write the record: {error}", path.display());
            stderr.diagnostics(false).error(&message);
            false
        }
    }
}

fn program_name(argv: &[OsString]) -> String {
    let name = argv.first().and_then(|program| Path::new(program).file_name());
    name.unwrap_or_default().to_string_lossy().into_owned()
}
