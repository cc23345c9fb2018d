//! streamj reads the JSON lines that coding-agent CLIs print (Claude Code's
//! `--output-format stream-json`, Codex' `exec --json`) and answers questions
//! about the run: what was said, which tools ran, what it used, why it failed.
//!
//! The way of the data is the way of the modules: [`input`] (lines) → [`json`]
//! (tape) → [`harness`] (whose line, translated) → [`event`] → [`run`] (the
//! fold); behind them the program's own projections and output.
//!
//! ```
//! use streamj::run::Run;
//!
//! let stream = br#"{"type":"thread.started","thread_id":"th_1"}
//! {"type":"turn.started"}
//! this line is broken
//! {"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Done."}}
//! {"type":"turn.completed","usage":{"input_tokens":10,"output_tokens":2}}"#;
//!
//! let run = Run::from_reader(stream.as_slice())?;
//! assert_eq!(run.output(), "Done.");
//! assert_eq!(run.session.id(), Some("th_1"));
//! assert_eq!(run.usage.report().tokens.total(), 12);
//! assert_eq!(run.lines.malformed, 1);
//! assert!(run.verdict(true).succeeded_cleanly);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Line by line, as they arrive:
//!
//! ```
//! use streamj::event::Event;
//! use streamj::harness::{Decoder, Reading};
//!
//! let mut decoder = Decoder::default();
//! let line = br#"{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"Hm."}}"#;
//! decoder.decode(line, |reading| {
//!     if let Reading::Packet(packet) = reading {
//!         assert_eq!(packet.harness.name(), "codex");
//!         assert!(matches!(packet.events, [Event::Reasoning { text }] if **text == *"Hm."));
//!     }
//!     Ok::<(), std::io::Error>(())
//! })?;
//! # Ok::<(), std::io::Error>(())
//! ```

pub mod contract;
pub mod event;
pub mod findings;
pub mod harness;
pub mod input;
pub mod json;
pub mod prices;
pub mod run;
pub mod schema;

pub use contract::{
    ClaudeStreamEvent, ClaudeStreamJsonErrorCode, ClaudeStreamJsonEvent,
    ClaudeStreamJsonParseError, ClaudeStreamJsonParser,
};

// The program: public for its tests, not for others to build on.
#[doc(hidden)]
pub mod app;
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "store")]
#[doc(hidden)]
pub mod escalate;
#[doc(hidden)]
pub mod exit;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod manual;
#[cfg(feature = "store")]
#[doc(hidden)]
pub mod memories;
#[doc(hidden)]
pub mod output;
#[doc(hidden)]
pub mod pipeline;
mod pipes;
#[doc(hidden)]
pub mod projection;
#[doc(hidden)]
pub mod prompt;
#[doc(hidden)]
pub mod redact;
#[cfg(feature = "store")]
#[doc(hidden)]
pub mod store;
#[doc(hidden)]
pub mod wrap;

/// The README's example compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
