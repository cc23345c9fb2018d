//! The fold: packet after packet becomes the state of the run.
//!
//! Each part follows one question and can be used alone (`usage` needs no
//! text); [`Run`] is all of them together, for the summary. Pure: nothing
//! here reads or writes.

mod answer;
mod assign;
mod background;
pub mod classify;
mod ending;
pub mod failure;
mod fold;
pub mod heuristics;
pub mod ledger;
mod live;
mod process;
mod reports;
mod retry_at;
mod session;
mod structured;
mod tools;
pub mod usage;
mod warnings;

pub use answer::{Answer, ResultText};
pub use background::Background;
pub use classify::Category;
pub use ending::Ending;
pub use failure::{Failure, Failures};
pub use fold::{LineCounts, Run, Verdict};
pub use live::{LiveText, Piece};
pub use process::ProcessEnd;
pub use reports::{Report, Reports};
pub use session::{Description, Session};
pub use structured::Structured;
pub use tools::{Call, ToolRecord, Tools, input_json};
pub use usage::Usage;
pub use warnings::LIMIT as WARNINGS_OF_A_KIND;
