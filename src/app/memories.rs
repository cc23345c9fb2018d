//! `memories`: observations of earlier runs, as text for the next one or as rows.

use std::borrow::Cow;
use std::io::{self, IsTerminal};

use super::read::finish;
use crate::cli::{Global, MemoriesArgs};
use crate::exit::Exit;
use crate::output::{
    Diagnostics, ObjectWriter, Output, OutputSafety, Row, RowLayout, RowWriter, Sink, Style,
};
use crate::store::{Store, StoredMemory};

const COLUMNS: &[&str] =
    &["service", "category", "observation", "confidence", "created_at", "updated_at", "tier"];

/// Prints the memories. The outer error is one of the store, the inner one of writing.
pub(super) fn run(args: &MemoriesArgs, global: &Global) -> anyhow::Result<io::Result<Exit>> {
    let store = if args.decay {
        let mut store = Store::open_existing(&args.db)?;
        if let Some(store) = &mut store {
            store.decay()?;
        }
        store
    } else {
        Store::open_for_reading(&args.db)?
    };
    let memories = store.map(|store| store.memories()).transpose()?.unwrap_or_default();
    Ok(print(&memories, args, global))
}

fn print(memories: &[StoredMemory], args: &MemoriesArgs, global: &Global) -> io::Result<Exit> {
    let layout = RowLayout { columns: COLUMNS.into(), is_array: true, is_dense: true };
    let mut out = Output::new(
        Sink::stdout(Style::from_environment(global.color, io::stdout().is_terminal())),
        Diagnostics::stderr(global.quiet),
        RowWriter::new(args.format(), args.get.clone(), layout),
        OutputSafety { csv: global.csv_safe, ci: false },
    );
    let mut previous = None;
    for memory in memories {
        let is_first = previous.replace(&memory.service) != Some(&memory.service);
        out.row(&MemoryRow { memory, is_first })?;
    }
    out.rows.end_run(&mut out.sink)?;
    finish(&mut out, Exit::Success)
}

struct MemoryRow<'a> {
    memory: &'a StoredMemory,
    /// Whether it is the first of its service.
    is_first: bool,
}

impl Row for MemoryRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("memory")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.memory.write_members(object));
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let StoredMemory { service, category, observation, confidence, .. } = self.memory;
        // A memory must not look like several lines.
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.is_first {
            let service = line(service.as_deref().unwrap_or("general"));
            sink.print(&format!("{}:\n", sink.sanitize(&service)))?;
        }
        let text = format!("- {} ({confidence:.1}): {}", line(category), line(observation));
        sink.print(&format!("{}\n", sink.sanitize(&text)))
    }
}
