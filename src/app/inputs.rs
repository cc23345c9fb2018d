//! Reads the inputs of a command, small files on all cores.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::sessions::sources_of;
use crate::cli::{Global, ReadCommand};
use crate::exit::Exit;
use crate::input::{self, FollowedFile, ReadInput, STDIN_NAME};
use crate::output::{Output, RecordingSettings, system_message};
use crate::pipeline::{self, RunResult};
use crate::program::Streams;
use crate::projection::RunContext;
use crate::read_spec::ReadSpec;
use crate::reader::{ReaderOptions, thread_count};
use crate::sessions::{SessionInput, SessionSource};
use crate::workers;
use crate::wrap;

/// Files up to this size are read by one thread each, and what they print is kept until
/// those before them have been printed. Larger ones are read one after the other, each by all
/// threads.
const MAX_SMALL: u64 = 2 << 20;

/// What a command reads, and how.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub(super) command: &'a ReadCommand,
    pub(super) spec: &'a ReadSpec<'a>,
    pub(super) global: &'a Global,
}

/// An input, or why there is none.
enum InputJob {
    Source {
        source: SessionSource,
        /// Whether the user named it, and not its folder only.
        is_named: bool,
    },
    Unreadable(PathBuf, io::Error),
    Failed(anyhow::Error),
}

impl Inputs<'_> {
    /// Reads all inputs in order. An error is one of writing.
    pub(super) fn read(
        self,
        paths: &[PathBuf],
        streams: &mut Streams,
        out: &mut Output,
    ) -> io::Result<Exit> {
        let jobs: Vec<InputJob> = paths.iter().flat_map(|path| self.jobs(path)).collect();
        if jobs.is_empty() {
            let names: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
            out.diagnostics.note(&format!("no session or stream in {}", names.join(", ")));
            return Ok(Exit::No);
        }
        let mut exit = Exit::Success;
        for batch in workers::batches(&jobs, |job| self.is_small(job)) {
            exit = exit.or_worse(match batch {
                [job] => self.read_one(job, self.global.threads, streams, out)?,
                jobs => self.read_small(jobs, out)?,
            });
        }
        Ok(exit)
    }

    /// Returns the inputs that an argument stands for.
    fn jobs(self, path: &Path) -> Vec<InputJob> {
        let found = match sources_of(path, self.spec.input, self.global) {
            Ok(found) => found,
            Err(error) => {
                return vec![match error.downcast::<io::Error>() {
                    Ok(error) => InputJob::Unreadable(path.to_owned(), error),
                    Err(error) => InputJob::Failed(error),
                }];
            }
        };
        let is_named = !path.is_dir();
        let unreadable = found.unreadable.into_iter();
        let unreadable = unreadable.map(|(path, error)| InputJob::Unreadable(path, error));
        let sources = found.sources.into_iter();
        unreadable.chain(sources.map(|source| InputJob::Source { source, is_named })).collect()
    }

    /// Returns whether an input is read by one thread while others read others.
    fn is_small(self, job: &InputJob) -> bool {
        let InputJob::Source { source, .. } = job else { return true };
        let is_shared = !self.spec.stores && !self.spec.follows && self.global.threads != Some(1);
        is_shared && source.size().is_some_and(|size| size <= MAX_SMALL)
    }

    /// Reads inputs at the same time, and prints them in their order.
    fn read_small(self, jobs: &[InputJob], out: &mut Output) -> io::Result<Exit> {
        let settings = RecordingSettings::new(out, self.global.quiet);
        let Self { command, global, .. } = self;
        let mut exit = Exit::Success;
        let work = |spec: &mut anyhow::Result<ReadSpec<'_>>, job: &InputJob| {
            settings.record(|out| match spec {
                Ok(spec) => {
                    let inputs = Inputs { command, spec, global };
                    inputs.read_one(job, Some(1), &mut Streams::default(), out)
                }
                Err(error) => {
                    out.diagnostics.failure(error);
                    Ok(Exit::Error)
                }
            })
        };
        let ended = workers::in_order(
            jobs,
            thread_count(global.threads),
            // The projections of a specification share what it has opened.
            || ReadSpec::new(command),
            work,
            |recorded| {
                let printed = recorded.and_then(|(transcript, own)| {
                    exit = exit.or_worse(own);
                    transcript.print(out)
                });
                printed.map_or_else(ControlFlow::Break, ControlFlow::Continue)
            },
        );
        match ended {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(exit),
        }
    }

    fn read_one(
        self,
        job: &InputJob,
        threads: Option<usize>,
        streams: &mut Streams,
        out: &mut Output,
    ) -> io::Result<Exit> {
        match job {
            InputJob::Source { source, is_named } => {
                self.read_source(source, *is_named, threads, streams, out)
            }
            InputJob::Unreadable(path, error) => {
                report_unreadable(&path.to_string_lossy(), error, out)
            }
            InputJob::Failed(error) => {
                out.sink.flush()?;
                out.diagnostics.failure(error);
                Ok(Exit::Error)
            }
        }
    }

    fn read_source(
        self,
        source: &SessionSource,
        is_named: bool,
        threads: Option<usize>,
        streams: &mut Streams,
        out: &mut Output,
    ) -> io::Result<Exit> {
        let Self { spec, global, .. } = self;
        let mut opened = match OpenInput::open(source, spec.follows, streams) {
            Ok(opened) => opened,
            Err(error) => return report_unreadable(&source.name(), &error, out),
        };
        let (name, written) = opened.name_and_time(source.path());
        let context =
            RunContext { name: name.clone(), harness: global.harness, written, process: None };
        let options = ReaderOptions {
            decode: spec.decode_options(global.harness, global.described),
            max_line: global.max_line,
            threads,
            redactor: global.redactor(),
            ..ReaderOptions::default()
        };
        let projection = spec.projection(&context);
        let RunResult { mut exit, skipped, read_error } = match &mut opened {
            OpenInput::Session(input) => {
                pipeline::run(&name, is_named, &mut **input, &options, projection, out)?
            }
            OpenInput::Followed(file) => {
                pipeline::run(&name, is_named, file, &options, projection, out)?
            }
            OpenInput::Reader(reader) => {
                pipeline::run(&name, is_named, reader, &options, projection, out)?
            }
        };
        if global.strict && skipped > 0 {
            exit = exit.or_worse(Exit::No);
        }
        if let Some(error) = read_error {
            out.input_error(&format!("cannot read: {}", system_message(&error)))?;
            exit = exit.or_worse(Exit::Error);
        }
        Ok(exit)
    }
}

