//! What was done to services: actions that must not be repeated too often.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::Connection;

use super::time;
use crate::findings::Finding;

/// How many actions there were, by service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actions(BTreeMap<String, u64>);

impl Actions {
    /// Those that were stored within the time up to now.
    pub(super) fn within(connection: &Connection, window: Duration) -> rusqlite::Result<Self> {
        let mut query = connection.prepare_cached(
            "SELECT service, count(*) FROM cooldowns WHERE created_at >= ?1 GROUP BY service",
        )?;
        let rows = query.query_map([time::before_now(window)], |row| {
            Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
        })?;
        rows.collect::<rusqlite::Result<_>>().map(Self)
    }

    /// Counts those among findings, too.
    #[must_use]
    pub fn and(mut self, findings: &[Finding]) -> Self {
        for finding in findings {
            if let Finding::Cooldown { service, .. } = finding {
                *self.0.entry(service.clone()).or_default() += 1;
            }
        }
        self
    }

    /// Services and their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(service, count)| (service.as_str(), *count))
    }
}

impl<'a> FromIterator<(&'a str, u64)> for Actions {
    fn from_iter<I: IntoIterator<Item = (&'a str, u64)>>(counts: I) -> Self {
        Self(counts.into_iter().map(|(service, count)| (service.to_owned(), count)).collect())
    }
}
