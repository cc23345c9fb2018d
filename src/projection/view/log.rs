//! In a log nothing that is shown is a command to who keeps the log: a space
//! is put into it, and it is words.
//!
//! GitHub Actions obeys `::word …::` where it begins a line, behind spaces too,
//! and `##[word]` anywhere; Azure Pipelines obeys `##vso[word]` anywhere.

/// Passes on what is written to a log.
#[derive(Debug, Default)]
pub(super) struct Harmless {
    line: Line,
    /// The end of what was written of the line.
    tail: String,
}

/// What is known of the line being written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Line {
    /// Nothing but spaces.
    #[default]
    Blank,
    /// A colon behind them.
    Colon,
    /// Something else.
    Text,
}

/// What a bracket must not follow.
const OPENINGS: [&str; 2] = ["##", "##vso"];
const LONGEST: usize = 5;

impl Harmless {
    /// The text, harmless behind what was written before.
    pub(super) fn pass(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        for c in text.chars() {
            if c == '\n' {
                *self = Self::default();
                shown.push(c);
                continue;
            }
            let opens = c == '[' && OPENINGS.iter().any(|opening| self.tail.ends_with(opening));
            if opens || c == ':' && self.line == Line::Colon {
                shown.push(' ');
            }
            shown.push(c);
            self.line = match (self.line, c) {
                (Line::Blank, c) if c.is_whitespace() => Line::Blank,
                (Line::Blank, ':') => Line::Colon,
                _ => Line::Text,
            };
            if self.tail.chars().count() == LONGEST {
                self.tail.remove(0);
            }
            self.tail.push(c.to_ascii_lowercase());
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_become_words_however_they_arrive() {
        for (text, expected) in [
            ("use std::io;\n::error::boom\n", "use std::io;\n: :error::boom\n"),
            ("  \t::stop-commands::x", "  \t: :stop-commands::x"),
            ("a ##[add-mask]x", "a ## [add-mask]x"),
            ("###[group]", "### [group]"),
            ("##VSO[task.setvariable]x", "##VSO [task.setvariable]x"),
            ("\n:::x", "\n: ::x"),
            ("## heading [link], a[0], x::y, : :", "## heading [link], a[0], x::y, : :"),
        ] {
            assert_eq!(Harmless::default().pass(text), expected);
            let mut log = Harmless::default();
            let letters: String = text.chars().map(|c| log.pass(&c.to_string())).collect();
            assert_eq!(letters, expected);
        }
    }
}
