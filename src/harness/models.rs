//! Model names.

use super::Harness;

/// Returns a model's name without what providers and releases add to it: a path,
/// a region, a version, a date, the size of its context window.
pub(crate) fn base_model(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let own = |harness: &Harness| harness.adapter().base_model?(name);
    Harness::ALL.iter().find_map(own).unwrap_or_else(|| without_suffixes(name).to_owned())
}

/// Removes a context window, a version, `-latest` and a date from the end.
pub(super) fn without_suffixes(name: &str) -> &str {
    let name = name.split(['[', '@', ':']).next().unwrap_or(name);
    let name = name.strip_suffix("-v1").unwrap_or(name);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    without_date(name)
}

/// Removes `-20250929` or `-2025-09-29` from the end.
fn without_date(name: &str) -> &str {
    let is_number = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut parts = name.rsplitn(4, '-');
    let [last, second, third, rest] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    if is_number(last, 8) {
        return &name[..name.len() - 9];
    }
    let dated = is_number(third, 4) && is_number(second, 2) && is_number(last, 2);
    if dated && !rest.is_empty() { rest } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_to_model_names_are_removed() {
        for (given, expected) in [
            ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
            ("claude-sonnet-5-5[1m]", "claude-sonnet-5-5"),
            ("anthropic/claude-sonnet-5.5", "claude-sonnet-5-5"),
            ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
            ("claude-opus-4@20250514", "claude-opus-4"),
            ("gpt-5.1-2025-11-13", "gpt-5.1"),
            ("openai/gpt-5.1-codex", "gpt-5.1-codex"),
            ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
            ("2025-09-29", "2025-09-29"),
        ] {
            assert_eq!(base_model(given), expected, "{given}");
        }
    }
}
