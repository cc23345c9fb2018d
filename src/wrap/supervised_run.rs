//! A run under supervision: started, read, judged, recorded.

use std::rc::Rc;
use std::sync::Arc;
use std::time::SystemTime;

use super::command_info::CommandInfo;
use super::conclusion::{Conclusion, RunState, write_record};
use super::environment::Environment;
use super::observer::RunObserver;
use super::run_output::{RunOutput, RunSource};
use super::run_spec::{OutputFiles, RunSpec};
use super::schema_request::SchemaRequest;
use super::signals::CaughtSignals;
use super::start::{StartError, StartRequest, StartedChild};
use super::stderr::SharedStderr;
use super::subject::sanitize_subject;
use super::supervision::Supervision;
use crate::cli::{ExitStatus, Global, WrapArgs};
use crate::event::EventFilter;
use crate::harness::Harness;
use crate::harness::command::{self, AgentCommand, Completion};
use crate::output::Diagnostics;
use crate::projection::RunContext;
use crate::read_spec::ReadSpec;
use crate::reader::{DecodeOptions, ReaderOptions};
use crate::run::{ProcessEnd, Run};

/// The outcome of a run.
pub(crate) struct RunOutcome {
    /// The exit status, regardless of the document.
    pub(crate) status: u8,
    /// Whether the requested document is missing or invalid.
    pub(crate) violates_schema: bool,
    /// The first violation of a document that exists, except for levels of events, which
    /// are corrected.
    pub(crate) invalid_document: Option<String>,
    /// What there is instead of a document that the command was asked for.
    pub(crate) missing_document: Option<String>,
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
            missing_document: None,
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
    pub(super) signals: CaughtSignals,
    pub(super) stderr: SharedStderr,
}

impl SupervisedRun<'_> {
    /// Runs it to its end.
    pub(super) fn run(self) -> RunOutcome {
        let Self { spec, command, environment, schema, mut files, signals, stderr } = self;
        let RunSpec { args, global, read_spec, stdin, is_last, pending_signal, .. } = spec;
        let redactor = environment.redactor(&global.own_patterns());
        let stderr = stderr.with_redactor(redactor.clone());
        let mut diagnostics = stderr.diagnostics(global.quiet);
        let subject = args.subject.as_deref().and_then(sanitize_subject);
        let subject = subject.map(|subject| format!(" ({subject})")).unwrap_or_default();
        let directory = args.surroundings.cwd.as_deref();
        let mut info =
            CommandInfo::new(&command, &environment, directory, redactor, global.redacts());
        info.requests_document = schema.is_some();
        if let Some(source) = info.auth_source {
            diagnostics.note(&format!("{} auth={source}{subject}", command.harness));
        }
        note_limits(args, &command, &environment, schema.is_some(), &mut diagnostics);

        let harness = known_harness(global.harness, command.harness);
        let supervision = Arc::new(Supervision::new(args.clocks.kill_after));
        let mut observer = observer(args, harness, Arc::clone(&supervision));
        observer.subject = subject;
        let (run, event_log) = (Rc::clone(&observer.run), observer.event_log.clone());
        let request = StartRequest {
            args,
            command: &command,
            environment: &environment,
            stdin,
            signals,
            supervision: Arc::clone(&supervision),
            pending_signal,
            quiet: global.quiet,
        };
        let (started, queue, stdout) = match StartedChild::start(request, &stderr) {
            Ok(started) => started,
            Err(error) => {
                let message = error.message(&command);
                stderr.diagnostics(false).error(&message);
                let end = info.never_started(message);
                write_record(files.record.as_mut(), &run.borrow(), args, &end, None, &stderr);
                stderr.drain();
                return RunOutcome::never_started(&error, end);
            }
        };
        let supervisor = Rc::clone(&started.supervisor);
        let process_end = started.into_process_end(info, Rc::clone(&run), event_log.clone());
        let context = RunContext {
            name: command.name.clone(),
            harness,
            written: SystemTime::now(),
            is_live: true,
            process: Some(Rc::clone(&process_end)),
        };
        observer.projection = read_spec.as_ref().map(|spec| spec.projection(&context));
        let options = reader_options(global, harness, &environment, read_spec.as_ref());
        let source =
            RunSource { queue, supervision: Arc::clone(&supervision), stdout, tee: files.tee };
        let mut output = RunOutput::new(global, read_spec.as_ref(), &options, &stderr, source);
        let result = output.print(&command.name, &options, observer);
        let conclusion = Conclusion {
            args,
            global,
            command: &command,
            schema: schema.as_ref(),
            coverage: read_spec.as_ref().map(ReadSpec::coverage),
            harness,
            has_events: supervision.progress.has_events(),
            is_copied: !output.has_tee_failed(),
            is_last,
            stderr,
        };
        let event_log = event_log.as_ref().map(|event_log| event_log.borrow());
        conclusion.conclude(RunState {
            end: process_end(),
            supervisor: &mut supervisor.borrow_mut(),
            run: &mut run.borrow_mut(),
            event_log: event_log.as_deref(),
            record: files.record,
            result,
            out: &mut output.out,
        })
    }
}

/// Notes what is not known about the command.
fn note_limits(
    args: &WrapArgs,
    command: &AgentCommand,
    environment: &Environment,
    has_schema: bool,
    diagnostics: &mut Diagnostics,
) {
    if let Some(note) = uncompleted_note(args, command.harness) {
        diagnostics.note(&note);
    }
    if args.surroundings.strip_auth {
        for name in environment.assigned_credentials(command.harness) {
            diagnostics.note(&format!("--strip-auth: {name} is set on the command line and stays"));
        }
    }
    if has_schema && !command.requests_document() {
        diagnostics
            .note("--schema: the command has no known option for it; only its answer is validated");
    }
}

/// Returns a note if the command seems to run an agent whose arguments cannot be completed.
pub(super) fn uncompleted_note(args: &WrapArgs, harness: Harness) -> Option<String> {
    let is_left_alone = harness == Harness::Unknown && args.complete == Completion::Stream;
    let (program, agent) =
        is_left_alone.then(|| command::mentioned_agent(&args.command)).flatten()?;
    let events = agent.adapter().program.events_command;
    Some(format!("nothing is added to what {program} runs: start {agent} as `{events}`"))
}

fn observer(
    args: &WrapArgs,
    harness: Option<Harness>,
    supervision: Arc<Supervision>,
) -> RunObserver {
    let run = Run::new(harness, SystemTime::now());
    let run = if args.record.is_some() { run } else { run.without_output() };
    let mut observer = RunObserver::new(run, supervision);
    observer.event_log = args.with_events.then(Rc::default);
    observer
}

/// Returns the harness that the user selected, or that of the command if it is known: then
/// no line is assigned to another one.
fn known_harness(selected: Option<Harness>, command: Harness) -> Option<Harness> {
    selected.or(Some(command).filter(|harness| *harness != Harness::Unknown))
}

fn reader_options(
    global: &Global,
    harness: Option<Harness>,
    environment: &Environment,
    spec: Option<&ReadSpec<'_>>,
) -> ReaderOptions {
    let described = global.described;
    let decode = spec.map(|spec| spec.decode_options(harness, described));
    let decode = decode.unwrap_or(DecodeOptions { harness, described, ..DecodeOptions::default() });
    ReaderOptions {
        // The record needs all events, whatever is printed.
        decode: DecodeOptions { filter: EventFilter::All, ..decode },
        max_line: global.max_line,
        threads: Some(1),
        redactor: global.redacts().then(|| environment.redactor(&global.own_patterns())),
        ..ReaderOptions::default()
    }
}
