//! What the live page shows of a store: the last runs of tiers, findings and memories.

use rusqlite::{Connection, params};

use super::memories::{self, StoredMemory};
use crate::output::ObjectWriter;

/// Maximum number of rows of a kind.
const MAX_ROWS: i64 = 200;

/// The newest rows of a store.
pub(crate) struct StoreOverview {
    escalations: Vec<TierRow>,
    findings: Vec<StoredFinding>,
    memories: Vec<StoredMemory>,
}

/// A run of a tier.
struct TierRow {
    created_at: String,
    tier: Option<i64>,
    status: String,
    model: Option<String>,
    error: Option<String>,
    session_id: Option<String>,
}

/// An event that an agent reported, or a decision.
struct StoredFinding {
    created_at: String,
    level: String,
    service: Option<String>,
    message: String,
}

impl StoreOverview {
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut tiers = connection.prepare(
            "SELECT created_at, tier, status, model, error, session_id FROM sessions
             ORDER BY id DESC LIMIT ?1",
        )?;
        let tiers = tiers.query_map(params![MAX_ROWS], |row| {
            Ok(TierRow {
                created_at: row.get(0)?,
                tier: row.get(1)?,
                status: row.get(2)?,
                model: row.get(3)?,
                error: row.get(4)?,
                session_id: row.get(5)?,
            })
        })?;
        let escalations = tiers.collect::<rusqlite::Result<_>>()?;
        let mut events = connection.prepare(
            "SELECT created_at, level, service, message FROM events ORDER BY id DESC LIMIT ?1",
        )?;
        let events = events.query_map(params![MAX_ROWS], |row| {
            Ok(StoredFinding {
                created_at: row.get(0)?,
                level: row.get(1)?,
                service: row.get(2)?,
                message: row.get(3)?,
            })
        })?;
        let findings = events.collect::<rusqlite::Result<_>>()?;
        Ok(Self { escalations, findings, memories: memories::active(connection)? })
    }

    /// Writes it as a JSON object.
    pub(crate) fn write(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| {
            object
                .list("escalations", &self.escalations, |to, row| {
                    ObjectWriter::write(to, |object| {
                        object
                            .text("created_at", row.created_at.as_str())
                            .integer("tier", row.tier.map(i128::from))
                            .text("status", row.status.as_str())
                            .text("model", row.model.as_deref())
                            .text("error", row.error.as_deref())
                            .text("session_id", row.session_id.as_deref());
                    });
                })
                .list("findings", &self.findings, |to, row| {
                    ObjectWriter::write(to, |object| {
                        object
                            .text("created_at", row.created_at.as_str())
                            .text("level", row.level.as_str())
                            .text("service", row.service.as_deref())
                            .text("message", row.message.as_str());
                    });
                })
                .list("memories", &self.memories, |to, memory| {
                    ObjectWriter::write(to, |object| memory.write_members(object));
                });
        });
    }
}
