//! One file per reading command: what was asked for, out of what happened.
//!
//! A projection sees every line in turn and writes through the
//! [output](crate::output). It neither reads input nor opens anything. A new
//! one is a file here, a variant in [`crate::cli::ReadCommand`], and its arm
//! in [`Plan::of`].

mod check;
mod error;
mod events;
mod findings;
mod gist;
mod session;
#[cfg(feature = "store")]
mod stored;
mod structured;
pub(crate) mod summary;
mod text;
mod tools;
mod unified;
pub(crate) mod usage;
mod view;

pub(crate) use events::write_tagged;
pub(crate) use usage::estimated;

use std::io;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::SystemTime;

use crate::cli::{EventFormat, Files, ReadCommand, RecordOptions};
use crate::contract::Contract;
use crate::event::{Interest, Tokens};
use crate::exit::Exit;
use crate::harness::{Harness, Objects, Reading};
use crate::output::{Format, Object, Output, Records, Shape};
use crate::run::ProcessEnd;
use crate::schema::Schema;

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

/// What a projection takes upon itself; most take nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// It says itself what is wrong with a line.
    pub judges: bool,
    /// It sees an array of messages as one line.
    pub whole_lines: bool,
    /// What it sees of the objects, beside what they say.
    pub objects: Objects,
    /// What it looks at.
    pub interest: Interest,
}

/// What is known of a run before its first line.
#[derive(Clone)]
pub struct Setting {
    /// What its input is called.
    pub name: String,
    /// The harness the user named.
    pub harness: Option<Harness>,
    /// When its lines were written.
    pub written: SystemTime,
    /// Tells, at the end, how the process behind the stream ended.
    pub process: Option<WatchedProcess>,
}

/// Waits for the end of a process and tells how it was.
pub type WatchedProcess = Rc<dyn Fn() -> Rc<ProcessEnd>>;

type Build<'a> = Box<dyn Fn(&Setting) -> Box<dyn Projection> + 'a>;

/// A reading command, ready to be carried out on any number of runs.
pub struct Plan<'a> {
    /// The command's name.
    pub name: &'static str,
    /// What to read.
    pub files: &'a [PathBuf],
    /// How it wants to read.
    pub manner: Manner,
    /// Whether it goes on reading a file that grows.
    pub follows: bool,
    /// Whether it does more than print.
    pub stores: bool,
    format: Option<Format>,
    get: Option<&'a str>,
    shape: Shape,
    build: Build<'a>,
}

impl<'a> Plan<'a> {
    /// The plan for `command`.
    ///
    /// # Errors
    ///
    /// A file that it needs beside its input cannot be used.
    pub fn of(command: &'a ReadCommand) -> anyhow::Result<Self> {
        Ok(match command {
            ReadCommand::Text(args) => {
                Self::new("text", &args.input, |setting| Box::new(text::Text::new(args, setting)))
                    .looking_at(Interest::Words)
            }
            ReadCommand::Tools(args) => {
                Self::new("tools", &args.input, |_| Box::new(tools::ToolCalls::new(args)))
                    .looking_at(Interest::Calls)
                    .with_records(&args.records, tools::COLUMNS)
                    .many()
            }
            ReadCommand::Usage(args) => {
                let prices = args.prices()?.map(Rc::new);
                Self::new("usage", &args.input, move |_| {
                    Box::new(usage::UsageOfRun::new(prices.clone()))
                })
                .looking_at(Interest::Figures)
                .with_records(&args.records, usage::COLUMNS)
            }
            ReadCommand::Error(args) => Self::new("error", &args.input, |setting| {
                Box::new(error::ErrorOfRun::new(args, setting))
            })
            .with_records(&args.records, error::COLUMNS),
            ReadCommand::Session(args) => {
                Self::new("session", &args.input, |_| Box::<session::SessionOfRun>::default())
                    .looking_at(Interest::Figures)
                    .with_records(&args.records, session::COLUMNS)
            }
            ReadCommand::Summary(args) => Self::new("summary", &args.input, |setting| {
                Box::new(summary::Summary::new(args, setting))
            })
            .with_records(&args.records, summary::COLUMNS),
            ReadCommand::Events(args) => Self {
                format: Some(match args.format {
                    EventFormat::Jsonl | EventFormat::Sse => Format::Jsonl,
                    EventFormat::Json => Format::Json,
                }),
                get: args.get.as_deref(),
                ..Self::new("events", &args.input, |_| Box::new(events::Events::new(args)))
            }
            .many()
            .looking_at(if args.unified { Interest::All } else { Interest::Nothing }),
            ReadCommand::View(args) => Self {
                // It notes bad lines between its own.
                manner: Manner { judges: true, ..Manner::default() },
                follows: args.follow,
                ..Self::new("view", &args.input, |setting| Box::new(view::View::new(args, setting)))
            },
            ReadCommand::Check(args) => Self {
                manner: Manner {
                    judges: true,
                    whole_lines: args.contract == Contract::V1,
                    objects: Objects::Skimmed,
                    interest: Interest::Nothing,
                },
                format: Some(args.format),
                get: args.get.as_deref(),
                shape: Shape { columns: check::COLUMNS, many: true, dense: true },
                ..Self::new("check", &args.input, |setting| {
                    Box::new(check::Check::new(args, setting))
                })
            },
            ReadCommand::Structured(args) => {
                let schema = args.schema.as_deref().map(Schema::open).transpose()?.map(Rc::new);
                Self {
                    format: Some(Format::Json),
                    get: args.get.as_deref(),
                    ..Self::new("structured", &args.input, move |setting| {
                        Box::new(structured::StructuredOfRun::new(schema.clone(), setting))
                    })
                }
            }
            ReadCommand::Findings(args) => {
                let plan = Self::new("findings", &args.input, |setting| {
                    Box::new(findings::FindingsOfRun::new(setting))
                });
                #[cfg(feature = "store")]
                let plan = match &args.db {
                    Some(path) => plan.stored(crate::store::Store::open(path)?),
                    None => plan,
                };
                plan.with_records(&args.records, findings::COLUMNS).many().dense()
            }
        })
    }

