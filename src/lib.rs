//! streamj reads the JSON lines that coding-agent CLIs print (Claude Code's
//! `--output-format stream-json`, Codex' `exec --json`) and answers questions
//! about the run: what was said, which tools ran, what it used, why it failed.
//!
//! The way of the data is the way of the modules:
//! [`input`] (lines) → [`json`] (tape) → [`harness`] (whose line, translated)
//! → [`event`] → [`run`] (the fold) → [`projection`] → [`output`].
//!
//! ```
//! use std::time::SystemTime;
//! use streamj::harness::{Decoder, Reading};
//! use streamj::run::Run;
//!
//! let stream = br#"{"type":"thread.started","thread_id":"th_1"}
//! {"type":"turn.started"}
//! this line is broken
//! {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}
//! {"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":2}}"#;
//!
//! let mut decoder = Decoder::default();
//! let mut run = Run::new(None, SystemTime::now());
//! for (number, line) in (1..).zip(stream.split(|byte| *byte == b'\n')) {
//!     decoder.decode(line, |reading| {
//!         run.read(&reading, number);
//!         Ok::<(), std::convert::Infallible>(())
//!     })?;
//! }
//! assert_eq!(run.output(), "Done.");
//! assert_eq!(run.session.id(), Some("th_1"));
//! assert_eq!(run.usage.report().total_tokens(), 12);
//! assert!(run.verdict(true).succeeded_cleanly);
//! # Ok::<(), std::convert::Infallible>(())
//! ```

pub mod app;
pub mod cli;
pub mod event;
pub mod exit;
pub mod harness;
pub mod input;
pub mod json;
pub mod manual;
pub mod output;
pub mod pipeline;
pub mod projection;
pub mod run;
