//! Text that arrives in chunks, which may end inside a character.

/// Decodes chunks of UTF-8; invalid bytes become U+FFFD.
#[derive(Debug, Default)]
pub(super) struct PartialText {
    /// The start of a character that is incomplete.
    incomplete: Vec<u8>,
}

impl PartialText {
    /// Adds bytes and returns the characters that are complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.incomplete.extend_from_slice(bytes);
        let rest = self.incomplete.split_off(complete_length(&self.incomplete));
        let complete = std::mem::replace(&mut self.incomplete, rest);
        String::from_utf8_lossy(&complete).into_owned()
    }

    /// Returns the rest, which is not complete.
    pub(super) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.incomplete)).into_owned()
    }
}

/// Returns the length without an incomplete character at the end.
fn complete_length(bytes: &[u8]) -> usize {
    let recent = bytes.len().saturating_sub(3);
    let is_incomplete = |(at, byte): (usize, &u8)| {
        let length = match byte {
            0xc0..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
            _ => 1,
        };
        at + length > bytes.len()
    };
    let mut last = bytes.iter().enumerate().skip(recent);
    last.find(|position| is_incomplete(*position)).map_or(bytes.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_character_is_held_back_and_invalid_bytes_are_not() {
        let text = "aé世👍".as_bytes();
        let lengths: Vec<_> = (0..=text.len()).map(|end| complete_length(&text[..end])).collect();
        assert_eq!(lengths, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
        assert_eq!(complete_length(b"\x80\x80\x80"), 3);
        assert_eq!(complete_length(b"\xff\x80\x80\x80"), 4);
    }

    #[test]
    fn chunks_may_end_anywhere() {
        let text = "aé世👍";
        for size in 1..=4 {
            let mut partial = PartialText::default();
            let mut decoded: String =
                text.as_bytes().chunks(size).map(|chunk| partial.push(chunk)).collect();
            decoded += &partial.finish();
            assert_eq!(decoded, text);
        }
        let mut partial = PartialText::default();
        assert_eq!((partial.push(b"a\xe4\xb8"), partial.finish()), ("a".into(), "\u{fffd}".into()));
    }
}
