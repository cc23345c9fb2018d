//! Text as it arrives: wrapped between words, with light Markdown, and code
//! left alone. Nothing waits but the word that is being written.

use unicode_width::UnicodeWidthStr;

use super::look::{Look, Paint, to_ascii};

/// A block of text on its way to the page.
#[derive(Debug, Default)]
pub(super) struct Flow {
    markdown: bool,
    /// Stands before every line.
    indent: String,
    /// Stands before the lines that follow a wrapped one.
    hanging: usize,
    column: usize,
    /// The word that is being written, and the space before it.
    word: String,
    space: String,
    line: LineState,
    /// Inside a block of code.
    fence: Option<String>,
    bold: bool,
    code: bool,
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
                    self.end_word(&mut shown, look);
                    shown.push('\n');
                    (self.column, self.hanging, self.line) = (0, 0, LineState::Start);
                    self.space.clear();
                }
                // Code is shown as it is, but for the first word of a line,
                // which may end it.
                c if self.line == LineState::Code => shown.push(c),
                ' ' | '\t' => {
                    self.end_word(&mut shown, look);
                    if self.line == LineState::Code {
                        shown.push(c);
                    } else {
                        self.space.push(c);
                    }
                }
                c => self.word.push(c),
            }
        }
        if look.ascii { to_ascii(&shown) } else { shown }
    }

    /// The end of the text: the rest of it, and the end of its last line.
    pub(super) fn end(&mut self, look: &Look) -> String {
        let mut shown = String::new();
        self.end_word(&mut shown, look);
        if self.column > 0 || self.line != LineState::Start {
            shown.push('\n');
        }
        *self = Self::new(self.markdown, self.indent.len() / 2);
        if look.ascii { to_ascii(&shown) } else { shown }
    }

    /// The word is complete.
    fn end_word(&mut self, shown: &mut String, look: &Look) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let space = std::mem::take(&mut self.space);
        if self.line == LineState::Start {
            return self.first_word(&word, &space, shown, look);
        }
        self.place(&word, &space, shown, look);
    }

    /// The first word tells what kind of a line it is.
    fn first_word(&mut self, word: &str, space: &str, shown: &mut String, look: &Look) {
        let fence = ["```", "~~~"].into_iter().find(|fence| word.starts_with(fence));
        match (&self.fence, fence) {
            (Some(open), Some(fence)) if open == fence => self.fence = None,
            (None, Some(fence)) => self.fence = Some(fence.to_owned()),
            (Some(_), _) => {}
            (None, None) => return self.first_word_of_text(word, space, shown, look),
        }
        self.line = LineState::Code;
        self.column = 1;
        shown.push_str(&self.indent);
        shown.push_str(space);
        let is_fence = fence.is_some();
        shown.push_str(&look.paint(word, if is_fence { Paint::Dim } else { Paint::Plain }));
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
        self.hanging = space.width();
        if matches!(word, "-" | "*" | "+") || is_number {
            self.hanging += word.width() + 1;
            let bullet = if self.markdown && !is_number && !look.ascii { "•" } else { word };
            let paint = if self.markdown { Paint::Accent } else { Paint::Plain };
            shown.push_str(&look.paint(bullet, paint));
            self.column += word.width();
        } else if self.markdown && is_heading {
            // The words say it; the signs need not.
            self.line = LineState::Heading;
        } else {
            self.place(word, "", shown, look);
        }
    }

    /// Puts a word on the line, or on the next.
    fn place(&mut self, word: &str, space: &str, shown: &mut String, look: &Look) {
        let marked = self.marked(word, look);
        let width = marked.iter().map(|(text, _)| text.width()).sum::<usize>();
        let heading_begins = self.line == LineState::Heading && self.column == self.indent.len();
        let space = if heading_begins { "" } else { space };
        let behind = self.column + space.width() + width;
        if look.width.is_some_and(|most| behind > most)
            && self.column > self.indent.len() + self.hanging
        {
            shown.push('\n');
            shown.push_str(&self.indent);
            shown.push_str(&" ".repeat(self.hanging));
            self.column = self.indent.len() + self.hanging;
        } else {
            shown.push_str(space);
            self.column += space.width();
        }
        for (text, paint) in marked {
            shown.push_str(&look.paint(&text, paint));
        }
        self.column += width;
    }

    /// The word without its Markdown, in pieces.
    fn marked(&mut self, word: &str, look: &Look) -> Vec<(String, Paint)> {
        if !self.markdown {
            return vec![(word.to_owned(), Paint::Plain)];
        }
        let _ = look;
        let mut pieces: Vec<(String, Paint)> = Vec::new();
        let mut rest = word;
        while !rest.is_empty() {
            let paint = match self.line {
                LineState::Heading => Paint::Bold,
                _ if self.code => Paint::Accent,
                _ if self.bold => Paint::Bold,
                _ => Paint::Plain,
            };
            let mark = if self.code { rest.find('`') } else { rest.find(['`', '*']) };
            let Some(at) = mark else {
                pieces.push((rest.to_owned(), paint));
                break;
            };
            if at > 0 {
                pieces.push((rest[..at].to_owned(), paint));
            }
            rest = &rest[at..];
            if let Some(behind) = rest.strip_prefix('`') {
                self.code = !self.code;
                rest = behind;
            } else if let Some(behind) = rest.strip_prefix("**") {
                self.bold = !self.bold;
                rest = behind;
            } else {
                // A lone star may be a product, or emphasis: it stays.
                pieces.push(("*".to_owned(), paint));
                rest = &rest[1..];
            }
        }
        pieces
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
    fn marks_go_and_words_stay() {
        assert_eq!(
            shown("## A heading\nand **bold** `code x` 2*3", 80, true),
            "A heading\nand bold code x 2*3\n"
        );
        assert_eq!(shown("## A heading **x**", 80, false), "## A heading **x**\n");
    }
}
