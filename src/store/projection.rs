//! Projections that store the run they read.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use super::{Store, StoredRun};
use crate::exit::Exit;
use crate::output::Output;
use crate::projection::{ProcessEndFn, Projection, RunContext};
use crate::reader::{DecodedLine, Wait};

/// `findings --db`: stores the run that another projection prints.
pub(crate) struct StoreProjection {
    inner: Box<dyn Projection>,
    stored_run: StoredRun,
    process: Option<ProcessEndFn>,
    store: Rc<RefCell<Store>>,
}

impl StoreProjection {
    pub fn new(
        inner: Box<dyn Projection>,
        store: Rc<RefCell<Store>>,
        context: &RunContext,
    ) -> Self {
        Self {
            inner,
            stored_run: StoredRun::new(context.harness, context.written),
            process: context.process.clone(),
            store,
        }
    }
}

impl Projection for StoreProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        self.stored_run.read(line, number);
        self.inner.line(line, number, out)
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let Self { inner, stored_run, process, store } = *self;
        let exit = if stored_run.is_empty() {
            out.input_note("nothing to store")?;
            Exit::Success
        } else {
            let process = process.map(|process| process());
            let entry = stored_run.finish(process.as_deref());
            if let Some(warning) = entry.skipped_memories() {
                out.input_note(&warning)?;
            }
            match store.borrow_mut().insert(&entry) {
                Ok(true) => Exit::Success,
                Ok(false) => {
                    out.input_note("already stored")?;
                    Exit::Success
                }
                Err(error) => {
                    out.input_error(&format!("not stored: {error:#}"))?;
                    Exit::Error
                }
            }
        };
        inner.end(out).map(|own| own.or_worse(exit))
    }
}

/// Records a run that another projection prints; `escalate` stores it afterwards.
pub(crate) struct RecordingProjection {
    stored_run: Rc<RefCell<StoredRun>>,
    inner: Box<dyn Projection>,
}

impl RecordingProjection {
    pub fn new(stored_run: Rc<RefCell<StoredRun>>, inner: Box<dyn Projection>) -> Self {
        Self { stored_run, inner }
    }
}

impl Projection for RecordingProjection {
    fn line(&mut self, line: &DecodedLine<'_>, number: u64, out: &mut Output) -> io::Result<()> {
        self.stored_run.borrow_mut().read(line, number);
        self.inner.line(line, number, out)
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        self.inner.end(out)
    }

    fn before_wait(&mut self, out: &mut Output) -> io::Result<Wait> {
        self.inner.before_wait(out)
    }

    fn reports_bad_lines(&self) -> bool {
        self.inner.reports_bad_lines()
    }
}
