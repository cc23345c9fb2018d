//! Reads a stream from standard input and tells how it went:
//!
//! ```sh
//! cargo run --example library < examples/claude.jsonl
//! ```

use std::io::{self, Write};

use streamj::run::Run;

fn main() -> io::Result<()> {
    let run = Run::from_reader(io::stdin().lock())?;
    let failure = run.verdict(true).failure;
    let outcome = failure.map_or("fine".to_owned(), |failure| failure.message);
    let tokens = run.usage.report().tokens.total();
    writeln!(io::stdout(), "{}: {outcome}, {tokens} tokens", run.session.harness())
}
