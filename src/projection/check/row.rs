//! The rows of `check`.

use std::borrow::Cow;
use std::io;

use super::unknown::UnknownName;
use crate::harness::Harness;
use crate::harness::format::Violation;
use crate::input::STDIN_NAME;
use crate::output::{ObjectWriter, Row, Sink, plural, sanitize};

fn unchecked_message(count: u64) -> String {
    let lines = plural(count, "line");
    format!(
        "no format tables for the CLI that printed this, {lines} (--harness selects one of: {})",
        Harness::names()
    )
}

/// Keeps a name from the stream on one line.
fn one_line(name: &str) -> String {
    sanitize(name).replace('\n', "^J")
}

pub(super) struct CheckRow<'a> {
    pub(super) source: &'a str,
    pub(super) line: u64,
    pub(super) finding: CheckFinding<'a>,
}

/// What is reported about a line.
pub(super) enum CheckFinding<'a> {
    Event { variant: &'a str, session_id: Option<&'a str>, subtype: Option<&'a str> },
    Violation(&'a Violation),
    Unknown { name: &'a UnknownName, count: u64 },
    Unchecked { count: u64 },
}

pub(crate) const COLUMNS: &[&str] = &[
    "file",
    "line",
    "outcome",
    "code",
    "message",
    "variant",
    "session_id",
    "subtype",
    "name",
    "count",
];

impl Row for CheckRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("line")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| {
            object.text("file", Some(self.source).filter(|name| *name != STDIN_NAME));
            object.count("line", self.line);
            match &self.finding {
                CheckFinding::Event { variant, session_id, subtype } => object
                    .text("outcome", "event")
                    .text("variant", *variant)
                    .text("session_id", *session_id)
                    .text("subtype", *subtype),
                CheckFinding::Violation(violation) => object
                    .text("outcome", "error")
                    .text("code", violation.code.name())
                    .text("message", violation.message.as_str()),
                CheckFinding::Unknown { name, count } => object
                    .text("outcome", "unknown")
                    .text("code", "Unknown")
                    .text("message", name.message(name.name(), *count).as_str())
                    .text("name", name.name())
                    .count("count", *count),
                CheckFinding::Unchecked { count } => object
                    .text("outcome", "unknown")
                    .text("code", "Unknown")
                    .text("message", unchecked_message(*count).as_str())
                    .count("count", *count),
            };
        });
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let unknown = || style.warning("Unknown:");
        let text = match &self.finding {
            CheckFinding::Event { variant, subtype, .. } => {
                let subtype = subtype.map(|word| format!(" {}", one_line(word)));
                format!("{} {variant}{}", style.good("ok:"), subtype.unwrap_or_default())
            }
            CheckFinding::Violation(violation) => {
                let code = style.bad(&format!("{}:", violation.code.name()));
                format!("{code} {}", violation.message)
            }
            CheckFinding::Unknown { name, count } => {
                let shown = one_line(name.name());
                format!("{} {}", unknown(), name.message(&shown, *count))
            }
            CheckFinding::Unchecked { count } => {
                format!("{} {}", unknown(), unchecked_message(*count))
            }
        };
        let source = one_line(self.source);
        sink.print(&format!("{}:{}: {text}\n", style.bold(&source), self.line))
    }
}
