//! Counts what runs use: tokens, cost, turns and time.
//!
//! [`UsageCounter`] counts one stream or session; `RequestLog` keeps the
//! requests of a session file. Over many files (`folder`), each request is counted once
//! (`dedup`), assigned to its session (`merge`), and grouped into rows
//! (`group`), of which some are windows of time (`block`). [`Prices`] estimates what the CLI does not report.

mod block;
mod counter;
mod dedup;
mod figures;
mod file;
mod folder;
mod group;
mod key;
mod merge;
mod messages;
mod prices;
mod report;
mod requests;
mod shares;
mod snapshots;
mod thread;
mod tokens;
mod unattributed;

pub use counter::UsageCounter;
pub use prices::{Estimate, Prices};
pub use report::{UsageReport, UsageSource};
pub use requests::AccountLimit;
pub use shares::ModelShare;

pub(crate) use block::Blocks;
pub(crate) use figures::Figures;
pub(crate) use file::{FileUsage, Used};
pub(crate) use folder::{
    FileEnd, FileUsageBuilder, read_each, read_file, read_files, session_folders,
};
pub(crate) use group::{
    GroupBy, Grouping, Order, SessionFacts, UsageRow, UsageTotals, format_time,
};
pub(crate) use merge::{ItemKind, MergedSession, RequestKeys, UsageItem, merge};
pub(crate) use prices::dollars;
pub(crate) use requests::RequestLog;
pub(crate) use shares::ModelShares;
pub(crate) use tokens::sum;

/// Adds two costs of which either may be unknown.
fn sum_cost(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (one, other) => one.or(other),
    }
}
