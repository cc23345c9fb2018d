//! What was learnt: reinforced, contradicted, forgotten.

use rusqlite::{Connection, Row, params};

use super::change::{Change, Origin};
use super::{confidence, time};

/// A memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The service it is about.
    pub service: Option<String>,
    /// What kind of knowledge it is.
    pub category: String,
    /// The knowledge.
    pub observation: String,
    /// How sure it is, up to 1.
    pub confidence: f64,
    /// When it was first observed.
    pub created_at: String,
    /// When it was last confirmed or contradicted.
    pub updated_at: String,
    /// The tier that observed it.
    pub tier: Option<i64>,
}

impl Memory {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            service: row.get("service")?,
            category: row.get("category")?,
            observation: row.get("observation")?,
            confidence: row.get("confidence")?,
            created_at: row.get("created_at")?,
            updated_at: row.get("updated_at")?,
            tier: row.get("tier")?,
        })
    }
}

/// The active ones; those about no service come last.
pub fn active(connection: &Connection) -> rusqlite::Result<Vec<Memory>> {
    let mut query = connection.prepare(
        "SELECT * FROM memories WHERE active
         ORDER BY service IS NULL, service, category, confidence DESC, id",
    )?;
    query.query_map([], Memory::of)?.collect()
}

/// Takes off what the time since their last update takes.
pub fn decay(change: &Change<'_>) -> rusqlite::Result<()> {
    let mut query = change
        .transaction
        .prepare("SELECT id, confidence, updated_at, decayed_weeks FROM memories WHERE active")?;
    let now = change.time;
    let rows = query.query_map([], |row| {
        let updated: String = row.get(2)?;
        let weeks = confidence::stale_weeks(time::age(&updated, now));
        Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?, weeks, row.get::<_, u32>(3)?))
    })?;
    let stale = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut update = change.transaction.prepare(
        "UPDATE memories SET confidence = ?2, active = ?3, decayed_weeks = ?4 WHERE id = ?1",
    )?;
    for (id, before, weeks, taken) in stale {
        let Some(due) = weeks.checked_sub(taken).filter(|due| *due > 0) else { continue };
        let left = confidence::decayed(before, due);
        update.execute(params![id, left, confidence::is_active(left), weeks])?;
    }
    Ok(())
}

impl Change<'_> {
    /// An observation makes the memory surer that says the same, and becomes one if
    /// there is none. Those that say something else get less sure.
    pub(super) fn remember(
        &self,
        origin: Origin,
        service: Option<&str>,
        category: &str,
        observation: &str,
    ) -> rusqlite::Result<()> {
        let known = self.known(service, category)?;
        let mut is_new = true;
        for memory in &known {
            let same = memory.observation == observation;
            let judge = if same { confidence::reinforced } else { confidence::contradicted };
            self.reconsider(memory.id, judge(memory.confidence))?;
            is_new &= !same;
        }
        if !is_new {
            return Ok(());
        }
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO memories (service, category, observation, confidence, active,
                                   created_at, updated_at, session_id, tier)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?5, ?6, ?7)",
        )?;
        let now = self.now();
        insert.execute(params![
            service,
            category,
            observation,
            confidence::NEW,
            now,
            origin.session,
            origin.tier
        ])?;
        Ok(())
    }

    fn known(&self, service: Option<&str>, category: &str) -> rusqlite::Result<Vec<Known>> {
        let mut query = self.transaction.prepare_cached(
            "SELECT id, observation, confidence FROM memories
             WHERE active AND service IS ?1 AND category = ?2",
        )?;
        let rows = query.query_map(params![service, category], |row| {
            Ok(Known { id: row.get(0)?, observation: row.get(1)?, confidence: row.get(2)? })
        })?;
        rows.collect()
    }

    fn reconsider(&self, id: i64, confidence: f64) -> rusqlite::Result<()> {
        let mut update = self.transaction.prepare_cached(
            "UPDATE memories SET confidence = ?2, active = ?3, updated_at = ?4, decayed_weeks = 0
             WHERE id = ?1",
        )?;
        let active = confidence::is_active(confidence);
        update.execute(params![id, confidence, active, self.now()])?;
        Ok(())
    }
}

/// An active memory of the same kind.
struct Known {
    id: i64,
    observation: String,
    confidence: f64,
}
