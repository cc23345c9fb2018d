//! Names that are repeated often.

use std::collections::HashMap;

use crate::codec::codec_struct;

/// Names that are repeated often, each stored once.
#[derive(Debug, Default)]
pub(super) struct NameList {
    list: Vec<String>,
    indices: HashMap<String, usize>,
}

// A decoded list has no indices; see `NameList::resume`.
codec_struct!(NameList { list }..Self::default());

impl NameList {
    /// Makes a decoded list ready for further names.
    pub(super) fn resume(&mut self) {
        self.indices = self.list.iter().cloned().zip(0..).collect();
    }

    /// Returns all names.
    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    /// Returns a name by its index; empty if there is none.
    pub(super) fn get(&self, index: usize) -> &str {
        self.list.get(index).map_or("", String::as_str)
    }

    /// Returns the index of a name, which is added if it is new.
    pub(super) fn index_of(&mut self, name: &str) -> usize {
        if let Some(index) = self.indices.get(name) {
            return *index;
        }
        self.list.push(name.to_owned());
        self.indices.insert(name.to_owned(), self.list.len() - 1);
        self.list.len() - 1
    }
}
