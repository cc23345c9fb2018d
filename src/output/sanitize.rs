//! Control characters made visible: a pure function of the text.
//!
//! What an agent writes must not move the cursor, recolour the screen, fill
//! the clipboard or reorder what is read. Where it applies is decided by the
//! sink: on a terminal, never in a pipe.

use std::borrow::Cow;
use std::fmt::Write;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// `text` with every control, bidirectional or invisible character spelled
/// out. `\n` and `\t` stay; so do joiners inside words and emoji.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    // Printable ASCII with line ends and tabs is nearly everything.
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut sanitizer = Sanitizer::default();
    let mut shown = sanitizer.visible(text);
    shown += &sanitizer.end();
    Cow::Owned(shown)
}

/// The same for a text that arrives in pieces: a joiner at the end of one is
/// kept until the next tells what it joins.
#[derive(Debug, Default)]
pub struct Sanitizer {
    before: Option<char>,
    joiner: Option<char>,
}

impl Sanitizer {
    /// The next piece, visible.
    #[must_use]
    pub fn visible(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len() + 16);
        for c in text.chars() {
            if let Some(joiner) = self.joiner.take() {
                if joins(c) {
                    shown.push(joiner);
                } else {
                    spell_out(&mut shown, joiner);
                }
            }
            match c {
                '\n' | '\t' => shown.push(c),
                '\0'..='\x1f' => {
                    shown.push('^');
                    shown.push(char::from(c as u8 + b'@'));
                }
                '\x7f' => shown.push_str("^?"),
                ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER if self.before.is_some_and(joins) => {
                    self.joiner = Some(c);
                }
                _ if is_hidden(c) => spell_out(&mut shown, c),
                _ => shown.push(c),
            }
            self.before = Some(c);
        }
        shown
    }

    /// What was kept, when nothing follows.
    #[must_use]
    pub fn end(&mut self) -> String {
        let mut shown = String::new();
        if let Some(joiner) = self.joiner.take() {
            spell_out(&mut shown, joiner);
        }
        self.before = None;
        shown
    }
}

fn spell_out(shown: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(shown, "<U+{:04X}>", c as u32);
}

/// A letter, a mark, a digit, or an emoji: something that can be joined.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || c >= '\u{300}' && !c.is_whitespace() && !is_hidden(c)
}

/// Characters that do something, or nothing, instead of being seen.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'         // C1 controls
        | '\u{ad}'                  // soft hyphen
        | '\u{61c}'                 // Arabic letter mark
        | '\u{115f}' | '\u{1160}'   // Hangul fillers
        | '\u{180e}'                // Mongolian vowel separator
        | '\u{200b}'..='\u{200f}'   // zero width, joiners, direction marks
        | '\u{2028}'..='\u{202e}'   // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}'   // word joiner, invisible operators, isolates
        | '\u{3164}' | '\u{ffa0}'   // Hangul fillers
        | '\u{feff}'                // byte-order mark
        | '\u{fff9}'..='\u{fffb}'   // interlinear annotation
        | '\u{e0000}'..='\u{e0fff}' // tags, variation selectors supplement
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_not_copied() {
        for text in ["plain\ttext\n", ""] {
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
        }
        assert_eq!(visible("Grüße, 世界, 👍🏽"), "Grüße, 世界, 👍🏽");
    }

    #[test]
    fn escape_sequences_are_shown() {
        assert_eq!(visible("\x1b[31mred\x1b[0m"), "^[[31mred^[[0m");
        assert_eq!(visible("\x1b]52;c;aGk=\x07"), "^[]52;c;aGk=^G");
        assert_eq!(visible("\x1b]8;;http://x\x1b\\y"), "^[]8;;http://x^[\\y");
    }

    #[test]
    fn a_carriage_return_cannot_overwrite_a_line() {
        assert_eq!(visible("good\rbad"), "good^Mbad");
        assert_eq!(visible("a\x08b\x7fc\0"), "a^Hb^?c^@");
    }

    #[test]
    fn c1_controls_are_shown() {
        assert_eq!(visible("\u{9b}31m\u{85}"), "<U+009B>31m<U+0085>");
    }

    #[test]
    fn text_cannot_be_reordered() {
        assert_eq!(visible("a\u{202e}b\u{2066}c\u{200f}"), "a<U+202E>b<U+2066>c<U+200F>");
    }

    #[test]
    fn nothing_is_invisible() {
        assert_eq!(visible("pay\u{200b}pal\u{feff}\u{e0041}"), "pay<U+200B>pal<U+FEFF><U+E0041>");
    }

    #[test]
    fn a_text_in_pieces_is_the_text() {
        let text = "a\u{200d}b 👨\u{200d}👩 \u{200c}x\u{1b}[m y\u{200d}";
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut sanitizer = Sanitizer::default();
            let pieces = sanitizer.visible(&text[..cut]) + &sanitizer.visible(&text[cut..]);
            assert_eq!(pieces + &sanitizer.end(), visible(text), "{cut}");
        }
    }

    #[test]
    fn joiners_stay_inside_words_and_emoji_only() {
        for text in
            ["👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "क्\u{200d}ष", "❤\u{fe0f}\u{200d}🔥"]
        {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("a\u{200d} b"), "a<U+200D> b");
        assert_eq!(visible("\u{200c}x"), "<U+200C>x");
        assert_eq!(visible("a\u{200d}\u{200d}b"), "a<U+200D><U+200D>b");
    }
}
