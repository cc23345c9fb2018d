//! The page of runs that this process supervises.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{RunningServer, Served, Server, Token};
use crate::cli::Global;
use crate::output::private::{self, TemporaryFolder};
use crate::usage::Prices;

/// The page of runs, whose streams are written into files.
pub(crate) struct RunPage {
    /// Dropped first: clients receive the end of the run before its file is removed.
    _server: RunningServer,
    path: PathBuf,
    _folder: TemporaryFolder,
}

impl RunPage {
    /// Serves a run whose stream is written to `tee`, or to a temporary file.
    pub(crate) fn of_run(port: u16, tee: Option<&Path>, global: &Global) -> anyhow::Result<Self> {
        let folder = TemporaryFolder::new();
        let path = given_or_in(&folder, tee, "run.jsonl")?;
        // The page shows the run before its first line.
        private::create(&path).with_context(|| path.display().to_string())?;
        Self::start(port, path, folder, None, global)
    }

    /// Serves the runs whose streams are written into `records`, or into a temporary
    /// folder, and a store.
    #[cfg(feature = "store")]
    pub(crate) fn of_runs(
        port: u16,
        records: Option<&Path>,
        db: Option<&Path>,
        global: &Global,
    ) -> anyhow::Result<Self> {
        let folder = TemporaryFolder::new();
        let path = given_or_in(&folder, records, "")?;
        Self::start(port, path, folder, db, global)
    }

    fn start(
        port: u16,
        path: PathBuf,
        folder: TemporaryFolder,
        db: Option<&Path>,
        global: &Global,
    ) -> anyhow::Result<Self> {
        let served = Served {
            paths: vec![path.clone()],
            db: db.map(Path::to_owned),
            options: global.reader_options(),
            prices: Prices::open(None)?,
        };
        let server = Server::bind(served, port, Token::random()?)
            .with_context(|| format!("--serve: cannot listen on port {port}"))?;
        // Without redaction: the address contains the token. An error of standard error
        // cannot be reported anywhere.
        let _ = writeln!(io::stderr(), "streamj: page: {}", server.url());
        let server = server.start().context("--serve: cannot start a thread")?;
        Ok(Self { _server: server, path, _folder: folder })
    }

    /// Returns the file or the folder that is served.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns the path that the user gave, or one in a temporary folder, which is created.
fn given_or_in(
    folder: &TemporaryFolder,
    given: Option<&Path>,
    name: &str,
) -> anyhow::Result<PathBuf> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    folder.create().context("cannot make a temporary folder")?;
    Ok(folder.path().join(name))
}
