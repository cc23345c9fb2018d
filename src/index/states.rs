//! The states of sessions as numbers, by which a result about all of them is known to hold.

use std::path::PathBuf;
use std::time::SystemTime;

use super::searched::SearchedFolders;
use super::stamp::{Stamp, hash};
use crate::codec::Codec;
use crate::sessions::SessionSource;

/// Determines the states of the sessions in some folders.
pub(crate) struct SessionStates {
    folders: SearchedFolders,
    now: SystemTime,
}

impl SessionStates {
    pub(crate) fn new(folders: &[PathBuf]) -> Self {
        Self { folders: SearchedFolders::new(folders), now: SystemTime::now() }
    }

    /// Returns a hash of the name and the state of a session; `None` if it is in none of the
    /// folders, or could change without another state.
    pub(crate) fn of(&self, source: &SessionSource) -> Option<u64> {
        let stamp = Stamp::of(&source.files()).ok().filter(|stamp| stamp.is_settled(self.now))?;
        let mut bytes = Vec::new();
        stamp.encode(&mut bytes);
        // The encoded state tells where it ends.
        bytes.extend(self.folders.key(source)?);
        Some(hash(&bytes))
    }
}
