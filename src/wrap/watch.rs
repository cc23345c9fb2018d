//! Looks over the shoulder of the projection: what the run says goes to both.

use std::io;
use std::rc::Rc;

use super::kept_events::KeptEvents;
use super::supervisor::Progress;
use crate::event::{Event, Packet, TaskState};
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::Output;
use crate::projection::Projection;
use crate::run::{Ending, Run};

/// Feeds the record and the supervisor beside the projection.
pub struct Watch {
    /// What is printed; nothing when the stream is copied as it is.
    pub inner: Option<Box<dyn Projection>>,
    /// The run, for the record and the exit status.
    pub run: Rc<std::cell::RefCell<Run>>,
    /// Events for the record.
    pub kept: Option<Rc<std::cell::RefCell<KeptEvents>>>,
    /// Where the run stands, for the supervisor.
    pub progress: Rc<Progress>,
    /// What follows the credentials' label.
    pub subject: String,
    state: State,
}

#[derive(Default)]
struct State {
    ending: Ending,
    /// Claude describes its session again with every turn.
    began_again: bool,
    described: bool,
    tasks: std::collections::HashSet<String>,
}

impl Watch {
    /// Watches nothing yet.
    pub fn new(run: Run, inner: Option<Box<dyn Projection>>) -> Self {
        Self {
            inner,
            run: Rc::new(run.into()),
            kept: None,
            progress: Rc::default(),
            subject: String::new(),
            state: State::default(),
        }
    }

    fn packet(&mut self, packet: &Packet<'_>, out: &mut Output) {
        self.state.ending.apply(packet);
        for event in packet.events {
            match event {
                Event::Finished(_) => self.state.began_again = false,
                Event::Session(session) => {
                    self.state.began_again = true;
                    let described = std::mem::replace(&mut self.state.described, true);
                    if let Some(source) = session.api_key_source.filter(|_| !described) {
                        out.notes.remark(&format!("apiKeySource={source}{}", self.subject));
                    }
                }
                Event::Task(task) => {
                    let id = task.id.unwrap_or_default();
                    let changed = match task.state {
                        TaskState::Started => self.state.tasks.insert(id.to_owned()),
                        TaskState::Ended(_) => self.state.tasks.remove(id),
                        TaskState::Progress => false,
                    };
                    if changed {
                        self.progress.background.set(self.state.tasks.len());
                    }
                }
                // The exact number wins over our own count.
                Event::BackgroundTasks { count } => {
                    if *count == 0 {
                        self.state.tasks.clear();
                    }
                    self.progress.background.set(*count);
                }
                _ => {}
            }
        }
        let ended = self.state.ending.is_complete() && !self.state.began_again;
        self.progress.ended.set(ended);
        if let Some(kept) = &self.kept {
            kept.borrow_mut().add(packet);
        }
    }
}

impl Projection for Watch {
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        self.run.borrow_mut().read(reading, line);
        if let Reading::Packet(packet) = reading {
            self.packet(packet, out);
        }
        match &mut self.inner {
            Some(inner) => inner.read(reading, line, out),
            None => Ok(()),
        }
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        match self.inner {
            Some(inner) => inner.end(out),
            None => Ok(Exit::Done),
        }
    }
}
