//! `findings`: what the agent reports, from its structured output, else from
//! the markers in its text.
//!
//! Whether there is a structured output is known at the end of a file. A run
//! that is watched while it goes on is not kept waiting for that: there every
//! result decides for what was said since the one before it.

use std::borrow::Cow;
use std::io;

use super::gist::one_line;
use super::{Projection, Setting, WatchedProcess};
use crate::event::{Event, Packet};
use crate::exit::Exit;
use crate::findings::{Extraction, Finding, Level};
use crate::harness::Reading;
use crate::output::{Object, Output, Record, Sink, Style};
use crate::run::{Report, Reports, Session};

/// Collects findings until it is known where they come from.
pub(super) struct FindingsOfRun {
    session: Session,
    reports: Reports,
    process: Option<WatchedProcess>,
}

impl FindingsOfRun {
    pub(super) fn new(setting: &Setting) -> Self {
        Self {
            session: Session::new(setting.harness),
            reports: Reports::default(),
            process: setting.process.clone(),
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, out: &mut Output) -> io::Result<()> {
        self.session.apply(packet);
        self.reports.apply(packet);
        let finished = packet.events.iter().any(|event| matches!(event, Event::Finished(_)));
        if finished && self.process.is_some() { self.print(out) } else { Ok(()) }
    }

    /// Prints what was reported since the last time.
    fn print(&mut self, out: &mut Output) -> io::Result<()> {
        let Report { method, findings, warnings } = self.reports.take();
        for finding in &findings {
            out.record(&Row { finding, method, session_id: self.session.id() })?;
        }
        warnings.iter().try_for_each(|warning| out.note_about_input(warning))
    }
}

impl Projection for FindingsOfRun {
    fn read(&mut self, reading: &Reading<'_>, _: u64, out: &mut Output) -> io::Result<()> {
        match reading {
            Reading::Packet(packet) => self.packet(packet, out),
            _ => Ok(()),
        }
    }

    fn end(mut self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        // The CLI may have left its last message in a file only.
        let process = self.process.as_ref().filter(|_| !self.reports.spoke());
        let process = process.map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            self.reports.left(text);
        }
        self.print(out)?;
        Ok(Exit::Done)
    }
}

struct Row<'a> {
    finding: &'a Finding,
    method: Extraction,
    session_id: Option<&'a str>,
}

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
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

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        object.text("kind", kind(self.finding));
        match self.finding {
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
        object.text("session_id", self.session_id).text("extraction_method", self.method.name());
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let Line { word, paint, about, text } = Line::of(self.finding);
        // A finding is worth reading to its end, and is one line.
        let line = |text: &str| one_line(&sink.fit(text), usize::MAX);
        let (word, about, text) = (line(word), line(about), line(&text));
        let head = paint(style, &format!("{word:<11}"));
        sink.print(format!("{head} {about:<16} {text}").trim_end())?;
        sink.print("\n")
    }
}

/// A finding for people.
struct Line<'a> {
    word: &'a str,
    paint: fn(Style, &str) -> String,
    about: &'a str,
    text: Cow<'a, str>,
}

impl<'a> Line<'a> {
    fn of(finding: &'a Finding) -> Self {
        let plain: fn(Style, &str) -> String = |_, word| word.to_owned();
        let line = |word, paint, about: Option<&'a str>, text| Self {
            word,
            paint,
            about: about.unwrap_or_default(),
            text,
        };
        match finding {
            Finding::Summary { text } => line("summary", Style::bold, None, text.into()),
            Finding::Event { level, service, message } => {
                let paint = match level {
                    Level::Info => plain,
                    Level::Warning => Style::odd,
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
                let (word, paint) =
                    if *needed { ("escalate", Style::bad as _) } else { ("settled", plain) };
                line(word, paint, None, parts.join(" ").into())
            }
            Finding::Service { name, status, detail } => {
                let paint = if status == "healthy" { Style::good } else { Style::odd };
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
