//! Reading a line allocates no memory once the buffers have grown.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

#[path = "../benches/corpus/mod.rs"]
mod corpus;

mod in_memory;

use bstr::ByteSlice;
use corpus::Kind;
use in_memory::{Chunks, discard};

/// Counts the allocations of a command that reads a stream on one thread.
fn allocations(command: &str, stream: &[u8]) -> u64 {
    let input = Chunks::whole(stream);
    allocation_counter::measure(|| discard(&[command, "--quiet"], input)).count_total
}

#[test]
fn line_costs_no_allocation_in_the_steady_state() {
    // Sizes in MiB at which the bounded collections are full.
    let streams = [(Kind::Claude, 14), (Kind::Codex, 8), (Kind::Partial, 24)];
    // Allocations are counted per thread.
    std::thread::scope(|scope| {
        for (kind, size) in streams {
            scope.spawn(move || assert_no_allocation_per_line(kind, size << 20));
        }
    });
}

fn assert_no_allocation_per_line(kind: Kind, size: usize) {
    let (short, long) = (corpus::stream(kind, size), corpus::stream(kind, size + (3 << 20)));
    let lines = |stream: &[u8]| stream.lines().count() as u64;
    let more_lines = lines(&long) - lines(&short);
    for command in ["text", "tools", "usage", "events", "error", "check"] {
        let more = allocations(command, &long).saturating_sub(allocations(command, &short));
        assert!(more * 100 < more_lines, "{kind:?} {command}: {more} for {more_lines} lines");
    }
}