    /// How its records are written.
    #[must_use]
    pub fn records(&self, terminal: bool) -> Records {
        let default = if terminal { Format::Human } else { Format::Jsonl };
        let format = self.format.unwrap_or(default);
        Records::new(format, self.get.map(str::to_owned), self.shape)
    }

    /// The projection for one run.
    #[must_use]
    pub fn projection(&self, setting: &Setting) -> Box<dyn Projection> {
        (self.build)(setting)
    }

    /// A plan of somebody who reads a stream and prints nothing of it.
    #[cfg(feature = "store")]
    pub(crate) fn silent(
        name: &'static str,
        build: impl Fn(&Setting) -> Box<dyn Projection> + 'a,
    ) -> Self {
        static NOTHING: Files = Files { files: Vec::new() };
        Self::new(name, &NOTHING, build)
    }

    /// The same, and every run is stored.
    #[cfg(feature = "store")]
    fn stored(self, store: crate::store::Store) -> Self {
        let store = Rc::new(std::cell::RefCell::new(store));
        let build = self.build;
        let build = move |setting: &Setting| -> Box<dyn Projection> {
            Box::new(stored::Stored::new(build(setting), Rc::clone(&store), setting))
        };
        Self { stores: true, build: Box::new(build), ..self }
    }

    fn new(
        name: &'static str,
        input: &'a Files,
        build: impl Fn(&Setting) -> Box<dyn Projection> + 'a,
    ) -> Self {
        Self {
            name,
            files: &input.files,
            manner: Manner::default(),
            follows: false,
            stores: false,
            format: None,
            get: None,
            shape: Shape::default(),
            build: Box::new(build),
        }
    }

    fn with_records(self, options: &'a RecordOptions, columns: &'static [&'static str]) -> Self {
        Self {
            format: options.format,
            get: options.get.as_deref(),
            shape: Shape { columns, ..Shape::default() },
            ..self
        }
    }

    fn looking_at(self, interest: Interest) -> Self {
        Self { manner: Manner { interest, ..self.manner }, ..self }
    }

    fn dense(self) -> Self {
        Self { shape: Shape { dense: true, ..self.shape }, ..self }
    }

    fn many(self) -> Self {
        Self { shape: Shape { many: true, ..self.shape }, ..self }
    }
}

/// Token counts by the names all records use, and their sum.
pub(crate) fn all_tokens(object: &mut Object<'_>, counts: &Tokens) {
    tokens(object, counts);
    object.count("total_tokens", counts.total());
}

/// Token counts by the names all records use.
fn tokens(object: &mut Object<'_>, tokens: &Tokens) {
    object
        .count("input_tokens", tokens.input)
        .count("output_tokens", tokens.output)
        .count("cache_read_tokens", tokens.cache_read)
        .count("cache_write_tokens", tokens.cache_write)
        .count("cache_write_5m_tokens", tokens.cache_write_5m())
        .count("cache_write_1h_tokens", tokens.cache_write_1h)
        .count("reasoning_tokens", tokens.reasoning);
}
