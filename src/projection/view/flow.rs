//! Text as it arrives: wrapped between words, with light Markdown, and code
//! left alone. Nothing waits but the word that is being written.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::look::{Look, Paint, to_ascii};
use super::marks::{Mark, closing, opening};

/// A block of text on its way to the page.
#[derive(Debug, Default)]
pub(super) struct Flow {
    markdown: bool,
    /// Stands before every line.
    indent: String,
    /// Stands before the lines that follow a wrapped one.
    hanging: String,
    column: usize,
    /// The word that is being written, and the space before it.
    word: String,
    word_width: usize,
    space: String,
    line: LineState,
    /// Inside a block of code.
    fence: Option<String>,
    /// In a list, what is indented is no code.
    list: bool,
    /// Words behind a mark whose partner has not come.
    held: Vec<(String, String)>,
    mark: Option<Mark>,
}

/// What is known of the line being written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineState {
    /// Nothing has been written of it.
    #[default]
    Start,
    Heading,
    Code,
    Text,
}

/// Longer than this nothing is emphasised.
const MOST_HELD: usize = 60;

impl Flow {
    /// Text with so much space before every line.
    pub(super) fn new(markdown: bool, depth: usize) -> Self {
        Self { markdown, indent: "  ".repeat(depth), ..Self::default() }
    }

    /// More text: what of it can be shown.
    pub(super) fn push(&mut self, text: &str, look: &Look) -> String {
        let mut shown = String::new();
        for c in text.chars() {
            match c {
                '\n' => {
                    self.end_line(&mut shown, look);
                    shown.push('\n');
                    (self.column, self.line) = (0, LineState::Start);
                    self.hanging.clear();
                }
                // Code is shown as it is, but for the first word of a line,
                // which may end it.
                c if self.line == LineState::Code => shown.push(c),
                ' ' | '\t' => {
                    self.end_word(&mut shown, look);
                    match (self.line, c) {
                        (LineState::Code, c) => shown.push(c),
                        (LineState::Text | LineState::Heading, '\t') => self.space.push_str("    "),
                        (_, c) => self.space.push(c),
                    }
                }
                c => self.letter(c, &mut shown, look),
            }
        }
        if look.ascii { to_ascii(&shown) } else { shown }
    }

    /// The end of the text: the rest of it, and the end of its last line.
    pub(super) fn end(&mut self, look: &Look) -> String {
        let mut shown = String::new();
        self.end_line(&mut shown, look);
        if self.column > 0 || self.line != LineState::Start {
            shown.push('\n');
        }
        *self = Self::new(self.markdown, self.indent.len() / 2);
        if look.ascii { to_ascii(&shown) } else { shown }
    }

    /// A letter waits for its word, unless there is nothing to wait for.
    fn letter(&mut self, c: char, shown: &mut String, look: &Look) {
        self.word.push(c);
        let columns = c.width().unwrap_or(0);
        self.word_width += columns;
        let nothing_to_wait_for = !self.markdown && look.width.is_none();
        // Between wide letters a line may end; what is wider than it must.
        let wide = columns > 1;
        let fills_line = look.width.is_some_and(|most| self.word_width >= most);
        let in_text = self.line == LineState::Text;
        let begins = self.line == LineState::Start && self.fence.is_none();
        if in_text && (nothing_to_wait_for || fills_line) || (in_text || begins) && wide {
            self.end_word(shown, look);
        }
    }

    fn end_line(&mut self, shown: &mut String, look: &Look) {
        self.end_word(shown, look);
        self.release(shown, look);
        self.space.clear();
    }

    /// The word is complete.
    fn end_word(&mut self, shown: &mut String, look: &Look) {
        if self.word.is_empty() {
            return;
        }
        self.word_width = 0;
        let word = std::mem::take(&mut self.word);
        let space = std::mem::take(&mut self.space);
        if self.line == LineState::Start {
            return self.first_word(&word, &space, shown, look);
        }
        self.marked(&word, &space, shown, look);
    }

