//! Texts of a bounded size.

/// Maximum size of a text in bytes; `None` keeps all of it.
pub(crate) type MaxText = Option<usize>;

/// Returns the start of a text, cut between characters, and whether it was cut.
pub(super) fn cut(text: Option<&str>, max: MaxText) -> (Option<String>, bool) {
    let Some(text) = text else { return (None, false) };
    let end = max.map_or(text.len(), |max| text.floor_char_boundary(max));
    (Some(text[..end].to_owned()), end < text.len())
}

/// A text that arrives in parts, of which the start is kept.
#[derive(Debug, Default)]
pub(super) struct CutText {
    pub(super) start: String,
    /// The size of the whole text.
    pub(super) length: usize,
}

impl CutText {
    pub(super) fn push(&mut self, part: &str, max: MaxText) {
        // After a cut nothing is kept, whatever its size.
        if self.start.len() == self.length {
            let left = max.map_or(part.len(), |max| max.saturating_sub(self.start.len()));
            self.start.push_str(&part[..part.floor_char_boundary(left)]);
        }
        self.length += part.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut(Some("aéz"), Some(2)), (Some("a".to_owned()), true));
        assert_eq!(cut(Some("aéz"), Some(4)), (Some("aéz".to_owned()), false));
        assert_eq!(cut(Some("aéz"), None), (Some("aéz".to_owned()), false));
        assert_eq!(cut(None, None), (None, false));
        let mut text = CutText::default();
        for part in ["ab", "é", "c", ""] {
            text.push(part, Some(3));
        }
        assert_eq!((text.start.as_str(), text.length), ("ab", 5));
    }
}
