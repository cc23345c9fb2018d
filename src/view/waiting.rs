//! What a live run waits for while it is silent, on a terminal: a call, a retry, a limit, or
//! nothing that is known.

use std::io;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::View;
use super::calls::OpenCall;
use super::phrases::live_duration;
use super::theme::Marker;
use crate::event::{Event, RateLimit, Retry};
use crate::harness::Record;
use crate::output::Output;
use crate::reader::Wait;
use crate::run::elapsed;

/// Interval between two updates.
const INTERVAL: Duration = Duration::from_secs(1);

/// A shorter silence is not mentioned.
const SILENCE: Duration = Duration::from_secs(3);

/// The silence since the last line.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// When it was first waited for the next line; `None` until then.
    since: Option<Instant>,
    cause: Option<Cause>,
}

/// Why nothing happens, as the last lines say.
#[derive(Debug)]
enum Cause {
    /// An attempt of a request, after this delay.
    Retry { attempt: Option<u64>, max: Option<u64>, delay: Duration },
    /// A limit that is reached, until this time.
    Limit(Option<Timestamp>),
}

impl Waiting {
    /// Updates it from a line.
    pub(super) fn apply(&mut self, record: &Record<'_>) {
        self.since = None;
        for event in record.events {
            self.cause = match event {
                Event::Retry(Retry { attempt, max, delay_ms, .. }) => {
                    let delay = Duration::from_millis(delay_ms.unwrap_or(0));
                    Some(Cause::Retry { attempt: *attempt, max: *max, delay })
                }
                Event::RateLimit(RateLimit { status: Some(status), resets_at, .. })
                    if !status.starts_with("allowed") =>
                {
                    Some(Cause::Limit(resets_at.and_then(|at| Timestamp::from_second(at).ok())))
                }
                _ => None,
            };
        }
    }

    /// Describes the silence, which has lasted this long.
    fn describe(&self, silence: Duration, calls: &[&OpenCall]) -> Option<String> {
        let elapsed = live_duration(silence);
        match &self.cause {
            Some(Cause::Retry { attempt, max, delay }) => {
                let attempt = attempt.map(|attempt| format!(" {attempt}")).unwrap_or_default();
                let max = max.map(|max| format!(" of {max}")).unwrap_or_default();
                let left = delay.saturating_sub(silence);
                Some(match left.as_secs() {
                    0 => format!("waiting for retry{attempt}{max}  {elapsed}"),
                    _ => format!("retry{attempt}{max} in {}", live_duration(left)),
                })
            }
            Some(Cause::Limit(Some(resets_at))) => Some(match clock_time(*resets_at) {
                time if *resets_at > Timestamp::now() => format!("rate limit until {time}"),
                _ => format!("rate limit is over  {elapsed}"),
            }),
            _ if silence < SILENCE => None,
            Some(Cause::Limit(None)) => Some(format!("rate limit  {elapsed}")),
            None => Some(match calls {
                [] => format!("nothing for {elapsed}"),
                [call] => format!("waiting for {}  {elapsed}", call.name),
                calls => format!("waiting for {} tools  {elapsed}", calls.len()),
            }),
        }
    }
}

/// Formats the time of day.
fn clock_time(time: Timestamp) -> String {
    time.to_zoned(TimeZone::system()).strftime("%H:%M").to_string()
}

impl View {
    /// Shows what is waited for, and returns when to update it.
    pub(super) fn show_waiting(&mut self, out: &mut Output) -> io::Result<Wait> {
        let Some(renderer) = self.renderer.as_mut().filter(|_| self.is_live) else {
            return Ok(Wait::Forever);
        };
        if !renderer.can_rewrite() || self.turn_end.is_some() {
            return Ok(Wait::Forever);
        }
        let open = renderer.open_id(out).map(str::to_owned);
        let open = open.and_then(|id| self.calls.get(&id).map(|call| (id, call)));
        if let Some((id, call)) = open {
            let elapsed = call.started_at.and_then(|start| elapsed(start, Timestamp::now()));
            if let Some(elapsed) = elapsed.filter(|elapsed| *elapsed >= INTERVAL) {
                let facts = format!("  {}", live_duration(elapsed));
                let spans = renderer.call_spans(Marker::Tool, call, facts);
                renderer.update_item(&id, Marker::Tool, call.depth, &spans, out)?;
            }
            return Ok(Wait::AtMost(INTERVAL));
        }
        let now = Instant::now();
        let since = *self.waiting.since.get_or_insert(now);
        let silence = now.saturating_duration_since(since);
        let calls: Vec<_> = self.calls.values().collect();
        if let Some(text) = self.waiting.describe(silence, &calls) {
            renderer.show_status(&text, out)?;
        }
        Ok(Wait::AtMost(INTERVAL))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_described_by_its_cause() {
        let described = |cause, seconds| {
            let waiting = Waiting { since: None, cause };
            waiting.describe(Duration::from_secs(seconds), &[])
        };
        let retry = || {
            let delay = Duration::from_secs(5);
            Some(Cause::Retry { attempt: Some(2), max: Some(10), delay })
        };
        assert_eq!(described(retry(), 1).as_deref(), Some("retry 2 of 10 in 4 s"));
        assert_eq!(described(retry(), 9).as_deref(), Some("waiting for retry 2 of 10  9 s"));
        assert_eq!(described(None, 1), None);
        assert_eq!(described(None, 90).as_deref(), Some("nothing for 1 min 30 s"));
        let later = Timestamp::now().as_second() + 3600;
        let later = Timestamp::from_second(later).unwrap();
        let limit = described(Some(Cause::Limit(Some(later))), 0).unwrap();
        let expected = format!("rate limit until {}", clock_time(later));
        assert_eq!(limit, expected);
    }
}
