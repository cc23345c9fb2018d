//! Prints the time spent in each tool of a session file:
//!
//! ```sh
//! cargo run --example library SESSION.jsonl
//! ```

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::time::Duration;

use streamj::Run;

fn main() -> io::Result<()> {
    let path = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let run = Run::from_reader(File::open(path)?)?;
    let mut times: BTreeMap<String, Duration> = BTreeMap::new();
    for call in run.tool_calls() {
        let name = call.name.unwrap_or_default();
        *times.entry(name).or_default() += call.duration.unwrap_or_default();
    }
    for (tool, time) in times {
        writeln!(io::stdout(), "{:>9.3} s  {tool}", time.as_secs_f64())?;
    }
    Ok(())
}
