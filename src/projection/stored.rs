//! `--db`: what a projection reads is stored when the run is over.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use super::{Projection, Setting, WatchedProcess};
use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::Output;
use crate::store::{Chronicle, Store};

/// A projection, and the store beside it.
pub(super) struct Stored {
    inner: Box<dyn Projection>,
    chronicle: Chronicle,
    process: Option<WatchedProcess>,
    store: Rc<RefCell<Store>>,
}

impl Stored {
    pub(super) fn new(
        inner: Box<dyn Projection>,
        store: Rc<RefCell<Store>>,
        setting: &Setting,
    ) -> Self {
        Self {
            inner,
            chronicle: Chronicle::new(setting.harness, setting.written),
            process: setting.process.clone(),
            store,
        }
    }
}

impl Projection for Stored {
    fn read(&mut self, reading: &Reading<'_>, line: u64, out: &mut Output) -> io::Result<()> {
        self.chronicle.read(reading, line);
        self.inner.read(reading, line, out)
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let Self { inner, chronicle, process, store } = *self;
        let exit = inner.end(out)?;
        if chronicle.is_empty() {
            out.note_about_input("nothing to store")?;
            return Ok(exit);
        }
        let process = process.map(|process| process());
        match store.borrow_mut().put(&chronicle.finish(process.as_deref())) {
            Ok(true) => Ok(exit),
            Ok(false) => {
                out.note_about_input("stored before")?;
                Ok(exit)
            }
            Err(error) => {
                out.notes.error_about_input(&format!("not stored: {error:#}"));
                Ok(exit.or_worse(Exit::Trouble))
            }
        }
    }
}
