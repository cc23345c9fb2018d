//! What each reading command needs: its options, its projection, its rows.

use std::path::PathBuf;
use std::rc::Rc;

use crate::cli::{Files, ReadCommand, RowOptions};
use crate::event::EventFilter;
use crate::harness::Harness;
use crate::harness::format::Contract;
use crate::output::{Format, RowLayout, RowWriter};
use crate::projection::{
    self, CheckProjection, ErrorProjection, EventsProjection, FindingsProjection, Projection,
    RunContext, SessionProjection, StructuredProjection, SummaryProjection, TextProjection,
    ToolSelection, ToolsProjection, UsageProjection,
};
use crate::reader::{DecodeOptions, Objects};
use crate::schema::Schema;
use crate::view::View;

type BuildProjection<'a> = Box<dyn Fn(&RunContext) -> Box<dyn Projection> + 'a>;

/// A reading command, ready to be applied to any number of runs.
pub(crate) struct ReadSpec<'a> {
    /// The command's name.
    pub(crate) name: &'static str,
    /// The files to read.
    pub(crate) files: &'a [PathBuf],
    /// Whether it reads on as a file grows.
    pub(crate) follows: bool,
    /// Whether it does more than print.
    pub(crate) stores: bool,
    decode: DecodeOptions,
    format: Option<Format>,
    member: Option<&'a str>,
    layout: RowLayout,
    build: BuildProjection<'a>,
}

impl<'a> ReadSpec<'a> {
    /// Returns the specification of a command. Fails if a file that it needs beside
    /// its input cannot be used.
    pub fn new(command: &'a ReadCommand) -> anyhow::Result<Self> {
        Ok(match command {
            ReadCommand::Text(args) => Self::of("text", &args.input, |context| {
                Box::new(TextProjection::new(args.last, args.main_only, context))
            })
            .filtered(EventFilter::Text),
            ReadCommand::Tools(args) => Self::of("tools", &args.input, |_| {
                let selection = ToolSelection::new(&args.name, args.failed, args.max_output);
                Box::new(ToolsProjection::new(selection))
            })
            .filtered(EventFilter::Tools)
            .with_rows(&args.rows, projection::TOOLS_COLUMNS)
            .array(),
            ReadCommand::Usage(args) => {
                let prices = args.prices()?.map(Rc::new);
                Self::of("usage", &args.input, move |_| {
                    Box::new(UsageProjection::new(prices.clone()))
                })
                .filtered(EventFilter::Usage)
                .with_rows(&args.rows, projection::USAGE_COLUMNS)
            }
            ReadCommand::Error(args) => Self::of("error", &args.input, |context| {
                let heuristics = args.heuristics.mode();
                Box::new(ErrorProjection::new(heuristics, args.exit_status, context))
            })
            .with_rows(&args.rows, projection::ERROR_COLUMNS),
            ReadCommand::Session(args) => {
                Self::of("session", &args.input, |_| Box::<SessionProjection>::default())
                    .filtered(EventFilter::Usage)
                    .with_rows(&args.rows, projection::SESSION_COLUMNS)
            }
            ReadCommand::Summary(args) => Self::of("summary", &args.input, |context| {
                Box::new(SummaryProjection::new(args.heuristics.mode(), context))
            })
            .with_rows(&args.rows, projection::SUMMARY_COLUMNS),
            ReadCommand::Events(args) => Self {
                format: Some(args.format),
                member: args.get.as_deref(),
                ..Self::of("events", &args.input, |_| {
                    Box::new(EventsProjection::new(args.tag, args.unified))
                })
            }
            .array()
            .filtered(if args.unified { EventFilter::All } else { EventFilter::None }),
            ReadCommand::View(args) => Self {
                follows: args.follow,
                ..Self::of("view", &args.input, |context| {
                    Box::new(View::new(args.options(), context))
                })
            },
            ReadCommand::Check(args) => Self {
                decode: DecodeOptions {
                    split_arrays: args.contract != Contract::V1,
                    objects: Objects::Elided,
                    filter: EventFilter::None,
                    ..DecodeOptions::default()
                },
                format: Some(args.format),
                member: args.get.as_deref(),
                layout: RowLayout {
                    columns: projection::CHECK_COLUMNS,
                    is_array: true,
                    is_dense: true,
                },
                ..Self::of("check", &args.input, |context| {
                    Box::new(CheckProjection::new(args.contract, args.every_line, context))
                })
            },
            ReadCommand::Structured(args) => {
                let schema = args.schema.as_deref().map(Schema::open).transpose()?.map(Rc::new);
                Self {
                    format: Some(Format::Json),
                    member: args.get.as_deref(),
                    ..Self::of("structured", &args.input, move |context| {
                        Box::new(StructuredProjection::new(schema.clone(), context))
                    })
                }
            }
            ReadCommand::Findings(args) => {
                let spec = Self::of("findings", &args.input, |context| {
                    Box::new(FindingsProjection::new(context))
                });
                #[cfg(feature = "store")]
                let spec = match &args.db {
                    Some(path) => spec.stored(crate::store::Store::open(path)?),
                    None => spec,
                };
                spec.with_rows(&args.rows, projection::FINDINGS_COLUMNS).array().dense()
            }
        })
    }

