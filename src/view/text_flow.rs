//! Wraps text as it arrives and renders light Markdown; code is unchanged. Only the
//! current word is held back.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::emphasis::{Delimiter, closing, opening};
use super::theme::{Theme, Tone, to_ascii};

/// A block of text that arrives in parts.
#[derive(Debug, Default)]
pub(super) struct TextFlow {
    renders_markdown: bool,
    /// Printed before every line.
    indent: String,
    /// Printed before the continuation of a wrapped line.
    hanging: String,
    column: usize,
    /// The current word, and the space before it.
    word: String,
    word_width: usize,
    space: String,
    line: LineState,
    /// The fence of the code block that the text is in.
    fence: Option<String>,
    /// Whether the text is in a list, where indented text is not code.
    is_list: bool,
    /// Words behind an opening delimiter, each with the space before it.
    held: Vec<(String, String)>,
    delimiter: Option<Delimiter>,
}

/// The kind of the current line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineState {
    /// Unknown: no word is complete.
    #[default]
    Start,
    Heading,
    Code,
    Text,
}

/// Bytes of the first word of a line that are enough to recognise its kind.
const MAX_FIRST_WORD: usize = 256;

/// Maximum number of emphasised words.
const MAX_HELD: usize = 60;

impl TextFlow {
    /// Creates a block with this indentation.
    pub(super) fn new(renders_markdown: bool, depth: usize) -> Self {
        Self { renders_markdown, indent: "  ".repeat(depth), ..Self::default() }
    }

    /// Adds text and returns what can be printed.
    pub(super) fn push(&mut self, text: &str, theme: &Theme) -> String {
        let mut shown = String::new();
        for c in text.chars() {
            match c {
                '\n' => {
                    self.end_line(&mut shown, theme);
                    shown.push('\n');
                    (self.column, self.line) = (0, LineState::Start);
                    self.hanging.clear();
                }
                // Code is printed unchanged, except for the first word of a line, which
                // may end the block.
                c if self.line == LineState::Code => shown.push(c),
                ' ' | '\t' => {
                    self.end_word(&mut shown, theme);
                    match (self.line, c) {
                        (LineState::Code, c) => shown.push(c),
                        (LineState::Text | LineState::Heading, '\t') => self.space.push_str("    "),
                        (_, c) => self.space.push(c),
                    }
                }
                c => self.character(c, &mut shown, theme),
            }
        }
        if theme.ascii_only { to_ascii(&shown) } else { shown }
    }

    /// Returns what is held back of a text that is complete so far.
    pub(super) fn flush(&mut self, theme: &Theme) -> String {
        let mut shown = String::new();
        self.end_word(&mut shown, theme);
        self.release(&mut shown, theme);
        if theme.ascii_only { to_ascii(&shown) } else { shown }
    }

    /// Returns the column behind the text that is shown, if it is known.
    pub(super) fn cursor(&self) -> Option<usize> {
        (self.line != LineState::Code).then_some(self.column)
    }

    /// Ends the text and returns the rest, with a newline.
    pub(super) fn finish(&mut self, theme: &Theme) -> String {
        let mut shown = String::new();
        self.end_line(&mut shown, theme);
        if self.column > 0 || self.line != LineState::Start {
            shown.push('\n');
        }
        *self = Self::new(self.renders_markdown, self.indent.len() / 2);
        if theme.ascii_only { to_ascii(&shown) } else { shown }
    }

    /// Adds a character to the word; prints the word if nothing can change it.
    fn character(&mut self, c: char, shown: &mut String, theme: &Theme) {
        self.word.push(c);
        let columns = c.width().unwrap_or(0);
        self.word_width += columns;
        let is_unchanged = !self.renders_markdown && theme.width.is_none();
        // A line may break between wide characters, and must inside a longer word.
        let is_wide = columns > 1;
        let fills_line = theme.width.is_some_and(|most| self.word_width >= most);
        let in_text = self.line == LineState::Text;
        let is_start = self.line == LineState::Start && self.fence.is_none();
        let is_long = is_start && self.word.len() >= MAX_FIRST_WORD;
        if is_long || in_text && (is_unchanged || fills_line) || (in_text || is_start) && is_wide {
            self.end_word(shown, theme);
        }
    }

    fn end_line(&mut self, shown: &mut String, theme: &Theme) {
        self.end_word(shown, theme);
        self.release(shown, theme);
        self.space.clear();
    }

    /// Ends the word.
    fn end_word(&mut self, shown: &mut String, theme: &Theme) {
        if self.word.is_empty() {
            return;
        }
        self.word_width = 0;
        let word = std::mem::take(&mut self.word);
        let space = std::mem::take(&mut self.space);
        if self.line == LineState::Start {
            return self.first_word(&word, &space, shown, theme);
        }
        self.emphasised(&word, &space, shown, theme);
    }

