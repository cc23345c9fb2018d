//! The messages that are being written: by the main thread, and by the subagents
//! beside it.

use std::collections::HashMap;

/// A thread: the tool call of a subagent, or `None` for the main thread.
pub(super) type ThreadId = Option<String>;

/// A message that is being written.
#[derive(Debug, Default)]
pub(super) struct OpenMessage {
    pub(super) message_id: Option<String>,
    /// Blocks with deltas whose complete form has not come. Only the last one can
    /// grow.
    pub(super) blocks: Vec<OpenBlock>,
    /// The block whose complete form came last.
    pub(super) completed: Option<OpenBlock>,
}

/// A block as far as it has arrived.
#[derive(Debug)]
pub(super) struct OpenBlock {
    pub(super) index: u64,
    pub(super) text: String,
}

/// The open message of each thread. That of the main thread, which most lines
/// belong to, is found without hashing.
#[derive(Debug, Default)]
pub(super) struct OpenMessages {
    main: Option<OpenMessage>,
    agents: HashMap<String, OpenMessage>,
}

impl OpenMessages {
    pub(super) fn get(&self, thread: Option<&str>) -> Option<&OpenMessage> {
        match thread {
            None => self.main.as_ref(),
            Some(agent) => self.agents.get(agent),
        }
    }

    pub(super) fn get_mut(&mut self, thread: Option<&str>) -> Option<&mut OpenMessage> {
        match thread {
            None => self.main.as_mut(),
            Some(agent) => self.agents.get_mut(agent),
        }
    }

    pub(super) fn insert(&mut self, thread: ThreadId, message: OpenMessage) {
        match thread {
            None => self.main = Some(message),
            Some(agent) => drop(self.agents.insert(agent, message)),
        }
    }

    pub(super) fn remove(&mut self, thread: Option<&str>) -> Option<(ThreadId, OpenMessage)> {
        match thread {
            None => Some((None, self.main.take()?)),
            Some(_) if self.agents.is_empty() => None,
            Some(agent) => {
                let (agent, message) = self.agents.remove_entry(agent)?;
                Some((Some(agent), message))
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
