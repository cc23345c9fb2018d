//! `sse`: server-sent events for a browser.

use std::io;

use super::{FormatWriter, Row, Sink};

/// Letters of an event's name.
const MAX_NAME: usize = 100;

#[derive(Default)]
pub(super) struct ServerSentEvents {
    buffer: Vec<u8>,
}

impl FormatWriter for ServerSentEvents {
    fn row(&mut self, row: &dyn Row, sink: &mut Sink) -> io::Result<()> {
        self.buffer.clear();
        row.write_json(&mut self.buffer);
        // A browser uses `error` for a lost connection.
        let kind = row.kind();
        let kind = if kind == "error" { "stream_error" } else { &kind };
        // Neither the name nor the data may contain a line break, and a name is a word.
        let is_word =
            |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        let kind: String = kind.chars().filter(is_word).take(MAX_NAME).collect();
        self.buffer.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b' ');
        sink.print_input(format!("event: {kind}\ndata: ").as_bytes())?;
        sink.print_input(&self.buffer)?;
        sink.print("\n\n")
    }
}
