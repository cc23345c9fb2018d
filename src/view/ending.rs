//! The end of a run: outcome, usage, failure.

use std::io;

use super::MAX_LINE_WIDTH;
use super::changes::ChangedFiles;
use super::details::DetailLine;
use super::renderer::Renderer;
use super::theme::{Marker, Span, Tone};
use crate::event::{Category, Finished, Tokens};
use crate::output::{Output, one_line, plural, sanitize, seconds, thousands};
use crate::run::{Failure, FailureSource, Heuristics, NO_DETAIL, ProcessEnd, Run, milliseconds};

/// Maximum number of lines of an error message.
const MAX_MESSAGE_LINES: usize = 9;

/// Describes the end of a turn that is not the last one.
pub(super) fn describe_turn(finished: &Finished<'_>, run: &Run) -> String {
    let outcome = match finished.failed {
        true if is_aborted(finished.terminal_reason, run) => "turn interrupted",
        true if run.was_turn_interrupted() => "turn interrupted",
        true => "turn failed",
        false => "turn complete",
    };
    match finished.duration_ms {
        Some(duration) => format!("{outcome} after {}", seconds(duration)),
        None => outcome.to_owned(),
    }
}

/// Returns whether this reason for the end of a run is the user.
fn is_aborted(reason: Option<&str>, run: &Run) -> bool {
    let aborted = run.session.harness().rules().aborted_reason;
    reason.zip(aborted).is_some_and(|(reason, aborted)| reason.starts_with(aborted))
}

/// What the end of a run shows.
pub(super) struct EndOfRun<'a> {
    pub(super) run: &'a Run,
    pub(super) heuristics: Heuristics,
    pub(super) process: Option<&'a ProcessEnd>,
    /// The error that was shown last.
    pub(super) shown_error: Option<&'a str>,
    /// Files that the run has changed.
    pub(super) files: &'a ChangedFiles,
}

/// Shows the end of a run; returns its outcome in words.
pub(super) fn show(
    renderer: &mut Renderer,
    end: &EndOfRun<'_>,
    out: &mut Output,
) -> io::Result<&'static str> {
    let EndOfRun { run, heuristics, process, shown_error, files } = *end;
    let mut verdict = run.verdict(heuristics);
    if let Some(process) = process {
        verdict = verdict.with_process(process);
    }
    let failure = verdict.failure.as_ref();
    let is_aborted = failure.is_some_and(|failure| {
        let is_reported = matches!(failure.source, FailureSource::Result | FailureSource::Turn);
        is_reported && failure.is_interruption()
            || is_aborted(failure.terminal_reason.as_deref(), run)
    });
    let (outcome, tone) = match failure {
        Some(failure) if run.has_recovered(failure) => ("success", Tone::Good),
        Some(Failure { category: Category::Interactive, .. }) => {
            ("waiting for an answer", Tone::Warning)
        }
        Some(Failure { category: Category::BackgroundTask, .. }) => {
            ("agents not finished", Tone::Warning)
        }
        Some(_) if is_aborted => ("interrupted", Tone::Warning),
        Some(_) if !verdict.complete && verdict.error.is_none() => ("interrupted", Tone::Warning),
        Some(_) => ("failed", Tone::Bad),
        None => ("success", Tone::Good),
    };
    let usage = run.usage();
    let mut facts = Vec::new();
    facts.extend(usage.turns.map(|turns| plural(turns, "turn")));
    let duration = usage.duration_ms.or_else(|| run.duration().map(milliseconds));
    facts.extend(duration.map(seconds));
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
    show_tools(renderer, run, out)?;
    show_files(renderer, run, files, out)?;
    show_tokens(renderer, &usage.tokens, out)?;
    show_unfinished_work(renderer, run, out)?;
    if failure.is_some_and(|failure| run.has_recovered(failure)) {
        let text = Span("a turn was interrupted".to_owned(), Tone::Warning);
        renderer.item(Marker::Note, 0, &[text], out)?;
    }
    // The message of an interrupted run is internal to the CLI.
    if let Some(failure) = failure.filter(|_| !is_aborted) {
        let message = message_or_default(&failure.message);
        let is_shown =
            [shown_error, Some(run.answer.last_message().trim())].contains(&Some(message));
        show_failure(renderer, failure, is_shown, out)?;
    }
    show_session(renderer, run, out)?;
    Ok(outcome)
}

