//! A run that is attended to: started, listened to, judged.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use super::about::About;
use super::completion::Command;
use super::environment::Environment;
use super::kept_events::KeptEvents;
use super::order::Files;
use super::record::RecordFile;
use super::schema::Asked;
use super::start::{NotStarted, Setup, Started};
use super::stderr::OurStderr;
use super::stdin::Given;
use super::supervisor::Cause;
use super::watch::Watch;
use super::watched::{StuckProof, Watched};
use super::{status, subject};
use crate::cli::{ExitStatus, Global, WrapArgs};
use crate::event::Interest;
use crate::output::{Output, Sink, Style};
use crate::pipeline::{self, Options, Outcome};
use crate::projection::summary::Row;
use crate::projection::{Manner, Plan, Setting};
use crate::run::{ProcessEnd, Run};
use crate::schema::Violations;

/// What came of a run.
pub struct Told {
    /// The exit status that says so, the document left aside.
    pub status: u8,
    /// Its document is not what was asked for.
    pub violated: bool,
    /// The first that is wrong with a document that is there.
    pub invalid: Option<String>,
    /// What was not written of what should be kept.
    pub lost: Option<&'static str>,
    /// How the process ended.
    pub end: Rc<ProcessEnd>,
    /// The signal to us that ended it.
    pub signal: Option<i32>,
}

impl Told {
    /// A run that never was.
    fn never_started(failed: &NotStarted, end: ProcessEnd) -> Self {
        Self {
            status: failed.status(),
            violated: false,
            invalid: None,
            lost: None,
            end: Rc::new(end),
            signal: failed.signal(),
        }
    }

    /// The status `wrap` ends with.
    #[must_use]
    pub fn exit_status(&self, how: ExitStatus) -> u8 {
        let violated = self.violated && how != ExitStatus::Child;
        if self.status == 0 { u8::from(violated) } else { self.status }
    }
}

/// Everything that is needed.
pub struct Attended<'a> {
    /// What the user says.
    pub args: &'a WrapArgs,
    /// What the user says in general.
    pub global: &'a Global,
    /// What is run.
    pub command: Command,
    /// What it finds around it.
    pub environment: Environment,
    /// What it gets to read.
    pub given: Given<'a>,
    /// What is printed.
    pub plan: Option<Plan<'a>>,
    /// The document it is asked for.
    pub asked: Option<Asked>,
    /// What is written beside.
    pub files: Files,
    /// Nothing comes after it.
    pub last: bool,
    /// The signal that asked us to end before anybody listened for this run.
    pub asked_to_end: &'a dyn Fn() -> Option<i32>,
}

impl Attended<'_> {
    /// Runs it to its end.
    pub fn run(self) -> Told {
        let Self { args, global, command, environment, given, plan, asked, files, .. } = self;
        let stderr = OurStderr::start();
        let mut notes = stderr.notes(global.quiet);
        let subject = args.subject.as_deref().and_then(subject::sanitized);
        let subject = subject.map(|subject| format!(" ({subject})")).unwrap_or_default();
        let about =
            About::new(&command, &environment, args.surroundings.cwd.as_deref(), global.redact);
        if let Some(source) = about.auth_source {
            notes.remark(&format!("codex auth={source}{subject}"));
        }

        if asked.is_some() && !Asked::is_asked(&command.argv) {
            notes.remark("--schema: the command is not asked for it; what it answers is checked");
        }
        let run = Run::new(global.harness.or(command.harness), SystemTime::now());
        let run = if args.record.is_some() { run } else { run.without_output() };
        let mut watch = Watch::new(run, None);
        watch.subject = subject;
        watch.kept = args.with_events.then(Rc::default);
        let (run, kept) = (Rc::clone(&watch.run), watch.kept.clone());

        let setup = Setup {
            args,
            command: &command,
            environment: &environment,
            given,
            progress: Rc::clone(&watch.progress),
            tee: files.tee,
            asked_to_end: self.asked_to_end,
        };
        let started = match Started::start(setup, &stderr, notes) {
            Ok(started) => started,
            Err(failed) => {
                let message = failed.message(&command);
                stderr.notes(false).error(&message);
                let end = about.never_started(message);
                write_record(files.record, &run.borrow(), args, &end, None, &stderr);
                stderr.drain();
                return Told::never_started(&failed, end);
            }
        };
        let supervisor = Rc::clone(&started.supervisor);
        let end = started.end_teller(about, Rc::clone(&run), kept.clone());
        let name = program_name(&command.argv);
        let setting = Setting {
            name: name.clone(),
            harness: global.harness,
            written: SystemTime::now(),
            process: Some(Rc::clone(&end)),
        };
        watch.inner = plan.as_ref().map(|plan| plan.projection(&setting));

        let terminal = io::stdout().is_terminal();
        let style = Style::decide(global.color, terminal, |name| std::env::var(name).ok());
        let stdout = StuckProof::stdout(Rc::clone(&supervisor));
        let mut out = Output {
            sink: Sink::stdout_through(Box::new(stdout.clone()), style),
            notes: stderr.notes(global.quiet),
            records: plan.as_ref().map(|plan| plan.records(terminal)).unwrap_or_default(),
        };
        let options = options(global, &environment, plan.as_ref());
        let mut input = Watched::new(Rc::clone(&supervisor), plan.is_none().then_some(stdout));
        let outcome = pipeline::run_here(&name, &mut input, options, Box::new(watch), &mut out)
            .and_then(|outcome| {
                out.records.end(&mut out.sink)?;
                out.sink.flush()?;
                Ok(outcome)
            });

        let end = end();
        let mut supervisor = supervisor.borrow_mut();
        let ended = supervisor.finish();
        if self.last {
            supervisor.retire();
        }
        let mut run = run.borrow_mut();
        let verdict = run.verdict(!args.no_heuristics).with_process(&end);
        if let Some(message) = &end.last_message {
            run.structured.left(message);
        }
        let shows_document = plan.as_ref().is_some_and(|plan| plan.name == "structured");
        let violations = asked
            .map(|asked| asked.violated_by(&mut run, &verdict, shows_document, &stderr))
            .unwrap_or_default();
        let events = kept.as_ref().map(|kept| kept.borrow());
        let record = files.record;
        let kept_record = write_record(record, &run, args, &end, events.as_deref(), &stderr);
        let lost = lost(kept_record, !supervisor.tee_failed());
        let status = status::of_run(args.exit_status, ended, supervisor.cause(), &verdict);
        let status =
            OurPart { outcome, lost, strict: global.strict }.weigh(status, &mut out, &stderr);
        stderr.drain();
        Told {
            status,
            violated: !violations.is_empty(),
            invalid: invalid(&run, &violations),
            lost,
            end,
            signal: signal_of(supervisor.cause()),
        }
    }
}

