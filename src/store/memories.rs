//! Memories: reinforced, contradicted, forgotten.

use rusqlite::{Connection, Row, params};

use super::change::{Change, Origin};
use super::{confidence, time};
use crate::output::ObjectWriter;

/// A memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredMemory {
    /// The service it is about.
    pub(crate) service: Option<String>,
    pub(crate) category: String,
    pub(crate) observation: String,
    /// From 0 to 1.
    pub(crate) confidence: f64,
    /// When it was first observed.
    pub(crate) created_at: String,
    /// When it was last confirmed or contradicted.
    pub(crate) updated_at: String,
    /// The tier that observed it.
    pub(crate) tier: Option<i64>,
}

impl StoredMemory {
    /// Writes it as members of a JSON object.
    pub(crate) fn write_members(&self, object: &mut ObjectWriter<'_>) {
        object
            .text("service", self.service.as_deref())
            .text("category", self.category.as_str())
            .text("observation", self.observation.as_str())
            .number("confidence", self.confidence)
            .text("created_at", self.created_at.as_str())
            .text("updated_at", self.updated_at.as_str())
            .integer("tier", self.tier.map(i128::from));
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
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

/// Returns the active memories; those about no service come last.
pub(super) fn active(connection: &Connection) -> rusqlite::Result<Vec<StoredMemory>> {
    let mut query = connection.prepare(
        "SELECT * FROM memories WHERE active
         ORDER BY service IS NULL, service, category, confidence DESC, id",
    )?;
    query.query_map([], StoredMemory::from_row)?.collect()
}

/// Reduces the confidence of memories by the weeks since their last update.
pub(super) fn decay(change: &Change<'_>) -> rusqlite::Result<()> {
    let mut query = change
        .transaction
        .prepare("SELECT id, confidence, updated_at, decayed_weeks FROM memories WHERE active")?;
    let now = change.time;
    let rows = query.query_map([], |row| {
        let updated: String = row.get(2)?;
        let weeks = confidence::stale_weeks(time::age(&updated, now));
        Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?, weeks, row.get::<_, u32>(3)?))
    })?;
    let memories = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut update = change.transaction.prepare(
        "UPDATE memories SET confidence = ?2, active = ?3, decayed_weeks = ?4 WHERE id = ?1",
    )?;
    for (id, before, weeks, decayed_weeks) in memories {
        let Some(due) = weeks.checked_sub(decayed_weeks).filter(|due| *due > 0) else { continue };
        let after = confidence::decayed(before, due);
        update.execute(params![id, after, confidence::is_active(after), weeks])?;
    }
    Ok(())
}

impl Change<'_> {
    /// Stores an observation. Reinforces the memory with the same observation, or creates
    /// one; contradicts those of the same service and category that differ.
    pub(super) fn remember(
        &self,
        origin: Origin,
        service: Option<&str>,
        category: &str,
        observation: &str,
    ) -> rusqlite::Result<()> {
        let existing = self.existing(service, category)?;
        let mut is_new = true;
        for memory in &existing {
            let is_same = memory.observation == observation;
            let update = if is_same { confidence::reinforced } else { confidence::contradicted };
            self.set_confidence(memory.id, update(memory.confidence))?;
            is_new &= !is_same;
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

    fn existing(
        &self,
        service: Option<&str>,
        category: &str,
    ) -> rusqlite::Result<Vec<ExistingMemory>> {
        let mut query = self.transaction.prepare_cached(
            "SELECT id, observation, confidence FROM memories
             WHERE active AND service IS ?1 AND category = ?2",
        )?;
        let rows = query.query_map(params![service, category], |row| {
            Ok(ExistingMemory {
                id: row.get(0)?,
                observation: row.get(1)?,
                confidence: row.get(2)?,
            })
        })?;
        rows.collect()
    }

    fn set_confidence(&self, id: i64, confidence: f64) -> rusqlite::Result<()> {
        let mut update = self.transaction.prepare_cached(
            "UPDATE memories SET confidence = ?2, active = ?3, updated_at = ?4, decayed_weeks = 0
             WHERE id = ?1",
        )?;
        let active = confidence::is_active(confidence);
        update.execute(params![id, confidence, active, self.now()])?;
        Ok(())
    }
}

/// An active memory of the same service and category.
struct ExistingMemory {
    id: i64,
    observation: String,
    confidence: f64,
}
