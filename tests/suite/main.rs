//! Tests of the program from the outside, by topic, in one binary.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod agent_sessions;
mod captures;
mod check;
mod claude_contract;
mod claude_parser;
#[cfg(unix)]
mod cline;
mod codex_contract;
#[cfg(all(unix, feature = "store"))]
mod completions;
mod conformance;
#[cfg(unix)]
mod copilot;
mod denials;
mod described;
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
#[cfg(unix)]
mod hostile;
#[path = "../in_memory/mod.rs"]
mod in_memory;
#[cfg(unix)]
mod kimi;
mod lines;
mod live;
#[cfg(target_os = "linux")]
mod load;
mod not_a_stream;
mod options;
mod output;
#[cfg(unix)]
mod pi;
mod prompt;
mod properties;
#[cfg(all(unix, feature = "store"))]
mod readme;
mod recordings;
mod redact;
mod resources;
mod rollouts;
#[cfg(feature = "store")]
mod schemas;
mod session_files;
mod source;
#[cfg(feature = "store")]
mod store;
mod structured;
mod support;
mod text;
mod threads;
mod tools;
mod usage;
mod usage_figures;
mod usage_table;
mod view;
#[cfg(unix)]
mod workspace;
#[cfg(unix)]
mod wrap;
