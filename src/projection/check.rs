//! `check`: lines that do not match the format of their CLI.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;

use super::{Projection, RunContext};
use crate::exit::Exit;
use crate::harness::format::{
    CheckedLine, Contract, UNKNOWN_VARIANT, Violation, serde_json_violation,
};
use crate::harness::{Harness, Record};
use crate::input::STDIN_NAME;
use crate::json::{Malformed, Parser, Value};
use crate::output::{ObjectWriter, Output, Row, Sink, plural, sanitize};
use crate::reader::DecodedLine;

/// Unknown types that are counted separately, and the length of their names: the
/// names come from the stream and must not fill the memory.
const MAX_UNKNOWN: usize = 1000;
const MAX_NAME: usize = 80;

/// Nested deeper than this, a line is not JSON for `serde_json`.
const MAX_DEPTH: usize = 127;

/// Checks one line after the other.
pub(crate) struct CheckProjection {
    source: String,
    contract: Contract,
    prints_every_line: bool,
    /// The session of the last line that names one.
    session: Option<String>,
    /// For lines that have to be parsed in full.
    parser: Parser,
    lines: u64,
    violations: u64,
    unknown: BTreeMap<String, Occurrences>,
    /// Lines of a CLI without format tables.
    unchecked: Option<Occurrences>,
}

/// The first line and the number of occurrences.
#[derive(Clone, Copy)]
struct Occurrences {
    line: u64,
    count: u64,
}

impl CheckProjection {
    pub fn new(contract: Contract, prints_every_line: bool, context: &RunContext) -> Self {
        Self {
            source: context.name.clone(),
            contract,
            prints_every_line,
            session: None,
            parser: Parser::default(),
            lines: 0,
            violations: 0,
            unknown: BTreeMap::new(),
            unchecked: None,
        }
    }

    /// Checks a record whose long strings are elided.
    fn record(&mut self, record: &Record<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        let Some(elided) = record.object else { return Ok(()) };
        let checked = self.check_object(record, elided);
        if !elided.touched_elided() {
            return self.report(checked, line, out);
        }
        // Rare: a long string where a short one is expected.
        let mut parser = std::mem::take(&mut self.parser);
        let result = parser.parse(record.json.bytes(), |document| {
            self.report(self.check_object(record, document.root), line, out)
        });
        self.parser = parser;
        result.unwrap_or_else(|malformed| self.report(Some(Err(not_json(malformed))), line, out))
    }

    /// Checks an object; `None` if there are no tables for its CLI.
    fn check_object<'a>(
        &self,
        record: &Record<'a>,
        object: Value<'_, 'a>,
    ) -> Option<Result<CheckedLine<'a>, Violation>> {
        let adapter = record.harness.adapter();
        // Lines that simd-json accepts and serde_json may reject.
        if (record.repaired || object.exceeds_serde_json(MAX_DEPTH))
            && let Some(violation) = serde_json_violation(record.json.bytes())
        {
            return Some(Err(violation));
        }
        adapter.check(object, self.contract)
    }

    fn report(
        &mut self,
        checked: Option<Result<CheckedLine<'_>, Violation>>,
        line: u64,
        out: &mut Output,
    ) -> io::Result<()> {
        self.lines += 1;
        match checked {
            Some(Ok(checked)) => self.valid(&checked, line, out),
            Some(Err(violation)) => {
                self.violations += 1;
                let finding = CheckFinding::Violation(&violation);
                out.row(&CheckRow { source: &self.source, line, finding })
            }
            None => {
                self.unchecked.get_or_insert(Occurrences { line, count: 0 }).count += 1;
                Ok(())
            }
        }
    }

    fn valid(&mut self, checked: &CheckedLine<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        let CheckedLine { variant, session_id, subtype, unknown } = checked;
        if *variant != UNKNOWN_VARIANT
            && session_id.is_some()
            && *session_id != self.session.as_deref()
        {
            self.session = session_id.map(str::to_owned);
        }
        for name in unknown {
            let name: String = name.chars().take(MAX_NAME).collect();
            let fits = self.unknown.len() < MAX_UNKNOWN || self.unknown.contains_key(&name);
            let name = if fits { name } else { "…".to_owned() };
            self.unknown.entry(name).or_insert(Occurrences { line, count: 0 }).count += 1;
        }
        if !self.prints_every_line {
            return Ok(());
        }
        let session_id = session_id.or(self.session.as_deref());
        let finding = CheckFinding::Event { variant, session_id, subtype: *subtype };
        out.row(&CheckRow { source: &self.source, line, finding })
    }

    /// Reports unknown types. The published contract allows them, so there they are
    /// only noted.
    fn report_unknown(&self, out: &mut Output) -> io::Result<()> {
        let mut unknown: Vec<_> = self.unknown.iter().collect();
        unknown.sort_by_key(|(_, occurrences)| occurrences.line);
        for (name, Occurrences { line, count }) in unknown {
            let finding = CheckFinding::Unknown { name, count: *count };
            match self.contract {
                Contract::Current => {
                    out.row(&CheckRow { source: &self.source, line: *line, finding })?;
                }
                Contract::V1 => out.input_note(&unknown_message(name, *count))?,
            }
        }
        if let Some(Occurrences { line, count }) = self.unchecked {
            let finding = CheckFinding::Unchecked { count };
            out.row(&CheckRow { source: &self.source, line, finding })?;
        }
        Ok(())
    }
}

