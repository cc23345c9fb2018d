//! Folds events into the state of a run.
//!
//! Each file holds one part of the state; [`Run`] combines them. Nothing here does I/O;
//! [`Run::from_reader`] passes its reader to [`crate::reader`].

mod advisory;
mod answer;
mod api_error;
mod background;
mod block_match;
mod classify;
mod ending;
mod failure;
mod findings;
mod held_results;
mod held_text;
mod heuristics;
mod joined_blocks;
mod judgement;
mod known_text;
mod live;
mod open_messages;
mod output_text;
mod process;
mod question;
mod reasoning;
mod retry_at;
mod snapshot;
mod state;
mod string_pool;
mod structured;
mod times;
mod tool_calls;
mod tool_stats;
mod tools;
mod verdict;
mod warnings;

pub use crate::session::{Session, SessionDescription};
pub use failure::{Failure, FailureSource};
pub use state::{LineCounts, Run};
pub use tool_calls::RunToolCall;
pub use tool_stats::{DeniedCall, ToolCounts};
pub use verdict::{Heuristics, Verdict};

pub(crate) use advisory::FailOn;
pub(crate) use answer::{Answer, ResultText};
pub(crate) use classify::NO_DETAIL;
pub(crate) use ending::Ending;
#[cfg(feature = "cli")]
pub(crate) use failure::exit_failure;
pub(crate) use findings::{FindingsFold, FindingsReport};
pub(crate) use live::{LiveText, TextPiece};
pub(crate) use process::{ProcessEnd, StoppedBy};
pub(crate) use reasoning::ReasoningBlocks;
pub(crate) use snapshot::ReasoningSnapshots;
pub(crate) use structured::StructuredOutput;
pub(crate) use times::{LineClock, elapsed, milliseconds};
pub(crate) use tools::{ToolOutcome, ToolPairing, combined_status, input_json};
