//! `wrap`: runs the agent CLI, keeps what it said, leaves nothing behind.
//!
//! The child's output takes the very way a file's bytes take; around it are
//! the command line (`completion`), the process and all that come from it
//! (`process`), the clocks and signals (`supervisor`), its standard error
//! (`stderr`) and the record (`record`).

mod about;
mod clocks;
mod completion;
mod courier;
pub(crate) mod duration;
mod ends;
mod environment;
mod kept_events;
mod mailbox;
mod process;
mod record;
mod schema;
mod shell;
mod shown;
mod signals;
mod start;
pub(crate) mod status;
mod stderr;
mod stdin;
mod subject;
mod supervisor;
mod tee;
mod watch;
mod watched;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use anyhow::{Context, bail};
use tempfile::TempDir;

use crate::cli::{Complete, ExitStatus, Global, WrapArgs};
use crate::exit::Exit;
use crate::output::{Notes, Output, Sink, Style};
use crate::pipeline::{self, Options};
use crate::projection::summary::Row;
use crate::projection::{Plan, Setting};
use crate::run::{ProcessEnd, Run};

pub(crate) use ends::output_is_closed;

use about::About;
use completion::{Command, Request};
use environment::Environment;
use kept_events::KeptEvents;
use record::RecordFile;
use schema::Asked;
use shown::Shown;
use start::Started;
use stderr::OurStderr;
use tee::Tee;
use watch::Watch;
use watched::{StuckProof, Watched};

/// The name of the file a last message is written to.
const LAST_MESSAGE: &str = "last-message.txt";

/// Runs the command.
#[must_use]
pub fn run(args: &WrapArgs, global: &Global) -> Exit {
    match wrap(args, global) {
        Ok(status) => Exit::Status(status),
        Err(error) => {
            Notes::stderr(false).error(&format!("{error:#}"));
            Exit::Status(status::OWN_FAILURE)
        }
    }
}

/// The order of things. An error is our own, before anything was started.
fn wrap(args: &WrapArgs, global: &Global) -> anyhow::Result<u8> {
    let default = if io::stdout().is_terminal() { "view" } else { "text" };
    let (shown, own) = Shown::of(args.show.as_deref().unwrap_or(default))?;
    let plan = shown.plan()?;
    let global = &global.refined(own.as_ref());
    // Gone on every way out.
    let temporary = TempDir::with_prefix("streamj-").context("cannot make a temporary folder")?;
    let somewhere = Path::new("/tmp/streamj-XXXXXX");
    let folder = if args.dry_run { somewhere } else { temporary.path() };
    let harness = completion::harness_of(&args.command, global.harness);
    let asked = args
        .schema
        .as_ref()
        .map(|given| Asked::new(given.as_deref(), harness, folder, args.dry_run));
    let asked = asked.transpose()?;
    let request = Request {
        complete: args.complete,
        model: args.model.as_deref(),
        harness,
        last_message: &folder.join(LAST_MESSAGE),
        schema: asked.as_ref().map(Asked::file),
    };
    let raw = global.redact && plan.is_none();
    anyhow::ensure!(!raw, "--redact masks what is read, and --as raw reads nothing");
    let needless = args.model.is_some() && args.complete != Complete::Full;
    anyhow::ensure!(!needless, "--model is for --complete full; give the command its own");
    let command = match completion::complete(&args.command, &request) {
        Ok(command) => command,
        Err(refused) => bail!("{refused}"),
    };
    if args.dry_run {
        return shell::print(&command.argv).context("cannot write");
    }
    if let Some(directory) = &args.cwd {
        let is_folder = directory.is_dir();
        anyhow::ensure!(is_folder, "{}: not a folder", directory.display());
    }
    let environment = Environment::of(args, command.harness)?;
    // Last: nothing is emptied for a command that is not run.
    let files = Files::open(args)?;
    Ok(Wrapped { args, global, command, environment, plan, asked, files }.run())
}