    /// The first word tells what kind of a line it is.
    fn first_word(&mut self, word: &str, space: &str, shown: &mut String, look: &Look) {
        let fence = ["```", "~~~"].into_iter().find(|fence| word.starts_with(fence));
        let indented = (space.contains('\t') || space.len() >= 4) && !self.list;
        match (&self.fence, fence) {
            (Some(open), Some(fence)) if open == fence => self.fence = None,
            (None, Some(fence)) => self.fence = Some(fence.to_owned()),
            (Some(_), _) => {}
            // Tables, too, are laid out by hand.
            (None, None) if indented || word.starts_with('|') => {}
            (None, None) => return self.first_word_of_text(word, space, shown, look),
        }
        self.line = LineState::Code;
        self.column = 1;
        shown.push_str(&self.indent);
        shown.push_str(space);
        let paint = if fence.is_some() { Paint::Dim } else { Paint::Plain };
        shown.push_str(&look.paint(word, paint));
    }

    fn first_word_of_text(&mut self, word: &str, space: &str, shown: &mut String, look: &Look) {
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
        self.list = is_item || self.list && !space.is_empty();
        if is_item {
            self.hanging += &" ".repeat(word.width() + 1);
            let bullet = if self.markdown && !is_number && !look.ascii { "•" } else { word };
            let paint = if self.markdown { Paint::Accent } else { Paint::Plain };
            shown.push_str(&look.paint(bullet, paint));
            self.column += word.width();
        } else if is_quote {
            self.hanging.extend([word, " "]);
            let paint = if self.markdown { Paint::Dim } else { Paint::Plain };
            shown.push_str(&look.paint(word, paint));
            self.column += word.width();
        } else if self.markdown && is_heading {
            // The words say it; the signs need not.
            self.line = LineState::Heading;
        } else {
            self.marked(word, "", shown, look);
        }
    }

    /// Looks for marks; what stands between two of them waits for the second.
    fn marked(&mut self, word: &str, space: &str, shown: &mut String, look: &Look) {
        if !self.markdown {
            return self.place(&[(word.to_owned(), Paint::Plain)], space, shown, look);
        }
        if let Some(mark) = self.mark {
            self.held.push((space.to_owned(), word.to_owned()));
            if closing(word, mark.0, 0).is_some() {
                return self.emphasise(mark, shown, look);
            }
            if self.held.len() > MOST_HELD {
                self.release(shown, look);
            }
            return;
        }
        match opening(word) {
            Some((at, mark)) => {
                let behind = at + mark.0.len();
                if let Some(end) = closing(word, mark.0, behind) {
                    let pieces = [
                        (word[..at].to_owned(), Paint::Plain),
                        (word[behind..end].to_owned(), mark.1),
                        (word[end + mark.0.len()..].to_owned(), Paint::Plain),
                    ];
                    return self.place(&pieces, space, shown, look);
                }
                self.mark = Some(mark);
                self.held.push((space.to_owned(), word.to_owned()));
            }
            None => self.place(&[(word.to_owned(), Paint::Plain)], space, shown, look),
        }
    }

    /// Both marks are there: what is between them is shown without them.
    fn emphasise(&mut self, (sign, paint): Mark, shown: &mut String, look: &Look) {
        self.mark = None;
        let held = std::mem::take(&mut self.held);
        let last = held.len() - 1;
        for (at, (space, word)) in held.iter().enumerate() {
            let start = if at == 0 { word.find(sign).unwrap_or(0) } else { 0 };
            let inside = if at == 0 { start + sign.len() } else { 0 };
            let end = if at == last { closing(word, sign, inside) } else { None };
            let pieces = [
                (word[..start].to_owned(), Paint::Plain),
                (word[inside..end.unwrap_or(word.len())].to_owned(), paint),
                (
                    end.map_or(String::new(), |end| word[end + sign.len()..].to_owned()),
                    Paint::Plain,
                ),
            ];
            self.place(&pieces, space, shown, look);
        }
    }

    /// The second mark has not come: the first was none.
    fn release(&mut self, shown: &mut String, look: &Look) {
        self.mark = None;
        for (space, word) in std::mem::take(&mut self.held) {
            self.place(&[(word, Paint::Plain)], &space, shown, look);
        }
    }

