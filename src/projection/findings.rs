//! `findings`: what the agent reports, in its structured output or as markers in
//! its text.
//!
//! Whether there is a structured output is known at the end of a file. A supervised
//! run does not wait for that: there every result decides for what came since the
//! previous one.

use std::borrow::Cow;
use std::io;

use super::{ProcessEndFn, Projection, RunContext};
use crate::event::Event;
use crate::exit::Exit;
use crate::findings::{Extraction, Finding, Level};
use crate::harness::Record;
use crate::output::{ObjectWriter, Output, Row, Sink, Style, one_line};
use crate::reader::DecodedLine;
use crate::run::{FindingsFold, FindingsReport, Session};

/// Collects findings and prints them.
pub(crate) struct FindingsProjection {
    session: Session,
    findings: FindingsFold,
    process: Option<ProcessEndFn>,
}

impl FindingsProjection {
    pub fn new(context: &RunContext) -> Self {
        Self {
            session: Session::new(context.harness),
            findings: FindingsFold::default(),
            process: context.process.clone(),
        }
    }

    fn record(&mut self, record: &Record<'_>, out: &mut Output) -> io::Result<()> {
        self.session.apply(record);
        self.findings.apply(record);
        let has_ended = record.events.iter().any(|event| matches!(event, Event::Finished(_)));
        if has_ended && self.process.is_some() { self.print(out) } else { Ok(()) }
    }

    /// Prints what was reported since the last call.
    fn print(&mut self, out: &mut Output) -> io::Result<()> {
        let FindingsReport { method, findings, warnings } = self.findings.take();
        for finding in &findings {
            out.row(&FindingRow { finding, method, session_id: self.session.id() })?;
        }
        warnings.iter().try_for_each(|warning| out.input_note(warning))
    }
}

impl Projection for FindingsProjection {
    fn line(&mut self, line: &DecodedLine<'_>, _: u64, out: &mut Output) -> io::Result<()> {
        match line {
            DecodedLine::Record(record) => self.record(record, out),
            _ => Ok(()),
        }
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        // The last message may be in a file only.
        let process = self.process.as_ref().filter(|_| !self.findings.has_message());
        let process = process.map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            self.findings.set_last_message(text);
        }
        self.print(out)?;
        Ok(Exit::Success)
    }
}

struct FindingRow<'a> {
    finding: &'a Finding,
    method: Extraction,
    session_id: Option<&'a str>,
}

pub(crate) const COLUMNS: &[&str] = &[
    "kind",
    "level",
    "service",
    "message",
    "category",
    "observation",
    "needed",
    "reason",
    "context",
    "failed_checks",
    "name",
    "status",
    "detail",
    "action_type",
    "success",
    "text",
    "session_id",
    "extraction_method",
];

impl Row for FindingRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed(kind(self.finding))
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| {
            object.text("kind", kind(self.finding));
            write_members(object, self.finding);
            object
                .text("session_id", self.session_id)
                .text("extraction_method", self.method.name());
        });
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let FindingLine { label, paint, service, text } = FindingLine::new(self.finding);
        // A finding is one line, and never cut.
        let line = |text: &str| one_line(&sink.sanitize(text), usize::MAX);
        let (label, service, text) = (line(label), line(service), line(&text));
        let label = paint(style, &format!("{label:<11}"));
        sink.print(format!("{label} {service:<16} {text}").trim_end())?;
        sink.print("\n")
    }
}

fn write_members(object: &mut ObjectWriter<'_>, finding: &Finding) {
    match finding {
        Finding::Summary { text } => object.text("text", text.as_str()),
        Finding::Event { level, service, message } => object
            .text("level", level.name())
            .text("service", service.as_deref())
            .text("message", message.as_str()),
        Finding::Memory { service, category, observation } => object
            .text("service", service.as_deref())
            .text("category", category.as_str())
            .text("observation", observation.as_str()),
        Finding::Escalation { needed, reason, context, failed_checks } => object
            .flag("needed", *needed)
            .text("reason", reason.as_deref())
            .text("context", context.as_deref())
            .texts("failed_checks", failed_checks),
        Finding::Service { name, status, detail } => object
            .text("name", name.as_str())
            .text("status", status.as_str())
            .text("detail", detail.as_deref()),
        Finding::Cooldown { action_type, service, success, message } => object
            .text("action_type", action_type.as_str())
            .text("service", service.as_str())
            .flag("success", *success)
            .text("message", message.as_str()),
    };
}

/// A finding for people.
struct FindingLine<'a> {
    label: &'a str,
    paint: fn(Style, &str) -> String,
    service: &'a str,
    text: Cow<'a, str>,
}

impl<'a> FindingLine<'a> {
    fn new(finding: &'a Finding) -> Self {
        let plain: fn(Style, &str) -> String = |_, label| label.to_owned();
        let line = |label, paint, service: Option<&'a str>, text| Self {
            label,
            paint,
            service: service.unwrap_or_default(),
            text,
        };
        match finding {
            Finding::Summary { text } => line("summary", Style::bold, None, text.into()),
            Finding::Event { level, service, message } => {
                let paint = match level {
                    Level::Info => plain,
                    Level::Warning => Style::warning,
                    Level::Critical => Style::bad,
                };
                line(level.name(), paint, service.as_deref(), message.into())
            }
            Finding::Memory { service, category, observation } => {
                let text = format!("{category}: {observation}");
                line("memory", plain, service.as_deref(), text.into())
            }
            Finding::Escalation { needed, reason, failed_checks, .. } => {
                let checks = failed_checks.join(", ");
                let checks = Some(checks).filter(|checks| !checks.is_empty());
                let checks = checks.map(|checks| format!("(failed: {checks})"));
                let parts: Vec<&str> =
                    [reason.as_deref(), checks.as_deref()].into_iter().flatten().collect();
                let (label, paint) =
                    if *needed { ("escalate", Style::bad as _) } else { ("settled", plain) };
                line(label, paint, None, parts.join(" ").into())
            }
            Finding::Service { name, status, detail } => {
                let paint = if status == "healthy" { Style::good } else { Style::warning };
                let detail = detail.as_deref().unwrap_or_default();
                line(status, paint, Some(name), detail.into())
            }
            Finding::Cooldown { action_type, service, success, message } => {
                let outcome = if *success { "" } else { "failed: " };
                let text = format!("{action_type}, {outcome}{message}");
                line("cooldown", plain, Some(service), text.into())
            }
        }
    }
}

fn kind(finding: &Finding) -> &'static str {
    match finding {
        Finding::Summary { .. } => "summary",
        Finding::Event { .. } => "event",
        Finding::Memory { .. } => "memory",
        Finding::Escalation { .. } => "escalation",
        Finding::Service { .. } => "service",
        Finding::Cooldown { .. } => "cooldown",
    }
}
