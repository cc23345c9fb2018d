//! Where Markdown's emphasis begins and ends in a word.

use super::look::Paint;

/// A sign that changes how what follows looks, up to the next one.
pub(super) type Mark = (&'static str, Paint);

const MARKS: [Mark; 5] = [
    ("**", Paint::Bold),
    ("__", Paint::Bold),
    ("`", Paint::Accent),
    ("*", Paint::Italic),
    ("_", Paint::Italic),
];

/// A mark at the beginning of a word, or behind its brackets and quotes, with
/// something to emphasise behind it.
pub(super) fn opening(word: &str) -> Option<(usize, Mark)> {
    let at = word.len() - word.trim_start_matches(['(', '[', '{', '"', '\'', '“']).len();
    let rest = &word[at..];
    let mark = MARKS.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
    let next = rest[mark.0.len()..].chars().next()?;
    let begins = if mark.0 == "`" { next != '`' } else { next.is_alphanumeric() || next == '`' };
    begins.then_some((at, mark))
}

/// Where the partner of a mark is in a word, from `from` on: behind something,
/// and before nothing that goes on.
pub(super) fn closing(word: &str, sign: &str, from: usize) -> Option<usize> {
    let text = word.get(from..)?;
    text.match_indices(sign).map(|(at, _)| from + at).find(|at| {
        let before = word[..*at].chars().next_back();
        let after = word[at + sign.len()..].chars().next();
        let is_behind = *at > from || from == 0 && *at > 0;
        let ends = |c: char| ".,;:!?)]}\"'”…".contains(c);
        let fits = before.is_some_and(|c| c.is_alphanumeric() || ends(c) || c == '`')
            && after.is_none_or(ends);
        if sign == "`" { *at > 0 || from > 0 } else { is_behind && fits }
    })
}
