//! Who is writing, and what of it has not come whole: the main thread, and
//! the subagents beside it.

use std::collections::HashMap;

/// A thread: a subagent's tool call, or the main one.
pub(super) type Thread = Option<String>;

/// A message in the making.
#[derive(Debug, Default)]
pub(super) struct Writing {
    pub(super) message_id: Option<String>,
    /// Blocks with deltas that have not come whole. Only the last can grow.
    pub(super) blocks: Vec<Block>,
}

/// A block as far as it has come.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) index: u64,
    pub(super) text: String,
}

/// What each thread is writing. The main one, which nearly every line is about,
/// is found without a search.
#[derive(Debug, Default)]
pub(super) struct Threads {
    main: Option<Writing>,
    agents: HashMap<String, Writing>,
}

impl Threads {
    pub(super) fn get(&self, thread: Option<&str>) -> Option<&Writing> {
        match thread {
            None => self.main.as_ref(),
            Some(agent) => self.agents.get(agent),
        }
    }

    pub(super) fn get_mut(&mut self, thread: Option<&str>) -> Option<&mut Writing> {
        match thread {
            None => self.main.as_mut(),
            Some(agent) => self.agents.get_mut(agent),
        }
    }

    pub(super) fn insert(&mut self, thread: Thread, writing: Writing) {
        match thread {
            None => self.main = Some(writing),
            Some(agent) => drop(self.agents.insert(agent, writing)),
        }
    }

    pub(super) fn remove(&mut self, thread: Option<&str>) -> Option<(Thread, Writing)> {
        match thread {
            None => Some((None, self.main.take()?)),
            // Nearly always; nothing has to be hashed.
            Some(_) if self.agents.is_empty() => None,
            Some(agent) => {
                let (agent, writing) = self.agents.remove_entry(agent)?;
                Some((Some(agent), writing))
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.main.is_some()) + self.agents.len()
    }

    pub(super) fn clear(&mut self) {
        self.main = None;
        self.agents.clear();
    }
}
