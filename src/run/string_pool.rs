//! Reuses the memory of strings.

/// Copies `value` into `slot`, reusing its memory.
pub(super) fn assign(slot: &mut Option<String>, value: Option<&str>) {
    match (slot, value) {
        (Some(text), Some(value)) => value.clone_into(text),
        (slot, value) => *slot = value.map(str::to_owned),
    }
}

/// Strings whose memory can be reused.
#[derive(Debug, Default)]
pub(super) struct StringPool(Vec<String>);

impl StringPool {
    /// Maximum number of strings, and the size above which one is not kept.
    const MAX_STRINGS: usize = 64;
    const MAX_SIZE: usize = 64 << 10;

    /// Returns a copy of `value`.
    pub(super) fn copy(&mut self, value: &str) -> String {
        let mut text = self.0.pop().unwrap_or_default();
        value.clone_into(&mut text);
        text
    }

    /// Adds a string for reuse.
    pub(super) fn recycle(&mut self, text: Option<String>) {
        if self.0.len() < Self::MAX_STRINGS {
            self.0.extend(text.filter(|text| text.capacity() <= Self::MAX_SIZE));
        }
    }
}
