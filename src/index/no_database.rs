//! Stands for the database where the program was built without SQLite: there is no index.

use std::convert::Infallible;
use std::io;
use std::path::Path;

use super::entry::IndexRow;

/// Whether there can be an index.
pub(super) const EXISTS: bool = false;

pub(super) fn id(_: &[u8]) -> i64 {
    0
}

/// There is none.
pub(super) struct NoDatabase(Infallible);

pub(super) use NoDatabase as Database;

impl NoDatabase {
    pub(super) fn open<T>(_: &Path, _: impl Fn(&Self) -> io::Result<T>) -> io::Result<(Self, T)> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn read(
        &self,
        _: Option<&[Vec<u8>]>,
        _: impl FnMut(&[u8], &dyn Fn() -> IndexRow),
    ) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn write(&mut self, _: &[(Vec<u8>, IndexRow)], _: &[Vec<u8>]) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn digest(&self, _: i64) -> io::Result<Option<Vec<u8>>> {
        match self.0 {}
    }

    pub(super) fn set_digest(&mut self, _: i64, _: &[u8]) -> io::Result<()> {
        match self.0 {}
    }

    pub(super) fn keep(&mut self, _: &[Vec<u8>]) -> io::Result<()> {
        match self.0 {}
    }
}
