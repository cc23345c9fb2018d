//! The end of the run: how it went, what it used, why it failed.

use std::io;

use super::look::{Mark, Paint, Piece};
use super::page::Page;
use crate::event::Finished;
use crate::harness::Harness;
use crate::output::{Output, plural, seconds, thousands, visible};
use crate::run::{ProcessEnd, Run};

/// How a turn ended, when more follows.
pub(super) fn in_a_word(finished: &Finished<'_>) -> String {
    let how = match finished.failed {
        true if is_abort(finished.terminal_reason) => "turn interrupted",
        true => "turn failed",
        false => "turn complete",
    };
    finished.duration_ms.map_or(how.to_owned(), |ms| format!("{how} after {}", seconds(ms)))
}

/// Whether somebody has stopped it.
fn is_abort(reason: Option<&str>) -> bool {
    reason.is_some_and(|reason| reason.starts_with("aborted"))
}

/// `2 h 10 min`, `5 min`, `40 s`.
pub(super) fn span(seconds: i64) -> String {
    match seconds {
        86_400.. => format!("{} d {} h", seconds / 86_400, seconds % 86_400 / 3600),
        3600.. => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
        60.. => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// Writes the block at the end.
pub(super) fn show(
    page: &mut Page,
    run: &Run,
    heuristics: bool,
    process: Option<&ProcessEnd>,
    out: &mut Output,
) -> io::Result<()> {
    let mut verdict = run.verdict(heuristics);
    if let Some(process) = process {
        verdict = verdict.with_process(process);
    }
    let failure = verdict.failure.as_ref();
    let aborted = failure.is_some_and(|failure| is_abort(failure.terminal_reason.as_deref()));
    let (word, paint) = match failure {
        _ if run.session.harness() == Harness::Unknown => ("no known events", Paint::Odd),
        Some(_) if aborted => ("interrupted", Paint::Odd),
        Some(_) if !verdict.complete && verdict.error.is_none() => ("interrupted", Paint::Odd),
        Some(_) => ("failed", Paint::Bad),
        None => ("success", Paint::Good),
    };
    let report = run.usage.report();
    let mut facts = Vec::new();
    facts.extend(report.turns.map(|turns| plural(turns, "turn")));
    facts.extend(report.duration_ms.map(seconds));
    facts.extend(report.cost_usd.map(|cost| format!("${cost:.4}")));
    let between = page.look.between();
    if page.look.pretty {
        page.raw(&page.look.rule(word, paint), out)?;
        if !facts.is_empty() {
            page.facts(Mark::Result, &[], &facts, out)?;
        }
    } else {
        let facts = facts.join(between);
        let tail = if facts.is_empty() { facts } else { format!("{between}{facts}") };
        page.item(
            Mark::Result,
            0,
            &[Piece(word.to_owned(), paint), Piece(tail, Paint::Plain)],
            out,
        )?;
    }
    let tokens = report.tokens;
    if tokens.total() > 0 {
        let mut counts = vec![
            format!("{} in", thousands(tokens.input)),
            format!("{} out", thousands(tokens.output)),
        ];
        let more = [
            (tokens.cache_read, "cache read"),
            (tokens.cache_write, "cache write"),
            (tokens.reasoning, "reasoning"),
        ];
        for (count, what) in more {
            counts.extend(
                count
                    .filter(|count| *count > 0)
                    .map(|count| format!("{} {what}", thousands(count))),
            );
        }
        let label = if page.look.pretty { "tokens  " } else { "" };
        page.facts(Mark::Usage, &[Piece(label.to_owned(), Paint::Dim)], &counts, out)?;
    }
    // What a CLI says about having been stopped is for its makers.
    if let Some(failure) = failure.filter(|_| !aborted && word != "no known events") {
        let category = failure.category.name();
        let message = visible(failure.message.trim());
        let mut rows = message.lines();
        let first = [Piece(format!("{category}: "), Paint::Bad)];
        page.words(Mark::Error, &first, rows.next().unwrap_or_default(), out)?;
        let mut below: Vec<_> = rows.take(8).map(|row| (row.to_owned(), Paint::Dim)).collect();
        let mut facts = Vec::new();
        facts.extend(failure.status.map(|status| format!("status {status}")));
        facts.extend(failure.retry_at.map(|moment| format!("try again at {moment}")));
        if !facts.is_empty() {
            below.push((facts.join(between), Paint::Odd));
        }
        page.below(0, &below, true, out)?;
    }
    Ok(())
}
