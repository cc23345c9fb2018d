//! Splits source code into spans with classes, line by line.
//!
//! Knows comments, strings, numbers and keywords of common languages, which is enough for
//! code in answers. Independent of the terminal.

mod languages;

use languages::{CharForm, Comments, LANGUAGES, Language, StringForm};

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Plain,
    Keyword,
    String,
    Number,
    Comment,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
    /// The header of a part of a diff.
    Position,
}

/// A part of a line.
pub(crate) type CodeSpan<'t> = (&'t str, Class);

/// Splits the lines of a text, one after the other.
#[derive(Debug)]
pub(crate) struct Highlighter {
    language: &'static Language,
    state: LexerState,
}

/// What the line starts in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LexerState {
    #[default]
    Code,
    /// A comment that ends with this.
    Comment(&'static str),
    String(&'static StringForm),
}

impl Highlighter {
    /// Returns the highlighter of a language by one of its names: `rust`, `rs`.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let language = LANGUAGES.iter().find(|language| language.names.contains(&&*name))?;
        Some(Self { language, state: LexerState::default() })
    }

    /// Splits the next line, which is given without its end.
    pub(crate) fn line<'t>(&mut self, line: &'t str) -> Vec<CodeSpan<'t>> {
        if self.language.is_diff {
            return vec![(line, diff_class(line))];
        }
        let mut spans = Vec::new();
        let mut at = 0;
        let mut plain = 0;
        while at < line.len() {
            let Some((length, class)) = self.token(line, at) else {
                at += line[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            if class != Class::Plain {
                push(&mut spans, &line[plain..at], Class::Plain);
                push(&mut spans, &line[at..at + length], class);
                plain = at + length;
            }
            at += length;
        }
        push(&mut spans, &line[plain..], Class::Plain);
        if matches!(self.state, LexerState::String(form) if !form.is_multiline) {
            self.state = LexerState::Code;
        }
        spans
    }

    /// Returns the length and the class of the token at a position; `None` for a character
    /// that is none.
    fn token(&mut self, line: &str, at: usize) -> Option<(usize, Class)> {
        let rest = &line[at..];
        match self.state {
            LexerState::Comment(end) => return Some((self.comment(rest, 0, end), Class::Comment)),
            LexerState::String(form) => return Some((self.string(rest, 0, form), Class::String)),
            LexerState::Code => {}
        }
        let Comments { line: starts, block } = self.language.comments;
        // In shells and YAML a sign inside a word starts no comment.
        let is_apart = line[..at].chars().next_back().is_none_or(char::is_whitespace);
        let starts_comment =
            |start: &&str| rest.starts_with(*start) && (is_apart || !start.starts_with('#'));
        if starts.iter().any(starts_comment) {
            return Some((rest.len(), Class::Comment));
        }
        if let Some((start, end)) = block.filter(|(start, _)| rest.starts_with(start)) {
            return Some((self.comment(rest, start.len(), end), Class::Comment));
        }
        if self.language.chars == CharForm::Literal && rest.starts_with('\'') {
            return Some(match char_literal(rest) {
                Some(length) => (length, Class::String),
                None => (1, Class::Plain),
            });
        }
        let forms = self.language.strings;
        if let Some(form) = forms.iter().find(|form| rest.starts_with(form.delimiter)) {
            return Some((self.string(rest, form.delimiter.len(), form), Class::String));
        }
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if !is_word(first) {
            return None;
        }
        let is_number = first.is_ascii_digit();
        let end = rest.find(|c| !(is_word(c) || is_number && c == '.')).unwrap_or(rest.len());
        let word = &rest[..end];
        let class = match is_number {
            true => Class::Number,
            false if self.language.is_keyword(word) => Class::Keyword,
            false => Class::Plain,
        };
        Some((end, class))
    }

    /// Returns the length of a comment whose start takes `from` bytes.
    fn comment(&mut self, text: &str, from: usize, end: &'static str) -> usize {
        let Some(at) = text[from..].find(end) else {
            self.state = LexerState::Comment(end);
            return text.len();
        };
        self.state = LexerState::Code;
        from + at + end.len()
    }

    /// Returns the length of a string whose delimiter takes `from` bytes.
    fn string(&mut self, text: &str, from: usize, form: &'static StringForm) -> usize {
        let mut at = from;
        while at < text.len() {
            let rest = &text[at..];
            if rest.starts_with(form.delimiter) {
                self.state = LexerState::Code;
                return at + form.delimiter.len();
            }
            let escaped = usize::from(form.has_escapes && rest.starts_with('\\'));
            let next = rest.chars().nth(escaped).map_or(0, char::len_utf8);
            at += (escaped + next).max(1);
        }
        self.state = LexerState::String(form);
        text.len()
    }
}

