//! Observes the stream beside the projection, for the record and the supervisor.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io;
use std::rc::Rc;

use super::event_log::EventLog;
use super::supervisor::StreamProgress;
use crate::event::{Event, TaskState};
use crate::exit::Exit;
use crate::harness::Record;
use crate::output::Output;
use crate::projection::Projection;
use crate::reader::DecodedLine;
use crate::run::{Ending, Run};

/// A projection that also updates the record and the supervisor.
pub(super) struct RunObserver {
    /// What is printed; `None` if the stream is copied.
    pub(super) projection: Option<Box<dyn Projection>>,
    /// The run, for the record and the exit status.
    pub(super) run: Rc<RefCell<Run>>,
    /// The events for the record.
    pub(super) event_log: Option<Rc<RefCell<EventLog>>>,
    pub(super) progress: Rc<StreamProgress>,
    /// Appended to the note about credentials.
    pub(super) subject: String,
    ending: Ending,
    /// Whether a session has started since the last end: with every turn Claude Code
    /// describes its session again.
    has_restarted: bool,
    has_description: bool,
    tasks: HashSet<String>,
}

impl RunObserver {
    pub(super) fn new(run: Run) -> Self {
        Self {
            projection: None,
            run: Rc::new(run.into()),
            event_log: None,
            progress: Rc::default(),
            subject: String::new(),
            ending: Ending::default(),
            has_restarted: false,
            has_description: false,
            tasks: HashSet::new(),
        }
    }

    fn record(&mut self, record: &Record<'_>, out: &mut Output) {
        self.ending.apply(record);
        for event in record.events {
            match event {
                Event::Finished(_) => self.has_restarted = false,
                Event::Session(info) => {
                    self.has_restarted = true;
                    let is_known = std::mem::replace(&mut self.has_description, true);
                    if let Some(source) = info.api_key_source.filter(|_| !is_known) {
                        out.diagnostics.note(&format!("apiKeySource={source}{}", self.subject));
                    }
                }
                Event::Task(task) => {
                    let id = task.id.unwrap_or_default();
                    let has_changed = match task.state {
                        TaskState::Started => self.tasks.insert(id.to_owned()),
                        TaskState::Ended(_) => self.tasks.remove(id),
                        TaskState::Progress => false,
                    };
                    if has_changed {
                        self.progress.background_tasks.set(self.tasks.len());
                    }
                }
                // The CLI's number replaces our count.
                Event::BackgroundTasks { count } => {
                    if *count == 0 {
                        self.tasks.clear();
                    }
                    self.progress.background_tasks.set(*count);
                }
                _ => {}
            }
        }
        self.progress.has_ended.set(self.ending.is_complete() && !self.has_restarted);
        if let Some(event_log) = &self.event_log {
            event_log.borrow_mut().add(record);
        }
    }
}

impl Projection for RunObserver {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        self.run.borrow_mut().read(line, number);
        if let DecodedLine::Record(record) = line {
            self.record(record, out);
        }
        match &mut self.projection {
            Some(projection) => projection.line(line, number, out),
            None => Ok(()),
        }
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        match self.projection {
            Some(projection) => projection.end(out),
            None => Ok(Exit::Success),
        }
    }

    fn reports_bad_lines(&self) -> bool {
        self.projection.as_ref().is_some_and(|projection| projection.reports_bad_lines())
    }
}
