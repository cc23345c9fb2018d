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
use crate::findings::{Finding, Level, markers, response};
use crate::harness::Reading;
use crate::json::Json;
use crate::output::{Object, Output, Record, Sink, Style};
use crate::run::{ResultText, Session, Structured};

/// Collects findings until it is known where they come from.
pub(super) struct FindingsOfRun {
    session: Session,
    part: Part,
    process: Option<WatchedProcess>,
    spoke: bool,
    /// Where texts are read.
    memory: String,
}

/// A run, or what of it one result decides about.
#[derive(Default)]
struct Part {
    structured: Structured,
    result: ResultText,
    /// What was marked in the text, in its order.
    marked: Vec<Finding>,
    /// How much of it was before the last message.
    before_last: usize,
}

impl Part {
    /// Takes in a message, or a block of one.
    fn mark(&mut self, text: &str) {
        self.before_last = self.marked.len();
        markers::each(text, |finding| self.marked.push(finding));
    }
}

impl FindingsOfRun {
    pub(super) fn new(setting: &Setting) -> Self {
        Self {
            session: Session::new(setting.harness),
            part: Part::default(),
            process: setting.process.clone(),
            spoke: false,
            memory: String::new(),
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, out: &mut Output) -> io::Result<()> {
        self.session.apply(packet);
        self.part.structured.apply(packet);
        self.part.result.apply(packet);
        for event in packet.events {
            match event {
                Event::Text { text, .. } => {
                    self.spoke = true;
                    self.part.mark(text.read(&mut self.memory));
                }
                Event::Finished(_) if self.process.is_some() => self.decide(out)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Prints the findings of this part.
    fn decide(&mut self, out: &mut Output) -> io::Result<()> {
        let mut part = std::mem::take(&mut self.part);
        // A stream that is a result only says everything there.
        if let Some(text) = part.result.instead_of_messages().filter(|_| !self.spoke) {
            let text = text.to_owned();
            part.mark(&text);
        }
        self.spoke |= part.result.spoke();
        let Part { structured, mut marked, before_last, .. } = part;
        // A message that is a document is no text.
        if structured.last_message().is_some() {
            marked.truncate(before_last);
        }
        let session_id = self.session.id().map(str::to_owned);
        let mut print = |method, findings: &[Finding]| {
            findings.iter().try_for_each(|finding| {
                out.record(&Row { finding, method, session_id: session_id.as_deref() })
            })
        };
        match structured.document().map(|document| response::read(Json::new(document))) {
            Some(Ok(response)) => {
                print("structured", &response.findings)?;
                marked.retain(|finding| matches!(finding, Finding::Cooldown { .. }));
                print("structured", &marked)?;
                response.warnings.iter().try_for_each(|warning| out.note_about_input(warning))
            }
            read => {
                print("markers", &marked)?;
                // A message that happens to be JSON was not meant as a document.
                match read {
                    Some(Err(wrong)) if structured.told().is_some() || wrong.is_in_a_member() => {
                        let message = format!(
                            "the structured output is not an agent's response ({wrong}); markers are read instead"
                        );
                        out.note_about_input(&message)
                    }
                    _ => Ok(()),
                }
            }
        }
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
        let spoke = self.spoke || self.part.result.spoke();
        // The CLI may have left its last message in a file only.
        let process = self.process.as_ref().filter(|_| !spoke).map(|process| process());
        if let Some(text) = process.as_ref().and_then(|end| end.last_message.as_deref()) {
            self.part.structured.left(text);
            self.part.mark(text);
            self.spoke = true;
        }
        self.decide(out)?;
        Ok(Exit::Done)
    }
}

struct Row<'a> {
    finding: &'a Finding,
    method: &'static str,
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
        object.text("session_id", self.session_id).text("extraction_method", self.method);
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