/// Returns the label of facts, which a log has as a tag.
fn label(renderer: &Renderer, text: &str) -> [Span; 1] {
    let label = if renderer.theme.is_terminal { format!("{text:8}") } else { String::new() };
    [Span(label, Tone::Dim)]
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
    let label = label(renderer, "tokens");
    renderer.facts(Marker::Usage, &label, &counts, out)
}

/// Maximum number of tools, files and tasks that are named.
const MAX_NAMED: usize = 5;

/// Shows how many tools were called, and which were denied.
fn show_tools(renderer: &mut Renderer, run: &Run, out: &mut Output) -> io::Result<()> {
    let counts = run.tool_counts();
    if counts.calls + counts.denied == 0 {
        return Ok(());
    }
    let mut facts = vec![plural(counts.calls.max(counts.denied), "tool")];
    facts.extend((counts.failed > 0).then(|| format!("{} failed", counts.failed)));
    if counts.denied > 0 {
        let texts = &run.session.harness().adapter().tools;
        let names = run.denied_calls().iter().filter_map(|call| call.name.as_deref());
        let names = names.map(|name| texts.name(name));
        let names = named(names, counts.denied);
        facts.push(one_line(&format!("{} denied: {names}", counts.denied), MAX_LINE_WIDTH));
    }
    renderer.facts(Marker::Tools, &[], &facts, out)
}

/// Returns the first of `count` names.
fn named<'n>(names: impl Iterator<Item = &'n str>, count: u64) -> String {
    let mut names: Vec<_> = names.take(MAX_NAMED).map(sanitize).collect();
    if count > MAX_NAMED as u64 {
        names.push("…".into());
    }
    names.join(", ")
}

/// Shows the changed files with the numbers of their lines.
fn show_files(
    renderer: &mut Renderer,
    run: &Run,
    files: &ChangedFiles,
    out: &mut Output,
) -> io::Result<()> {
    let files = files.files();
    if files.is_empty() {
        return Ok(());
    }
    let folder = run.session.description().and_then(|description| description.cwd.as_deref());
    let mut facts = Vec::new();
    for (path, lines) in files.iter().take(MAX_NAMED) {
        let inside = folder.and_then(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
        let lines = lines.map(|lines| format!(" {lines}")).unwrap_or_default();
        let path = one_line(&sanitize(inside.unwrap_or(path)), MAX_LINE_WIDTH);
        facts.push(path + &lines);
    }
    if let Some(more) = files.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        facts.push(format!("{more} more"));
    }
    let label = label(renderer, "files");
    renderer.facts(Marker::Files, &label, &facts, out)
}

/// Shows background work that is left.
fn show_unfinished_work(renderer: &mut Renderer, run: &Run, out: &mut Output) -> io::Result<()> {
    let work = run.unfinished_work();
    if work.is_empty() {
        return Ok(());
    }
    let count = work.len() as u64;
    let names = named(work.into_iter().filter(|name| !name.is_empty()), count);
    let text = format!("{} left: {names}", plural(count, "background task"));
    let text = one_line(text.trim_end_matches([':', ' ']), MAX_LINE_WIDTH);
    renderer.item(Marker::Note, 0, &[Span(text, Tone::Warning)], out)
}

/// Shows the command that resumes the session, else its id.
fn show_session(renderer: &mut Renderer, run: &Run, out: &mut Output) -> io::Result<()> {
    let Some(id) = run.session.id().filter(|id| !id.is_empty()) else { return Ok(()) };
    let resume = run.session.harness().adapter().resume_command(id);
    match (resume, renderer.theme.is_terminal) {
        (Some(command), _) => {
            let label = label(renderer, "resume");
            renderer.words(Marker::Resume, &label, &command, out)
        }
        (None, true) => {
            let label = label(renderer, "session");
            renderer.words(Marker::Resume, &label, &sanitize(id), out)
        }
        // The header of a log has the whole id.
        (None, false) => Ok(()),
    }
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
        renderer.wrapped_detail(0, &DetailLine::new("", row, Tone::Dim), out)?;
    }
    if facts.is_empty() {
        return Ok(());
    }
    let facts = facts.join(renderer.theme.separator());
    renderer.wrapped_detail(0, &DetailLine::new("", &facts, Tone::Warning), out)
}
