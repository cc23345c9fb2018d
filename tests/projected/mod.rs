//! A reading command carried out in memory, on any input.
#![allow(dead_code)] // each test uses its part

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::SystemTime;

use streamj::cli::{Cli, Command, Global, ReadCommand};
use streamj::event::Interest;
use streamj::input::Input;
use streamj::output::{Notes, Output, Sink, Style};
use streamj::pipeline::{self, Options};
use streamj::projection::{Manner, Plan, Setting};
use streamj::redact::Redactor;

/// A command, and what it finds around it.
pub struct Projected {
    pub command: ReadCommand,
    pub global: Global,
    pub quiet: bool,
    /// Whether it is told everything, also what it does not look at.
    pub told_all: bool,
    pub threads: usize,
    pub max_line: usize,
    /// Whether it writes to a terminal, and records for people.
    pub terminal: bool,
    pub for_people: bool,
    pub style: Style,
}

impl Projected {
    /// One thread, lines as long as usual, a pipe, and notes.
    pub fn new<'a>(args: impl IntoIterator<Item = &'a str>) -> Self {
        let cli = Cli::parse_from(["streamj"].into_iter().chain(args)).unwrap();
        let Command::Read(command) = cli.command else { panic!("not a reading command") };
        Self {
            command,
            global: cli.global,
            quiet: false,
            told_all: false,
            threads: 1,
            max_line: 64 << 20,
            terminal: false,
            for_people: false,
            style: Style::default(),
        }
    }

    /// Reads to the end.
    pub fn read(
        &self,
        input: &mut (impl Input + Send),
        stdout: impl Write + 'static,
        stderr: impl Write + 'static,
    ) {
        let harness = self.global.harness;
        let plan = Plan::of(&self.command).unwrap();
        let mut out = Output {
            sink: Sink::new(Box::new(stdout), self.terminal, self.style),
            notes: Notes::new(Box::new(stderr), self.quiet),
            records: plan.records(self.for_people),
        };
        let written = SystemTime::UNIX_EPOCH;
        let setting = Setting { name: "x".to_owned(), harness, written, process: None };
        let options = Options {
            harness,
            max_line: self.max_line,
            threads: Some(self.threads),
            redactor: self.global.redact.then(Redactor::default),
            manner: if self.told_all {
                Manner { interest: Interest::All, ..plan.manner }
            } else {
                plan.manner
            },
        };
        let projection = plan.projection(&setting);
        let outcome = pipeline::run("x", input, options, projection, &mut out).unwrap();
        assert!(outcome.read_error.is_none());
        out.records.end(&mut out.sink).unwrap();
        out.sink.flush().unwrap();
    }

    /// What it prints, and notes.
    pub fn printed(&self, input: &mut (impl Input + Send)) -> [Vec<u8>; 2] {
        let written = [Shared::default(), Shared::default()];
        let [stdout, stderr] = written.clone();
        self.read(input, stdout, stderr);
        written.map(|shared| shared.0.take())
    }

    /// The same, all in one.
    pub fn printed_together(&self, input: &mut (impl Input + Send)) -> Vec<u8> {
        let written = Shared::default();
        self.read(input, written.clone(), written.clone());
        written.0.take()
    }
}

/// Where nothing stays.
pub struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Gives its bytes in pieces of the given sizes, over and over.
pub struct Pieces<'a> {
    bytes: &'a [u8],
    sizes: Vec<usize>,
    at: usize,
}

impl<'a> Pieces<'a> {
    pub fn new(bytes: &'a [u8], sizes: &[usize]) -> Self {
        Self { bytes, sizes: sizes.to_vec(), at: 0 }
    }
}

impl Input for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.at % self.sizes.len()].max(1);
        self.at += 1;
        let count = size.min(buffer.len()).min(self.bytes.len());
        buffer[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes = &self.bytes[count..];
        Ok(count)
    }

    fn ready(&self) -> bool {
        self.at.is_multiple_of(2)
    }
}