    /// Prints the first word of a line, which determines the kind of the line.
    fn first_word(&mut self, word: &str, space: &str, shown: &mut String, theme: &Theme) {
        let fence = ["```", "~~~"].into_iter().find(|fence| word.starts_with(fence));
        let is_indented = (space.contains('\t') || space.len() >= 4) && !self.is_list;
        match (&self.fence, fence) {
            (Some(open), Some(fence)) if open == fence => self.fence = None,
            (None, Some(fence)) => self.fence = Some(fence.to_owned()),
            (Some(_), _) => {}
            // Tables are printed unchanged, too.
            (None, None) if is_indented || word.starts_with('|') => {}
            (None, None) => return self.first_word_of_text(word, space, shown, theme),
        }
        self.line = LineState::Code;
        self.column = 1;
        shown.push_str(&self.indent);
        shown.push_str(space);
        let tone = if fence.is_some() { Tone::Dim } else { Tone::Plain };
        shown.push_str(&theme.paint(word, tone));
    }

    fn first_word_of_text(&mut self, word: &str, space: &str, shown: &mut String, theme: &Theme) {
        shown.push_str(&self.indent);
        shown.push_str(space);
        self.column = self.indent.len() + space.width();
        self.line = LineState::Text;
        let is_number = word.strip_suffix(['.', ')']).is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        let is_heading = word.len() <= 6 && word.bytes().all(|byte| byte == b'#');
        self.hanging = " ".repeat(space.width());
        let is_quote = word.bytes().all(|byte| byte == b'>');
        let is_item = matches!(word, "-" | "*" | "+") || is_number;
        self.is_list = is_item || self.is_list && !space.is_empty();
        if is_item {
            self.hanging += &" ".repeat(word.width() + 1);
            let bullet =
                if self.renders_markdown && !is_number && !theme.ascii_only { "•" } else { word };
            let tone = if self.renders_markdown { Tone::Accent } else { Tone::Plain };
            shown.push_str(&theme.paint(bullet, tone));
            self.column += word.width();
        } else if is_quote {
            self.hanging.extend([word, " "]);
            let tone = if self.renders_markdown { Tone::Dim } else { Tone::Plain };
            shown.push_str(&theme.paint(word, tone));
            self.column += word.width();
        } else if self.renders_markdown && is_heading {
            // The signs are omitted.
            self.line = LineState::Heading;
        } else {
            self.emphasised(word, "", shown, theme);
        }
    }

    /// Prints a word, or holds it back until the closing delimiter comes.
    fn emphasised(&mut self, word: &str, space: &str, shown: &mut String, theme: &Theme) {
        if !self.renders_markdown {
            return self.place(&[(word.to_owned(), Tone::Plain)], space, shown, theme);
        }
        if let Some(delimiter) = self.delimiter {
            self.held.push((space.to_owned(), word.to_owned()));
            if closing(word, delimiter.0, 0).is_some() {
                return self.emphasise(delimiter, shown, theme);
            }
            if self.held.len() > MAX_HELD {
                self.release(shown, theme);
            }
            return;
        }
        match opening(word) {
            Some((at, delimiter)) => {
                let inside = at + delimiter.0.len();
                if let Some(end) = closing(word, delimiter.0, inside) {
                    let spans = [
                        (word[..at].to_owned(), Tone::Plain),
                        (word[inside..end].to_owned(), delimiter.1),
                        (word[end + delimiter.0.len()..].to_owned(), Tone::Plain),
                    ];
                    return self.place(&spans, space, shown, theme);
                }
                self.delimiter = Some(delimiter);
                self.held.push((space.to_owned(), word.to_owned()));
            }
            None => self.place(&[(word.to_owned(), Tone::Plain)], space, shown, theme),
        }
    }

    /// Prints the held words with emphasis and without their delimiters.
    fn emphasise(&mut self, (sign, tone): Delimiter, shown: &mut String, theme: &Theme) {
        self.delimiter = None;
        let held = std::mem::take(&mut self.held);
        let last = held.len() - 1;
        for (at, (space, word)) in held.iter().enumerate() {
            let start = if at == 0 { word.find(sign).unwrap_or(0) } else { 0 };
            let inside = if at == 0 { start + sign.len() } else { 0 };
            let end = if at == last { closing(word, sign, inside) } else { None };
            let spans = [
                (word[..start].to_owned(), Tone::Plain),
                (word[inside..end.unwrap_or(word.len())].to_owned(), tone),
                (end.map_or(String::new(), |end| word[end + sign.len()..].to_owned()), Tone::Plain),
            ];
            self.place(&spans, space, shown, theme);
        }
    }

