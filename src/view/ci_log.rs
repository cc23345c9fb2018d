//! Escapes workflow commands in a log, by inserting a space.
//!
//! GitHub Actions executes `::word …::` at the start of a line, also behind spaces,
//! and `##[word]` anywhere; Azure Pipelines executes `##vso[word]` anywhere.

/// Escapes commands in text that is written in parts.
#[derive(Debug, Default)]
pub(super) struct CommandEscaper {
    start: LineStart,
    /// The last characters of the line.
    tail: String,
}

/// What the current line starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LineStart {
    /// White space only.
    #[default]
    Blank,
    /// A colon behind white space.
    Colon,
    Text,
}

/// A bracket behind one of these starts a command.
const COMMAND_PREFIXES: [&str; 2] = ["##", "##vso"];

/// Length of the longest prefix.
const TAIL_LENGTH: usize = 5;

impl CommandEscaper {
    /// Returns the text without commands.
    pub(super) fn escape(&mut self, text: &str) -> String {
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            if c == '\n' {
                *self = Self::default();
                escaped.push(c);
                continue;
            }
            let is_bracket =
                c == '[' && COMMAND_PREFIXES.iter().any(|prefix| self.tail.ends_with(prefix));
            if is_bracket || c == ':' && self.start == LineStart::Colon {
                escaped.push(' ');
            }
            escaped.push(c);
            self.start = match (self.start, c) {
                (LineStart::Blank, c) if c.is_whitespace() => LineStart::Blank,
                (LineStart::Blank, ':') => LineStart::Colon,
                _ => LineStart::Text,
            };
            if self.tail.chars().count() == TAIL_LENGTH {
                self.tail.remove(0);
            }
            self.tail.push(c.to_ascii_lowercase());
        }
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_escaped_however_they_are_split() {
        for (text, expected) in [
            ("use std::io;\n::error::boom\n", "use std::io;\n: :error::boom\n"),
            ("  \t::stop-commands::x", "  \t: :stop-commands::x"),
            ("a ##[add-mask]x", "a ## [add-mask]x"),
            ("###[group]", "### [group]"),
            ("##VSO[task.setvariable]x", "##VSO [task.setvariable]x"),
            ("\n:::x", "\n: ::x"),
            ("## heading [link], a[0], x::y, : :", "## heading [link], a[0], x::y, : :"),
        ] {
            assert_eq!(CommandEscaper::default().escape(text), expected);
            let mut log = CommandEscaper::default();
            let letters: String = text.chars().map(|c| log.escape(&c.to_string())).collect();
            assert_eq!(letters, expected);
        }
    }
}
