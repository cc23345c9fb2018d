//! In the steady state a line costs no allocation.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

#[path = "../benches/corpus/mod.rs"]
mod corpus;

mod projected;

use corpus::{Bytes, Kind};
use projected::{Nowhere, Projected};

/// Allocations while a command reads a stream on one thread.
fn allocations(command: &str, stream: &[u8]) -> u64 {
    let command = Projected { quiet: true, ..Projected::new([command]) };
    let read = || command.read(&mut Bytes(stream), Nowhere, Nowhere);
    allocation_counter::measure(read).count_total
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
