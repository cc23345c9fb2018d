//! Results that are valid for a short time, beside the entries of sessions.

use std::io;
use std::path::PathBuf;

use super::database::{self, Database};
use super::entry::{seal, unseal};
use super::stamp::hash;
use super::{location, private_folder};
use crate::codec::{Bytes, Codec};

/// The results about the sessions of some folders.
pub(crate) struct Digests {
    database: Database,
    id: i64,
}

impl Digests {
    /// Opens the index of the user; `None` if the user has none.
    pub(crate) fn open(folders: &[PathBuf]) -> io::Result<Option<Self>> {
        let Some(path) = location().filter(|_| database::EXISTS) else { return Ok(None) };
        private_folder(&path)?;
        let (database, ()) = Database::open(&path, |_| Ok(()))?;
        let id = hash(format!("{folders:?}").as_bytes()).cast_signed();
        Ok(Some(Self { database, id }))
    }

    /// Returns the last result; `None` if there is none, or it is damaged.
    pub(crate) fn read<T: Codec>(&self) -> Option<T> {
        let sealed = self.database.digest(self.id).ok()??;
        T::decode(&mut Bytes::new(unseal(&sealed)?, &[]))
    }

    /// Replaces the result.
    pub(crate) fn write(&mut self, result: &impl Codec) -> io::Result<()> {
        let mut bytes = Vec::new();
        result.encode(&mut bytes);
        self.database.set_digest(self.id, &seal(&bytes))
    }
}
