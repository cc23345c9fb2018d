//! Tests of the program from the outside, by topic, in one binary.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod captures;
mod check;
mod claude_contract;
mod claude_parser;
mod cli;
mod codex_contract;
mod conformance;
mod detection;
mod error;
#[cfg(all(unix, feature = "store"))]
mod escalate;
mod events;
#[cfg(unix)]
mod faults;
mod findings;
#[cfg(feature = "store")]
mod generated;
mod history;
#[cfg(unix)]
mod hostile;
mod house;
#[path = "../in_memory/mod.rs"]
mod in_memory;
mod lines;
mod live;
#[cfg(target_os = "linux")]
mod load;
mod output;
mod prompt;
mod properties;
#[cfg(feature = "store")]
mod readme;
mod recordings;
mod redact;
mod resources;
#[cfg(feature = "store")]
mod store;
mod structured;
mod support;
mod text;
mod threads;
mod tools;
mod transcripts;
mod usage;
mod view;
#[cfg(unix)]
mod workspace;
#[cfg(unix)]
mod wrap;