/// Adds a span, unless it is empty.
fn push<'t>(spans: &mut Vec<CodeSpan<'t>>, text: &'t str, class: Class) {
    if !text.is_empty() {
        spans.push((text, class));
    }
}

/// Returns the length of `'x'` or `'\n'` at the start of a text.
fn char_literal(text: &str) -> Option<usize> {
    let inside = &text[1..];
    let first = inside.chars().next()?;
    let end = match first {
        '\\' => 1 + inside[1..].find('\'').filter(|at| (1..10).contains(at))?,
        '\'' => return None,
        c => c.len_utf8(),
    };
    inside[end..].starts_with('\'').then_some(end + 2)
}

fn diff_class(line: &str) -> Class {
    match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") => Class::Comment,
        Some(b'+') => Class::Added,
        Some(b'-') => Class::Removed,
        Some(b'@') => Class::Position,
        _ => Class::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines with every span that is not plain as `class(text)`.
    fn marked(language: &str, text: &str) -> String {
        let mut highlighter = Highlighter::new(language).unwrap();
        let line = |line: &str| {
            let spans = highlighter.line(line).into_iter();
            let text: String = spans
                .map(|(text, class)| match class {
                    Class::Plain => text.to_owned(),
                    class => format!("{}({text})", format!("{class:?}").to_lowercase()),
                })
                .collect();
            text
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn tokens_have_classes() {
        for (language, text, expected) in [
            (
                "rust",
                "fn f<'a>(x: &'a str) -> char { 'x' } // end",
                "keyword(fn) f<'a>(x: &'a str) -> char { string('x') } comment(// end)",
            ),
            (
                "rs",
                r#"let s = "a \" b"; let n = 0x1f;"#,
                r#"keyword(let) s = string("a \" b"); keyword(let) n = number(0x1f);"#,
            ),
            (
                "python",
                "def f(a=1.5): return 'x' # c",
                "keyword(def) f(a=number(1.5)): keyword(return) string('x') comment(# c)",
            ),
            (
                "bash",
                "if [ $# -gt 1 ]; then echo \"$x\"; fi",
                "keyword(if) [ $# -gt number(1) ]; keyword(then) echo string(\"$x\"); keyword(fi)",
            ),
            ("sql", "SELECT a FROM t -- c", "keyword(SELECT) a keyword(FROM) t comment(-- c)"),
            ("json", r#"{"a": true}"#, r#"{string("a"): keyword(true)}"#),
            (
                "diff",
                "@@ -1 +1 @@\n-a\n+b\n c",
                "position(@@ -1 +1 @@)\nremoved(-a)\nadded(+b)\n c",
            ),
        ] {
            assert_eq!(marked(language, text), expected);
        }
        assert!(Highlighter::new("brainfuck").is_none());
    }

    #[test]
    fn comments_and_strings_span_lines() {
        assert_eq!(marked("c", "a /* b\nc */ int"), "a comment(/* b)\ncomment(c */) keyword(int)");
        let text = "x = \"\"\"one\ntwo\"\"\" + 1";
        assert_eq!(marked("py", text), "x = string(\"\"\"one)\nstring(two\"\"\") + number(1)");
        // Other strings end with their line.
        assert_eq!(marked("js", "'open\nlet"), "string('open)\nkeyword(let)");
        assert_eq!(marked("js", "`a\n${b}` + c"), "string(`a)\nstring(${b}`) + c");
    }

    #[test]
    fn every_character_is_in_one_span() {
        let text = "é'ö\\\"'''\"\"\"/*日本`#--//'\\u{1f600}'\\";
        for language in LANGUAGES {
            let mut highlighter = Highlighter::new(language.names[0]).unwrap();
            for line in [text, "", "\\", "日本"] {
                let spans = highlighter.line(line);
                let whole: String = spans.iter().map(|(text, _)| *text).collect();
                assert_eq!(whole, line, "{:?}", language.names);
            }
        }
    }
}
