//! `tools`: one row per tool call, when its result comes.

use std::borrow::Cow;
use std::io;

use regex::RegexSet;

use super::{Projection, RunContext};
use crate::event::ToolStatus;
use crate::exit::Exit;
use crate::glob;
use crate::json::Json;
use crate::output::{ExcerptPart, ObjectWriter, Output, Row, Sink, excerpt, one_line, seconds};
use crate::reader::DecodedLine;
use crate::run::{ToolOutcome, ToolPairing, milliseconds};

/// Pairs the calls and prints those that were selected.
pub(crate) struct ToolsProjection {
    pairing: ToolPairing,
    selection: ToolSelection,
    /// Whether a failed call is the answer no.
    sets_status: bool,
    /// Whether a selected call failed or was denied.
    has_failed: bool,
}

/// Which calls are printed, and how much of them.
pub(crate) struct ToolSelection {
    /// Names to print; `None` prints all.
    names: Option<RegexSet>,
    failed_only: bool,
    amount: OutputAmount,
}

/// How much of the outputs is printed.
#[derive(Clone, Copy)]
pub(crate) struct OutputAmount {
    /// Maximum length of an output.
    pub(crate) bytes: Option<usize>,
    /// Maximum number of lines of a failed call's output in the human form.
    pub(crate) failed_lines: usize,
}

impl ToolSelection {
    /// Selects calls of tools whose names match any of the globs.
    pub fn new(globs: &[String], failed_only: bool, amount: OutputAmount) -> Self {
        let names = || RegexSet::new(globs.iter().map(|glob| glob::pattern(glob))).ok();
        Self { names: (!globs.is_empty()).then(names).flatten(), failed_only, amount }
    }

    /// Prints a call if it is selected, and returns whether it is one that failed.
    fn print(&self, outcome: &ToolOutcome<'_>, out: &mut Output) -> io::Result<bool> {
        let name = outcome.call.name.as_deref().unwrap_or_default();
        let is_named = self.names.as_ref().is_none_or(|names| names.is_match(name));
        let is_failed = is_failed(outcome.status);
        if is_named && (is_failed || !self.failed_only) {
            out.row(&ToolRow { outcome, amount: self.amount })?;
        }
        Ok(is_named && is_failed)
    }
}

impl ToolsProjection {
    pub fn new(selection: ToolSelection, sets_status: bool, context: &RunContext) -> Self {
        let pairing = ToolPairing::default().holding().with_times(context.clock());
        Self { pairing, selection, sets_status, has_failed: false }
    }
}

impl Projection for ToolsProjection {
    fn line(&mut self, line: &DecodedLine<'_>, _: u64, out: &mut Output) -> io::Result<()> {
        let Self { pairing, selection, has_failed, .. } = self;
        match line {
            DecodedLine::Record(record) => pairing.apply(record, |outcome| {
                *has_failed |= selection.print(outcome, out)?;
                Ok(())
            }),
            _ => Ok(()),
        }
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let Self { pairing, selection, sets_status, mut has_failed } = *self;
        pairing.pending(|outcome| {
            has_failed |= selection.print(outcome, out)?;
            io::Result::Ok(())
        })?;
        Ok(if sets_status && has_failed { Exit::No } else { Exit::Success })
    }
}

fn is_failed(status: ToolStatus) -> bool {
    matches!(status, ToolStatus::Failed | ToolStatus::Denied)
}

struct ToolRow<'a> {
    outcome: &'a ToolOutcome<'a>,
    amount: OutputAmount,
}

pub(crate) const COLUMNS: &[&str] = &[
    "harness",
    "id",
    "name",
    "status",
    "exit_code",
    "is_error",
    "parent_id",
    "server",
    "duration_ms",
    "input",
    "output",
    "started_at",
];

impl Row for ToolRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("tool")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.write_members(object));
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let ToolOutcome { harness, call, status, result, .. } = self.outcome;
        let style = sink.style();
        let label = format!("{:<9}", status.name());
        let label = match status {
            ToolStatus::Completed => style.good(&label),
            ToolStatus::Failed | ToolStatus::Denied => style.bad(&label),
            ToolStatus::Pending => style.warning(&label),
        };
        let indent = if call.parent_id.is_some() { "  " } else { "" };
        let name = call.name.as_deref().unwrap_or("?");
        let input = call.input.as_deref().map(Json::new);
        let texts = &harness.adapter().tools;
        let summary =
            input.map(|input| texts.describe_call(name, call.server.as_deref(), input).summary);
        let name = sink.sanitize(name).into_owned();
        let summary = sink.sanitize(&summary.unwrap_or_default()).into_owned();
        let summary = one_line(&summary, sink.width().saturating_sub(30));
        let exit_code = self.outcome.exit_code().filter(|code| *code != 0);
        let exit = exit_code.map(|code| format!("  exit {code}")).unwrap_or_default();
        let exit = style.bad(&exit);
        let duration = self.outcome.duration().map(milliseconds).map(seconds);
        let duration = duration.map(|text| style.dim(&format!("  {text}"))).unwrap_or_default();
        let name = style.bold(&name);
        sink.print(&format!("{label} {indent}{name}  {summary}{exit}{duration}\n"))?;
        let output = result.and_then(|result| result.output.as_deref());
        let output = output.filter(|_| is_failed(*status)).unwrap_or_default();
        for part in excerpt(output, self.amount.failed_lines, exit_code) {
            let line = match part {
                ExcerptPart::Line(line) => sink.sanitize(line),
                ExcerptPart::Omitted(count, is_start) => {
                    ExcerptPart::describe_omitted(count, is_start).into()
                }
            };
            let line = one_line(&line, sink.width().saturating_sub(12));
            sink.print(&format!("          {}\n", style.dim(&line)))?;
        }
        Ok(())
    }
}

impl ToolRow<'_> {
    fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let ToolOutcome { harness, call, status, result, .. } = self.outcome;
        let mut is_truncated = false;
        object
            .text("harness", harness.name())
            .text("id", call.id.as_deref())
            .text("name", call.name.as_deref())
            .raw("input", call.input.as_deref())
            .text("status", status.name());
        if let Some(result) = result {
            let texts = [
                ("output", &result.output),
                ("stdout", &result.stdout),
                ("stderr", &result.stderr),
            ];
            for (name, text) in texts {
                match (text, self.amount.bytes) {
                    (Some(text), Some(limit)) if text.len() > limit => {
                        is_truncated = true;
                        object.text(name, truncate(text, limit));
                    }
                    _ => drop(object.stream_text(name, text.as_ref())),
                }
            }
            object.flag("interrupted", result.interrupted);
        }
        if result.is_none() {
            object.text("output", call.output.as_deref());
        }
        object
            .integer("exit_code", self.outcome.exit_code().map(i128::from))
            .flag("is_error", result.and_then(|result| result.is_error))
            .text("parent_id", call.parent_id.as_deref())
            .text("server", call.server.as_deref())
            .text("started_at", call.started_at.map(|time| time.to_string()).as_deref())
            .count("duration_ms", self.outcome.duration().map(milliseconds))
            .flag("truncated", is_truncated.then_some(true));
    }
}

/// Returns at most `limit` bytes, cut between characters.
fn truncate(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_cut_between_characters() {
        assert_eq!(truncate("aéz", 2), "a");
        assert_eq!(truncate("aéz", 3), "aé");
        assert_eq!(truncate("aéz", 0), "");
        assert_eq!(truncate("aéz", 99), "aéz");
    }
}