    /// Puts a word on the line, or on the next.
    fn place(&mut self, pieces: &[(String, Paint)], space: &str, shown: &mut String, look: &Look) {
        let width = pieces.iter().map(|(text, _)| text.width()).sum::<usize>();
        let heading = self.line == LineState::Heading;
        let space = if heading && self.column == self.indent.len() { "" } else { space };
        let behind = self.column + space.width() + width;
        let start = self.indent.len() + self.hanging.width();
        if look.width.is_some_and(|most| behind > most) && self.column > start {
            shown.push('\n');
            shown.push_str(&self.indent);
            shown.push_str(&self.hanging);
            self.column = start;
        } else {
            shown.push_str(space);
            self.column += space.width();
        }
        for (text, paint) in pieces {
            let paint = if heading && *paint == Paint::Plain { Paint::Bold } else { *paint };
            shown.push_str(&look.paint(text, paint));
        }
        self.column += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Style;

    fn shown(text: &str, width: usize, markdown: bool) -> String {
        let look = Look { pretty: true, ascii: false, width: Some(width), style: Style::default() };
        let whole = {
            let mut flow = Flow::new(markdown, 0);
            flow.push(text, &look) + &flow.end(&look)
        };
        // However it arrives, it looks the same.
        let mut flow = Flow::new(markdown, 0);
        let mut pieces: String = text.chars().map(|c| flow.push(&c.to_string(), &look)).collect();
        pieces += &flow.end(&look);
        assert_eq!(pieces, whole);
        whole
    }

    #[test]
    fn text_wraps_between_words() {
        assert_eq!(shown("one two three four", 9, false), "one two\nthree\nfour\n");
        assert_eq!(shown("averyveryverylongword x", 5, false), "averyveryverylongword\nx\n");
        assert_eq!(shown("日本語 日本語", 8, false), "日本語\n日本語\n");
    }

    #[test]
    fn lists_hang_and_code_is_left_alone() {
        assert_eq!(shown("- one two three", 9, true), "• one two\n  three\n");
        assert_eq!(shown("1. one two three", 9, false), "1. one\n   two\n   three\n");
        let code = "```rust\nfn  main() { let x = 1; }\n```\nafter it all";
        assert_eq!(
            shown(code, 8, true),
            "```rust\nfn  main() { let x = 1; }\n```\nafter it\nall\n"
        );
    }

    #[test]
    fn a_quote_that_wraps_stays_one() {
        assert_eq!(shown("> one two three", 9, true), "> one two\n> three\n");
        assert_eq!(
            shown("> one two three\nfour five", 9, false),
            "> one two\n> three\nfour five\n"
        );
        assert_eq!(shown(">> one two", 7, true), ">> one\n>> two\n");
    }

    #[test]
    fn marks_go_and_words_stay() {
        let text = "## A heading\nand **bold** `code x` 2*3 *soft words*, __b__";
        assert_eq!(shown(text, 80, true), "A heading\nand bold code x 2*3 soft words, b\n");
        assert_eq!(shown("## A heading **x**", 80, false), "## A heading **x**\n");
    }

    #[test]
    fn what_is_no_mark_stays() {
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
    fn indented_code_and_tables_are_left_alone() {
        let text = "    let x = some + very + long + code;\n| a | b | c | d |\n";
        assert_eq!(shown(text, 12, true), text);
        assert_eq!(
            shown("- item\n    more of the item", 12, true),
            "• item\n    more of\n    the item\n"
        );
    }

    #[test]
    fn what_has_no_spaces_does_not_wait() {
        let look = Look { pretty: true, ascii: false, width: Some(60), style: Style::default() };
        let mut flow = Flow::new(true, 0);
        flow.push("これ", &look);
        assert_eq!(flow.push("は日本", &look), "は日本");
        let log = Look { pretty: false, ascii: false, width: None, style: Style::default() };
        let mut flow = Flow::new(false, 0);
        flow.push("Hello wo", &log);
        assert_eq!(flow.push("rld", &log), "rld");
    }
}
