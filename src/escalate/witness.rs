//! Follows a tier's run for the store; prints nothing.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use crate::exit::Exit;
use crate::harness::Reading;
use crate::output::Output;
use crate::projection::Projection;
use crate::store::Chronicle;

/// A projection that only looks.
#[derive(Clone, Default)]
pub struct Witness(pub Rc<RefCell<Chronicle>>);

impl Projection for Witness {
    fn read(&mut self, reading: &Reading<'_>, line: u64, _: &mut Output) -> io::Result<()> {
        self.0.borrow_mut().read(reading, line);
        Ok(())
    }

    fn end(self: Box<Self>, _: &mut Output) -> io::Result<Exit> {
        Ok(Exit::Done)
    }
}
