//! Makes control characters visible.
//!
//! Text of an agent must not move the cursor, change colours, write to the
//! clipboard or reorder other text. The sink decides where it applies: on a
//! terminal, never in a pipe.

use std::borrow::Cow;
use std::fmt::Write;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Selects the style of the symbol before it.
const TEXT_STYLE: char = '\u{fe0e}';
const EMOJI_STYLE: char = '\u{fe0f}';

/// Replaces control, bidirectional and invisible characters by visible ones. `\n`
/// and `\t` are kept, and so are joiners inside words and emoji.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    // Nearly every text is printable ASCII with newlines and tabs.
    let plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut sanitizer = Sanitizer::default();
    let mut sanitized = sanitizer.push(text);
    sanitized += &sanitizer.finish();
    Cow::Owned(sanitized)
}

/// Joins the lines of a text with spaces.
pub(crate) fn single_line(text: &str) -> Cow<'_, str> {
    let is_break = |c: char| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(is_break) {
        return Cow::Borrowed(text);
    }
    let lines = text.split(is_break).map(str::trim).filter(|line| !line.is_empty());
    Cow::Owned(lines.collect::<Vec<_>>().join(" "))
}

/// Sanitises text that arrives in parts. A joiner at the end of a part is held back
/// until the next character shows what it joins.
#[derive(Debug, Default)]
pub(crate) struct Sanitizer {
    before: Option<char>,
    joiner: Option<char>,
}

impl Sanitizer {
    /// Sanitises the next part.
    pub fn push(&mut self, text: &str) -> String {
        let mut sanitized = String::with_capacity(text.len() + 16);
        for c in text.chars() {
            if let Some(joiner) = self.joiner.take() {
                if joins(c) {
                    sanitized.push(joiner);
                } else {
                    spell_out(&mut sanitized, joiner);
                }
            }
            match c {
                '\n' | '\t' => sanitized.push(c),
                '\0'..='\x1f' => {
                    sanitized.push('^');
                    sanitized.push(char::from(c as u8 + b'@'));
                }
                '\x7f' => sanitized.push_str("^?"),
                ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER if self.before.is_some_and(joins) => {
                    self.joiner = Some(c);
                }
                TEXT_STYLE | EMOJI_STYLE if self.before.is_some_and(has_styles) => {
                    sanitized.push(c);
                }
                _ if is_hidden(c) => spell_out(&mut sanitized, c),
                _ => sanitized.push(c),
            }
            self.before = Some(c);
        }
        sanitized
    }

    /// Returns what was held back, at the end of the text.
    pub fn finish(&mut self) -> String {
        let mut sanitized = String::new();
        if let Some(joiner) = self.joiner.take() {
            spell_out(&mut sanitized, joiner);
        }
        self.before = None;
        sanitized
    }
}

fn spell_out(sanitized: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(sanitized, "<U+{:04X}>", c as u32);
}

/// Returns whether a character can be joined: a letter, a mark, a digit or an emoji.
fn joins(c: char) -> bool {
    let is_style = matches!(c, TEXT_STYLE | EMOJI_STYLE);
    c.is_alphanumeric() || is_style || c >= '\u{300}' && !c.is_whitespace() && !is_hidden(c)
}

/// Returns whether a character is a symbol with a text and an emoji style.
fn has_styles(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '©' | '®' | '\u{203c}'..='\u{3299}' | '\u{1f000}'..='\u{1faff}')
        && !is_hidden(c)
}

