//! `structured`: the document that the run was asked for, if it is valid.

use std::borrow::Cow;
use std::io;
use std::rc::Rc;

use super::{ProcessEndFn, Projection, RunContext};
use crate::exit::Exit;
use crate::output::{Output, Row, Sink};
use crate::reader::DecodedLine;
use crate::run::StructuredOutput;
use crate::schema::Schema;

/// Prints the document if it matches the schema.
pub(crate) struct StructuredProjection {
    structured: StructuredOutput,
    schema: Option<Rc<Schema>>,
    process: Option<ProcessEndFn>,
}

impl StructuredProjection {
    pub fn new(schema: Option<Rc<Schema>>, context: &RunContext) -> Self {
        let process = context.process.clone();
        Self { structured: StructuredOutput::default(), schema, process }
    }
}

impl Projection for StructuredProjection {
    fn line(&mut self, line: &DecodedLine<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        if let DecodedLine::Record(record) = line {
            self.structured.apply(record);
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let process = self.process.take().map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            self.structured.set_last_message(text);
        }
        let Some(document) = self.structured.document() else {
            if !out.diagnostics.is_described() {
                let reason = self.structured.describe_missing();
                out.input_error(&format!("no structured output: {reason}"))?;
            }
            return Ok(Exit::No);
        };
        if let Some(schema) = &self.schema {
            let violations = schema.validate(document);
            for message in violations.messages() {
                out.diagnostics.error(&format!("structured: {message}"));
            }
            if !violations.is_empty() {
                return Ok(Exit::No);
            }
        }
        out.row(&DocumentRow(document))?;
        Ok(Exit::Success)
    }
}

struct DocumentRow<'a>(&'a [u8]);

impl Row for DocumentRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("structured")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(self.0);
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        sink.print_input(self.0)?;
        sink.print("\n")
    }
}
