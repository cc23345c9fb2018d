//! Reads the event streams and session files of coding-agent CLIs: Claude Code
//! (`--output-format stream-json`), Codex (`exec --json`) and others.
//!
//! [`Run`] reads a whole run: answer, tool calls, usage, failure. [`records`]
//! iterates over the events of a stream as they arrive. Both detect which CLI wrote
//! each line, and a broken line never affects other lines.
//!
//! ```
//! use streamj::{Heuristics, Run};
//!
//! let stream = std::fs::File::open("examples/claude.jsonl")?;
//! let run = Run::from_reader(stream)?;
//! println!("{}", run.final_answer());
//! for call in run.tool_calls() {
//!     println!("{:?} {}", call.name, call.status.name());
//! }
//! if let Some(failure) = run.verdict(Heuristics::Apply).failure {
//!     println!("{}: {}", failure.category.name(), failure.message);
//! }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Data flows in one direction, and the modules have the same order: `input` (lines)
//! → [`json`] (tape) → [`harness`] (detection and translation) → [`event`] → [`run`]
//! and [`usage`]. With the feature `cli` follow the projections and output of the
//! command-line program.

// Parts that only an optional feature uses. The default features include all.
#![cfg_attr(not(all(feature = "store", feature = "serve")), allow(dead_code, unused_imports))]

pub mod event;
pub mod findings;
pub mod harness;
mod input;
pub mod json;
pub mod reader;
mod redact;
pub mod run;
mod session;
mod sessions;
pub mod usage;

#[cfg(feature = "cli")]
mod app;
#[cfg(feature = "cli")]
mod catalog;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod descriptions;
#[cfg(feature = "store")]
mod escalate;
#[cfg(feature = "cli")]
mod exit;
#[cfg(feature = "cli")]
mod glob;
#[cfg(feature = "cli")]
mod output;
#[cfg(feature = "cli")]
mod page;
#[cfg(feature = "cli")]
mod phrases;
#[cfg(feature = "cli")]
mod pipeline;
#[cfg(feature = "cli")]
pub mod program;
#[cfg(feature = "cli")]
mod projection;
#[cfg(feature = "cli")]
mod read_spec;
#[cfg(feature = "cli")]
mod report;
#[cfg(feature = "cli")]
mod schema;
#[cfg(feature = "cli")]
mod search;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "store")]
mod store;
#[cfg(feature = "cli")]
mod view;
#[cfg(feature = "cli")]
mod wrap;

// The name that tests outside `src` use for this crate.
#[cfg(any(test, fuzzing))]
extern crate self as streamj;
#[cfg(all(feature = "cli", any(test, fuzzing)))]
#[path = "../tests/fuzz/mod.rs"]
pub mod fuzz;

pub use harness::claude_contract::{
    ClaudeStreamEvent, ClaudeStreamJsonErrorCode, ClaudeStreamJsonEvent,
    ClaudeStreamJsonParseError, ClaudeStreamJsonParser,
};
pub use reader::Records;
pub use run::{Heuristics, Run};

/// Iterates over the records of a stream or session file.
///
/// ```
/// for record in streamj::records(std::fs::File::open("examples/codex.jsonl")?) {
///     let record = record?;
///     println!("{} {:?}", record.get().harness, record.get().events);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn records<R: std::io::Read>(reader: R) -> Records<R> {
    Records::new(reader, reader::DecodeOptions::default())
}

/// Compiles the README's example.
#[cfg(all(doctest, feature = "cli"))]
#[doc = include_str!("../README.md")]
struct Readme;
