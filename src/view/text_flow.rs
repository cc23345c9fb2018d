//! Wraps text as it arrives and renders Markdown. Words are shown when they are complete,
//! lines of code with colours too, and tables when they end.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::inline::{CheckBox, Hold};
use super::table;
use super::theme::{Theme, Tone, shown_width, to_ascii};
use crate::highlight::Highlighter;

/// A block of text that arrives in parts.
#[derive(Debug, Default)]
pub(super) struct TextFlow {
    pub(super) renders_markdown: bool,
    /// Whether it is a cell of a table. Markers take more columns than its text.
    is_inline: bool,
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
    /// Whether a check box may come next.
    pub(super) check_box: CheckBox,
    /// Words that are held back, each with the space before it.
    pub(super) held: Vec<(String, String)>,
    pub(super) hold: Option<Hold>,
    /// The highlighter of the code block, and the current line of it.
    highlighter: Option<Highlighter>,
    code: String,
    /// The lines of a table, which is shown when it ends.
    table: String,
}

/// The kind of the current line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineState {
    /// Unknown: no word is complete.
    #[default]
    Start,
    Heading,
    Code,
    /// A row of a table.
    Table,
    Text,
}

/// A longer line of code is shown in parts, and a longer table unchanged.
const MAX_CODE: usize = 4 << 10;
const MAX_TABLE: usize = 64 << 10;

/// Bytes of the first word of a line that are enough to recognise its kind.
const MAX_FIRST_WORD: usize = 256;

impl TextFlow {
    /// Creates a block with this indentation.
    pub(super) fn new(renders_markdown: bool, depth: usize) -> Self {
        Self { renders_markdown, indent: "  ".repeat(depth), ..Self::default() }
    }

    /// Creates the text of a cell of a table: one line without blocks.
    pub(super) fn inline() -> Self {
        let line = LineState::Text;
        Self { renders_markdown: true, is_inline: true, line, ..Self::default() }
    }

