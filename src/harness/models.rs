//! Model names.

use super::Harness;

/// Returns a model's name without what providers and releases add to it: a path,
/// a region, a version, a date, the size of its context window.
pub(crate) fn base_model(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let own = |harness: &Harness| harness.adapter().base_model?(name);
    Harness::ALL.iter().find_map(own).unwrap_or_else(|| without_suffixes(name).to_owned())
}

/// Removes a context window, a version, `-latest`, `-preview` and a date from the end.
pub(super) fn without_suffixes(name: &str) -> &str {
    let name = name.split(['[', '@', ':']).next().unwrap_or(name);
    let name = name.strip_suffix("-v1").unwrap_or(name);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    without_date(without_preview(name))
}

/// Removes `-preview`, `-preview-09-2025` or `-preview-05-06` from the end.
fn without_preview(name: &str) -> &str {
    let is_date = |text: &str| {
        text.is_empty()
            || (text.starts_with('-')
                && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()))
    };
    match name.rsplit_once("-preview") {
        Some((base, date)) if is_date(date) => base,
        _ => name,
    }
}

fn is_number(part: &str, digits: usize) -> bool {
    part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a part is a month and a day: `0905`. Years and months (`2512`) are
/// versions.
fn is_month_and_day(part: &str) -> bool {
    let in_range =
        |text: &str, end: u8| text.parse::<u8>().is_ok_and(|number| (1..=end).contains(&number));
    is_number(part, 4) && in_range(&part[..2], 12) && in_range(&part[2..], 31)
}

/// Removes `-20250929`, `-2025-09-29` or `-0929` from the end.
fn without_date(name: &str) -> &str {
    let mut parts = name.rsplitn(4, '-');
    let [last, second, third, rest] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    if name.len() > last.len() && (is_number(last, 8) || is_month_and_day(last)) {
        return &name[..name.len() - last.len() - 1];
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
            ("gemini-3-pro-preview", "gemini-3-pro"),
            ("gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
            ("models/gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
            ("qwen3-coder-plus-2025-09-23", "qwen3-coder-plus"),
            ("moonshotai/kimi-k2-0905-preview", "kimi-k2"),
            ("grok-4-0709", "grok-4"),
            ("devstral-2512", "devstral-2512"),
            ("0709", "0709"),
        ] {
            assert_eq!(base_model(given), expected, "{given}");
        }
    }
}
