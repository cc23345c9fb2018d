//! How CLIs store sessions.

use std::path::{Path, PathBuf};

/// Where and how a CLI keeps sessions.
pub(crate) struct SessionFiles {
    /// The form, for the documentation.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) form: &'static str,
    /// Whether they contain tokens.
    pub(crate) has_tokens: bool,
    /// Returns the folders and databases, given the environment.
    pub(crate) folders: fn(&dyn Fn(&str) -> Option<String>) -> Vec<PathBuf>,
    /// Returns how a session is stored whose main file is given, or `None` if that is not
    /// the name of one. Not needed if all are files of lines like any other.
    pub(crate) layout: Option<fn(&Path) -> Option<SessionLayout>>,
    /// Returns the name of the project folder that a session file lies in. `None` if only
    /// its content names the project.
    pub(crate) project_folder: Option<fn(&Path) -> Option<&str>>,
}

/// Returns the folder that the first of the variables names, or else `folder` in the home
/// folder. An empty variable counts as missing.
pub(super) fn own_home(
    variable: &dyn Fn(&str) -> Option<String>,
    names: &[&str],
    folder: &str,
) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let own = names.iter().find_map(|name| set(name)).map(PathBuf::from);
    own.or_else(|| Some(PathBuf::from(set("HOME")?).join(folder)))
}

/// How a session is stored whose main file is known.
#[derive(Clone, Debug)]
pub(crate) enum SessionLayout {
    /// In the file alone, as lines or as one document.
    File,
    /// In these files, which are read in this order.
    Files(Vec<PathBuf>),
    /// In a SQLite database with other sessions.
    Database(&'static SessionDatabase),
    /// The file belongs to another session, or to none.
    Ignore,
}

/// The queries for the sessions of a database.
#[derive(Debug)]
pub(crate) struct SessionDatabase {
    /// Tables that tell it from other databases of the same name.
    pub(crate) tables: &'static [&'static str],
    /// Selects the ids of the sessions as text, oldest first.
    pub(crate) sessions: &'static str,
    /// Selects a key and a JSON object for each line of the session `?1` whose key is
    /// greater than `?2`, or for all if `?2` is null, in the order of their keys.
    pub(crate) lines: &'static str,
}
