//! Sessions as they are stored: in one file, in several files, or in a database.
//!
//! Every session is read as lines, whatever its form, so that all commands can read it.
//! Which files belong to a session is known to the [adapter](crate::harness) of its CLI.

#[cfg(feature = "store")]
mod database;
mod files;

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[cfg(feature = "store")]
use crate::harness::SessionDatabase;
use crate::harness::{Harness, SessionLayout};
use crate::input::{self, Input, InputSource};
#[cfg(feature = "store")]
use database::{DatabaseInput, DatabaseSession};
use files::FilesInput;

/// Separates the path of a database from the id of a session in it.
#[cfg(feature = "store")]
const SESSION_MARK: char = '#';

/// A session that is stored, or any other input.
#[derive(Clone, Debug)]
pub(crate) struct SessionSource {
    /// The file that was found or given; `-` is standard input.
    path: PathBuf,
    parts: Parts,
}

#[derive(Clone, Debug)]
enum Parts {
    /// The file alone.
    File,
    /// These files, in this order.
    Files(Vec<PathBuf>),
    /// A session in a database.
    #[cfg(feature = "store")]
    Database(DatabaseSession),
}

impl SessionSource {
    /// Returns the sessions of a path that the user named: one, or all of a database.
    /// `PATH#ID` is one session of a database. Whether a file exists is found out when it
    /// is opened.
    pub(crate) fn of_path(path: &Path) -> io::Result<Vec<Self>> {
        match layout(path) {
            #[cfg(feature = "store")]
            Some(SessionLayout::Database(layout)) if path.is_file() => {
                Self::all_in_database(path, layout)
            }
            #[cfg(not(feature = "store"))]
            Some(SessionLayout::Database(_)) if path.is_file() => {
                Err(io::Error::other("a database; streamj was built without the feature `store`"))
            }
            Some(SessionLayout::Files(files)) => Ok(vec![Self::new(path, Parts::Files(files))]),
            _ => {
                let named = Self::in_database(path)?;
                Ok(vec![named.unwrap_or_else(|| Self::new(path, Parts::File))])
            }
        }
    }

    /// Returns the sessions of a database.
    #[cfg(feature = "store")]
    fn all_in_database(path: &Path, layout: &'static SessionDatabase) -> io::Result<Vec<Self>> {
        let foreign = || io::Error::other("a database without sessions of an agent CLI");
        let sessions = database::sessions(path, layout)?.ok_or_else(foreign)?;
        let source = |session| Self::new(path, Parts::Database(session));
        Ok(sessions.into_iter().map(source).collect())
    }

    /// Returns the session that `PATH#ID` names, if it has the name of one in a database.
    #[cfg(feature = "store")]
    fn in_database(path: &Path) -> io::Result<Option<Self>> {
        let named = path.to_str().and_then(|path| path.rsplit_once(SESSION_MARK));
        let Some((file, id)) = named.filter(|_| !path.exists()) else { return Ok(None) };
        let file = Path::new(file);
        let Some(SessionLayout::Database(layout)) = layout(file).filter(|_| file.is_file()) else {
            return Ok(None);
        };
        let is_named =
            |source: &Self| matches!(&source.parts, Parts::Database(session) if session.id() == id);
        let found = Self::all_in_database(file, layout)?.into_iter().find(is_named);
        found.map(Some).ok_or_else(|| io::Error::other("the database has no such session"))
    }

    #[cfg(not(feature = "store"))]
    #[allow(clippy::unnecessary_wraps)] // as with the feature
    fn in_database(_: &Path) -> io::Result<Option<Self>> {
        Ok(None)
    }

    fn new(path: &Path, parts: Parts) -> Self {
        Self { path: path.to_owned(), parts }
    }

    /// Returns the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name for messages, with which the session can be named again.
    pub(crate) fn name(&self) -> String {
        let path = self.path.to_string_lossy();
        match &self.parts {
            #[cfg(feature = "store")]
            Parts::Database(session) => format!("{path}{SESSION_MARK}{}", session.id()),
            _ => path.into_owned(),
        }
    }

