//! `wrap`: runs the agent CLI, keeps what it said, leaves nothing behind.
//!
//! The child's output takes the very way a file's bytes take; around it are
//! the command line (`completion`), the process and all that come from it
//! (`process`), the clocks and signals (`supervisor`), its standard error
//! (`stderr`) and the record (`record`).

mod about;
mod clocks;
mod completion;
pub(crate) mod duration;
mod ends;
mod environment;
mod kept_events;
mod mailbox;
mod process;
mod record;
mod signals;
mod start;
pub(crate) mod status;
mod stderr;
mod stdin;
mod subject;
mod supervisor;
mod watch;
mod watched;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

use anyhow::{Context, bail};
use tempfile::TempDir;

use crate::cli::{Cli, Command as CliCommand, Global, ReadCommand, WrapArgs};
use crate::exit::Exit;
use crate::output::{Notes, Output, Sink, Style};
use crate::pipeline::{self, Options};
use crate::projection::summary::Row;
use crate::projection::{Plan, Setting};
use crate::run::{ProcessEnd, Run};

use about::About;
use completion::{Command, Request};
use environment::Environment;
use kept_events::KeptEvents;
use record::RecordFile;
use start::Started;
use supervisor::Tee;
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
    let shown = Shown::of(&args.show)?;
    // Gone on every way out.
    let temporary = TempDir::with_prefix("streamj-").context("cannot make a temporary folder")?;
    let somewhere = Path::new("/tmp/streamj-XXXXXX");
    let folder = if args.dry_run { somewhere } else { temporary.path() };
    let request = Request {
        complete: args.complete,
        model: args.model.as_deref(),
        harness: global.harness,
        last_message: &folder.join(LAST_MESSAGE),
    };
    let command = match completion::complete(&args.command, &request) {
        Ok(command) => command,
        Err(refused) => bail!("{refused}"),
    };
    if args.dry_run {
        return print_command(&command.argv).context("cannot write");
    }
    if let Some(directory) = &args.cwd {
        let is_folder = directory.is_dir();
        anyhow::ensure!(is_folder, "{}: not a folder", directory.display());
    }
    let files = Files::open(args)?;
    let environment = environment(args, &command)?;
    Ok(Wrapped { args, global, command, environment, shown, files }.run())
}

/// What is printed.
enum Shown {
    /// The stream as it is.
    Raw,
    /// A projection of it.
    Projection(ReadCommand),
}

impl Shown {
    fn of(line: &str) -> anyhow::Result<Self> {
        let words = shell_words::split(line).with_context(|| format!("--as {line:?}"))?;
        if words == ["raw"] {
            return Ok(Self::Raw);
        }
        let words = std::iter::once("streamj".to_owned()).chain(words);
        let command = match Cli::parse_from(words) {
            Ok(cli) => cli.command,
            Err(error) => {
                let text = error.render().to_string();
                let first = text.lines().next().unwrap_or_default();
                bail!("--as {line:?}: {}", first.strip_prefix("error: ").unwrap_or(first));
            }
        };
        match command {
            CliCommand::Read(command) if Plan::of(&command).files.is_empty() => {
                Ok(Self::Projection(command))
            }
            CliCommand::Read(_) => bail!("--as {line:?}: reads the command's output, not files"),
            _ => bail!("--as {line:?}: not a reading command"),
        }
    }
}

/// Files that must be there before anything is started.
struct Files {
    tee: Option<Tee>,
    record: Option<RecordFile>,
}

impl Files {
    fn open(args: &WrapArgs) -> anyhow::Result<Self> {
        let named = |path: &Path| path.display().to_string();
        let tee = args.tee.as_ref().map(|path| {
            let file = File::create(path).with_context(|| named(path))?;
            anyhow::Ok(Tee::new(file, named(path)))
        });
        let record = args.record.as_ref();
        let record = record.map(|path| RecordFile::prepare(path).with_context(|| named(path)));
        Ok(Self { tee: tee.transpose()?, record: record.transpose()? })
    }
}

/// Everything that is needed.
struct Wrapped<'a> {
    args: &'a WrapArgs,
    global: &'a Global,
    command: Command,
    environment: Environment,
    shown: Shown,
    files: Files,
}

