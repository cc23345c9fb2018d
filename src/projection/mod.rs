//! One file per reading command: what was asked for, out of what happened.
//!
//! A projection sees every line in turn and writes through the
//! [output](crate::output). It neither reads input nor opens anything. A new
//! one is a file here, a variant in [`crate::cli::Command`], and its arm in
//! [`Plan::of`].

mod error;
mod events;
mod session;
mod summary;
mod text;
mod tools;
mod unified;
mod usage;

use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::cli::{Command, EventFormat, Files, RecordOptions};
use crate::exit::Exit;
use crate::harness::{Harness, Reading};
use crate::output::{Format, Output, Records};

/// What a reading command does with a run.
pub trait Projection {
    /// Sees the next line, or the next message of a line that holds several.
    ///
    /// # Errors
    ///
    /// Writing fails.
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()>;

    /// The run is over.
    ///
    /// # Errors
    ///
    /// Writing fails.
    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit>;
}

/// What is known of a run before its first line.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The harness the user named.
    pub harness: Option<Harness>,
    /// When its lines were written.
    pub written: SystemTime,
}

type Build<'a> = Box<dyn Fn(&Setting) -> Box<dyn Projection> + 'a>;

/// A reading command, ready to be carried out on any number of runs.
pub struct Plan<'a> {
    /// The command's name.
    pub name: &'static str,
    /// What to read.
    pub files: &'a [PathBuf],
    format: Option<Format>,
    get: Option<&'a str>,
    many: bool,
    build: Build<'a>,
}

impl<'a> Plan<'a> {
    /// The plan for `command`, if that reads a stream.
    #[must_use]
    pub fn of(command: &'a Command) -> Option<Self> {
        Some(match command {
            Command::Text(args) => {
                Self::new("text", &args.input, |_| Box::new(text::Text::new(args)))
            }
            Command::Tools(args) => Self::new("tools", &args.input, |_| {
                Box::new(tools::ToolCalls::new(args))
            })
            .many()
            .records_as(&args.records),
            Command::Usage(args) => Self::new("usage", &args.input, |_| {
                Box::<usage::UsageOfRun>::default()
            })
            .records_as(&args.records),
            Command::Error(args) => Self::new("error", &args.input, |setting| {
                Box::new(error::ErrorOfRun::new(args, setting))
            })
            .records_as(&args.records),
            Command::Session(args) => Self::new("session", &args.input, |_| {
                Box::<session::SessionOfRun>::default()
            })
            .records_as(&args.records),
            Command::Summary(args) => Self::new("summary", &args.input, |setting| {
                Box::new(summary::Summary::new(args, setting))
            })
            .records_as(&args.records),
            Command::Events(args) => Self {
                format: Some(match args.format {
                    EventFormat::Jsonl | EventFormat::Sse => Format::Jsonl,
                    EventFormat::Json => Format::Json,
                }),
                get: args.get.as_deref(),
                ..Self::new("events", &args.input, |_| {
                    Box::new(events::Events::new(args))
                })
                .many()
            },
            Command::Man(_) | Command::Completions(_) => return None,
        })
    }

    /// How its records are written.
    #[must_use]
    pub fn records(&self, terminal: bool) -> Records {
        let default = if terminal {
            Format::Human
        } else {
            Format::Jsonl
        };
        let format = self.format.unwrap_or(default);
        Records::new(format, self.get.map(str::to_owned), self.many)
    }

    /// The projection for one run.
    #[must_use]
    pub fn projection(&self, setting: &Setting) -> Box<dyn Projection> {
        (self.build)(setting)
    }

    fn new(
        name: &'static str,
        input: &'a Files,
        build: impl Fn(&Setting) -> Box<dyn Projection> + 'a,
    ) -> Self {
        Self {
            name,
            files: &input.files,
            format: None,
            get: None,
            many: false,
            build: Box::new(build),
        }
    }

    fn many(self) -> Self {
        Self { many: true, ..self }
    }

    fn records_as(self, options: &'a RecordOptions) -> Self {
        Self {
            format: options.format,
            get: options.get.as_deref(),
            ..self
        }
    }
}
