//! Reads a stream from standard input and tells how it went:
//!
//! ```sh
//! cargo run --example library < examples/claude.jsonl
//! ```

use std::io::{self, BufRead, Write};
use std::time::SystemTime;

use streamj::harness::Decoder;
use streamj::run::Run;

fn main() -> io::Result<()> {
    let mut decoder = Decoder::default();
    let mut run = Run::new(None, SystemTime::now());
    for (number, line) in (1..).zip(io::stdin().lock().split(b'\n')) {
        decoder.decode(&line?, |reading| {
            run.read(&reading, number);
            io::Result::Ok(())
        })?;
    }
    let verdict = run.verdict(true);
    let outcome = verdict
        .failure
        .map_or("fine".to_owned(), |failure| failure.message);
    let tokens = run.usage.report().total_tokens();
    writeln!(
        io::stdout(),
        "{}: {outcome}, {tokens} tokens",
        run.session.harness()
    )
}