    /// Prints the held words unchanged, since no closing delimiter came.
    fn release(&mut self, shown: &mut String, theme: &Theme) {
        self.delimiter = None;
        for (space, word) in std::mem::take(&mut self.held) {
            self.place(&[(word, Tone::Plain)], &space, shown, theme);
        }
    }

    /// Prints a word on the current line or on the next one.
    fn place(&mut self, spans: &[(String, Tone)], space: &str, shown: &mut String, theme: &Theme) {
        let width = spans.iter().map(|(text, _)| text.width()).sum::<usize>();
        let is_heading = self.line == LineState::Heading;
        let space = if is_heading && self.column == self.indent.len() { "" } else { space };
        let end = self.column + space.width() + width;
        let start = self.indent.len() + self.hanging.width();
        if theme.width.is_some_and(|limit| end > limit) && self.column > start {
            shown.push('\n');
            shown.push_str(&self.indent);
            shown.push_str(&self.hanging);
            self.column = start;
        } else {
            shown.push_str(space);
            self.column += space.width();
        }
        for (text, tone) in spans {
            let tone = if is_heading && *tone == Tone::Plain { Tone::Bold } else { *tone };
            shown.push_str(&theme.paint(text, tone));
        }
        self.column += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Style;

    fn theme(is_terminal: bool, width: Option<usize>) -> Theme {
        Theme { is_terminal, ascii_only: false, width, style: Style::default() }
    }

    fn shown(text: &str, width: usize, markdown: bool) -> String {
        let theme = self::theme(true, Some(width));
        let whole = {
            let mut flow = TextFlow::new(markdown, 0);
            flow.push(text, &theme) + &flow.finish(&theme)
        };
        // The result does not depend on how the text is split.
        let mut flow = TextFlow::new(markdown, 0);
        let mut parts: String = text.chars().map(|c| flow.push(&c.to_string(), &theme)).collect();
        parts += &flow.finish(&theme);
        assert_eq!(parts, whole);
        whole
    }

    #[test]
    fn text_wraps_between_words() {
        assert_eq!(shown("one two three four", 9, false), "one two\nthree\nfour\n");
        assert_eq!(shown("averyveryverylongword x", 5, false), "averyveryverylongword\nx\n");
        assert_eq!(shown("日本語 日本語", 8, false), "日本語\n日本語\n");
    }

    #[test]
    fn lists_hang_and_code_is_unchanged() {
        assert_eq!(shown("- one two three", 9, true), "• one two\n  three\n");
        assert_eq!(shown("1. one two three", 9, false), "1. one\n   two\n   three\n");
        let code = "```rust\nfn  main() { let x = 1; }\n```\nafter it all";
        assert_eq!(
            shown(code, 8, true),
            "```rust\nfn  main() { let x = 1; }\n```\nafter it\nall\n"
        );
    }

    #[test]
    fn wrapped_quote_keeps_its_sign() {
        assert_eq!(shown("> one two three", 9, true), "> one two\n> three\n");
        assert_eq!(
            shown("> one two three\nfour five", 9, false),
            "> one two\n> three\nfour five\n"
        );
        assert_eq!(shown(">> one two", 7, true), ">> one\n>> two\n");
    }

    #[test]
    fn delimiters_are_removed() {
        let text = "## A heading\nand **bold** `code x` 2*3 *soft words*, __b__";
        assert_eq!(shown(text, 80, true), "A heading\nand bold code x 2*3 soft words, b\n");
        assert_eq!(shown("## A heading **x**", 80, false), "## A heading **x**\n");
    }

    #[test]
    fn other_signs_are_kept() {
        for text in [
            "def f(*args, **kwargs): match src/**/*.rs, 2**8",
            "a ** b and a * b * c",
            "snake_case_name and _private",
            "one ` stray tick",
            "5 * 4 = 20 *not closed",
        ] {
            assert_eq!(shown(text, 80, true), format!("{text}\n"));
        }
    }

    #[test]
    fn indented_code_and_tables_are_unchanged() {
        let text = "    let x = some + very + long + code;\n| a | b | c | d |\n";
        assert_eq!(shown(text, 12, true), text);
        assert_eq!(
            shown("- item\n    more of the item", 12, true),
            "• item\n    more of\n    the item\n"
        );
    }

    #[test]
    fn text_without_spaces_is_not_held_back() {
        let theme = self::theme(true, Some(60));
        let mut flow = TextFlow::new(true, 0);
        flow.push("これ", &theme);
        assert_eq!(flow.push("は日本", &theme), "は日本");
        let log = self::theme(false, None);
        let mut flow = TextFlow::new(false, 0);
        flow.push("Hello wo", &log);
        assert_eq!(flow.push("rld", &log), "rld");
    }
}
