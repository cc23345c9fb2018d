//! Results of tool calls that are held back, since the next lines may report that a call
//! ended in another way.

use jiff::Timestamp;

use super::tools::{PairedCall, ToolOutcome};
use crate::event::{Event, ToolResult, ToolStatus};
use crate::harness::{Harness, Record};

/// A call with its result.
#[derive(Debug)]
pub(super) struct HeldResult {
    pub(super) key: String,
    pub(super) call: PairedCall,
    harness: Harness,
    ended_at: Option<Timestamp>,
    status: ToolStatus,
    output: Option<String>,
    interrupted: Option<bool>,
    exit_code: Option<i64>,
    duration_ms: Option<u64>,
}

impl HeldResult {
    pub(super) fn new(
        key: String,
        call: PairedCall,
        record: &Record<'_>,
        result: &ToolResult<'_>,
        ended_at: Option<Timestamp>,
    ) -> Self {
        Self {
            key,
            call,
            harness: record.harness,
            ended_at,
            status: result.status,
            output: result.output.as_deref().map(str::to_owned),
            interrupted: result.interrupted,
            exit_code: result.exit_code,
            duration_ms: result.duration_ms,
        }
    }

    /// Returns the size of its output.
    pub(super) fn size(&self) -> usize {
        self.output.as_ref().map_or(0, String::len)
    }

    /// Passes the call to `ended`, with the status that was reported meanwhile.
    pub(super) fn end<E>(
        &self,
        ended: &mut impl FnMut(&ToolOutcome<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let result = ToolResult {
            status: self.status,
            output: self.output.as_deref().map(Into::into),
            interrupted: self.interrupted,
            exit_code: self.exit_code,
            duration_ms: self.duration_ms,
            ..ToolResult::default()
        };
        ended(&ToolOutcome {
            harness: self.harness,
            status: self.call.combined_status(self.status),
            call: &self.call,
            result: Some(&result),
            ended_at: self.ended_at,
        })
    }
}

/// Returns whether the agent goes on with this record, so that no status of an earlier
/// call follows.
pub(super) fn goes_on(record: &Record<'_>) -> bool {
    record.events.iter().any(|event| {
        matches!(
            event,
            Event::Text { .. }
                | Event::Reasoning { .. }
                | Event::ToolCall(_)
                | Event::Prompt { .. }
                | Event::TurnStarted { .. }
                | Event::Finished(_)
        )
    })
}