/// Returns whether a character has an effect instead of a visible form.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'           // C1 controls
        | '\u{ad}'                    // soft hyphen
        | '\u{34f}'                   // combining grapheme joiner
        | '\u{61c}'                   // Arabic letter mark
        | '\u{115f}' | '\u{1160}'     // Hangul fillers
        | '\u{17b4}' | '\u{17b5}'     // Khmer inherent vowels
        | '\u{180b}'..='\u{180f}'     // Mongolian separators and selectors
        | '\u{200b}'..='\u{200f}'     // zero width, joiners, direction marks
        | '\u{2028}'..='\u{202e}'     // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}'     // word joiner, invisible operators, isolates
        | '\u{2800}'                  // blank Braille pattern
        | '\u{3164}' | '\u{ffa0}'     // Hangul fillers
        | '\u{fe00}'..='\u{fe0f}'     // variation selectors
        | '\u{feff}'                  // byte-order mark
        | '\u{fff0}'..='\u{fffb}'     // unassigned, interlinear annotation
        | '\u{13430}'..='\u{13455}'   // Egyptian format controls
        | '\u{16fe4}'                 // Khitan filler
        | '\u{1bca0}'..='\u{1bca3}'   // shorthand format controls
        | '\u{1d159}'                 // null notehead
        | '\u{1d173}'..='\u{1d17a}'   // musical format controls
        | '\u{e0000}'..='\u{e0fff}'   // tags, variation selectors supplement
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_borrowed() {
        for text in ["plain\ttext\n", ""] {
            assert!(matches!(sanitize(text), Cow::Borrowed(_)), "{text:?}");
        }
        assert_eq!(sanitize("Grüße, 世界, 👍🏽"), "Grüße, 世界, 👍🏽");
    }

    #[test]
    fn escape_sequences_are_printed() {
        assert_eq!(sanitize("\x1b[31mred\x1b[0m"), "^[[31mred^[[0m");
        assert_eq!(sanitize("\x1b]52;c;aGk=\x07"), "^[]52;c;aGk=^G");
        assert_eq!(sanitize("\x1b]8;;http://x\x1b\\y"), "^[]8;;http://x^[\\y");
    }

    #[test]
    fn carriage_return_cannot_overwrite_a_line() {
        assert_eq!(sanitize("good\rbad"), "good^Mbad");
        assert_eq!(sanitize("a\x08b\x7fc\0"), "a^Hb^?c^@");
    }

    #[test]
    fn c1_controls_are_printed() {
        assert_eq!(sanitize("\u{9b}31m\u{85}"), "<U+009B>31m<U+0085>");
    }

    #[test]
    fn text_cannot_be_reordered() {
        assert_eq!(sanitize("a\u{202e}b\u{2066}c\u{200f}"), "a<U+202E>b<U+2066>c<U+200F>");
    }

    #[test]
    fn hidden_characters_are_printed() {
        assert_eq!(sanitize("pay\u{200b}pal\u{feff}\u{e0041}"), "pay<U+200B>pal<U+FEFF><U+E0041>");
    }

    #[test]
    fn invisible_characters_of_every_block_are_printed() {
        for c in [
            '\u{34f}',
            '\u{17b4}',
            '\u{180b}',
            '\u{2800}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{fff0}',
            '\u{13430}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{e0100}',
        ] {
            assert_eq!(sanitize(&format!("a{c}b")), format!("a<U+{:04X}>b", c as u32));
        }
        for text in ["❤\u{fe0f}", "1\u{fe0f}\u{20e3}", "✔\u{fe0e}", "🌶\u{fe0f}"] {
            assert_eq!(sanitize(text), text);
        }
    }

    #[test]
    fn lines_are_joined_with_spaces() {
        assert!(matches!(single_line("one\tline"), Cow::Borrowed("one\tline")));
        assert_eq!(single_line("a\r\n  ::error::b\u{2028}c\n"), "a ::error::b c");
    }

    #[test]
    fn text_in_parts_gives_the_same_result() {
        let text = "a\u{200d}b 👨\u{200d}👩 \u{200c}x\u{1b}[m y\u{200d}";
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut sanitizer = Sanitizer::default();
            let parts = sanitizer.push(&text[..cut]) + &sanitizer.push(&text[cut..]);
            assert_eq!(parts + &sanitizer.finish(), sanitize(text), "{cut}");
        }
    }

    #[test]
    fn joiners_are_kept_inside_words_and_emoji_only() {
        for text in
            ["👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم", "क्\u{200d}ष", "❤\u{fe0f}\u{200d}🔥"]
        {
            assert_eq!(sanitize(text), text);
        }
        assert_eq!(sanitize("a\u{200d} b"), "a<U+200D> b");
        assert_eq!(sanitize("\u{200c}x"), "<U+200C>x");
        assert_eq!(sanitize("a\u{200d}\u{200d}b"), "a<U+200D><U+200D>b");
    }
}