    /// Returns whether it is one file that contains nothing else.
    #[cfg(feature = "serve")]
    pub(crate) fn is_one_file(&self) -> bool {
        matches!(self.parts, Parts::File)
    }

    /// Returns whether it is a session in a database.
    pub(crate) fn is_in_database(&self) -> bool {
        !matches!(self.parts, Parts::File | Parts::Files(_))
    }

    /// Returns when a file of the session was modified last.
    pub(crate) fn modified(&self) -> Option<SystemTime> {
        let modified = |path: &Path| std::fs::metadata(path).and_then(|file| file.modified()).ok();
        match &self.parts {
            Parts::Files(files) => files.iter().filter_map(|file| modified(file)).max(),
            Parts::File => modified(&self.path),
            #[cfg(feature = "store")]
            Parts::Database(_) => modified(&self.path),
        }
    }

    /// Opens the session.
    pub(crate) fn open(&self) -> io::Result<SessionInput> {
        let content = match &self.parts {
            Parts::File => return InputSource::open(&self.path).map(SessionInput::from),
            Parts::Files(files) => Content::Files(FilesInput::new(files.clone())),
            #[cfg(feature = "store")]
            Parts::Database(session) => Content::Database(session.open()?),
        };
        let modified = std::fs::metadata(&self.path)?.modified().ok();
        Ok(SessionInput { name: self.name(), content, modified })
    }
}

/// Returns the sessions of `paths`, folders searched recursively, each file once and in a
/// stable order. What cannot be read goes to `on_error`.
pub(crate) fn find(
    paths: &[PathBuf],
    mut on_error: impl FnMut(&Path, &io::Error),
) -> Vec<SessionSource> {
    let files = input::find_files(paths, is_session, &mut on_error);
    let mut found = Vec::with_capacity(files.len());
    for file in files {
        match SessionSource::of_path(&file) {
            Ok(sessions) => found.extend(sessions),
            Err(error) => on_error(&file, &error),
        }
    }
    found
}

/// Returns whether a file in a folder is the main file of a session.
fn is_session(path: &Path) -> bool {
    match layout(path) {
        Some(SessionLayout::Ignore) => false,
        Some(_) => true,
        None => input::has_line_extension(path),
    }
}

/// Returns how the session is stored whose main file is `path`, if a CLI knows it.
fn layout(path: &Path) -> Option<SessionLayout> {
    let layout = |harness: &Harness| harness.adapter().sessions.as_ref()?.layout?(path);
    Harness::ALL.iter().find_map(layout)
}

/// A session, open for reading.
pub(crate) struct SessionInput {
    name: String,
    content: Content,
    modified: Option<SystemTime>,
}

enum Content {
    Source(InputSource),
    Files(FilesInput),
    #[cfg(feature = "store")]
    Database(DatabaseInput),
}

impl From<InputSource> for SessionInput {
    fn from(source: InputSource) -> Self {
        let (name, modified) = (source.name().to_owned(), Some(source.modified()));
        Self { name, content: Content::Source(source), modified }
    }
}

impl SessionInput {
    /// Returns the name used in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns when the lines were written: the file's modification time, or the current
    /// time for a stream.
    pub(crate) fn modified(&self) -> SystemTime {
        self.modified.unwrap_or_else(SystemTime::now)
    }
}

impl Input for SessionInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.content {
            Content::Source(source) => source.read(buffer),
            Content::Files(files) => files.read(buffer),
            #[cfg(feature = "store")]
            Content::Database(rows) => rows.read(buffer),
        }
    }

    fn ready(&self) -> bool {
        match &self.content {
            Content::Source(source) => source.ready(),
            Content::Files(_) => true,
            #[cfg(feature = "store")]
            Content::Database(_) => true,
        }
    }

    fn is_file(&self) -> bool {
        match &self.content {
            Content::Source(source) => source.is_file(),
            Content::Files(_) => true,
            #[cfg(feature = "store")]
            Content::Database(_) => true,
        }
    }
}
