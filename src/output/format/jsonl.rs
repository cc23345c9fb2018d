//! `jsonl`: one line per row.

use std::io;

use super::{FormatWriter, Row, Sink};

pub(super) struct JsonLines;

impl FormatWriter for JsonLines {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        sink.compose(|to| {
            row.write_json(to);
            to.push(b'\n');
        })
    }
}
