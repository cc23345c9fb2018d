//! A copy of the raw stream in a file.

use std::fs::File;

use super::background_writer::BackgroundWriter;
use crate::output::Diagnostics;

/// A copy of the child's output.
pub(super) struct Tee {
    pub(super) writer: BackgroundWriter,
    name: String,
    /// Whether the copy is incomplete.
    pub(super) has_failed: bool,
}

impl Tee {
    /// Copies to `file`, called `name`.
    pub(super) fn new(file: File, name: String) -> Self {
        Self { writer: BackgroundWriter::start(file), name, has_failed: false }
    }

    /// Abandons the copy.
    pub(super) fn fail(&mut self, reason: &str, diagnostics: &mut Diagnostics) {
        self.has_failed = true;
        diagnostics.error(&format!("{}: cannot write: {reason}", self.name));
    }
}
