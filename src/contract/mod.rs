//! Strict reading: is a line what the contract says?
//!
//! Everything else in streamj is tolerant; here a missing member is a
//! violation. [`ClaudeStreamJsonParser`] is the published parser contract
//! (v1) for Claude Code. `streamj check` judges with the same rules, straight
//! from the tape, and knows Codex and today's releases besides.

mod claude_v1;
mod judge;
mod node;
mod shape;

mod claude;
mod codex;

pub use claude_v1::{
    ClaudeStreamEvent, ClaudeStreamJsonErrorCode, ClaudeStreamJsonEvent,
    ClaudeStreamJsonParseError, ClaudeStreamJsonParser,
};
pub(crate) use judge::{Judge, Verdict};

/// Which contract lines are held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Contract {
    /// The published one
    V1,
    /// What the releases streamj knows really print, and nothing else
    Current,
}