fn report_unreadable(name: &str, error: &io::Error, out: &mut Output) -> io::Result<Exit> {
    out.diagnostics.start_input(name);
    out.input_error(&system_message(error))?;
    Ok(Exit::Error)
}

/// An open input.
enum OpenInput {
    Session(Box<SessionInput>),
    Followed(FollowedFile),
    /// Standard input given by the caller of [`crate::program::run_with`].
    Reader(ReadInput<Box<dyn io::Read + Send>>),
}

impl OpenInput {
    fn open(source: &SessionSource, follows: bool, streams: &mut Streams) -> io::Result<Self> {
        let path = source.path();
        // A compressed file is complete.
        if follows && !input::is_compressed(path) {
            let keep_going = || !wrap::stdout_is_closed();
            return FollowedFile::open(path, keep_going).map(Self::Followed);
        }
        let stdin = if path.as_os_str() == "-" { streams.take_stdin() } else { None };
        match stdin {
            Some(reader) => Ok(Self::Reader(ReadInput(reader))),
            None => source.open().map(|input| Self::Session(Box::new(input))),
        }
    }

    /// Returns the name for messages, and when the lines were written.
    fn name_and_time(&self, path: &Path) -> (String, SystemTime) {
        match self {
            Self::Session(input) => (input.name().to_owned(), input.modified()),
            Self::Followed(_) => (path.to_string_lossy().into_owned(), SystemTime::now()),
            Self::Reader(_) => (STDIN_NAME.to_owned(), SystemTime::UNIX_EPOCH),
        }
    }
}
