//! Counts actions on services, which must not be repeated too often.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::Connection;

use super::time;
use crate::findings::Finding;

/// The number of actions by service. Names are compared regardless of case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Actions(BTreeMap<String, u64>);

impl Actions {
    /// Returns the actions that were stored within the time up to now.
    pub(super) fn within(connection: &Connection, window: Duration) -> rusqlite::Result<Self> {
        let mut query = connection.prepare_cached(
            "SELECT service, count(*) FROM cooldowns WHERE created_at >= ?1 GROUP BY service",
        )?;
        let rows = query.query_map([time::before_now(window)], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
        })?;
        let mut actions = Self::default();
        for row in rows {
            let (service, count) = row?;
            actions.add(&service, count);
        }
        Ok(actions)
    }

    /// Adds the actions among findings.
    pub fn and(mut self, findings: &[Finding]) -> Self {
        for finding in findings {
            if let Finding::Cooldown { service, .. } = finding {
                self.add(service, 1);
            }
        }
        self
    }

    fn add(&mut self, service: &str, count: u64) {
        *self.0.entry(service.to_lowercase()).or_default() += count;
    }

    /// Iterates over the services, in lower case, and their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(service, count)| (service.as_str(), *count))
    }
}

impl<'a> FromIterator<(&'a str, u64)> for Actions {
    fn from_iter<I: IntoIterator<Item = (&'a str, u64)>>(counts: I) -> Self {
        let mut actions = Self::default();
        counts.into_iter().for_each(|(service, count)| actions.add(service, count));
        actions
    }
}
