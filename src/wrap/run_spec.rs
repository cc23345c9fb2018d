//! What to run, prepared as far as possible without starting anything.

use std::ffi::OsString;
use std::path::Path;

use anyhow::Context;

use super::environment::Environment;
use super::is_stdout;
use super::record::RecordFile;
use super::schema_request::SchemaRequest;
use super::signals::CaughtSignals;
use super::stderr::SharedStderr;
use super::stdin::StdinContent;
use super::supervised_run::{RunOutcome, SupervisedRun};
use super::tee::Tee;
use crate::cli::{Global, WrapArgs};
use crate::harness::Harness;
use crate::harness::command::{self, AgentCommand, CompletionRequest};
use crate::output::private::{self, TemporaryFolder};
use crate::read_spec::ReadSpec;

/// The name of the file for the last message.
const LAST_MESSAGE: &str = "last-message.txt";

/// What to run, and how.
pub(crate) struct RunSpec<'a> {
    pub(crate) args: &'a WrapArgs,
    pub(crate) global: &'a Global,
    /// What is printed; `None` copies the stream.
    pub(crate) read_spec: Option<ReadSpec<'a>>,
    pub(crate) stdin: StdinContent<'a>,
    /// What the agent should know before it starts.
    pub(crate) context: Option<&'a str>,
    /// Whether nothing follows, so that signals get their default effect afterwards.
    pub(crate) is_last: bool,
    /// Returns a signal that came before this run was started.
    pub(crate) pending_signal: &'a dyn Fn() -> Option<i32>,
}

impl RunSpec<'_> {
    /// Returns the completed command line.
    pub fn command_line(&self) -> anyhow::Result<Vec<OsString>> {
        let folder = TemporaryFolder::named("/tmp/streamj-XXXXXX");
        let schema = self.schema_request(&folder, true)?;
        Ok(self.command(folder.path(), schema.as_ref())?.argv)
    }

    /// Checks whether it can be run, as far as that is known without starting
    /// anything.
    #[cfg(feature = "store")]
    pub fn check(&self) -> anyhow::Result<()> {
        self.command_line()?;
        prepare_environment(self.args, self.harness()).map(drop)
    }

    /// Runs it. An error is one of streamj itself, before anything was started.
    pub fn run(self) -> anyhow::Result<RunOutcome> {
        // Before anything is created, so that a signal leaves nothing behind.
        let signals = CaughtSignals::catch().context("cannot catch signals")?;
        let stderr = SharedStderr::start().context("cannot write to standard error")?;
        // Deleted when the function returns.
        let temporary = TemporaryFolder::new();
        let schema = self.schema_request(&temporary, false)?;
        let command = self.command(temporary.path(), schema.as_ref())?;
        let last_message = command.last_message.as_ref();
        if last_message.is_some_and(|file| file.starts_with(temporary.path())) {
            temporary.create().context("cannot make a temporary folder")?;
        }
        let environment = prepare_environment(self.args, command.harness)?;
        // Opened last, since it truncates existing files.
        let files = OutputFiles::open(self.args, &stderr)?;
        let spec = self;
        Ok(SupervisedRun { spec, command, environment, schema, files, signals, stderr }.run())
    }

    pub(super) fn harness(&self) -> Harness {
        let Global { harness, described, .. } = self.global;
        command::harness_of(&self.args.command, *harness, described)
    }

    /// Returns the document to request.
    fn schema_request(
        &self,
        folder: &TemporaryFolder,
        is_dry: bool,
    ) -> anyhow::Result<Option<SchemaRequest>> {
        let schema = self.args.schema.as_ref();
        let request =
            |path: &Option<_>| SchemaRequest::new(path.as_deref(), self.harness(), folder, is_dry);
        schema.map(request).transpose()
    }

    fn command(
        &self,
        folder: &Path,
        schema: Option<&SchemaRequest>,
    ) -> anyhow::Result<AgentCommand> {
        let request = CompletionRequest {
            completion: self.args.complete,
            model: self.args.model.as_deref(),
            context: self.context,
            harness: self.harness(),
            last_message: &folder.join(LAST_MESSAGE),
            schema: schema.map(SchemaRequest::file),
        };
        Ok(command::complete(&self.args.command, &request)?)
    }
}

fn prepare_environment(args: &WrapArgs, harness: Harness) -> anyhow::Result<Environment> {
    if let Some(directory) = &args.surroundings.cwd {
        let is_folder = directory.is_dir();
        anyhow::ensure!(is_folder, "{}: not a folder", directory.display());
    }
    Environment::new(&args.surroundings, harness, &args.command)
}

/// Files that are opened before anything is started.
pub(super) struct OutputFiles {
    pub(super) tee: Option<Tee>,
    pub(super) record: Option<RecordFile>,
}

impl OutputFiles {
    fn open(args: &WrapArgs, stderr: &SharedStderr) -> anyhow::Result<Self> {
        let name = |path: &Path| path.display().to_string();
        if let (Some(tee), Some(record)) = (&args.tee, &args.record) {
            let is_same = tee == record || private::is_same_file(tee, record);
            anyhow::ensure!(!is_same, "--tee and --record need a file each");
        }
        let record = args.record.as_ref();
        let record = record.map(|path| RecordFile::prepare(path).with_context(|| name(path)));
        let record = record.transpose()?;
        // The stream is printed instead.
        let tee = args.tee.as_ref().filter(|path| !is_stdout(path)).map(|path| {
            let file = private::create(path).with_context(|| name(path))?;
            Tee::start(file, name(path), stderr.clone()).with_context(|| name(path))
        });
        Ok(Self { tee: tee.transpose()?, record })
    }
}
