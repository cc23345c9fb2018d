//! A run that is asked for: made ready as far as that is possible without
//! starting anything.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use anyhow::{Context, bail};
use tempfile::TempDir;

use super::attended::{Attended, Told};
use super::completion::{self, Command, Request};
use super::environment::Environment;
use super::record::RecordFile;
use super::schema::Asked;
use super::stdin::Given;
use super::tee::Tee;
use crate::cli::{Global, WrapArgs};
use crate::harness::Harness;
use crate::projection::Plan;

/// The name of the file a last message is written to.
const LAST_MESSAGE: &str = "last-message.txt";

/// A run: what a user of `wrap` can say about it, and what only others in the
/// house can.
pub struct Order<'a> {
    /// What the user says.
    pub args: &'a WrapArgs,
    /// What the user says in general.
    pub global: &'a Global,
    /// What is printed; without it the stream is copied as it is.
    pub plan: Option<Plan<'a>>,
    /// What the command gets to read.
    pub given: Given<'a>,
    /// What the agent should know before it begins.
    pub context: Option<&'a str>,
    /// Nothing comes after it: once it is over, signals may end us.
    pub last: bool,
    /// The signal that asked us to end before anybody listened for this run.
    pub asked_to_end: &'a dyn Fn() -> Option<i32>,
}

impl Order<'_> {
    /// The command line as it would be.
    ///
    /// # Errors
    ///
    /// The command cannot be completed.
    pub fn command_line(&self) -> anyhow::Result<Vec<OsString>> {
        let folder = Path::new("/tmp/streamj-XXXXXX");
        let asked = self.asked(folder, true)?;
        Ok(self.command(folder, asked.as_ref())?.argv)
    }

    /// Whether it can be carried out, as far as that is known without starting
    /// anything.
    ///
    /// # Errors
    ///
    /// It cannot.
    #[cfg(feature = "store")]
    pub fn check(&self) -> anyhow::Result<()> {
        self.command_line()?;
        let harness = completion::harness_of(&self.args.command, self.global.harness);
        surroundings(self.args, harness).map(drop)
    }

    /// Runs it.
    ///
    /// # Errors
    ///
    /// They are our own, before anything was started.
    pub fn carry_out(self) -> anyhow::Result<Told> {
        // Gone on every way out.
        let temporary =
            TempDir::with_prefix("streamj-").context("cannot make a temporary folder")?;
        let asked = self.asked(temporary.path(), false)?;
        let command = self.command(temporary.path(), asked.as_ref())?;
        let Self { args, global, plan, given, last, asked_to_end, .. } = self;
        let environment = surroundings(args, command.harness)?;
        // Last: nothing is emptied for a command that is not run.
        let files = Files::open(args)?;
        let attended = Attended {
            args,
            global,
            command,
            environment,
            given,
            plan,
            asked,
            files,
            last,
            asked_to_end,
        };
        Ok(attended.run())
    }

    /// The document to ask for.
    fn asked(&self, folder: &Path, dry: bool) -> anyhow::Result<Option<Asked>> {
        let Self { args, global, .. } = self;
        let harness = completion::harness_of(&args.command, global.harness);
        let given = args.schema.as_ref();
        given.map(|given| Asked::new(given.as_deref(), harness, folder, dry)).transpose()
    }

    fn command(&self, folder: &Path, asked: Option<&Asked>) -> anyhow::Result<Command> {
        let Self { args, global, .. } = self;
        let request = Request {
            complete: args.complete,
            model: args.model.as_deref(),
            context: self.context,
            harness: completion::harness_of(&args.command, global.harness),
            last_message: &folder.join(LAST_MESSAGE),
            schema: asked.map(Asked::file),
        };
        match completion::complete(&args.command, &request) {
            Ok(command) => Ok(command),
            Err(refused) => bail!("{refused}"),
        }
    }
}

/// What the command will find around it.
fn surroundings(args: &WrapArgs, harness: Option<Harness>) -> anyhow::Result<Environment> {
    if let Some(directory) = &args.surroundings.cwd {
        let is_folder = directory.is_dir();
        anyhow::ensure!(is_folder, "{}: not a folder", directory.display());
    }
    Environment::of(&args.surroundings, harness)
}

/// Files that must be there before anything is started.
pub struct Files {
    /// The copy of the stream.
    pub tee: Option<Tee>,
    /// The record.
    pub record: Option<RecordFile>,
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