impl Wrapped<'_> {
    /// Runs it; the exit status.
    fn run(self) -> u8 {
        let Self { args, global, command, environment, shown, files } = self;
        let mut notes = Notes::stderr(global.quiet);
        let subject = args.subject.as_deref().and_then(subject::sanitized);
        let subject = subject.map(|subject| format!(" ({subject})")).unwrap_or_default();
        let about = About::new(&command, &environment);
        if let Some(source) = about.auth_source {
            notes.remark(&format!("codex auth={source}{subject}"));
        }

        let run = Run::new(global.harness.or(command.harness), SystemTime::now());
        let run = if args.record.is_some() { run } else { run.without_output() };
        let plan = match &shown {
            Shown::Raw => None,
            Shown::Projection(command) => Some(Plan::of(command)),
        };
        let mut watch = Watch::new(run, None);
        watch.subject = subject;
        watch.kept = args.with_events.then(Rc::default);
        let (run, kept) = (Rc::clone(&watch.run), watch.kept.clone());

        let started =
            Started::start(args, &command, &environment, &watch.progress, notes, files.tee);
        let started = match started {
            Ok(started) => started,
            Err(failed) => {
                let message = failed.message(&command);
                Notes::stderr(false).error(&message);
                let end = about.never_started(message);
                write_record(files.record, &run.borrow(), args, &end, None);
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
        let mut out = Output {
            sink: Sink::stdout_through(Box::new(StuckProof::new(Rc::clone(&supervisor))), style),
            notes: Notes::stderr(global.quiet),
            records: plan.as_ref().map(|plan| plan.records(terminal)).unwrap_or_default(),
        };
        let options = Options {
            harness: global.harness,
            max_line: global.max_line,
            manner: plan.as_ref().map(|plan| plan.manner).unwrap_or_default(),
        };
        let mut input = Watched::new(Rc::clone(&supervisor), plan.is_none());
        let outcome = pipeline::run(&name, &mut input, options, Box::new(watch), &mut out)
            .and_then(|outcome| {
                out.records.end(&mut out.sink)?;
                out.sink.flush()?;
                Ok(outcome)
            });

        let end = end();
        let run = run.borrow();
        let events = kept.as_ref().map(|kept| kept.borrow());
        let mut lost = !write_record(files.record, &run, args, &end, events.as_deref());
        let mut supervisor = supervisor.borrow_mut();
        lost |= supervisor.tee_failed();
        let ended = supervisor.finish();
        let verdict = run.verdict(!args.no_heuristics).with_process(&end);
        let status = status::of_run(args.exit_status, ended, supervisor.cause(), &verdict);
        match outcome {
            Err(error) => {
                Notes::stderr(false).error(&format!("cannot write: {error}"));
                status::OWN_FAILURE
            }
            // Never a good end with something lost.
            Ok(_) if status == 0 && lost => status::OWN_FAILURE,
            Ok(outcome) if status == 0 && global.strict && outcome.skipped > 0 => 1,
            Ok(outcome) if status == 0 => outcome.exit.code(),
            Ok(_) => status,
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
) -> bool {
    let (Some(file), Some(path)) = (file, &args.record) else {
        return true;
    };
    let row = Row::new(run, !args.no_heuristics, Some(end));
    match file.write(&row, events) {
        Ok(()) => true,
        Err(error) => {
            let message = format!("{}: cannot write the record: {error}", path.display());
            Notes::stderr(false).error(&message);
            false
        }
    }
}

fn environment(args: &WrapArgs, command: &Command) -> anyhow::Result<Environment> {
    let mut environment = Environment::of_process();
    for pair in &args.env {
        let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            bail!("--env {pair:?}: write NAME=VALUE");
        };
        environment.set(name.as_ref(), value.as_ref());
    }
    for name in &args.unset {
        environment.unset(name.as_ref());
    }
    if args.strip_auth {
        environment.strip_auth(command.harness);
    }
    Ok(environment)
}

fn print_command(argv: &[OsString]) -> io::Result<u8> {
    let words: Vec<_> = argv.iter().map(|word| word.to_string_lossy()).collect();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", shell_words::join(words))?;
    stdout.flush()?;
    Ok(0)
}

fn program_name(argv: &[OsString]) -> String {
    let name = argv.first().and_then(|program| Path::new(program).file_name());
    name.unwrap_or_default().to_string_lossy().into_owned()
}
