//! Drops events that were not requested.

use crate::event::{Event, EventFilter, MessagePart};

/// Keeps the requested events among `events[first..]`.
pub(super) fn keep_requested(filter: EventFilter, events: &mut Vec<Event<'_>>, first: usize) {
    let mut kept = first;
    for at in first..events.len() {
        if filter == EventFilter::Text {
            simplify(&mut events[at]);
        }
        if is_requested(filter, &events[at]) {
            if kept < at {
                events.swap(kept, at);
            }
            kept += 1;
        }
    }
    events.truncate(kept);
}

/// Text ends with the call of its subagent, whatever the result.
fn simplify(event: &mut Event<'_>) {
    if let Event::ToolResult(result) = event
        && !result.detached
    {
        *event = Event::ToolEnded { tool_id: result.call.id };
    }
}

fn is_requested(filter: EventFilter, event: &Event<'_>) -> bool {
    let is_text = filter == EventFilter::Text;
    let is_usage = filter == EventFilter::Usage;
    match event {
        _ if filter == EventFilter::All => true,
        Event::ToolCall(_) => is_text || filter == EventFilter::Tools,
        Event::ToolResult(_) | Event::ToolStatus { .. } | Event::Denied { .. } => {
            filter == EventFilter::Tools
        }
        Event::Session(_)
        | Event::Model { .. }
        | Event::Message(_)
        | Event::Partial {
            part: MessagePart::MessageStart(_) | MessagePart::MessageDelta(_),
            ..
        }
        | Event::TurnStarted { .. }
        | Event::Retry(_)
        | Event::Finished(_) => is_text || is_usage,
        // Calls, prompts and reasoning end a text that arrives in parts.
        Event::Text { .. }
        | Event::Prompt { .. }
        | Event::Reasoning { .. }
        | Event::ReasoningPart { .. }
        | Event::Partial { .. }
        | Event::ToolEnded { .. }
        | Event::Compacted { .. } => is_text,
        Event::Usage { .. } | Event::Total(_) | Event::RateLimit(_) => is_usage,
        _ => false,
    }
}
