//! Folds events into the state of a run.
//!
//! Each file holds one part of the state; [`Run`] combines them. Nothing here does I/O;
//! [`Run::from_reader`] passes its reader to [`crate::reader`].

mod answer;
mod background;
mod classify;
mod ending;
mod failure;
mod findings;
mod heuristics;
mod live;
mod open_messages;
mod process;
mod retry_at;
mod state;
mod string_pool;
mod structured;
mod tool_calls;
mod tools;
mod verdict;
mod warnings;

pub use crate::session::{Session, SessionDescription};
pub use failure::{Failure, FailureSource};
pub use state::{LineCounts, Run};
pub use tool_calls::RunToolCall;
pub use verdict::{Heuristics, Verdict};

pub(crate) use answer::{Answer, ResultText};
pub(crate) use ending::Ending;
pub(crate) use findings::{FindingsFold, FindingsReport};
pub(crate) use live::{LiveText, TextPiece};
pub(crate) use process::ProcessEnd;
pub(crate) use structured::StructuredOutput;
pub(crate) use tools::{ToolOutcome, ToolPairing, input_json};
