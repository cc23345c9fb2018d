//! `tools`: one record per tool call, when its result comes.

use std::io;

use regex::RegexSet;

use super::Projection;
use super::gist::{gist, one_line};
use crate::cli::ToolsArgs;
use crate::event::Status;
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::{Object, Output, Record, Sink};
use crate::run::{ToolRecord, Tools};

/// Pairs the calls and prints those asked for.
pub(super) struct ToolCalls {
    tools: Tools,
    wanted: Wanted,
}

struct Wanted {
    /// Names to keep; none keeps all.
    names: Option<RegexSet>,
    failed: bool,
    max_output: Option<usize>,
}

impl ToolCalls {
    pub(super) fn new(args: &ToolsArgs) -> Self {
        let names = || RegexSet::new(args.name.iter().map(|glob| regex_of(glob))).ok();
        Self {
            tools: Tools::default(),
            wanted: Wanted {
                names: (!args.name.is_empty()).then(names).flatten(),
                failed: args.failed,
                max_output: args.max_output,
            },
        }
    }
}

impl Projection for ToolCalls {
    fn read(&mut self, reading: &Reading<'_>, _: u64, out: &mut Output) -> io::Result<()> {
        let Self { tools, wanted } = self;
        match reading {
            Reading::Packet(packet) => tools.apply(packet, |record| wanted.print(record, out)),
            _ => Ok(()),
        }
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let Self { tools, wanted } = *self;
        tools.end(|record| wanted.print(record, out))?;
        Ok(Exit::Done)
    }
}

impl Wanted {
    fn print(&self, record: &ToolRecord<'_>, out: &mut Output) -> io::Result<()> {
        let name = record.call.name.as_deref().unwrap_or_default();
        let named = self.names.as_ref().is_none_or(|names| names.is_match(name));
        let failed = matches!(record.status, Status::Failed | Status::Denied);
        if !named || self.failed && !failed {
            return Ok(());
        }
        out.record(&Row { record, max_output: self.max_output })
    }
}

/// A tool call as a record.
struct Row<'a> {
    record: &'a ToolRecord<'a>,
    max_output: Option<usize>,
}

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
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
];

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let ToolRecord { harness, call, status, result } = self.record;
        let mut truncated = false;
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
                match (text, self.max_output) {
                    (Some(text), Some(limit)) if text.len() > limit => {
                        truncated = true;
                        object.text(name, cut(text, limit));
                    }
                    _ => drop(object.spelled(name, text.as_ref())),
                }
            }
            object
                .flag("interrupted", result.interrupted)
                .integer("exit_code", result.exit_code.map(i128::from))
                .flag("is_error", result.is_error);
        }
        object
            .text("parent_id", call.parent_id.as_deref())
            .text("server", call.server.as_deref())
            .count("duration_ms", result.and_then(|result| result.duration_ms))
            .flag("truncated", truncated.then_some(true));
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let ToolRecord { call, status, result, .. } = self.record;
        let style = sink.style();
        let status = format!("{:<9}", status.name());
        let status = match self.record.status {
            Status::Completed => style.good(&status),
            Status::Failed | Status::Denied => style.bad(&status),
            Status::Pending => style.odd(&status),
        };
        let indent = if call.parent_id.is_some() { "  " } else { "" };
        let name = sink.fit(call.name.as_deref().unwrap_or("?")).into_owned();
        let input = call.input.as_deref().map(gist).unwrap_or_default();
        let input = one_line(&sink.fit(&input), sink.width().saturating_sub(30));
        let exit = result.and_then(|result| result.exit_code).filter(|code| *code != 0);
        let exit = exit.map(|code| format!("  exit {code}")).unwrap_or_default();
        let exit = style.bad(&exit);
        sink.print(&format!("{status} {indent}{}  {input}{exit}\n", style.bold(&name)))?;
        let failed = matches!(self.record.status, Status::Failed | Status::Denied);
        let output = result.and_then(|result| result.output.as_deref()).filter(|_| failed);
        let lines = output.unwrap_or_default().lines();
        for line in lines.filter(|line| !line.trim().is_empty()).take(3) {
            let line = one_line(&sink.fit(line), sink.width().saturating_sub(12));
            sink.print(&format!("          {}\n", style.dim(&line)))?;
        }
        Ok(())
    }
}

/// At most so many bytes, and never half a character.
fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// A glob as an anchored regular expression.
fn regex_of(glob: &str) -> String {
    let translated: String = glob
        .chars()
        .map(|c| match c {
            '*' => ".*".to_owned(),
            '?' => ".".to_owned(),
            c => regex::escape(&c.to_string()),
        })
        .collect();
    format!("(?s)^(?:{translated})$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_matches_the_whole_name() {
        let matches =
            |glob: &str, name: &str| regex::Regex::new(&regex_of(glob)).unwrap().is_match(name);
        assert!(matches("Bash", "Bash"));
        assert!(!matches("Bash", "BashOutput"));
        assert!(matches("mcp__*", "mcp__demo__add"));
        assert!(matches("?dit", "Edit"));
        assert!(!matches("a.c", "abc"));
    }

    #[test]
    fn outputs_are_cut_between_characters() {
        assert_eq!(cut("aéz", 2), "a");
        assert_eq!(cut("aéz", 3), "aé");
        assert_eq!(cut("aéz", 0), "");
        assert_eq!(cut("aéz", 99), "aéz");
    }
}