/// Files that must be there before anything is started.
struct Files {
    tee: Option<Tee>,
    record: Option<RecordFile>,
}

impl Files {
    fn open(args: &WrapArgs) -> anyhow::Result<Self> {
        let named = |path: &Path| path.display().to_string();
        let same = args.tee.is_some() && args.tee == args.record;
        anyhow::ensure!(!same, "--tee and --record need a file each");
        let record = args.record.as_ref();
        let record = record.map(|path| RecordFile::prepare(path).with_context(|| named(path)));
        let record = record.transpose()?;
        let tee = args.tee.as_ref().map(|path| {
            let file = File::create(path).with_context(|| named(path))?;
            anyhow::Ok(Tee::new(file, named(path)))
        });
        Ok(Self { tee: tee.transpose()?, record })
    }
}

/// Everything that is needed.
struct Wrapped<'a> {
    args: &'a WrapArgs,
    global: &'a Global,
    command: Command,
    environment: Environment,
    plan: Option<Plan<'a>>,
    asked: Option<Asked>,
    files: Files,
}

impl Wrapped<'_> {
    /// Runs it; the exit status.
    fn run(self) -> u8 {
        let Self { args, global, command, environment, plan, asked, files } = self;
        let stderr = OurStderr::start();
        let mut notes = stderr.notes(global.quiet);
        let subject = args.subject.as_deref().and_then(subject::sanitized);
        let subject = subject.map(|subject| format!(" ({subject})")).unwrap_or_default();
        let about = About::new(&command, &environment, args.cwd.as_deref(), global.redact);
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

        let progress = Rc::clone(&watch.progress);
        let started =
            Started::start(args, &command, &environment, progress, &stderr, notes, files.tee);
        let started = match started {
            Ok(started) => started,
            Err(failed) => {
                let message = failed.message(&command);
                stderr.notes(false).error(&message);
                let end = about.never_started(message);
                write_record(files.record, &run.borrow(), args, &end, None, &stderr);
                stderr.drain();
                return failed.status();
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
        let options = Options {
            harness: global.harness,
            max_line: global.max_line,
            // A child talks slowly.
            threads: 1,
            redactor: global.redact.then(|| environment.redactor()),
            manner: plan.as_ref().map(|plan| plan.manner).unwrap_or_default(),
        };
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
        supervisor.retire();
        let mut run = run.borrow_mut();
        let verdict = run.verdict(!args.no_heuristics).with_process(&end);
        if let Some(message) = &end.last_message {
            run.structured.left(message);
        }
        let shows_document = plan.as_ref().is_some_and(|plan| plan.name == "structured");
        let violated = asked
            .is_some_and(|asked| asked.is_violated_by(&mut run, &verdict, shows_document, &stderr));
        let events = kept.as_ref().map(|kept| kept.borrow());
        let record = files.record;
        let kept_record = write_record(record, &run, args, &end, events.as_deref(), &stderr);
        let lost = !kept_record || supervisor.tee_failed();
        let status = status::of_run(args.exit_status, ended, supervisor.cause(), &verdict);
        let violated = violated && args.exit_status != ExitStatus::Child;
        let missed = out.records.missed();
        if let Some(pointer) = missed {
            out.notes.remark(&format!("no record has {pointer}"));
        }
        let status = match outcome {
            Err(error) => {
                stderr.notes(false).error(&format!("cannot write: {error}"));
                status::OWN_FAILURE
            }
            // Never a good end with something lost.
            Ok(_) if status == 0 && lost => status::OWN_FAILURE,
            Ok(outcome) if status == 0 && global.strict && outcome.skipped > 0 => 1,
            Ok(_) if status == 0 && missed.is_some() => 1,
            Ok(_) if status == 0 && violated => 1,
            Ok(outcome) if status == 0 => outcome.exit.code(),
            Ok(_) => status,
        };
        stderr.drain();
        status
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
