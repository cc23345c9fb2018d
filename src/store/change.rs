//! One change of the store: everything in it happens, or nothing does.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Transaction, params};

use super::Actions;
use super::chronicle::{Entry, Status};
use super::{processes, time};
use crate::findings::{Finding, Level};

/// A change under way.
pub struct Change<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) time: Timestamp,
}

/// Where a finding comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) session: i64,
    pub(super) tier: Option<i64>,
}

/// A session that begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Its tier.
    pub tier: i64,
    /// The session that led to it.
    pub parent: Option<i64>,
    /// Its model, if that is known.
    pub model: Option<&'a str>,
}

impl<'a> Change<'a> {
    pub(super) fn new(transaction: &'a Transaction<'a>) -> Self {
        Self { transaction, time: Timestamp::now() }
    }

    pub(super) fn now(&self) -> String {
        time::text(self.time)
    }

    /// Stores a run that is over; false if it is there already.
    pub(super) fn put(&self, entry: &Entry) -> rusqlite::Result<bool> {
        if self.has(entry.key.as_deref())? {
            return Ok(false);
        }
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO sessions (status, created_at) VALUES ('running', ?1)")?;
        let session = insert.insert([self.now()])?;
        self.complete(Origin { session, tier: None }, entry, entry.key.as_deref())?;
        Ok(true)
    }

    /// A session begins, run by this process; its number.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn begin(&self, start: Start<'_>) -> rusqlite::Result<i64> {
        let Start { tier, parent, model } = start;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO sessions (tier, parent_session_id, model, status, started_at, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
        )?;
        let status = Status::Running.name();
        let session = insert.insert(params![tier, parent, model, status, self.now()])?;
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO running (session_id, process) VALUES (?1, ?2)")?;
        insert.execute(params![session, processes::ourselves()])?;
        Ok(session)
    }

    /// A session that was begun is over.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn finish(&self, session: i64, tier: i64, entry: &Entry) -> rusqlite::Result<()> {
        // A real CLI gives no two runs the same ids; whoever does still had two.
        let is_taken = self.has(entry.key.as_deref())?;
        let suffix = if is_taken { format!("#{session}") } else { String::new() };
        let key = entry.key.as_ref().map(|key| format!("{key}{suffix}"));
        self.complete(Origin { session, tier: Some(tier) }, entry, key.as_deref())?;
        self.forget_process(session)
    }

    /// A session stands like this now, and does not run any more.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn mark(&self, session: i64, status: Status) -> rusqlite::Result<()> {
        let mut update =
            self.transaction.prepare_cached("UPDATE sessions SET status = ?2 WHERE id = ?1")?;
        update.execute(params![session, status.name()])?;
        self.forget_process(session)
    }

    /// What was done to services within the time up to now, this change included.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn actions_within(&self, window: Duration) -> rusqlite::Result<Actions> {
        Actions::within(self.transaction, window)
    }

    /// Adds an event to a session.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn event(
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

    /// Marks the sessions whose process is gone, and those of this process: it has
    /// given up what it did not finish.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn mark_interrupted(&self) -> rusqlite::Result<()> {
        let mut query = self.transaction.prepare("SELECT session_id, process FROM running")?;
        let rows = query.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        let running = rows.collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
        let ours = processes::ourselves();
        let mut gone =
            running.iter().filter(|(_, process)| *process == ours || !processes::is_alive(process));
        gone.try_for_each(|(session, _)| self.mark(*session, Status::Interrupted))
    }

    fn forget_process(&self, session: i64) -> rusqlite::Result<()> {
        let mut delete =
            self.transaction.prepare_cached("DELETE FROM running WHERE session_id = ?1")?;
        delete.execute([session])?;
        Ok(())
    }

    fn has(&self, key: Option<&str>) -> rusqlite::Result<bool> {
        let mut query =
            self.transaction.prepare_cached("SELECT 1 FROM sessions WHERE run_key = ?1")?;
        Ok(query.query_row([key], |_| Ok(())).optional()?.is_some())
    }

    /// Everything a run told, at its session.
    fn complete(&self, origin: Origin, entry: &Entry, key: Option<&str>) -> rusqlite::Result<()> {
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
        // However often a run says it, it has learnt it once.
        let mut learnt = BTreeSet::new();
        let mut told = entry.report.findings.iter().filter(|finding| match finding {
            Finding::Memory { service, category, observation } => {
                !category.is_empty() && learnt.insert((service, category, observation))
            }
            _ => true,
        });
        told.try_for_each(|finding| self.keep(origin, finding))
    }

    fn keep(&self, origin: Origin, finding: &Finding) -> rusqlite::Result<()> {
        match finding {
            Finding::Event { level, service, message } => {
                self.event(origin.session, *level, service.as_deref(), message)
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
            // They are the agent's, and are told to the next one.
            Finding::Summary { .. } | Finding::Escalation { .. } | Finding::Service { .. } => {
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::store::{Start, Status, Store};

    #[test]
    fn what_this_process_left_running_is_interrupted_when_it_begins_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("ops.db")).unwrap();
        let start = Start { tier: 1, parent: None, model: None };
        let first = store.change(|change| change.begin(start)).unwrap();
        let status = store.change(|change| {
            change.mark_interrupted()?;
            change.begin(start)?;
            let status = "SELECT status FROM sessions WHERE id = ?1";
            change.transaction.query_row(status, [first], |row| row.get::<_, String>(0))
        });
        assert_eq!(status.unwrap(), Status::Interrupted.name());
    }
}
