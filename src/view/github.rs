//! `view` in the log of GitHub Actions: outputs in groups, failures as errors, and a summary
//! of the step.

use std::fmt::Write;
use std::io;

use super::calls::OpenCall;
use super::details;
use super::ending::EndOfRun;
use super::renderer::Renderer;
use crate::event::{ToolResult, ToolStatus};
use crate::output::workflow::{self, markdown_block, markdown_code, source_line};
use crate::output::{
    ExcerptPart, Output, excerpt, first_error, plural, sanitize, seconds, thousands,
};
use crate::run::milliseconds;

/// Calls that the summary lists.
const MAX_LISTED: usize = 20;

/// Lines of the output of each.
const LISTED_LINES: usize = 10;

/// The part of an output in which the place of an error is looked for.
const MAX_SEARCHED: usize = 1 << 20;

/// The calls that failed, for the summary.
#[derive(Debug, Default)]
pub(super) struct FailedCalls {
    /// Their descriptions and the ends of their outputs.
    listed: Vec<(String, String)>,
    count: usize,
}

/// Shows the output of a call in a group, and reports its failure.
pub(super) fn show_output(
    renderer: &mut Renderer,
    failed: &mut FailedCalls,
    call: &OpenCall,
    result: &ToolResult<'_>,
    status: ToolStatus,
    out: &mut Output,
) -> io::Result<()> {
    let output = result.output.as_deref().unwrap_or_default();
    let title = format!("{}  {}", call.name, call.summary);
    let title = title.trim_end();
    if !output.is_empty() {
        renderer.command(&workflow::group(title), out)?;
        details::output(output, &mut |line| renderer.wrapped_detail(0, line, out))?;
        renderer.command(&workflow::end_group(), out)?;
    }
    if !matches!(status, ToolStatus::Failed | ToolStatus::Denied) {
        return Ok(());
    }
    let searched = &output[output.ceil_char_boundary(output.len().saturating_sub(MAX_SEARCHED))..];
    let message = first_error(searched).unwrap_or("failed");
    // The place is in the line with the error, or below it.
    let from = message.as_ptr() as usize - searched.as_ptr() as usize;
    let place = searched.get(from..).and_then(|rest| rest.lines().take(4).find_map(source_line));
    renderer.command(&workflow::error(title, &sanitize(message.trim()), place), out)?;
    failed.add(title, output, result.exit_code);
    Ok(())
}

impl FailedCalls {
    fn add(&mut self, title: &str, output: &str, exit_code: Option<i64>) {
        self.count += 1;
        if self.listed.len() == MAX_LISTED {
            return;
        }
        let lines = excerpt(output, LISTED_LINES, exit_code.filter(|code| *code != 0));
        let line = |part: &ExcerptPart<'_>| match part {
            ExcerptPart::Line(line) => sanitize(line).into_owned(),
            ExcerptPart::Omitted(count, is_start) => {
                ExcerptPart::describe_omitted(*count, *is_start)
            }
        };
        let lines: Vec<_> = lines.iter().map(line).collect();
        self.listed.push((title.to_owned(), lines.join("\n")));
    }

    /// Adds the run to the summary of the step.
    pub(super) fn summarise(
        &self,
        end: &EndOfRun<'_>,
        outcome: &str,
        out: &mut Output,
    ) -> io::Result<()> {
        let written = workflow::add_to_summary(&self.summary(end, outcome));
        match written {
            Ok(()) => Ok(()),
            Err(error) => out.input_note(&format!("cannot write the step summary: {error}")),
        }
    }

    fn summary(&self, end: &EndOfRun<'_>, outcome: &str) -> String {
        let EndOfRun { run, .. } = end;
        let usage = run.usage();
        let tools = run.tool_counts();
        let duration = usage.duration_ms.or_else(|| run.duration().map(milliseconds));
        let model = run.session.model().map(|model| markdown_code(&sanitize(model)));
        let rows = [
            ("Result", Some(outcome.to_owned())),
            ("Model", model),
            ("Turns", usage.turns.map(|turns| turns.to_string())),
            ("Time", duration.map(seconds)),
            ("Cost", usage.cost_usd.map(|cost| format!("${cost:.4}"))),
            ("Tokens", Some(thousands(usage.tokens.total()))),
            (
                "Tools",
                Some(format!(
                    "{}, {} failed, {} denied",
                    plural(tools.calls, "call"),
                    tools.failed,
                    tools.denied
                )),
            ),
        ];
        let mut text = format!("### {}\n\n| | |\n|---|---|\n", run.session.harness());
        for (name, value) in rows {
            if let Some(value) = value {
                let _ = writeln!(text, "| {name} | {} |", value.replace('|', "\\|"));
            }
        }
        if self.count > 0 {
            let _ = writeln!(text, "\n#### {}\n", plural(self.count as u64, "failed call"));
        }
        for (title, lines) in &self.listed {
            let _ = write!(text, "{}\n\n{}\n", markdown_code(title), markdown_block(lines));
        }
        text
    }
}
