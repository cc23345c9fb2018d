//! Escapes workflow commands in a log, by inserting a space.
//!
//! GitHub Actions executes `::word …::` at the start of a line, also behind spaces,
//! and `##[word]` anywhere; Azure Pipelines executes `##vso[word]` anywhere,
//! and `TeamCity` executes `##teamcity[word]`.

use bstr::ByteSlice;

/// Variables that CI systems set.
const CI_VARIABLES: [&str; 7] = [
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "TF_BUILD",
    "TEAMCITY_VERSION",
    "BUILDKITE",
    "JENKINS_URL",
];

/// Returns whether the output goes to the log of a CI system, which may execute commands
/// in it.
pub(crate) fn is_ci() -> bool {
    let is_set = |value: std::ffi::OsString| !matches!(value.to_str(), Some("" | "0" | "false"));
    CI_VARIABLES.iter().any(|name| std::env::var_os(name).is_some_and(is_set))
}

/// Escapes commands in text that is written in parts.
#[derive(Debug, Default)]
pub(crate) struct CommandEscaper {
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
const COMMAND_PREFIXES: [&str; 3] = ["##", "##vso", "##teamcity"];

/// Length of the longest prefix.
const TAIL_LENGTH: usize = 10;

impl CommandEscaper {
    /// Returns the text without commands.
    pub(crate) fn escape(&mut self, text: &str) -> String {
        let mut escaped = Vec::with_capacity(text.len());
        self.escape_bytes(text.as_bytes(), &mut escaped);
        String::from_utf8_lossy(&escaped).into_owned()
    }

    /// Appends bytes without commands to `escaped`.
    pub(crate) fn escape_bytes(&mut self, bytes: &[u8], escaped: &mut Vec<u8>) {
        for (start, end, c) in bytes.char_indices() {
            if matches!(c, '\n' | '\r') {
                *self = Self::default();
                escaped.push(bytes[start]);
                continue;
            }
            let is_bracket =
                c == '[' && COMMAND_PREFIXES.iter().any(|prefix| self.tail.ends_with(prefix));
            if is_bracket || c == ':' && self.start == LineStart::Colon {
                escaped.push(b' ');
            }
            escaped.extend_from_slice(&bytes[start..end]);
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
            ("x ##teamcity[message]", "x ##teamcity [message]"),
            ("progress\r::error::x", "progress\r: :error::x"),
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