/// How the stream is read.
fn options(global: &Global, environment: &Environment, plan: Option<&Plan<'_>>) -> Options {
    Options {
        harness: global.harness,
        max_line: global.max_line,
        // A child talks slowly.
        threads: Some(1),
        redactor: global.redact.then(|| environment.redactor()),
        // The run itself is watched whole, whatever is shown of it.
        manner: Manner {
            interest: Interest::All,
            ..plan.map(|plan| plan.manner).unwrap_or_default()
        },
    }
}

/// The first that is wrong with a document that is there.
fn invalid(run: &Run, violations: &Violations) -> Option<String> {
    run.structured.document().and(violations.first.first()).map(ToString::to_string)
}

/// The signal that ended a run, if one did.
fn signal_of(cause: Option<Cause>) -> Option<i32> {
    match cause {
        Some(Cause::Signal(signal)) => Some(signal),
        _ => None,
    }
}

/// What is not as it should be of what is kept.
fn lost(record: bool, copy: bool) -> Option<&'static str> {
    match (record, copy) {
        (false, _) => Some("the record could not be written"),
        (true, false) => Some("the copy of the stream could not be written"),
        (true, true) => None,
    }
}

/// What we had to do beside the run.
struct OurPart {
    outcome: io::Result<Outcome>,
    /// What could not be written.
    lost: Option<&'static str>,
    strict: bool,
}

impl OurPart {
    /// The status of a run, when our part is looked at, too.
    fn weigh(self, status: u8, out: &mut Output, stderr: &OurStderr) -> u8 {
        let missed = out.records.missed();
        if let Some(pointer) = missed {
            out.notes.remark(&format!("no record has {pointer}"));
        }
        match self.outcome {
            Err(error) => {
                stderr.notes(false).error(&format!("cannot write: {error}"));
                status::OWN_FAILURE
            }
            Ok(_) if status != 0 => status,
            // Never a good end with something lost.
            Ok(_) if self.lost.is_some() => status::OWN_FAILURE,
            Ok(outcome) if self.strict && outcome.skipped > 0 => 1,
            Ok(_) if missed.is_some() => 1,
            Ok(outcome) => outcome.exit.code(),
        }
    }
}

/// Writes the record, if one is wanted. False: it could not be.
fn write_record(
    file: Option<RecordFile>,
    run: &Run,
    args: &WrapArgs,
    end: &ProcessEnd,
    events: Option<&KeptEvents>,
    stderr: &OurStderr,
) -> bool {
    let (Some(file), Some(path)) = (file, &args.record) else {
        return true;
    };
    let row = Row::new(run, !args.no_heuristics, Some(end));
    match file.write(&row, events) {
        Ok(()) => true,
        Err(error) => {
            let message = format!("{}: cannot write the record: {error}", path.display());
            stderr.notes(false).error(&message);
            false
        }
    }
}

fn program_name(argv: &[OsString]) -> String {
    let name = argv.first().and_then(|program| Path::new(program).file_name());
    name.unwrap_or_default().to_string_lossy().into_owned()
}
