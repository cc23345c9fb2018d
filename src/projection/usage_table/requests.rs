//! `usage --by request`: a row for each request.

use std::borrow::Cow;
use std::io;

use super::UsageTable;
use crate::output::{ObjectWriter, Row, Sink};
use crate::usage::{Figures, MergedSession, UsageItem};

pub(super) const COLUMNS: &[&str] = &[
    "request_key",
    "kind",
    "timestamp",
    "harness",
    "model",
    "session_id",
    "parent_session_id",
    "project",
    "file",
    "undated",
];

/// A request, or a sum that the CLI does not divide into requests.
pub(super) struct RequestRow<'a> {
    pub(super) table: &'a UsageTable<'a>,
    pub(super) item: &'a UsageItem<'a>,
    pub(super) session: &'a MergedSession<'a>,
    pub(super) figures: &'a Figures,
}

impl Row for RequestRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("usage")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        let Self { table, item, session, figures } = self;
        ObjectWriter::write(to, |object| {
            object
                .text("request_key", item.key.to_string().as_str())
                .text("kind", item.kind.name())
                .text("timestamp", table.time(item.at).as_str())
                .text("harness", session.harness.name())
                .text("model", Some(item.model).filter(|model| !model.is_empty()))
                .text("session_id", item.own_session())
                .text("parent_session_id", item.parent_session())
                .text("project", session.project)
                .text("file", item.file.name.as_str())
                .flag("undated", item.is_undated.then_some(true));
            table.write_figures(object, figures);
        });
    }

    /// The table is printed as a whole.
    fn write_human(&self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }
}
