//! Tests of the program from the outside, by topic, in one binary.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

#[cfg(unix)]
mod acp;
mod agent_sessions;
mod captures;
mod check;
mod ci_log;
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
#[cfg(unix)]
mod cursor;
mod denials;
mod described;
mod detection;
#[cfg(unix)]
mod droid;
mod error;
#[cfg(all(unix, feature = "store"))]
mod escalate;
mod events;
#[cfg(unix)]
mod faults;
mod findings;
#[cfg(unix)]
mod gemini_and_qwen;
#[cfg(feature = "store")]
mod generated;
#[cfg(all(unix, feature = "store"))]
mod goose;
mod grep;
#[cfg(all(unix, feature = "store"))]
mod grok;
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
#[cfg(unix)]
mod opencode;
#[cfg(feature = "store")]
mod opencode_sessions;
#[cfg(unix)]
mod openhands;
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
mod report;
mod resources;
mod rollouts;
#[cfg(feature = "store")]
mod schemas;
#[cfg(all(unix, feature = "serve"))]
mod serve;
mod session_files;
mod sessions;
mod source;
#[cfg(feature = "store")]
mod store;
mod structured;
mod support;
mod text;
mod threads;
mod tools;
mod usage;
mod usage_blocks;
mod usage_figures;
mod usage_reports;
mod usage_requests;
mod usage_table;
#[cfg(unix)]
mod vibe;
mod view;
#[cfg(unix)]
mod workspace;
#[cfg(unix)]
mod wrap;
