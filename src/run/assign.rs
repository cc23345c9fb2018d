//! Remembering texts without asking for new memory each time.

/// Puts `value` into `slot`, in the memory that is there.
pub(super) fn assign(slot: &mut Option<String>, value: Option<&str>) {
    match (slot, value) {
        (Some(text), Some(value)) => value.clone_into(text),
        (slot, value) => *slot = value.map(str::to_owned),
    }
}

/// Memory of texts that are not needed any more.
#[derive(Debug, Default)]
pub(super) struct Spare(Vec<String>);

impl Spare {
    /// So many are kept, and none that is long.
    const KEPT: usize = 64;
    const LONG: usize = 64 << 10;

    /// A text in memory that was used before.
    pub(super) fn text(&mut self, value: &str) -> String {
        let mut text = self.0.pop().unwrap_or_default();
        value.clone_into(&mut text);
        text
    }

    /// Gives a text's memory back.
    pub(super) fn give_back(&mut self, text: Option<String>) {
        if self.0.len() < Self::KEPT {
            self.0.extend(text.filter(|text| text.capacity() <= Self::LONG));
        }
    }
}