    /// Returns the options for decoding.
    pub fn decode_options(&self, harness: Option<Harness>) -> DecodeOptions {
        DecodeOptions { harness, ..self.decode }
    }

    /// Returns the writer of its rows.
    pub fn row_writer(&self, is_terminal: bool) -> RowWriter {
        let default = if is_terminal { Format::Human } else { Format::Jsonl };
        let format = self.format.unwrap_or(default);
        RowWriter::new(format, self.member.map(str::to_owned), self.layout)
    }

    /// Returns the projection of one run.
    pub fn projection(&self, context: &RunContext) -> Box<dyn Projection> {
        (self.build)(context)
    }

    /// Returns the specification of a projection that prints nothing.
    #[cfg(feature = "store")]
    pub fn silent(
        name: &'static str,
        build: impl Fn(&RunContext) -> Box<dyn Projection> + 'a,
    ) -> Self {
        static NO_FILES: Files = Files { files: Vec::new() };
        Self::of(name, &NO_FILES, build)
    }

    /// Also stores every run.
    #[cfg(feature = "store")]
    fn stored(self, store: crate::store::Store) -> Self {
        use crate::store::StoreProjection;
        let store = Rc::new(std::cell::RefCell::new(store));
        let build = self.build;
        let build = move |context: &RunContext| -> Box<dyn Projection> {
            Box::new(StoreProjection::new(build(context), Rc::clone(&store), context))
        };
        Self { stores: true, build: Box::new(build), ..self }
    }

    fn of(
        name: &'static str,
        input: &'a Files,
        build: impl Fn(&RunContext) -> Box<dyn Projection> + 'a,
    ) -> Self {
        Self {
            name,
            files: &input.files,
            follows: false,
            stores: false,
            decode: DecodeOptions::default(),
            format: None,
            member: None,
            layout: RowLayout::default(),
            build: Box::new(build),
        }
    }

    fn with_rows(self, options: &'a RowOptions, columns: &'static [&'static str]) -> Self {
        Self {
            format: options.format,
            member: options.get.as_deref(),
            layout: RowLayout { columns, ..RowLayout::default() },
            ..self
        }
    }

    fn filtered(self, filter: EventFilter) -> Self {
        Self { decode: DecodeOptions { filter, ..self.decode }, ..self }
    }

    fn dense(self) -> Self {
        Self { layout: RowLayout { is_dense: true, ..self.layout }, ..self }
    }

    fn array(self) -> Self {
        Self { layout: RowLayout { is_array: true, ..self.layout }, ..self }
    }
}
