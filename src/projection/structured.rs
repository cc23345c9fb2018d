//! `structured`: the document the run was asked for, and whether it keeps its
//! schema.

use std::io;
use std::rc::Rc;

use super::{Projection, Setting, WatchedProcess};
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::Output;
use crate::run::Structured;
use crate::schema::Schema;

/// Keeps the document and prints it if it is as it should be.
pub(super) struct StructuredOfRun {
    structured: Structured,
    schema: Option<Rc<Schema>>,
    process: Option<WatchedProcess>,
}

impl StructuredOfRun {
    pub(super) fn new(schema: Option<Rc<Schema>>, setting: &Setting) -> Self {
        Self { structured: Structured::default(), schema, process: setting.process.clone() }
    }
}

impl Projection for StructuredOfRun {
    fn read(&mut self, reading: &Reading<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        if let Reading::Packet(packet) = reading {
            self.structured.apply(packet);
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let process = self.process.take().map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            self.structured.left(text);
        }
        let Some(document) = self.structured.document() else {
            let instead = self.structured.instead();
            out.notes.error_about_input(&format!("no structured output: {instead}"));
            return Ok(Exit::No);
        };
        if let Some(schema) = &self.schema {
            let violations = schema.violations(document);
            if !violations.is_empty() {
                out.notes.violations(&violations);
                return Ok(Exit::No);
            }
        }
        out.records.put_json(&mut out.sink, document)?;
        Ok(Exit::Done)
    }
}
