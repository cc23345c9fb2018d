//! `check`: does every line keep its contract?

use std::collections::BTreeMap;
use std::io;

use super::{Projection, Setting};
use crate::cli::CheckArgs;
use crate::contract::{ClaudeStreamJsonParseError, Contract, Judge, Verdict};
use crate::event::Packet;
use crate::exit::Exit;
use crate::harness::Reading;
use crate::input::STDIN_NAME;
use crate::json::{Malformed, Parser};
use crate::output::{Object, Output, Record, Sink, plural, visible};

/// So many unknown types are told apart, and so much of a name is shown; what
/// a stream invents must not fill our memory.
const MAX_UNKNOWN: usize = 1000;
const MAX_NAME: usize = 80;

/// Judges line by line.
pub(super) struct Check {
    source: String,
    judge: Judge,
    /// For lines that have to be read as a whole.
    parser: Parser,
    contract: Contract,
    every_line: bool,
    lines: u64,
    violations: u64,
    unknown: BTreeMap<String, Seen>,
}

/// How often something unknown came, and where first.
#[derive(Clone, Copy)]
struct Seen {
    line: u64,
    count: u64,
}

impl Check {
    pub(super) fn new(args: &CheckArgs, setting: &Setting) -> Self {
        Self {
            source: setting.name.clone(),
            judge: Judge::new(args.contract),
            parser: Parser::default(),
            contract: args.contract,
            every_line: args.every_line,
            lines: 0,
            violations: 0,
            unknown: BTreeMap::new(),
        }
    }

    /// Judges a packet whose long strings may be left out.
    fn packet(&mut self, packet: &Packet<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        // Whoever judges has asked for it.
        let Some(skimmed) = packet.object else {
            return self.tell(Err(Judge::other(packet.json)), line, out);
        };
        let judged = self.judge.object(packet, skimmed);
        if !skimmed.lacks() {
            return self.tell(judged, line, out);
        }
        // Rare: a long string where a word is expected.
        let mut parser = std::mem::take(&mut self.parser);
        let again = parser.parse(packet.json.bytes(), |document| {
            self.tell(self.judge.object(packet, document.root), line, out)
        });
        self.parser = parser;
        again.unwrap_or_else(|malformed| self.tell(Err(not_json(malformed)), line, out))
    }

    fn tell(
        &mut self,
        judged: Result<Verdict<'_>, ClaudeStreamJsonParseError>,
        line: u64,
        out: &mut Output,
    ) -> io::Result<()> {
        self.lines += 1;
        match judged {
            Ok(verdict) => self.keeps(&verdict, line, out),
            Err(violation) => self.violates(&violation, line, out),
        }
    }

    fn keeps(&mut self, verdict: &Verdict<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        self.judge.go_on(verdict);
        for name in &verdict.unknown {
            let name: String = name.chars().take(MAX_NAME).collect();
            let room = self.unknown.len() < MAX_UNKNOWN;
            let name =
                if room || self.unknown.contains_key(&name) { name } else { "…".to_owned() };
            self.unknown.entry(name).or_insert(Seen { line, count: 0 }).count += 1;
        }
        if !self.every_line {
            return Ok(());
        }
        let session_id = verdict.session_id.or(self.judge.session());
        let Verdict { variant, subtype, .. } = *verdict;
        let finding = Finding::Event { variant, session_id, subtype };
        out.record(&Row { source: &self.source, line, finding })
    }

    fn violates(
        &mut self,
        violation: &ClaudeStreamJsonParseError,
        line: u64,
        out: &mut Output,
    ) -> io::Result<()> {
        self.violations += 1;
        let finding = Finding::Violation(violation);
        out.record(&Row { source: &self.source, line, finding })
    }

    /// Tells of unknown types: what v1 lets pass is only noted.
    fn tell_unknown(&self, out: &mut Output) -> io::Result<()> {
        let mut unknown: Vec<_> = self.unknown.iter().collect();
        unknown.sort_by_key(|(_, seen)| seen.line);
        for (name, seen) in unknown {
            let row = Row {
                source: &self.source,
                line: seen.line,
                finding: Finding::Unknown { name, count: seen.count },
            };
            match self.contract {
                Contract::Current => out.record(&row)?,
                Contract::V1 => out.note_about_input(&about_unknown(name, seen.count))?,
            }
        }
        Ok(())
    }
}

impl Projection for Check {
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        let violation = match reading {
            Reading::Blank => return Ok(()),
            Reading::Packet(packet) => return self.packet(packet, line, out),
            Reading::Ignored(json) => Judge::other(*json),
            Reading::Malformed(malformed) => not_json(*malformed),
            Reading::TooLong(bytes) => {
                ClaudeStreamJsonParseError::json(format!("line too long: {bytes} bytes"))
            }
        };
        self.tell(Err(violation), line, out)
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        self.tell_unknown(out)?;
        let mut told = vec![
            plural(self.lines, "line"),
            plural(self.lines - self.violations, "event"),
            plural(self.violations, "violation"),
        ];
        if !self.unknown.is_empty() {
            told.push(plural(self.unknown.len() as u64, "unknown type"));
        }
        out.note_about_input(&told.join(", "))?;
        let drifted = self.contract == Contract::Current && !self.unknown.is_empty();
        Ok(if self.violations > 0 || drifted { Exit::No } else { Exit::Done })
    }
}

fn not_json(malformed: Malformed) -> ClaudeStreamJsonParseError {
    ClaudeStreamJsonParseError::json(malformed.to_string())
}

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
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

/// What is said of a line.
struct Row<'a> {
    source: &'a str,
    line: u64,
    finding: Finding<'a>,
}

enum Finding<'a> {
    Event { variant: &'a str, session_id: Option<&'a str>, subtype: Option<&'a str> },
    Violation(&'a ClaudeStreamJsonParseError),
    Unknown { name: &'a str, count: u64 },
}

fn about_unknown(name: &str, count: u64) -> String {
    format!("unknown type {name}, {}", plural(count, "line"))
}

/// A name that cannot pass for a line of ours.
fn one_line(name: &str) -> String {
    visible(name).replace('\n', "^J")
}

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        object.text("file", Some(self.source).filter(|name| *name != STDIN_NAME));
        object.count("line", self.line);
        match &self.finding {
            Finding::Event { variant, session_id, subtype } => {
                object
                    .text("outcome", "event")
                    .text("variant", *variant)
                    .text("session_id", *session_id)
                    .text("subtype", *subtype);
            }
            Finding::Violation(violation) => {
                object
                    .text("outcome", "error")
                    .text("code", violation.code.name())
                    .text("message", violation.message.as_str());
            }
            Finding::Unknown { name, count } => {
                object
                    .text("outcome", "unknown")
                    .text("code", "Unknown")
                    .text("message", about_unknown(name, *count).as_str())
                    .text("name", *name)
                    .count("count", *count);
            }
        }
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let said = match &self.finding {
            Finding::Event { variant, subtype, .. } => {
                let subtype = subtype.map(|word| format!(" {}", one_line(word)));
                format!("{} {variant}{}", style.good("ok:"), subtype.unwrap_or_default())
            }
            Finding::Violation(violation) => {
                format!("{} {}", style.bad(&format!("{}:", violation.code)), violation.message)
            }
            Finding::Unknown { name, count } => {
                format!("{} {}", style.odd("Unknown:"), about_unknown(&one_line(name), *count))
            }
        };
        let source = one_line(self.source);
        sink.print(&format!("{}:{}: {said}\n", style.bold(&source), self.line))
    }
}
