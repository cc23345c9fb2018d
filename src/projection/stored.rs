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

    /// Who does not read to the end has it stored all the same.
    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        let Self { inner, chronicle, process, store } = *self;
        let exit = if chronicle.is_empty() {
            out.note_about_input("nothing to store")?;
            Exit::Done
        } else {
            let process = process.map(|process| process());
            match store.borrow_mut().put(&chronicle.finish(process.as_deref())) {
                Ok(true) => Exit::Done,
                Ok(false) => {
                    out.note_about_input("stored before")?;
                    Exit::Done
                }
                Err(error) => {
                    out.error_about_input(&format!("not stored: {error:#}"))?;
                    Exit::Trouble
                }
            }
        };
        inner.end(out).map(|own| own.or_worse(exit))
    }
}
