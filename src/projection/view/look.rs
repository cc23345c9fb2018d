//! How things look: signs, colours, tags, width. One line at a time.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::output::Style;

/// What a line is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
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
    Usage,
    Error,
    /// Nothing: the line goes on.
    Plain,
}

impl Mark {
    /// The sign for a terminal, the sign in ASCII, the tag in a log.
    fn signs(self) -> (&'static str, &'static str, &'static str) {
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
            Self::Usage => ("", "", "[usage]"),
            Self::Error => ("✗", "x", "[error]"),
            Self::Plain => ("", "", ""),
        }
    }

    fn paint(self) -> Paint {
        match self {
            Self::Done => Paint::Good,
            Self::Failed | Self::Denied | Self::Error => Paint::Bad,
            Self::Retry | Self::Limit => Paint::Odd,
            Self::Tool | Self::Prompt => Paint::Accent,
            _ => Paint::Dim,
        }
    }
}

/// How a piece of a line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Odd,
    Accent,
    Italic,
}

/// A piece of a line.
pub(super) struct Piece(pub(super) String, pub(super) Paint);

/// The look of a view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// For a person's eyes: signs and space instead of tags.
    pub(super) pretty: bool,
    /// Signs from ASCII only.
    pub(super) ascii: bool,
    /// The columns there are, if that matters.
    pub(super) width: Option<usize>,
    pub(super) style: Style,
}

impl Look {
    pub(super) fn paint(&self, text: &str, paint: Paint) -> String {
        match paint {
            Paint::Plain => text.to_owned(),
            Paint::Bold => self.style.bold(text),
            Paint::Dim => self.style.dim(text),
            Paint::Good => self.style.good(text),
            Paint::Bad => self.style.bad(text),
            Paint::Odd => self.style.odd(text),
            Paint::Accent => self.style.accent(text),
            Paint::Italic => self.style.italic(text),
        }
    }

    /// What stands between facts.
    pub(super) fn between(&self) -> &'static str {
        match (self.pretty, self.ascii) {
            (true, false) => " · ",
            (true, true) => " - ",
            (false, _) => ", ",
        }
    }

    pub(super) fn ellipsis(&self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }

    fn sign(&self, mark: Mark) -> &'static str {
        let (sign, ascii, tag) = mark.signs();
        match (self.pretty, self.ascii) {
            (true, false) => sign,
            (true, true) => ascii,
            (false, _) => tag,
        }
    }

    /// The columns a sign takes, with the space behind it.
    pub(super) fn sign_width(&self, mark: Mark) -> usize {
        let width = self.sign(mark).width();
        if width == 0 { 0 } else { width + 1 }
    }

    /// A line without its end, cut to the width: never two rows.
    pub(super) fn line(&self, mark: Mark, depth: usize, pieces: &[Piece]) -> String {
        let sign = self.sign(mark);
        let indent = "  ".repeat(depth);
        let mut line = indent.clone();
        let mut used = indent.len();
        if !sign.is_empty() {
            line.push_str(&self.paint(sign, mark.paint()));
            line.push(' ');
            used += sign.width() + 1;
        }
        let most = self.width.unwrap_or(usize::MAX);
        for Piece(text, paint) in pieces {
            let text = self.plain(text);
            let room = most.saturating_sub(used);
            if text.width() <= room {
                used += text.width();
                line.push_str(&self.paint(&text, *paint));
                continue;
            }
            let kept = cut(&text, room.saturating_sub(self.ellipsis().width()));
            if room >= self.ellipsis().width() {
                line.push_str(
                    &self.paint(&format!("{}{}", kept.trim_end(), self.ellipsis()), *paint),
                );
            }
            break;
        }
        line
    }

    /// A text in one line, in ASCII where that is asked for.
    pub(super) fn plain(&self, text: &str) -> String {
        let text: String =
            text.chars().map(|c| if c == '\n' || c == '\t' { ' ' } else { c }).collect();
        if self.ascii { to_ascii(&text) } else { text }
    }

    /// A rule with a word in it.
    pub(super) fn rule(&self, word: &str, paint: Paint) -> String {
        let dash = if self.ascii { "-" } else { "─" };
        let width = self.width.unwrap_or(60).min(80);
        let rest = width.saturating_sub(word.width() + 4);
        let (left, right) = (dash.repeat(2), dash.repeat(rest));
        let dim = |text: &str| self.paint(text, Paint::Dim);
        format!("{} {} {}", dim(&left), self.paint(word, paint), dim(&right))
    }
}

/// As many characters as fit.
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

/// What has no ASCII is a question mark; common signs have some.
pub(super) fn to_ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() => ascii.push(c),
            '…' => ascii.push_str("..."),
            '–' | '—' | '−' | '─' => ascii.push('-'),
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
