//! Results about many sessions, beside the entries of sessions.

use std::fmt::Debug;
use std::io;

use super::database::{self, Database};
use super::entry::{seal, unseal};
use super::stamp::hash;
use super::{location, private_folder};
use crate::codec::{Bytes, Codec};
use crate::harness::Harness;

/// The place of one result.
pub(crate) struct Digests {
    database: Database,
    id: i64,
}

impl Digests {
    /// Opens the index of the user for the result that `question` describes; `None` if the
    /// user has none.
    pub(crate) fn open(question: &impl Debug) -> io::Result<Option<Self>> {
        let Some(path) = location().filter(|_| database::EXISTS) else { return Ok(None) };
        private_folder(&path)?;
        let (database, ()) = Database::open(&path, |_| Ok(()))?;
        let id = hash(format!("{question:?}").as_bytes()).cast_signed();
        Ok(Some(Self { database, id }))
    }

    /// Returns the last result; `None` if there is none, or it is damaged.
    pub(crate) fn read<T: Codec>(&self, described: &'static [Harness]) -> Option<T> {
        let sealed = self.database.digest(self.id).ok()??;
        T::decode(&mut Bytes::new(unseal(&sealed)?, described))
    }

    /// Replaces the result.
    pub(crate) fn write(&mut self, result: &impl Codec) -> io::Result<()> {
        let mut bytes = Vec::new();
        result.encode(&mut bytes);
        self.database.set_digest(self.id, &seal(&bytes))
    }
}