impl Projection for CheckProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        let violation = match line {
            DecodedLine::Blank => return Ok(()),
            DecodedLine::Record(record) => return self.record(record, number, out),
            DecodedLine::NotObject(json) => serde_json_violation(json.bytes())
                .unwrap_or_else(|| Violation::typed("expected an object")),
            DecodedLine::Malformed(malformed) => not_json(*malformed),
            DecodedLine::TooLong(bytes) => Violation::json(format!("line too long: {bytes} bytes")),
        };
        self.report(Some(Err(violation)), number, out)
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        self.report_unknown(out)?;
        let unchecked = self.unchecked.map_or(0, |occurrences| occurrences.count);
        let mut facts = vec![
            plural(self.lines, "line"),
            plural(self.lines - self.violations - unchecked, "event"),
            plural(self.violations, "violation"),
        ];
        if !self.unknown.is_empty() {
            facts.push(plural(self.unknown.len() as u64, "unknown type"));
        }
        if unchecked > 0 {
            facts.push(format!("{unchecked} not checked"));
        }
        out.input_note(&facts.join(", "))?;
        let has_unknown = self.contract == Contract::Current && !self.unknown.is_empty();
        let matches = self.violations == 0 && unchecked == 0 && !has_unknown;
        Ok(if matches { Exit::Success } else { Exit::No })
    }

    fn reports_bad_lines(&self) -> bool {
        true
    }
}

fn not_json(malformed: Malformed) -> Violation {
    Violation::json(malformed.to_string())
}

fn unknown_message(name: &str, count: u64) -> String {
    format!("unknown type {name}, {}", plural(count, "line"))
}

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

struct CheckRow<'a> {
    source: &'a str,
    line: u64,
    finding: CheckFinding<'a>,
}

/// What is reported about a line.
enum CheckFinding<'a> {
    Event { variant: &'a str, session_id: Option<&'a str>, subtype: Option<&'a str> },
    Violation(&'a Violation),
    Unknown { name: &'a str, count: u64 },
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
                    .text("message", unknown_message(name, *count).as_str())
                    .text("name", *name)
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
                format!("{} {}", unknown(), unknown_message(&one_line(name), *count))
            }
            CheckFinding::Unchecked { count } => {
                format!("{} {}", unknown(), unchecked_message(*count))
            }
        };
        let source = one_line(self.source);
        sink.print(&format!("{}:{}: {text}\n", style.bold(&source), self.line))
    }
}
