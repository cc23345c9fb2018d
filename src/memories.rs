//! `memories`: what agents have learnt, as a text for the next one or as records.

use std::io::{self, IsTerminal};

use crate::app::style;
use crate::cli::{Global, MemoriesArgs};
use crate::exit::Exit;
use crate::output::{Notes, Object, Output, Record, Records, Shape, Sink};
use crate::store::{Memory, Store};

/// The columns of a table.
const COLUMNS: &[&str] =
    &["service", "category", "observation", "confidence", "created_at", "updated_at", "tier"];

/// Prints the memories. The inner error is one of writing.
///
/// # Errors
///
/// The store cannot be used.
pub fn run(args: &MemoriesArgs, global: &Global) -> anyhow::Result<io::Result<Exit>> {
    let store = if args.decay {
        let mut store = Store::open_existing(&args.db)?;
        if let Some(store) = &mut store {
            store.decay()?;
        }
        store
    } else {
        Store::open_to_read(&args.db)?
    };
    let memories = store.map(|store| store.memories()).transpose()?.unwrap_or_default();
    Ok(print(&memories, args, global))
}

fn print(memories: &[Memory], args: &MemoriesArgs, global: &Global) -> io::Result<Exit> {
    let shape = Shape { columns: COLUMNS, many: true, dense: true };
    let mut out = Output {
        sink: Sink::stdout(style(global.color, io::stdout().is_terminal())),
        notes: Notes::stderr(global.quiet),
        records: Records::new(args.format, args.get.clone(), shape),
    };
    let mut before = None;
    for memory in memories {
        let begins = before.replace(&memory.service) != Some(&memory.service);
        out.record(&Row { memory, begins })?;
    }
    out.records.end_run(&mut out.sink)?;
    out.records.end(&mut out.sink)?;
    out.sink.flush()?;
    match out.records.missed() {
        Some(pointer) => {
            out.notes.remark(&format!("no record has {pointer}"));
            Ok(Exit::No)
        }
        None => Ok(Exit::Done),
    }
}

struct Row<'a> {
    memory: &'a Memory,
    /// It is the first of its service.
    begins: bool,
}

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let memory = self.memory;
        object
            .text("service", memory.service.as_deref())
            .text("category", memory.category.as_str())
            .text("observation", memory.observation.as_str())
            .number("confidence", memory.confidence)
            .text("created_at", memory.created_at.as_str())
            .text("updated_at", memory.updated_at.as_str())
            .integer("tier", memory.tier.map(i128::from));
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let Memory { service, category, observation, confidence, .. } = self.memory;
        // A memory is one line, and cannot be taken for several.
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.begins {
            let service = line(service.as_deref().unwrap_or("general"));
            sink.print(&format!("{}:\n", sink.fit(&service)))?;
        }
        let text = format!("- {} ({confidence:.1}): {}", line(category), line(observation));
        sink.print(&format!("{}\n", sink.fit(&text)))
    }
}
