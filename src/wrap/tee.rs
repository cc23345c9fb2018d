//! The raw stream, kept in a file.

use std::fs::File;

use super::courier::Courier;
use crate::output::Notes;

/// A copy of the child's output.
pub struct Tee {
    /// Who writes it.
    pub courier: Courier,
    name: String,
    /// It is not whole.
    pub failed: bool,
}

impl Tee {
    /// A copy into `file`, called `name`.
    pub fn new(file: File, name: String) -> Self {
        Self { courier: Courier::start(file), name, failed: false }
    }

    /// Gives it up.
    pub fn fail(&mut self, why: &str, notes: &mut Notes) {
        self.failed = true;
        notes.error(&format!("{}: cannot write: {why}", self.name));
    }
}
