//! Where the rows of a run come from: the file, the line, the session.

use std::path::Path;

use crate::harness::Record;
use crate::output::RowOrigin;
use crate::session::Session;

/// Keeps the origin of the next row up to date.
#[derive(Debug)]
pub(crate) struct OriginTracker {
    session: Session,
    path: String,
}

impl OriginTracker {
    /// Starts the input that is called `name`.
    pub(crate) fn start(name: &str, origin: &mut RowOrigin) -> Self {
        *origin = RowOrigin { file: name.to_owned(), ..RowOrigin::default() };
        Self { session: Session::default(), path: name.to_owned() }
    }

    /// Updates the origin from a record on the line with this number.
    pub(crate) fn apply(&mut self, record: &Record<'_>, number: u64, origin: &mut RowOrigin) {
        self.session.apply(record);
        origin.line = Some(number);
        origin.harness = self.session.harness().name();
        let id = record.session_id.or(self.session.id());
        if origin.session_id.as_deref() != id {
            origin.session_id = id.map(str::to_owned);
        }
        if record.written.is_some() {
            origin.written = record.written;
        } else if let Some(printed) = record.timestamp {
            origin.written = None;
            printed.clone_into(&mut origin.printed_time);
        }
        let cwd = self.session.description().and_then(|description| description.cwd.as_deref());
        let project = cwd.or_else(|| self.project_folder());
        if origin.project.as_deref() != project {
            origin.project = project.map(str::to_owned);
        }
    }

    /// Returns the CLI's folder for the project.
    fn project_folder(&self) -> Option<&str> {
        let sessions = self.session.harness().adapter().sessions.as_ref()?;
        (sessions.project_folder?)(Path::new(&self.path))
    }
}
