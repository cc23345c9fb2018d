//! Markdown emphasis in a word.

use super::theme::Tone;

/// A delimiter and the tone of the text up to the next one.
pub(super) type Delimiter = (&'static str, Tone);

const DELIMITERS: [Delimiter; 5] = [
    ("**", Tone::Bold),
    ("__", Tone::Bold),
    ("`", Tone::Accent),
    ("*", Tone::Italic),
    ("_", Tone::Italic),
];

/// Finds an opening delimiter at the start of a word, or behind its brackets and
/// quotes, with text behind it.
pub(super) fn opening(word: &str) -> Option<(usize, Delimiter)> {
    let at = word.len() - word.trim_start_matches(['(', '[', '{', '"', '\'', '“']).len();
    let rest = &word[at..];
    let delimiter = DELIMITERS.into_iter().find(|(sign, _)| rest.starts_with(sign))?;
    let next = rest[delimiter.0.len()..].chars().next()?;
    let opens =
        if delimiter.0 == "`" { next != '`' } else { next.is_alphanumeric() || next == '`' };
    opens.then_some((at, delimiter))
}

/// Finds the closing delimiter in a word from `from` on: behind text, and at the end
/// of the word or before punctuation.
pub(super) fn closing(word: &str, sign: &str, from: usize) -> Option<usize> {
    let text = word.get(from..)?;
    text.match_indices(sign).map(|(at, _)| from + at).find(|at| {
        let before = word[..*at].chars().next_back();
        let after = word[at + sign.len()..].chars().next();
        let is_behind_text = *at > from || from == 0 && *at > 0;
        let is_punctuation = |c: char| ".,;:!?)]}\"'”…".contains(c);
        let fits = before.is_some_and(|c| c.is_alphanumeric() || is_punctuation(c) || c == '`')
            && after.is_none_or(is_punctuation);
        if sign == "`" { *at > 0 || from > 0 } else { is_behind_text && fits }
    })
}
