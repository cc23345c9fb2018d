//! The tool calls of a run, collected.

use std::convert::Infallible;
use std::time::Duration;

use jiff::Timestamp;

use super::tools::{ToolOutcome, ToolPairing, combined_status};
use crate::event::{Event, ToolStatus};
use crate::harness::Record;

/// A tool call of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunToolCall {
    /// The id of the call.
    pub id: Option<String>,
    /// The tool's name.
    pub name: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// The input.
    pub input: Option<serde_json::Value>,
    /// How the call ended; [`ToolStatus::Pending`] if it did not.
    pub status: ToolStatus,
    /// What the agent received.
    pub output: Option<String>,
    /// The exit status of a command.
    pub exit_code: Option<i64>,
    /// The call that started the subagent it belongs to.
    pub parent_id: Option<String>,
    /// When the call was written; streams have no times.
    pub started_at: Option<Timestamp>,
    /// When the result was written.
    pub ended_at: Option<Timestamp>,
    /// The duration as the CLI reports it, or the time between call and result.
    pub duration: Option<Duration>,
}

/// Maximum number of calls that ended after one whose status is reported.
const MAX_LATE: usize = 100;

/// Collects the tool calls of a run.
#[derive(Debug)]
pub(super) struct ToolCalls {
    pairing: ToolPairing,
    ended: Vec<RunToolCall>,
}

impl Default for ToolCalls {
    fn default() -> Self {
        Self { pairing: ToolPairing::default().with_times(), ended: Vec::new() }
    }
}

impl ToolCalls {
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        let Self { pairing, ended } = self;
        for event in record.events {
            if let Event::ToolStatus { tool_id: Some(id), status, exit_code, duration_ms } = event {
                let same = |call: &&mut RunToolCall| call.id.as_deref() == Some(*id);
                let recent = ended.iter_mut().rev().take(MAX_LATE).find(same);
                if let Some(call) = recent {
                    call.status = combined_status(call.status, Some(*status));
                    call.exit_code = call.exit_code.or(*exit_code);
                    call.duration = duration_ms.map(Duration::from_millis).or(call.duration);
                }
            }
        }
        let Ok(()) = pairing.apply(record, |outcome| {
            ended.push(RunToolCall::new(outcome));
            Ok::<_, Infallible>(())
        });
    }

    /// Returns the calls that have ended, then the pending ones.
    pub(super) fn list(&self) -> Vec<RunToolCall> {
        let mut calls = self.ended.clone();
        let Ok(()) = self.pairing.pending(|outcome| {
            calls.push(RunToolCall::new(outcome));
            Ok::<_, Infallible>(())
        });
        calls
    }
}

impl RunToolCall {
    fn new(outcome: &ToolOutcome<'_>) -> Self {
        let ToolOutcome { call, status, result, ended_at, .. } = outcome;
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            server: call.server.clone(),
            input: call.input.as_deref().and_then(|json| serde_json::from_slice(json).ok()),
            status: *status,
            output: match result {
                Some(result) => result.output.as_deref().map(str::to_owned),
                None => call.output.clone(),
            },
            exit_code: outcome.exit_code(),
            parent_id: call.parent_id.clone(),
            started_at: call.started_at,
            ended_at: *ended_at,
            duration: outcome.duration(),
        }
    }
}
