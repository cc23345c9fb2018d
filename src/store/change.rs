//! A transaction on the store.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::Actions;
use super::stored_run::{RunEntry, SessionStatus, is_complete_key};
use super::{processes, time};
use crate::findings::{Finding, Level};

/// An open transaction.
pub(crate) struct Change<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) time: Timestamp,
}

/// The session that reported a finding.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) session: i64,
    pub(super) tier: Option<i64>,
}

/// A session that starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionStart<'a> {
    pub(crate) tier: i64,
    /// The session that requested it.
    pub(crate) parent: Option<i64>,
    pub(crate) model: Option<&'a str>,
}

impl<'a> Change<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>) -> Self {
        Self { transaction, time: Timestamp::now() }
    }

    pub(super) fn now(&self) -> String {
        time::text(self.time)
    }

    /// Stores a finished run. Returns false if it is already stored.
    pub(super) fn insert(&self, entry: &RunEntry) -> rusqlite::Result<bool> {
        if self.contains(entry.key.as_deref())? {
            return Ok(false);
        }
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO sessions (status, created_at) VALUES ('running', ?1)")?;
        let session = insert.insert([self.now()])?;
        self.complete(Origin { session, tier: None }, entry, entry.key.as_deref())?;
        Ok(true)
    }

    /// Stores a session that this process starts, and returns its id.
    pub fn start(&self, start: SessionStart<'_>) -> rusqlite::Result<i64> {
        let SessionStart { tier, parent, model } = start;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO sessions (tier, parent_session_id, model, status, started_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        )?;
        let status = SessionStatus::Running.name();
        let session = insert.insert(params![tier, parent, model, status, self.now()])?;
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO running (session_id, process) VALUES (?1, ?2)")?;
        insert.execute(params![session, processes::current()])?;
        Ok(session)
    }

    /// Stores the end of a session.
    pub fn finish(&self, session: i64, tier: i64, entry: &RunEntry) -> rusqlite::Result<()> {
        // Real CLIs do not reuse ids. A script that replays a recording does, and each of
        // its runs is stored.
        let is_taken = self.contains(entry.key.as_deref())?;
        let suffix = if is_taken { format!("#{session}") } else { String::new() };
        let key = entry.key.as_ref().map(|key| format!("{key}{suffix}"));
        self.complete(Origin { session, tier: Some(tier) }, entry, key.as_deref())?;
        self.forget_process(session)
    }

    /// Sets the status of a session that does not run any more.
    pub fn set_status(&self, session: i64, status: SessionStatus) -> rusqlite::Result<()> {
        let mut update =
            self.transaction.prepare_cached("UPDATE sessions SET status = ?2 WHERE id = ?1")?;
        update.execute(params![session, status.name()])?;
        self.forget_process(session)
    }

    /// Returns the actions on services within the time up to now, including those of this
    /// transaction.
    pub fn actions_within(&self, window: Duration) -> rusqlite::Result<Actions> {
        Actions::within(self.transaction, window)
    }

    /// Adds an event to a session.
    pub fn insert_event(
        &self,
        session: i64,
        level: Level,
        service: Option<&str>,
        message: &str,
    ) -> rusqlite::Result<()> {
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO events (session_id, level, service, message, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        insert.execute(params![session, level.name(), service, message, self.now()])?;
        Ok(())
    }

    /// Marks running sessions as interrupted if their process has died, or is this one:
    /// it has abandoned them.
    pub fn mark_interrupted(&self) -> rusqlite::Result<()> {
        let mut query = self.transaction.prepare("SELECT session_id, process FROM running")?;
        let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        let running = rows.collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
        let own = processes::current();
        let mut dead =
            running.iter().filter(|(_, process)| *process == own || !processes::is_alive(process));
        dead.try_for_each(|(session, _)| self.set_status(*session, SessionStatus::Interrupted))
    }

    fn forget_process(&self, session: i64) -> rusqlite::Result<()> {
        let mut delete =
            self.transaction.prepare_cached("DELETE FROM running WHERE session_id = ?1")?;
        delete.execute([session])?;
        Ok(())
    }

    fn contains(&self, key: Option<&str>) -> rusqlite::Result<bool> {
        let mut query =
            self.transaction.prepare_cached("SELECT 1 FROM sessions WHERE run_key = ?1")?;
        Ok(query.query_row([key], |_| Ok(())).optional()?.is_some())
    }

    /// Stores the result and the findings of a session.
    fn complete(
        &self,
        origin: Origin,
        entry: &RunEntry,
        key: Option<&str>,
    ) -> rusqlite::Result<()> {
        let mut update = self.transaction.prepare_cached(
            "UPDATE sessions SET session_id = ?2, run_key = ?3, harness = ?4,
                 model = coalesce(?5, model), status = ?6, output = ?7, error = ?8,
                 error_category = ?9, cost_usd = ?10, duration_ms = ?11, num_turns = ?12,
                 extraction_method = ?13
             WHERE id = ?1",
        )?;
        update.execute(params![
            origin.session,
            entry.session_id,
            key,
            entry.harness.name(),
            entry.model,
            entry.status.name(),
            entry.output,
            entry.error,
            entry.error_category,
            entry.cost_usd,
            entry.duration_ms.and_then(|time| i64::try_from(time).ok()),
            entry.num_turns,
            entry.report.method.name(),
        ])?;
        // An observation that a run repeats counts once.
        let mut observed = BTreeSet::new();
        let mut findings = entry.report.findings.iter().filter(|finding| match finding {
            Finding::Memory { service, category, observation } => {
                is_complete_key(service.as_deref(), category)
                    && observed.insert((service, category, observation))
            }
            _ => true,
        });
        findings.try_for_each(|finding| self.insert_finding(origin, finding))
    }

    fn insert_finding(&self, origin: Origin, finding: &Finding) -> rusqlite::Result<()> {
        match finding {
            Finding::Event { level, service, message } => {
                self.insert_event(origin.session, *level, service.as_deref(), message)
            }
            Finding::Memory { service, category, observation } => {
                self.remember(origin, service.as_deref(), category, observation)
            }
            Finding::Cooldown { action_type, service, success, message } => {
                let mut insert = self.transaction.prepare_cached(
                    "INSERT INTO cooldowns (service, action_type, success, message, session_id,
                                            tier, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?;
                insert.execute(params![
                    service,
                    action_type,
                    success,
                    message,
                    origin.session,
                    origin.tier,
                    self.now()
                ])?;
                Ok(())
            }
            // Not stored: they are passed on to the next tier.
            Finding::Summary { .. } | Finding::Escalation { .. } | Finding::Service { .. } => {
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::store::{SessionStart, SessionStatus, Store};

    #[test]
    fn abandoned_session_of_this_process_is_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("ops.db")).unwrap();
        let start = SessionStart { tier: 1, parent: None, model: None };
        let first = store.change(|change| change.start(start)).unwrap();
        let status = store.change(|change| {
            change.mark_interrupted()?;
            change.start(start)?;
            let status = "SELECT status FROM sessions WHERE id = ?1";
            change.transaction.query_row(status, [first], |row| row.get::<_, String>(0))
        });
        assert_eq!(status.unwrap(), SessionStatus::Interrupted.name());
    }
}
