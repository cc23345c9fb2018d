//! The data of a run in an HTML document.

use std::io;
use std::rc::Rc;

use crate::exit::Exit;
use crate::output::{Output, Sink};
use crate::page::{
    ChangeSink, Granularity, PageChange, PageFold, RunHeader, ScriptData, write_change,
};
use crate::projection::{Projection, RunContext};
use crate::reader::DecodedLine;
use crate::redact::Redactor;
use crate::usage::Prices;

/// Bytes after which a new element is started, since a parser reads each as a whole.
const CHUNK_SIZE: usize = 1 << 20;

/// Writes the changes of a run into script elements that a browser does not execute.
pub(crate) struct HtmlRun {
    name: String,
    fold: PageFold,
    chunks: Chunks,
    prices: Rc<Prices>,
    last_line: u64,
}

impl HtmlRun {
    /// Starts the run with this number.
    pub(crate) fn new(
        number: usize,
        context: &RunContext,
        prices: Rc<Prices>,
        detector: Option<Redactor>,
    ) -> Self {
        let (harness, written) = (context.harness, context.written);
        Self {
            name: context.name.clone(),
            fold: PageFold::new(harness, written, Granularity::Block, detector),
            chunks: Chunks { number, json: Vec::new(), size: 0 },
            prices,
            last_line: 0,
        }
    }
}

impl Projection for HtmlRun {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        self.last_line = number;
        let mut sink = ChunkSink { chunks: &mut self.chunks, sink: &mut out.sink };
        self.fold.line(line, number, &mut sink)
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let mut sink = ChunkSink { chunks: &mut self.chunks, sink: &mut out.sink };
        self.fold.end(self.last_line, &mut sink)?;
        self.chunks.end(&mut out.sink)?;
        let secrets = self.fold.secrets();
        let header = RunHeader {
            source: &self.name,
            run: self.fold.run(),
            prices: &self.prices,
            secrets: secrets.as_deref(),
        };
        let mut json = Vec::new();
        header.write(&mut json);
        write_element("data-header", self.chunks.number, &json, &mut out.sink)?;
        Ok(Exit::Success)
    }
}

/// Writes JSON into an element of its own.
pub(crate) fn write_element(
    attribute: &str,
    number: usize,
    json: &[u8],
    sink: &mut Sink,
) -> io::Result<()> {
    sink.print(&start_of(attribute, number))?;
    ScriptData(json).write(|part| sink.print_input(part))?;
    sink.print(END)
}

fn start_of(attribute: &str, number: usize) -> String {
    format!("<script type=\"application/json\" {attribute}=\"{number}\">")
}

const END: &str = "</script>\n";

/// Divides the changes of a run into elements.
struct Chunks {
    number: usize,
    /// Memory for a change.
    json: Vec<u8>,
    /// Bytes in the open element.
    size: usize,
}

impl Chunks {
    fn end(&mut self, sink: &mut Sink) -> io::Result<()> {
        match std::mem::take(&mut self.size) {
            0 => Ok(()),
            _ => sink.print(&format!("]{END}")),
        }
    }
}

struct ChunkSink<'a> {
    chunks: &'a mut Chunks,
    sink: &'a mut Sink,
}

impl ChangeSink for ChunkSink<'_> {
    fn change(&mut self, change: &PageChange<'_>) -> io::Result<()> {
        let Self { chunks, sink } = self;
        chunks.json.clear();
        write_change(&mut chunks.json, change);
        if chunks.size > CHUNK_SIZE {
            chunks.end(sink)?;
        }
        if chunks.size == 0 {
            sink.print(&start_of("data-run", chunks.number))?;
        }
        sink.print(if chunks.size == 0 { "[" } else { ",\n" })?;
        chunks.size += chunks.json.len();
        ScriptData(&chunks.json).write(|part| sink.print_input(part))
    }
}
