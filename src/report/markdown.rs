//! A run as Markdown, for issues and pull requests.

use std::fmt::Write as _;
use std::io;
use std::rc::Rc;

use maud::html;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::transcript::{Call, Shortened, Transcript, TranscriptItem, TranscriptKind};
use crate::catalog::SessionEntry;
use crate::event::ToolStatus;
use crate::exit::Exit;
use crate::output::{Output, one_line, plural, seconds, thousands};
use crate::page::{Granularity, NoteLevel, PageFold};
use crate::phrases::Outcome;
use crate::projection::{Projection, RunContext};
use crate::reader::DecodedLine;
use crate::redact::Redactor;
use crate::run::{Heuristics, Run};
use crate::usage::Prices;

/// Writes a run as Markdown at its end.
pub(crate) struct MarkdownRun {
    fold: PageFold,
    transcript: Transcript,
    prices: Rc<Prices>,
    last_line: u64,
}

impl MarkdownRun {
    pub(crate) fn new(
        context: &RunContext,
        prices: Rc<Prices>,
        detector: Option<Redactor>,
    ) -> Self {
        let (harness, written) = (context.harness, context.written);
        Self {
            fold: PageFold::new(harness, written, Granularity::Block, detector),
            transcript: Transcript::default(),
            prices,
            last_line: 0,
        }
    }
}

impl Projection for MarkdownRun {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, _: &mut Output) -> io::Result<()> {
        self.last_line = number;
        self.fold.line(line, number, &mut self.transcript)
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        self.fold.end(self.last_line, &mut self.transcript)?;
        let mut text = heading(self.fold.run(), &self.prices);
        let found: u64 = self.fold.secrets().iter().flatten().map(|(_, count)| count).sum();
        if found > 0 {
            let secrets = plural(found, "secret");
            let _ = writeln!(text, "> **{secrets} found and not masked** (see `--redact`)\n");
        }
        for item in self.transcript.items.values() {
            write_item(item, &mut text);
        }
        out.sink.print_input(text.as_bytes())?;
        Ok(Exit::Success)
    }
}

/// Returns a table of sessions.
pub(crate) fn index(entries: &[SessionEntry]) -> String {
    let mut text = String::from(
        "| session | CLI | project | started | model | tools | tokens | cost |\n\
         |---|---|---|---|---|--:|--:|--:|\n",
    );
    for entry in entries {
        let started = entry.started.unwrap_or(entry.last).strftime("%F %H:%M").to_string();
        let failed = entry.tools.failed + entry.tools.denied;
        let tools = match failed {
            0 => entry.tools.calls.to_string(),
            failed => format!("{} ({failed} failed)", entry.tools.calls),
        };
        let cells = [
            entry.prompt.as_deref().unwrap_or(&entry.id),
            entry.harness.name(),
            entry.project.as_deref().unwrap_or("-"),
            &started,
            entry.model.as_deref().unwrap_or("-"),
            &tools,
            &thousands(entry.tokens.total()),
            &entry.combined_cost().format_exact(entry.uncosted.is_empty()),
        ];
        let cells = cells.map(|cell| escaped(&one_line(cell, 80)));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.push('\n');
    text
}

/// Returns what is known about a run.
fn heading(run: &Run, prices: &Prices) -> String {
    let verdict = run.verdict(Heuristics::Apply);
    let outcome = Outcome::of(run, &verdict);
    let session = run.session();
    let mut text = format!("## {}: {}\n\n", session.harness(), outcome.name());
    let usage = run.usage();
    let estimated = || {
        let estimate = run.usage.estimate(prices, session.model().unwrap_or_default());
        estimate.usd.map(|usd| format!("${usd:.4} (estimated)"))
    };
    let cost = usage.cost_usd.map(|cost| format!("${cost:.4}")).or_else(estimated);
    let tools = run.tool_counts();
    let failed = tools.failed + tools.denied;
    let calls = plural(tools.calls, "tool call");
    let facts = [
        session.model().map(escaped),
        Some(format!("{} tokens", thousands(usage.tokens.total()))),
        cost,
        usage.turns.map(|turns| plural(turns, "turn")),
        usage.duration_ms.map(seconds),
        Some(if failed > 0 { format!("{calls}, {failed} failed") } else { calls }),
        session.id().map(|id| format!("session {}", escaped(id))),
    ];
    let facts: Vec<_> = facts.into_iter().flatten().collect();
    let _ = writeln!(text, "{}\n", facts.join(" · "));
    if let Some(failure) = verdict.failure.filter(|_| outcome == Outcome::Failed) {
        text += &fenced(&failure.message, "");
    }
    text
}

fn write_item(item: &TranscriptItem, to: &mut String) {
    let mut text = String::new();
    match &item.kind {
        TranscriptKind::Prompt(prompt) => {
            text += "**Prompt**\n\n";
            text += &shown(prompt, closed);
        }
        TranscriptKind::Text(answer) => text += &shown(answer, closed),
        TranscriptKind::Reasoning(reasoning) => {
            text += &details("Thinking", &shown(reasoning, |text| fenced(text, "")));
        }
        TranscriptKind::Call(call) => text += &call_details(call),
        TranscriptKind::Note(NoteLevel::Info, note) => _ = writeln!(text, "*{}*\n", escaped(note)),
        TranscriptKind::Note(_, note) => _ = writeln!(text, "**{}**\n", escaped(note)),
    }
    if item.is_subagent || matches!(item.kind, TranscriptKind::Prompt(_)) {
        for line in text.trim_end().lines() {
            let _ = writeln!(to, "> {line}");
        }
        to.push('\n');
    } else {
        to.push_str(&text);
    }
}

fn call_details(call: &Call) -> String {
    let mark = match call.status {
        Some(ToolStatus::Completed) => "✓",
        Some(ToolStatus::Failed | ToolStatus::Denied) => "✗",
        Some(ToolStatus::Pending) | None => "…",
    };
    let facts = [
        (call.status == Some(ToolStatus::Denied)).then(|| "denied".to_owned()),
        call.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}")),
        call.duration_ms.map(seconds),
    ];
    let facts: String =
        facts.into_iter().flatten().flat_map(|fact| [" · ".to_owned(), fact]).collect();
    let summary = one_line(&call.summary, 120);
    let title = html! { (mark) " " b { (call.name) } " " code { (summary) } (facts) };
    let mut body = shown(&call.input, |text| fenced(text, ""));
    if let Some(diff) = &call.diff {
        body += &shown(diff, |text| fenced(text, "diff"));
    }
    body += &shown(&call.output, |text| fenced(text, ""));
    details(&title.into_string(), &body)
}

