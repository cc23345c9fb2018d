//! `check`: lines that do not match the format of their CLI.

mod row;
mod unknown;

use std::io;

use super::{Projection, RunContext};
use crate::exit::Exit;
use crate::harness::Record;
use crate::harness::format::{
    CheckedLine, Contract, UNKNOWN_VARIANT, Violation, ViolationCode, json_violation,
};
use crate::json::{Malformed, Parser, Value};
use crate::output::{Output, plural};
use crate::reader::DecodedLine;

pub(crate) use row::COLUMNS;

use row::{CheckFinding, CheckRow};
use unknown::UnknownNames;

/// Nested deeper than this, a line is not JSON for `serde_json`.
const MAX_DEPTH: usize = 127;

/// Violations before the first event that are held back: they are none if its CLI prints text
/// between its events.
const MAX_HELD: usize = 64;

/// What is checked and printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckOptions {
    /// What lines are checked against.
    pub(crate) contract: Contract,
    /// Whether unknown members are reported, too.
    pub(crate) reports_members: bool,
    /// Whether lines that match are printed, too.
    pub(crate) prints_every_line: bool,
}

/// Checks one line after the other.
pub(crate) struct CheckProjection {
    source: String,
    options: CheckOptions,
    /// The session of the last line that names one.
    session: Option<String>,
    /// For lines that have to be parsed in full.
    parser: Parser,
    lines: u64,
    violations: u64,
    /// Violations that are held back, with the numbers of their lines; `None` after the
    /// first event.
    held: Option<Vec<(u64, Violation)>>,
    unknown: UnknownNames,
    /// Lines of a CLI without format tables: the first one, and their number.
    unchecked: Option<(u64, u64)>,
}

impl CheckProjection {
    pub fn new(options: CheckOptions, context: &RunContext) -> Self {
        Self {
            source: context.name.clone(),
            options,
            session: None,
            parser: Parser::default(),
            lines: 0,
            violations: 0,
            held: Some(Vec::new()),
            unknown: UnknownNames::default(),
            unchecked: None,
        }
    }

    /// Checks a record whose long strings are elided.
    fn record(&mut self, record: &Record<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        let Some(elided) = record.object else { return Ok(()) };
        let checked = self.check_object(record, elided);
        if !elided.touched_elided() {
            return self.report_object(checked, record, elided, line, out);
        }
        // Rare: a long string where a short one is expected.
        let mut parser = std::mem::take(&mut self.parser);
        let result = parser.parse(record.json.bytes(), |document| {
            let checked = self.check_object(record, document.root);
            self.report_object(checked, record, document.root, line, out)
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
            && let Some(violation) = json_violation(record.json.bytes(), self.options.contract)
        {
            return Some(Err(violation));
        }
        adapter.check(object, self.options.contract)
    }

    /// Reports the result for an object, and counts its unknown members.
    fn report_object(
        &mut self,
        checked: Option<Result<CheckedLine<'_>, Violation>>,
        record: &Record<'_>,
        object: Value<'_, '_>,
        line: u64,
        out: &mut Output,
    ) -> io::Result<()> {
        let is_json = |violation: &Violation| violation.code != ViolationCode::JsonParse;
        let has_members = match &checked {
            Some(Ok(_)) => true,
            Some(Err(violation)) => is_json(violation),
            None => false,
        };
        self.report(checked, line, out)?;
        if self.options.reports_members && has_members {
            let Self { unknown, lines, .. } = self;
            let mut report = |path: String| unknown.add_member(&path, line, *lines);
            record.harness.adapter().report_unknown_members(object, &mut report);
        }
        Ok(())
    }

    /// Reports the violations that are held back, and holds back no more.
    fn release(&mut self, out: &mut Output) -> io::Result<()> {
        let held = self.held.take().unwrap_or_default();
        held.into_iter()
            .try_for_each(|(line, violation)| self.report(Some(Err(violation)), line, out))
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
                self.unchecked.get_or_insert((line, 0)).1 += 1;
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
            self.unknown.add_type(name, line, self.lines);
        }
        if !self.options.prints_every_line {
            return Ok(());
        }
        let session_id = session_id.or(self.session.as_deref());
        let finding = CheckFinding::Event { variant, session_id, subtype: *subtype };
        out.row(&CheckRow { source: &self.source, line, finding })
    }

    /// Reports unknown types and members. The published contract allows unknown types,
    /// so there they are only noted.
    fn report_unknown(&self, out: &mut Output) -> io::Result<()> {
        for (name, line, count) in self.unknown.by_line() {
            match self.options.contract {
                Contract::Current => {
                    let finding = CheckFinding::Unknown { name, count };
                    out.row(&CheckRow { source: &self.source, line, finding })?;
                }
                Contract::V1 => out.input_note(&name.message(name.name(), count))?,
            }
        }
        if let Some((line, count)) = self.unchecked {
            let finding = CheckFinding::Unchecked { count };
            out.row(&CheckRow { source: &self.source, line, finding })?;
        }
        Ok(())
    }
}

impl Projection for CheckProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        let violation = match line {
            DecodedLine::Blank | DecodedLine::Text(_) => return Ok(()),
            DecodedLine::Record(record) => {
                // What precedes the first event is text, too.
                if record.harness.adapter().prints_text() {
                    self.held = None;
                }
                self.release(out)?;
                return self.record(record, number, out);
            }
            DecodedLine::NotObject(json) => json_violation(json.bytes(), self.options.contract)
                .unwrap_or_else(|| Violation::typed("expected an object")),
            DecodedLine::Malformed(malformed) => not_json(*malformed),
            DecodedLine::TooLong(bytes) => Violation::json(format!("line too long: {bytes} bytes")),
        };
        match &mut self.held {
            Some(held) if held.len() < MAX_HELD => {
                held.push((number, violation));
                Ok(())
            }
            _ => {
                self.release(out)?;
                self.report(Some(Err(violation)), number, out)
            }
        }
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        if out.diagnostics.is_described() {
            return Ok(Exit::No);
        }
        self.release(out)?;
        self.report_unknown(out)?;
        let unchecked = self.unchecked.map_or(0, |(_, count)| count);
        let mut facts = vec![
            plural(self.lines, "line"),
            plural(self.lines - self.violations - unchecked, "event"),
            plural(self.violations, "violation"),
        ];
        facts.extend(self.unknown.facts());
        if unchecked > 0 {
            facts.push(format!("{unchecked} not checked"));
        }
        out.input_note(&facts.join(", "))?;
        let has_unknown = self.options.contract == Contract::Current && !self.unknown.is_empty();
        let matches = self.violations == 0 && unchecked == 0 && !has_unknown;
        Ok(if matches { Exit::Success } else { Exit::No })
    }

    fn reports_bad_lines(&self) -> bool {
        true
    }

    fn reports_every_line(&self) -> bool {
        true
    }
}

fn not_json(malformed: Malformed) -> Violation {
    Violation::json(malformed.to_string())
}
