//! Symbols, colours, tags and the width of a line.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::highlight::Class;
use crate::output::Style;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Session,
    Prompt,
    Tool,
    Done,
    Failed,
    Denied,
    Thinking,
    Retry,
    Limit,
    Note,
    Task,
    Control,
    Result,
    Tools,
    Files,
    Usage,
    Resume,
    Error,
    /// The continuation of a line.
    None,
}

impl Marker {
    /// Returns the symbol for a terminal, the symbol in ASCII, and the tag for a log.
    fn symbols(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Session => ("", "", "[session]"),
            Self::Prompt => ("❯", ">", "[prompt]"),
            Self::Tool => ("●", "*", "[tool]"),
            Self::Done => ("✓", "+", "[tool] ok:"),
            Self::Failed => ("✗", "x", "[tool] failed:"),
            Self::Denied => ("✗", "x", "[tool] denied:"),
            Self::Thinking => ("∴", "~", "[thinking]"),
            Self::Retry => ("↻", "@", "[retry]"),
            Self::Limit => ("◔", "!", "[limit]"),
            Self::Note => ("·", "-", "[note]"),
            Self::Task => ("◌", "o", "[task]"),
            Self::Control => ("⇄", "=", "[control]"),
            Self::Result => ("", "", "[result]"),
            Self::Tools => ("", "", "[tools]"),
            Self::Files => ("", "", "[files]"),
            Self::Usage => ("", "", "[usage]"),
            Self::Resume => ("", "", "[resume]"),
            Self::Error => ("✗", "x", "[error]"),
            Self::None => ("", "", ""),
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Done => Tone::Good,
            Self::Failed | Self::Denied | Self::Error => Tone::Bad,
            Self::Retry | Self::Limit => Tone::Warning,
            Self::Tool | Self::Prompt => Tone::Accent,
            _ => Tone::Dim,
        }
    }
}

/// How a part of a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Warning,
    Accent,
    Italic,
    Link,
    Keyword,
}

impl From<Class> for Tone {
    fn from(class: Class) -> Self {
        match class {
            Class::Plain => Self::Plain,
            Class::Keyword => Self::Keyword,
            Class::String | Class::Added => Self::Good,
            Class::Number => Self::Warning,
            Class::Comment => Self::Dim,
            Class::Removed => Self::Bad,
            Class::Position => Self::Accent,
        }
    }
}

/// A part of a line.
pub(super) struct Span(pub(super) String, pub(super) Tone);

/// The appearance of a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Theme {
    /// Whether symbols and spacing are used instead of tags.
    pub(super) is_terminal: bool,
    pub(super) ascii_only: bool,
    /// The available columns; unlimited in a log.
    pub(super) width: Option<usize>,
    /// Whether links are sent to the terminal as such.
    pub(super) has_hyperlinks: bool,
    pub(super) style: Style,
}

impl Theme {
    pub(super) fn paint(&self, text: &str, tone: Tone) -> String {
        match tone {
            Tone::Plain => text.to_owned(),
            Tone::Bold => self.style.bold(text),
            Tone::Dim => self.style.dim(text),
            Tone::Good => self.style.good(text),
            Tone::Bad => self.style.bad(text),
            Tone::Warning => self.style.warning(text),
            Tone::Accent => self.style.accent(text),
            Tone::Italic => self.style.italic(text),
            Tone::Link => self.style.underlined(text),
            Tone::Keyword => self.style.keyword(text),
        }
    }

    /// Returns what separates facts.
    pub(super) fn separator(&self) -> &'static str {
        match (self.is_terminal, self.ascii_only) {
            (true, false) => " · ",
            (true, true) => " - ",
            (false, _) => ", ",
        }
    }

    pub(super) fn ellipsis(&self) -> &'static str {
        if self.ascii_only { "..." } else { "…" }
    }

    fn symbol(&self, marker: Marker) -> &'static str {
        let (symbol, ascii, tag) = marker.symbols();
        match (self.is_terminal, self.ascii_only) {
            (true, false) => symbol,
            (true, true) => ascii,
            (false, _) => tag,
        }
    }

    /// Returns the width of a marker with the space behind it.
    pub(super) fn marker_width(&self, marker: Marker) -> usize {
        let width = self.symbol(marker).width();
        if width == 0 { 0 } else { width + 1 }
    }

    /// Returns a line without its newline, cut to the width so that it is one row.
    pub(super) fn line(&self, marker: Marker, depth: usize, spans: &[Span]) -> String {
        let symbol = self.symbol(marker);
        let indent = "  ".repeat(depth);
        let mut line = indent.clone();
        let mut used = indent.len();
        if !symbol.is_empty() {
            line.push_str(&self.paint(symbol, marker.tone()));
            line.push(' ');
            used += symbol.width() + 1;
        }
        let width = self.width.unwrap_or(usize::MAX);
        for Span(text, tone) in spans {
            let text = self.single_line(text);
            let room = width.saturating_sub(used);
            if text.width() <= room {
                used += text.width();
                line.push_str(&self.paint(&text, *tone));
                continue;
            }
            let kept = cut(&text, room.saturating_sub(self.ellipsis().width()));
            if room >= self.ellipsis().width() {
                line.push_str(
                    &self.paint(&format!("{}{}", kept.trim_end(), self.ellipsis()), *tone),
                );
            }
            break;
        }
        line
    }

    /// Returns a text without newlines and tabs.
    pub(super) fn single_line(&self, text: &str) -> String {
        let text: String =
            text.chars().map(|c| if c == '\n' || c == '\t' { ' ' } else { c }).collect();
        if self.ascii_only { to_ascii(&text) } else { text }
    }

    /// Returns a horizontal rule with a label.
    pub(super) fn rule(&self, label: &str, tone: Tone) -> String {
        let dash = if self.ascii_only { "-" } else { "─" };
        let width = self.width.unwrap_or(60).min(80);
        let rest = width.saturating_sub(label.width() + 4);
        let (left, right) = (dash.repeat(2), dash.repeat(rest));
        let dim = |text: &str| self.paint(text, Tone::Dim);
        format!("{} {} {}", dim(&left), self.paint(label, tone), dim(&right))
    }
}

/// Returns the prefix of a text that fits a width.
pub(super) fn cut(text: &str, width: usize) -> &str {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > width {
            return &text[..at];
        }
    }
    text
}

/// Returns the width of a text without the escape sequences in it: colours, and links,
/// which end with a backslash behind an escape character.
pub(super) fn shown_width(text: &str) -> usize {
    let mut width = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            width += c.width().unwrap_or(0);
        } else if chars.next() == Some('[') {
            chars.find(|c| *c == 'm');
        } else {
            chars.find(|c| *c == '\\');
        }
    }
    width
}

/// Replaces characters that are not ASCII, by a question mark if there is no better
/// one.
pub(super) fn to_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => ascii.push(c),
            '…' => ascii.push_str("..."),
            '–' | '—' | '−' | '─' => ascii.push('-'),
            '│' => ascii.push('|'),
            '┼' => ascii.push('+'),
            '☐' => ascii.push_str("[ ]"),
            '☑' => ascii.push_str("[x]"),
            '‘' | '’' => ascii.push('\''),
            '“' | '”' => ascii.push('"'),
            '→' => ascii.push_str("->"),
            '·' | '•' => ascii.push('*'),
            '\u{a0}' => ascii.push(' '),
            _ => ascii.push('?'),
        }
    }
    ascii
}
