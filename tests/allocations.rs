//! In the steady state a line costs no allocation.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

#[path = "../benches/corpus/mod.rs"]
mod corpus;

use std::io::{self, Write};
use std::time::SystemTime;

use corpus::{Bytes, Kind};
use streamj::cli::{Cli, Command};
use streamj::output::{Notes, Output, Sink, Style};
use streamj::pipeline::{self, Options};
use streamj::projection::{Plan, Setting};

struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Allocations while a command reads a stream on one thread.
fn allocations(command: &str, stream: &[u8]) -> u64 {
    let Command::Read(read) = Cli::parse_from(["streamj", command]).unwrap().command else {
        panic!("not a reading command")
    };
    let plan = Plan::of(&read).unwrap();
    let setting = Setting {
        name: "x".to_owned(),
        harness: None,
        written: SystemTime::UNIX_EPOCH,
        process: None,
    };
    let options = Options {
        harness: None,
        max_line: 64 << 20,
        threads: 1,
        redactor: None,
        manner: plan.manner,
    };
    allocation_counter::measure(|| {
        let mut out = Output {
            sink: Sink::new(Box::new(Nowhere), false, Style::default()),
            notes: Notes::new(Box::new(Nowhere), true),
            records: plan.records(false),
        };
        let projection = plan.projection(&setting);
        pipeline::run("x", &mut Bytes(stream), options, projection, &mut out).unwrap();
    })
    .count_total
}

#[test]
fn a_line_costs_no_allocation_in_the_steady_state() {
    // Past what is remembered one by one, which is bounded.
    let streams = [(Kind::Claude, 14), (Kind::Codex, 8), (Kind::Partial, 24)];
    // Each thread counts for itself.
    std::thread::scope(|scope| {
        for (kind, size) in streams {
            scope.spawn(move || grows_only_by_lines(kind, size << 20));
        }
    });
}

fn grows_only_by_lines(kind: Kind, size: usize) {
    let (short, long) = (corpus::stream(kind, size), corpus::stream(kind, size + (3 << 20)));
    let lines = |stream: &[u8]| stream.split(|byte| *byte == b'\n').count() as u64;
    let more_lines = lines(&long) - lines(&short);
    for command in ["text", "tools", "usage", "events", "error", "check"] {
        let more = allocations(command, &long).saturating_sub(allocations(command, &short));
        assert!(more * 100 < more_lines, "{kind:?} {command}: {more} for {more_lines} lines");
    }
}
