//! One binary with all tests of the program from the outside, by topic.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod captures;
mod check;
mod claude_contract;
mod codex_contract;
mod conformance;
mod contract;
mod detection;
mod error;
mod events;
mod findings;
mod generated;
#[cfg(unix)]
mod hostile;
mod lines;
mod live;
mod output;
mod prompt;
mod properties;
mod readme;
mod recordings;
mod redact;
mod structured;
mod support;
mod text;
mod tools;
mod usage;
mod view;
#[cfg(unix)]
mod wrap;
