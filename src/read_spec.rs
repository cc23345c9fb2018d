//! What each reading command needs: its options, its projection, its rows.

#[cfg(feature = "store")]
use std::cell::RefCell;
use std::rc::Rc;

use crate::cli::{CheckArgs, Files, OriginFlag, ReadCommand, RowOptions};
use crate::event::EventFilter;
use crate::harness::Harness;
use crate::harness::format::Contract;
use crate::output::{Format, ORIGIN_MEMBERS, RowLayout, RowWriter};
use crate::projection::{
    self, CheckProjection, ErrorProjection, EventsProjection, FindingsProjection, NoProjection,
    Projection, RunContext, SessionProjection, StructuredProjection, SummaryProjection,
    TextProjection, ToolSelection, ToolsProjection, UsageProjection,
};
use crate::reader::{DecodeOptions, Objects};
use crate::schema::Schema;
#[cfg(feature = "store")]
use crate::store::{RecordingProjection, Store, StoreProjection, StoredRun};
use crate::view::View;

type BuildProjection<'a> = Box<dyn Fn(&RunContext) -> Box<dyn Projection> + 'a>;

/// What the output of a command shows of a run's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// The answer and the failure, for people.
    All,
    /// The answer, or an error in place of it.
    Text,
    /// The failure.
    Failure,
    /// The requested document, or that it is missing.
    Document,
    /// None of these.
    Other,
}