    /// Adds text and returns what can be printed.
    pub(super) fn push(&mut self, text: &str, theme: &Theme) -> String {
        let mut shown = String::new();
        for c in text.chars() {
            match c {
                '\n' => {
                    self.end_line(&mut shown, theme);
                    match self.line {
                        LineState::Table => self.table.push('\n'),
                        _ => shown.push('\n'),
                    }
                    (self.column, self.line) = (0, LineState::Start);
                    self.hanging.clear();
                }
                c if self.line == LineState::Code => self.code_character(c, &mut shown, theme),
                c if self.line == LineState::Table => self.table_character(c, &mut shown, theme),
                ' ' | '\t' => {
                    self.end_word(false, &mut shown, theme);
                    match (self.line, c) {
                        (LineState::Code, c) => self.code_character(c, &mut shown, theme),
                        (LineState::Table, c) => self.table_character(c, &mut shown, theme),
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
        self.end_word(true, &mut shown, theme);
        self.release(&mut shown, theme);
        self.end_code(&mut shown, theme);
        self.end_table(&mut shown, theme);
        if theme.ascii_only { to_ascii(&shown) } else { shown }
    }

    /// Returns the column behind the text that is shown, if it is known.
    pub(super) fn cursor(&self) -> Option<usize> {
        let is_code = self.line == LineState::Code && self.highlighter.is_none();
        (!is_code).then_some(self.column)
    }

    /// Ends the text and returns the rest, with a newline.
    pub(super) fn finish(&mut self, theme: &Theme) -> String {
        let mut shown = String::new();
        self.end_line(&mut shown, theme);
        self.end_table(&mut shown, theme);
        if self.column > 0 || self.line != LineState::Start {
            shown.push('\n');
        }
        *self = Self::new(self.renders_markdown, self.indent.len() / 2);
        if theme.ascii_only { to_ascii(&shown) } else { shown }
    }

    /// Adds a character to a line of code, which is printed unchanged. With colours it is
    /// printed when it is complete.
    fn code_character(&mut self, c: char, shown: &mut String, theme: &Theme) {
        if self.highlighter.is_none() {
            return shown.push(c);
        }
        self.code.push(c);
        if self.code.len() >= MAX_CODE {
            self.end_code(shown, theme);
        }
    }

    /// Prints a line of code with colours.
    fn end_code(&mut self, shown: &mut String, theme: &Theme) {
        let code = std::mem::take(&mut self.code);
        if let Some(highlighter) = self.highlighter.as_mut().filter(|_| !code.is_empty()) {
            let spans = highlighter.line(&code).into_iter();
            shown.extend(spans.map(|(text, class)| theme.paint(text, class.into())));
        }
    }

    /// Adds a character to a table. A table that is too long is printed as it is.
    fn table_character(&mut self, c: char, shown: &mut String, theme: &Theme) {
        self.table.push(c);
        if self.table.len() >= MAX_TABLE {
            self.print_table(None, shown, theme);
        }
    }

    /// Prints a table, and leaves its last line open if it is.
    fn end_table(&mut self, shown: &mut String, theme: &Theme) {
        if !self.table.is_empty() {
            let room = theme.width.unwrap_or(usize::MAX).saturating_sub(self.indent.len());
            let lines = table::lay_out(&self.table, room, theme);
            self.print_table(lines, shown, theme);
        }
    }

    /// Prints these lines in place of the table, or the table as it is.
    fn print_table(&mut self, lines: Option<Vec<String>>, shown: &mut String, theme: &Theme) {
        let table = std::mem::take(&mut self.table);
        let is_open = !table.ends_with('\n');
        let lines = lines
            .unwrap_or_else(|| table.lines().map(|line| theme.paint(line, Tone::Plain)).collect());
        let separator = format!("\n{}", self.indent);
        shown.extend([&*self.indent, &lines.join(&separator)]);
        if is_open {
            (self.line, self.column) = (LineState::Code, 1);
        } else {
            shown.push('\n');
        }
    }

    /// Adds a character to the word; prints the word if nothing can change it.
    fn character(&mut self, c: char, shown: &mut String, theme: &Theme) {
        self.word.push(c);
        let columns = c.width().unwrap_or(0);
        self.word_width += columns;
        let is_unchanged = !self.renders_markdown && theme.width.is_none();
        // A line may break between wide characters, and must inside a longer word.
        let is_wide = columns > 1;
        let fills_line = theme.width.is_some_and(|most| self.word_width >= most)
            && !(self.is_inline && self.word.starts_with(['*', '_', '`', '[', '(', '!']));
        let in_text = self.line == LineState::Text;
        let is_start = self.line == LineState::Start && self.fence.is_none();
        let is_long = is_start && self.word.len() >= MAX_FIRST_WORD;
        if is_long || in_text && (is_unchanged || fills_line) || (in_text || is_start) && is_wide {
            self.end_word(false, shown, theme);
        }
    }

    fn end_line(&mut self, shown: &mut String, theme: &Theme) {
        if self.word.is_empty() && self.line == LineState::Start {
            // A blank line ends a table.
            self.end_table(shown, theme);
        }
        self.end_word(true, shown, theme);
        self.release(shown, theme);
        self.end_code(shown, theme);
        self.space.clear();
    }

    /// Ends the word, which may be the last one of its line.
    fn end_word(&mut self, is_last: bool, shown: &mut String, theme: &Theme) {
        if self.word.is_empty() {
            return;
        }
        self.word_width = 0;
        let word = std::mem::take(&mut self.word);
        let space = std::mem::take(&mut self.space);
        if self.line == LineState::Start {
            return self.first_word(&word, &space, is_last, shown, theme);
        }
        self.inline_word(&word, &space, shown, theme);
    }

    /// Prints the first word of a line, which determines the kind of the line.
    fn first_word(
        &mut self,
        word: &str,
        space: &str,
        is_last: bool,
        shown: &mut String,
        theme: &Theme,
    ) {
        let is_code = self.fence.is_some();
        if self.renders_markdown && !is_code && word.starts_with('|') {
            self.line = LineState::Table;
            self.table.extend([space, word]);
            return;
        }
        self.end_table(shown, theme);
        self.line = LineState::Start;
        let fence = ["```", "~~~"].into_iter().find(|fence| word.starts_with(fence));
        let is_indented = (space.contains('\t') || space.len() >= 4) && !self.is_list;
        match (&self.fence, fence) {
            (Some(open), Some(fence)) if open == fence => {
                (self.fence, self.highlighter) = (None, None);
            }
            (None, Some(fence)) => self.fence = Some(fence.to_owned()),
            (Some(_), _) if self.highlighter.is_some() => {
                self.line = LineState::Code;
                shown.push_str(&self.indent);
                self.code.extend([space, word]);
                return;
            }
            (Some(_), _) => {}
            // Tables are printed unchanged, too.
            (None, None) if is_indented || word.starts_with('|') => {}
            (None, None) if is_last && self.renders_markdown && is_rule(word) => {
                return self.rule(shown, theme);
            }
            (None, None) => return self.first_word_of_text(word, space, shown, theme),
        }
        if let Some(fence) = fence.filter(|_| self.fence.is_some() && !is_code) {
            let name = word.trim_start_matches(fence.chars().next().unwrap_or('`'));
            let colours = self.renders_markdown && theme.style.is_coloured();
            self.highlighter = Highlighter::new(name).filter(|_| colours);
        }
        let tone = if fence.is_some() { Tone::Dim } else { Tone::Plain };
        self.code_start(word, space, tone, shown, theme);
    }

    /// Prints the first word of a line that is printed unchanged.
    fn code_start(
        &mut self,
        word: &str,
        space: &str,
        tone: Tone,
        shown: &mut String,
        theme: &Theme,
    ) {
        (self.line, self.column) = (LineState::Code, 1);
        shown.extend([&*self.indent, space, &theme.paint(word, tone)]);
    }

    /// Prints a horizontal rule.
    fn rule(&mut self, shown: &mut String, theme: &Theme) {
        let room = theme.width.unwrap_or(MAX_RULE).saturating_sub(self.indent.len());
        let rule = "─".repeat(room.min(MAX_RULE));
        self.code_start(&rule, "", Tone::Dim, shown, theme);
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
            self.check_box = CheckBox::Possible;
        } else if is_quote {
            self.hanging.extend([word, " "]);
            let tone = if self.renders_markdown { Tone::Dim } else { Tone::Plain };
            shown.push_str(&theme.paint(word, tone));
            self.column += word.width();
        } else if self.renders_markdown && is_heading && theme.style.is_coloured() {
            // The colour replaces the signs.
            self.line = LineState::Heading;
        } else {
            self.inline_word(word, "", shown, theme);
        }
    }

    /// Prints a word on the current line or on the next one.
    pub(super) fn place(
        &mut self,
        spans: &[(String, Tone)],
        space: &str,
        shown: &mut String,
        theme: &Theme,
    ) {
        let width = spans.iter().map(|(text, _)| shown_width(text)).sum::<usize>();
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

/// A rule is at most this long.
const MAX_RULE: usize = 60;

/// Returns whether a word that is a whole line is a horizontal rule.
fn is_rule(word: &str) -> bool {
    let sign = word.bytes().next().filter(|sign| b"-*_".contains(sign));
    word.len() >= 3 && sign.is_some_and(|sign| word.bytes().all(|byte| byte == sign))
}

#[cfg(test)]
mod tests;