/// Returns a block that is closed at first; `title` is HTML.
fn details(title: &str, body: &str) -> String {
    format!("<details><summary>{title}</summary>\n\n{body}</details>\n\n")
}

/// Returns an shortened, and how much of the text is missing.
fn shown(shortened: &Shortened, write: impl Fn(&str) -> String) -> String {
    if shortened.text.trim().is_empty() {
        return String::new();
    }
    let mut text = write(&shortened.text);
    if shortened.omitted > 0 {
        let _ = writeln!(text, "*{} more bytes*\n", thousands(shortened.omitted as u64));
    }
    text
}

/// Returns a text as a block of code that no line of it ends.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n\n", text.trim_end_matches('\n'))
}

/// Returns a text without a meaning in Markdown and HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                escaped.extend(['\\', c]);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns Markdown of the agent that does not affect what follows: HTML is text, and a
/// block of code ends.
fn closed(text: &str) -> String {
    let mut closed = String::new();
    let mut copied = 0;
    let mut open_fence = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Html(_) | Event::InlineHtml(_) => {
                closed.push_str(&text[copied..range.start]);
                closed.push_str(&text[range.clone()].replace('<', "&lt;"));
                copied = range.end;
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                open_fence = Some(&text[range]);
            }
            Event::Start(_) => open_fence = None,
            _ => {}
        }
    }
    closed.push_str(&text[copied..]);
    if !closed.ends_with('\n') {
        closed.push('\n');
    }
    if let Some(block) = open_fence {
        let mark = block.trim_start().chars().next().unwrap_or('`');
        let fence: String = block.trim_start().chars().take_while(|c| *c == mark).collect();
        let last = block.lines().last().unwrap_or_default().trim();
        if block.lines().count() < 2 || !last.starts_with(&fence) {
            let _ = writeln!(closed, "{fence}");
        }
    }
    closed.push('\n');
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_of_an_agent_is_text() {
        assert_eq!(closed("a <b>x</b> `<i>`"), "a &lt;b>x&lt;/b> `<i>`\n\n");
        assert_eq!(closed("<!-- never closed\n# x"), "&lt;!-- never closed\n# x\n\n");
    }

    #[test]
    fn open_code_is_closed() {
        assert_eq!(closed("```rust\nfn"), "```rust\nfn\n```\n\n");
        assert_eq!(closed("~~~~\nx\n~~~"), "~~~~\nx\n~~~\n~~~~\n\n");
        assert_eq!(closed("```\nx\n```"), "```\nx\n```\n\n");
        assert_eq!(closed("```\nx\n```\nend"), "```\nx\n```\nend\n\n");
    }

    #[test]
    fn no_text_ends_its_fence() {
        assert_eq!(fenced("a\n````\nb\n", "diff"), "`````diff\na\n````\nb\n`````\n\n");
    }

    #[test]
    fn cells_have_no_markup() {
        assert_eq!(escaped("a|b <i> *x* [y](z)"), r"a\|b &lt;i> \*x\* \[y\](z)");
    }
}
