//! The end of a run: outcome, usage, failure.

use std::io;

use super::details::DetailLine;
use super::renderer::Renderer;
use super::theme::{Marker, Span, Tone};
use crate::event::Tokens;
use crate::output::{Output, one_line, plural, sanitize, seconds, thousands};
use crate::phrases::{MAX_LINE_WIDTH, Outcome, is_abort};
use crate::run::{Failure, FailureSource, Heuristics, NO_DETAIL, ProcessEnd, Run};

/// Maximum number of lines of an error message.
const MAX_MESSAGE_LINES: usize = 9;

/// Shows the end of a run. `shown_error` is the error that was shown last.
pub(super) fn show(
    renderer: &mut Renderer,
    run: &Run,
    heuristics: Heuristics,
    process: Option<&ProcessEnd>,
    shown_error: Option<&str>,
    out: &mut Output,
) -> io::Result<()> {
    let mut verdict = run.verdict(heuristics);
    if let Some(process) = process {
        verdict = verdict.with_process(process);
    }
    let failure = verdict.failure.as_ref();
    let is_aborted = failure.is_some_and(|failure| is_abort(failure, run));
    let outcome = Outcome::of(run, &verdict);
    let tone = match outcome {
        Outcome::Success => Tone::Good,
        Outcome::Waiting | Outcome::Unfinished | Outcome::Interrupted => Tone::Warning,
        Outcome::Failed => Tone::Bad,
    };
    let outcome = outcome.name();
    let usage = run.usage();
    let mut facts = Vec::new();
    facts.extend(usage.turns.map(|turns| plural(turns, "turn")));
    facts.extend(usage.duration_ms.map(seconds));
    facts.extend(usage.cost_usd.map(|cost| format!("${cost:.4}")));
    if renderer.theme.is_terminal {
        renderer.separate(&renderer.theme.rule(outcome, tone), out)?;
        if !facts.is_empty() {
            renderer.facts(Marker::Result, &[], &facts, out)?;
        }
    } else {
        let separator = renderer.theme.separator();
        let facts: String = facts.iter().flat_map(|fact| [separator, fact]).collect();
        let spans = [Span(outcome.to_owned(), tone), Span(facts, Tone::Plain)];
        renderer.item(Marker::Result, 0, &spans, out)?;
    }
    show_tokens(renderer, &usage.tokens, out)?;
    show_denials(renderer, run, out)?;
    if failure.is_some_and(|failure| run.has_recovered(failure)) {
        let text = Span("a turn was interrupted".to_owned(), Tone::Warning);
        renderer.item(Marker::Note, 0, &[text], out)?;
    }
    // The message of an interrupted run is internal to the CLI.
    match failure.filter(|_| !is_aborted) {
        Some(failure) => {
            let message = message_or_default(&failure.message);
            let is_shown =
                [shown_error, Some(run.answer.last_message().trim())].contains(&Some(message));
            show_failure(renderer, failure, is_shown, out)
        }
        None => Ok(()),
    }
}

fn show_tokens(renderer: &mut Renderer, tokens: &Tokens, out: &mut Output) -> io::Result<()> {
    if tokens.total() == 0 {
        return Ok(());
    }
    let mut counts = vec![
        // As in tables, so that the counts add up.
        format!("{} in", thousands(tokens.uncached_input())),
        format!("{} out", thousands(tokens.output)),
    ];
    let optional = [
        (tokens.cache_read, "cache read"),
        (tokens.cache_write, "cache write"),
        (tokens.reasoning, "reasoning"),
    ];
    for (count, name) in optional {
        let count = count.filter(|count| *count > 0);
        counts.extend(count.map(|count| format!("{} {name}", thousands(count))));
    }
    let label = if renderer.theme.is_terminal { "tokens  " } else { "" };
    renderer.facts(Marker::Usage, &[Span(label.to_owned(), Tone::Dim)], &counts, out)
}

/// Maximum number of denied tools that are named.
const MAX_NAMED: usize = 5;

fn show_denials(renderer: &mut Renderer, run: &Run, out: &mut Output) -> io::Result<()> {
    let count = run.tool_counts().denied;
    if count == 0 {
        return Ok(());
    }
    let calls = run.denied_calls().iter().take(MAX_NAMED);
    let mut names: Vec<_> = calls.filter_map(|call| call.name.as_deref()).map(sanitize).collect();
    if count > MAX_NAMED as u64 {
        names.push("…".into());
    }
    let text = format!("{} denied: {}", plural(count, "tool"), names.join(", "));
    let spans = [Span(one_line(&text, MAX_LINE_WIDTH), Tone::Warning)];
    renderer.item(Marker::Note, 0, &spans, out)
}

/// Returns an error message, or the text for a blank one.
pub(super) fn message_or_default(message: &str) -> &str {
    Some(message.trim()).filter(|message| !message.is_empty()).unwrap_or(NO_DETAIL)
}

/// Shows a failure; without its message if that was shown already.
fn show_failure(
    renderer: &mut Renderer,
    failure: &Failure,
    is_shown: bool,
    out: &mut Output,
) -> io::Result<()> {
    let label = failure.label();
    if failure.source == FailureSource::Heuristic {
        let text =
            failure.message.split_once(": ").map_or(failure.message.as_str(), |(_, text)| text);
        return renderer.words(Marker::Note, &[], &sanitize(text), out);
    }
    let mut facts = Vec::new();
    facts.extend(failure.status.map(|status| format!("status {status}")));
    facts.extend(failure.retry_at.map(|time| format!("try again at {time}")));
    if is_shown {
        let facts: String =
            facts.iter().flat_map(|fact| [renderer.theme.separator(), fact]).collect();
        let spans = [Span(label, Tone::Bad), Span(facts, Tone::Warning)];
        return renderer.item(Marker::Error, 0, &spans, out);
    }
    let message = sanitize(message_or_default(&failure.message));
    let mut rows = message.lines();
    // `interrupted (SIGINT)` needs no label.
    let label = if message.starts_with(&label) { String::new() } else { format!("{label}: ") };
    let label = [Span(label, Tone::Bad)];
    renderer.words(Marker::Error, &label, rows.next().unwrap_or_default(), out)?;
    for row in rows.take(MAX_MESSAGE_LINES - 1) {
        renderer.detail(0, &DetailLine::new("", row, Tone::Dim), true, out)?;
    }
    if facts.is_empty() {
        return Ok(());
    }
    let facts = facts.join(renderer.theme.separator());
    renderer.detail(0, &DetailLine::new("", &facts, Tone::Warning), true, out)
}
