//! Links in Markdown: `[text](target)`.

/// What a text that starts with a bracket is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LinkStart<'t> {
    Complete(Link<'t>),
    /// A link may follow.
    Open,
    /// No link.
    Not,
}

/// A link and what surrounds it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Link<'t> {
    pub(super) before: &'t str,
    pub(super) label: &'t str,
    pub(super) target: &'t str,
    pub(super) after: &'t str,
}

impl Link<'_> {
    /// Returns whether a terminal may open it.
    pub(super) fn is_web(&self) -> bool {
        let is_plain = self.target.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain && ["http://", "https://"].iter().any(|scheme| self.target.starts_with(scheme))
    }
}

/// Returns whether a word may start a link or an image.
pub(super) fn may_start(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '\'', '*', '_']);
    word.strip_prefix('!').unwrap_or(word).starts_with('[')
}

/// Parses a text whose first word may start a link.
pub(super) fn parse(text: &str) -> LinkStart<'_> {
    let Some(open) = text.find('[') else { return LinkStart::Not };
    let inside = &text[open + 1..];
    let Some(close) = closing(inside, '[', ']') else { return LinkStart::Open };
    let behind = &inside[close + 1..];
    let Some(target) = behind.strip_prefix('(') else { return LinkStart::Not };
    let end = closing(target, '(', ')');
    if target[..end.unwrap_or(target.len())].contains(char::is_whitespace) {
        return LinkStart::Not;
    }
    let Some(end) = end else { return LinkStart::Open };
    let before = &text[..open];
    LinkStart::Complete(Link {
        before: before.strip_suffix('!').unwrap_or(before),
        label: &inside[..close],
        target: &target[..end],
        after: &target[end + 1..],
    })
}

/// Returns the position of the bracket that closes one before the text.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            c if c == close && depth == 0 => return Some(at),
            c if c == close => depth -= 1,
            c if c == open => depth += 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_parsed_with_their_surroundings() {
        let link = |before, label, target, after| {
            LinkStart::Complete(Link { before, label, target, after })
        };
        for (text, expected) in [
            ("([the docs](https://a.b/c_(d)).", link("(", "the docs", "https://a.b/c_(d)", ".")),
            ("![an image](a.png)", link("", "an image", "a.png", "")),
            ("[the", LinkStart::Open),
            ("[the docs](htt", LinkStart::Open),
            ("[x] done", LinkStart::Not),
            ("[a](b c)", LinkStart::Not),
            ("[a[0]](b)", link("", "a[0]", "b", "")),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn only_web_addresses_are_opened() {
        let is_web = |target| Link { before: "", label: "", target, after: "" }.is_web();
        assert!(is_web("https://a.b/c") && is_web("http://a"));
        assert!(!is_web("file:///etc/passwd") && !is_web("javascript:x"));
        assert!(!is_web("https://a\u{1b}]8;;") && !is_web("src/lib.rs"));
    }
}
