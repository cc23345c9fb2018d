//! What is searched for.

use std::ops::Range;

use memchr::memmem;
use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind};

/// How a pattern is read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PatternOptions {
    /// The pattern is a text, not a regular expression.
    pub(crate) is_literal: bool,
    pub(crate) ignores_case: bool,
}

/// A regular expression, and a cheap test for lines that cannot contain a match.
#[derive(Debug)]
pub(crate) struct Pattern {
    regex: Regex,
    /// A text that every match contains.
    literal: Option<Literal>,
}

/// A text that every match contains, as it is searched for in the bytes of a line.
#[derive(Debug)]
struct Literal {
    finder: Finder,
    /// Whether JSON has a short escape for one of its characters.
    has_short_escape: bool,
    /// Whether it has a control character.
    has_control: bool,
}

#[derive(Debug)]
enum Finder {
    Exact(Box<memmem::Finder<'static>>),
    AnyCase(regex::bytes::Regex),
}

impl Pattern {
    /// Compiles a pattern.
    pub(crate) fn new(pattern: &str, options: PatternOptions) -> Result<Self, regex::Error> {
        let expression =
            if options.is_literal { regex::escape(pattern) } else { pattern.to_owned() };
        let regex = RegexBuilder::new(&expression)
            .case_insensitive(options.ignores_case)
            .multi_line(true)
            .build()?;
        let parsed = regex_syntax::ParserBuilder::new().multi_line(true).build().parse(&expression);
        // A part of the expression may turn case off or on.
        let sets_flags = !options.is_literal && expression.contains("(?");
        let literal = parsed.ok().filter(|_| !sets_flags).and_then(|hir| required_literal(&hir));
        let literal = literal.and_then(|text| Literal::new(&text, options.ignores_case));
        Ok(Self { regex, literal })
    }

    /// Returns whether a line of JSON may contain a match in one of its strings, however
    /// it is escaped.
    pub(crate) fn can_match(&self, line: &[u8]) -> bool {
        self.literal.as_ref().is_none_or(|literal| literal.can_be_in(line))
    }

    /// Returns the matches in a text.
    pub(crate) fn find_iter<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        self.regex.find_iter(text).map(|found| found.range())
    }
}

/// Returns the longest text that every match of an expression contains.
fn required_literal(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
        HirKind::Capture(capture) => required_literal(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required_literal(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(required_literal).max_by_key(String::len),
        _ => None,
    }
}

impl Literal {
    fn new(text: &str, ignores_case: bool) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        // Without regard to case a quote or a backslash is searched for as such, too.
        let finder = if ignores_case {
            let any_case = regex::bytes::RegexBuilder::new(&regex::escape(text))
                .case_insensitive(true)
                .build();
            Finder::AnyCase(any_case.ok()?)
        } else {
            Finder::Exact(Box::new(memmem::Finder::new(text.as_bytes()).into_owned()))
        };
        Some(Self {
            finder,
            has_short_escape: text
                .contains(|c: char| matches!(c, '"' | '\\' | '/') || c.is_control()),
            has_control: text.contains(char::is_control),
        })
    }

    fn can_be_in(&self, line: &[u8]) -> bool {
        let is_plain = match &self.finder {
            Finder::Exact(finder) => finder.find(line).is_some(),
            Finder::AnyCase(regex) => regex.is_match(line),
        };
        is_plain || self.can_be_escaped_in(line)
    }

    /// Returns whether escapes in a line may hide the text.
    fn can_be_escaped_in(&self, line: &[u8]) -> bool {
        if self.has_short_escape && memchr::memchr(b'\\', line).is_some() {
            return true;
        }
        // Most escapes by number are control characters, as in colours of a terminal.
        let is_hidden = |at: usize| {
            let digits = line.get(at + 2..at + 6).and_then(|digits| str::from_utf8(digits).ok());
            let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            number.is_none_or(|number| number >= 0x20 || self.has_control)
        };
        memmem::find_iter(line, b"\\u").any(is_hidden)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    fn pattern(text: &str, is_literal: bool, ignores_case: bool) -> Pattern {
        Pattern::new(text, PatternOptions { is_literal, ignores_case }).unwrap()
    }

    #[test]
    fn line_without_the_literal_cannot_match() {
        let regex = pattern(r"error: \w+ failed", false, false);
        assert!(regex.can_match(br#"{"text":"error: build failed"}"#));
        assert!(!regex.can_match(br#"{"text":"all tests passed"}"#));
        assert!(!regex.can_match(br#"{"text":"\u001b[31mred\u001b[0m"}"#));
        // Nothing is required.
        assert!(pattern("a|b", false, false).can_match(b"{}"));
        assert!(pattern("(?i)error", false, false).can_match(b"{}"));
    }

    #[test]
    fn escapes_may_hide_a_literal() {
        assert!(pattern("café", false, false).can_match(br#"{"text":"caf\u00e9"}"#));
        assert!(pattern("say \"hi\"", true, false).can_match(br#"{"text":"say \"hi\""}"#));
        assert!(pattern("a\nb", true, false).can_match(br#"{"text":"a\nb"}"#));
        assert!(pattern("src/lib", true, false).can_match(br#"{"text":"src\/lib"}"#));
        assert!(pattern("\u{1b}[31m", true, false).can_match(br#"{"text":"\u001b[31m"}"#));
        assert!(pattern("STRASSE", true, true).can_match(br#"{"text":"strasse"}"#));
        assert!(pattern("k", true, true).can_match("{\"text\":\"\u{212a}\"}".as_bytes()));
    }

    /// Writes a text as a JSON string, the characters selected by `escapes` as numbers.
    fn escape(text: &str, escapes: &[bool]) -> Vec<u8> {
        let mut json = String::from("\"");
        for (c, is_escaped) in text.chars().zip(escapes.iter().cycle()) {
            if *is_escaped {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(json, "\\u{unit:04x}").unwrap();
                }
            } else {
                let string = serde_json::to_string(&c.to_string()).unwrap();
                json.push_str(&string[1..string.len() - 1]);
            }
        }
        json.push('"');
        json.into_bytes()
    }

    proptest::proptest! {
        #[test]
        fn line_with_a_match_is_never_skipped(
            before in ".{0,8}",
            needle in ".{1,6}",
            after in ".{0,8}",
            escapes in proptest::collection::vec(proptest::bool::weighted(0.2), 1..12),
            ignores_case in proptest::bool::ANY,
        ) {
            let text = format!("{before}{needle}{after}");
            let pattern = pattern(&needle, true, ignores_case);
            let line = escape(&text, &escapes);
            let decoded: String = serde_json::from_slice(&line).unwrap();
            proptest::prop_assert_eq!(&decoded, &text);
            proptest::prop_assert!(pattern.find_iter(&decoded).next().is_some());
            proptest::prop_assert!(pattern.can_match(&line));
        }
    }
}
