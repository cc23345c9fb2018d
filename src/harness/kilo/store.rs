//! Where sessions are kept: in a database like that of OpenCode.

use crate::harness::layout::{SessionDatabase, SessionFiles, SessionLayout};
use crate::harness::opencode::store::{self, is_database_of_kilo, session_database};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    folders: |variable| store::data_folders(variable, "kilo", "KILO_DB"),
    layout: Some(|path| {
        is_database_of_kilo(path).then_some(SessionLayout::Database(SESSION_DATABASE))
    }),
    ..store::SESSIONS
};

static SESSION_DATABASE: &SessionDatabase = session_database!("kilo");
