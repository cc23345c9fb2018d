//! Observes the stream beside the projection, for the record and the supervisor.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use super::event_log::EventLog;
use super::supervision::Supervision;
use crate::event::{Event, Task, TaskState};
use crate::exit::Exit;
use crate::harness::Record;
use crate::output::Output;
use crate::projection::Projection;
use crate::reader::{DecodedLine, Wait};
use crate::run::{Ending, Run};

/// A projection that also updates the record and the supervisor.
pub(super) struct RunObserver {
    /// What is printed; `None` if the stream is copied.
    pub(super) projection: Option<Box<dyn Projection>>,
    /// The run, for the record and the exit status.
    pub(super) run: Rc<RefCell<Run>>,
    /// The events for the record.
    pub(super) event_log: Option<Rc<RefCell<EventLog>>>,
    supervision: Arc<Supervision>,
    /// Appended to the note about credentials.
    pub(super) subject: String,
    ending: Ending,
    has_description: bool,
    /// Descriptions of the running background tasks, by id.
    tasks: BTreeMap<String, String>,
}

impl RunObserver {
    pub(super) fn new(run: Run, supervision: Arc<Supervision>) -> Self {
        Self {
            projection: None,
            run: Rc::new(run.into()),
            event_log: None,
            supervision,
            subject: String::new(),
            ending: Ending::default(),
            has_description: false,
            tasks: BTreeMap::new(),
        }
    }

    fn record(&mut self, record: &Record<'_>, out: &mut Output) {
        if record.is_recognized {
            self.supervision.progress.set_has_events();
        }
        self.ending.apply(record);
        for event in record.events {
            match event {
                Event::Session(info) => {
                    let is_known = std::mem::replace(&mut self.has_description, true);
                    if let Some(source) = info.api_key_source.filter(|_| !is_known) {
                        out.diagnostics.note(&format!("apiKeySource={source}{}", self.subject));
                    }
                }
                Event::Task(task) => self.task(task),
                // The CLI's number is more reliable than our list.
                Event::BackgroundTasks { count: 0, .. } => {
                    self.tasks.clear();
                    self.supervision.progress.background_tasks().clear();
                }
                Event::BackgroundTasks { count, .. } => {
                    let mut running = self.supervision.progress.background_tasks();
                    running.resize(*count, "a task".to_owned());
                }
                _ => {}
            }
        }
        self.supervision.progress.set_has_ended(self.ending.is_complete());
        if let Some(event_log) = &self.event_log {
            event_log.borrow_mut().add(record);
        }
    }
}

impl RunObserver {
    fn task(&mut self, task: &Task<'_>) {
        let id = task.id.unwrap_or_default();
        match task.state {
            TaskState::Started => {
                let description = task.description.unwrap_or(id).to_owned();
                self.tasks.insert(id.to_owned(), description);
            }
            TaskState::Ended(_) => drop(self.tasks.remove(id)),
            TaskState::Progress => return,
        }
        *self.supervision.progress.background_tasks() = self.tasks.values().cloned().collect();
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

    fn before_wait(&mut self, out: &mut Output) -> io::Result<Wait> {
        match &mut self.projection {
            Some(projection) => projection.before_wait(out),
            None => Ok(Wait::Forever),
        }
    }

    fn reports_bad_lines(&self) -> bool {
        self.projection.as_ref().is_some_and(|projection| projection.reports_bad_lines())
    }
}