/// A reading command, ready to be applied to any number of runs.
pub(crate) struct ReadSpec<'a> {
    /// The command's name.
    pub(crate) name: &'static str,
    /// The files to read.
    pub(crate) input: &'a Files,
    /// Whether it reads on as a file grows.
    pub(crate) follows: bool,
    /// Whether it does more than print.
    pub(crate) stores: bool,
    /// Whether its text is made safe for the log of a CI system.
    pub(crate) is_ci_safe: bool,
    /// What its rows show of a run's outcome.
    coverage: Coverage,
    decode: DecodeOptions,
    format: Option<Format>,
    member: Option<&'a str>,
    layout: RowLayout,
    /// Whether rows can say where they come from, and whether they always do.
    has_origins: bool,
    always_has_origins: bool,
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
            .safe_in_ci(args.ci_safe)
            .showing(Coverage::Text)
            .filtered(EventFilter::Text),
            ReadCommand::Tools(args) => Self::of("tools", &args.input, |_| {
                let selection = ToolSelection::new(&args.name, args.failed, args.max_output);
                Box::new(ToolsProjection::new(selection, args.exit_status))
            })
            .filtered(EventFilter::Tools)
            .with_rows(&args.rows, args.origin, projection::TOOLS_COLUMNS)
            .array(),
            ReadCommand::Usage(args) => {
                let prices = args.requested_prices()?.map(Rc::new);
                Self::of("usage", &args.input, move |context| {
                    Box::new(UsageProjection::new(prices.clone(), context))
                })
                .filtered(EventFilter::Usage)
                .with_rows(&args.rows, args.origin, projection::USAGE_COLUMNS)
            }
            ReadCommand::Error(args) => Self::of("error", &args.input, |context| {
                let heuristics = args.heuristics.mode();
                let sets_status = args.exit_status.then_some(args.fail_on.as_slice());
                Box::new(ErrorProjection::new(heuristics, sets_status, context))
            })
            .showing(Coverage::Failure)
            .with_rows(&args.rows, args.origin, projection::ERROR_COLUMNS),
            ReadCommand::Session(args) => {
                Self::of("session", &args.input, |_| Box::<SessionProjection>::default())
                    .filtered(EventFilter::Usage)
                    .with_rows(&args.rows, args.origin, projection::SESSION_COLUMNS)
            }
            ReadCommand::Summary(args) => Self::of("summary", &args.input, |context| {
                Box::new(SummaryProjection::new(args.heuristics.mode(), context))
            })
            .showing(Coverage::Failure)
            .with_rows(&args.rows, args.origin, projection::SUMMARY_COLUMNS),
            ReadCommand::Events(args) => Self {
                format: Some(args.format()),
                member: args.get.as_deref(),
                ..Self::of("events", &args.input, |_| {
                    Box::new(EventsProjection::new(args.tag, args.unified))
                })
            }
            .array()
            .with_origins(args.origin)
            .filtered(if args.unified { EventFilter::All } else { EventFilter::None }),
            ReadCommand::View(args) => Self {
                follows: args.follow,
                coverage: Coverage::All,
                ..Self::of("view", &args.input, |context| {
                    Box::new(View::new(args.options(), context))
                })
            },
            ReadCommand::Check(args) => Self::of_check(args)?,
            ReadCommand::Structured(args) => {
                let schema = args.schema.as_deref().map(Schema::open).transpose()?.map(Rc::new);
                Self {
                    format: Some(Format::Json),
                    member: args.get.as_deref(),
                    coverage: Coverage::Document,
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
                    Some(path) => spec.stored(Store::open(path)?),
                    None => spec,
                };
                spec.with_rows(&args.rows, args.origin, projection::FINDINGS_COLUMNS)
                    .array()
                    .dense()
            }
        })
    }

    /// Returns what its output shows of a run's outcome. One member is not all of it.
    pub fn coverage(&self) -> Coverage {
        match self.coverage {
            Coverage::Failure if self.member.is_some() => Coverage::Other,
            coverage => coverage,
        }
    }

    /// Returns the options for decoding.
    pub fn decode_options(
        &self,
        harness: Option<Harness>,
        described: &'static [Harness],
    ) -> DecodeOptions {
        // Where rows come from is said by events of all kinds.
        let filter = if self.adds_origins() { EventFilter::All } else { self.decode.filter };
        DecodeOptions { harness, described, filter, ..self.decode }
    }

    /// Returns the writer of its rows.
    pub fn row_writer(&self, is_terminal: bool) -> RowWriter {
        let default = if is_terminal { Format::Human } else { Format::Jsonl };
        let format = self.format.unwrap_or(default);
        let has_origins = self.adds_origins();
        let mut layout = self.layout.clone();
        if has_origins {
            let added = ORIGIN_MEMBERS.iter().filter(|name| !self.layout.columns.contains(name));
            layout.columns.to_mut().extend(added);
        }
        let mut rows = RowWriter::new(format, self.member.map(str::to_owned), layout);
        if has_origins {
            rows.add_origins();
        }
        rows
    }

    /// Returns whether rows say where they come from.
    fn adds_origins(&self) -> bool {
        self.has_origins && (self.always_has_origins || self.input.is_many())
    }

    /// Returns the projection of one run.
    pub fn projection(&self, context: &RunContext) -> Box<dyn Projection> {
        (self.build)(context)
    }

    /// Returns a specification that prints nothing.
    pub fn silent() -> Self {
        static NO_FILES: Files = Files::none();
        Self::of("nothing", &NO_FILES, |_| Box::new(NoProjection))
    }

    /// Also records the run.
    #[cfg(feature = "store")]
    pub fn recorded(self, stored_run: Rc<RefCell<StoredRun>>) -> Self {
        let build = self.build;
        let build = move |context: &RunContext| -> Box<dyn Projection> {
            Box::new(RecordingProjection::new(Rc::clone(&stored_run), build(context)))
        };
        Self { build: Box::new(build), ..self }
    }

    /// Also stores every run.
    #[cfg(feature = "store")]
    fn stored(self, store: Store) -> Self {
        let store = Rc::new(RefCell::new(store));
        let build = self.build;
        let build = move |context: &RunContext| -> Box<dyn Projection> {
            Box::new(StoreProjection::new(build(context), Rc::clone(&store), context))
        };
        Self { stores: true, build: Box::new(build), ..self }
    }

    fn of_check(args: &'a CheckArgs) -> anyhow::Result<Self> {
        let options = args.options()?;
        Ok(Self {
            decode: DecodeOptions {
                split_arrays: options.contract != Contract::V1,
                objects: Objects::Elided,
                filter: EventFilter::None,
                ..DecodeOptions::default()
            },
            format: Some(args.format()),
            member: args.get.as_deref(),
            layout: RowLayout {
                columns: projection::CHECK_COLUMNS.into(),
                is_array: true,
                is_dense: true,
            },
            ..Self::of("check", &args.input, move |context| {
                Box::new(CheckProjection::new(options, context))
            })
            .with_origins(args.origin)
        })
    }

    fn of(
        name: &'static str,
        input: &'a Files,
        build: impl Fn(&RunContext) -> Box<dyn Projection> + 'a,
    ) -> Self {
        Self {
            name,
            input,
            follows: false,
            stores: false,
            is_ci_safe: false,
            coverage: Coverage::Other,
            decode: DecodeOptions::default(),
            format: None,
            member: None,
            layout: RowLayout::default(),
            has_origins: false,
            always_has_origins: false,
            build: Box::new(build),
        }
    }

    fn with_rows(
        self,
        options: &'a RowOptions,
        origin: OriginFlag,
        columns: &'static [&'static str],
    ) -> Self {
        Self {
            format: options.format(),
            member: options.get.as_deref(),
            layout: RowLayout { columns: columns.into(), ..RowLayout::default() },
            ..self.with_origins(origin)
        }
    }

    fn with_origins(self, always: OriginFlag) -> Self {
        Self { has_origins: true, always_has_origins: always.provenance, ..self }
    }

    fn safe_in_ci(self, is_ci_safe: bool) -> Self {
        Self { is_ci_safe, ..self }
    }

    fn showing(self, coverage: Coverage) -> Self {
        Self { coverage, ..self }
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
