//! `human`: rows for people, runs separated by a blank line.

use std::io;

use super::{FormatWriter, Row, RowLayout, Sink};

pub(super) struct Human {
    layout: RowLayout,
    /// Whether this run, and an earlier one, has rows.
    has_rows: bool,
    has_earlier_run: bool,
}

impl Human {
    pub(super) fn new(layout: RowLayout) -> Self {
        Self { layout, has_rows: false, has_earlier_run: false }
    }
}

impl FormatWriter for Human {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        if !self.has_rows && self.has_earlier_run && !self.layout.is_dense {
            sink.print("\n")?;
        }
        self.has_rows = true;
        row.write_human(sink)
    }

    fn end_run(&mut self, _: &mut Sink) -> io::Result<()> {
        self.has_earlier_run |= std::mem::take(&mut self.has_rows);
        Ok(())
    }
}
