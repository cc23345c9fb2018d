//! Findings marked in the text, one per line:
//!
//! ```text
//! [EVENT:critical:jellyfin] HTTP 502 for five checks
//! [MEMORY:timing:jellyfin] takes a minute to start
//! [COOLDOWN:restart:jellyfin] success — healthy again
//! ```
//!
//! A marker may occur anywhere on a line, also in a code block. The first one of a
//! kind counts; the rest of the line is its message.

use super::{Finding, Level, is_name_character};

/// Passes the findings of a text to `found`, in order.
pub fn each(text: &str, mut found: impl FnMut(Finding)) {
    for line in text.lines().map(str::trim) {
        [event(line), memory(line), cooldown(line)].into_iter().flatten().for_each(&mut found);
    }
}

fn event(line: &str) -> Option<Finding> {
    let (level, service, message) = marker(line, "[EVENT:", is_name_character)?;
    Some(Finding::Event {
        level: Level::of(level),
        service: service.map(str::to_owned),
        message: message.to_owned(),
    })
}

fn memory(line: &str) -> Option<Finding> {
    let (category, service, observation) = marker(line, "[MEMORY:", |c| c.is_ascii_lowercase())?;
    Some(Finding::Memory {
        service: service.map(str::to_owned),
        category: category.to_owned(),
        observation: observation.to_owned(),
    })
}

fn cooldown(line: &str) -> Option<Finding> {
    markers(line, "[COOLDOWN:", |c| c.is_ascii_lowercase()).find_map(|(action, service, rest)| {
        let service = service.filter(|_| matches!(action, "restart" | "redeployment"))?;
        let failed = || rest.strip_prefix("failure").map(|rest| (false, rest));
        let (success, rest) =
            rest.strip_prefix("success").map_or_else(failed, |r| Some((true, r)))?;
        let message = rest.trim_ascii_start().strip_prefix(['-', '–', '—'])?.trim_ascii_start();
        (!message.is_empty()).then(|| Finding::Cooldown {
            action_type: action.to_owned(),
            service: service.to_owned(),
            success,
            message: message.to_owned(),
        })
    })
}

type MarkerParts<'a> = (&'a str, Option<&'a str>, &'a str);

/// Returns the first marker on a line with this opening.
fn marker<'a>(line: &'a str, opening: &str, in_word: fn(char) -> bool) -> Option<MarkerParts<'a>> {
    markers(line, opening, in_word).next()
}

/// Returns `[OPENING:word]` or `[OPENING:word:service]` with the rest of the line.
fn markers<'a>(
    line: &'a str,
    opening: &str,
    in_word: fn(char) -> bool,
) -> impl Iterator<Item = MarkerParts<'a>> {
    line.match_indices(opening).filter_map(move |(at, opening)| {
        let (word, rest) = split_word(&line[at + opening.len()..], in_word)?;
        let (service, rest) = match rest.strip_prefix(':') {
            Some(rest) => {
                let (service, rest) = split_word(rest, is_name_character)?;
                (Some(service), rest)
            }
            None => (None, rest),
        };
        let rest = rest.strip_prefix(']')?.trim_ascii_start();
        (!rest.is_empty()).then_some((word, service, rest))
    })
}

/// Splits off a word that is not empty.
fn split_word(text: &str, in_word: fn(char) -> bool) -> Option<(&str, &str)> {
    let end = text.find(|character| !in_word(character)).unwrap_or(text.len());
    Some(text.split_at(end)).filter(|_| end > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Finding> {
        let mut all = Vec::new();
        each(text, |finding| all.push(finding));
        all
    }

    fn event_of(level: Level, service: Option<&str>, message: &str) -> Finding {
        Finding::Event { level, service: service.map(str::to_owned), message: message.to_owned() }
    }

    #[test]
    fn first_marker_of_a_kind_counts_anywhere_on_the_line() {
        let found = all("  so: [EVENT:Warn:db_1] slow [EVENT:critical] b  ");
        assert_eq!(found, [event_of(Level::Warning, Some("db_1"), "slow [EVENT:critical] b")]);
        let found = all("[EVENT:] a [EVENT:a.b] b [EVENT:info:x-y] c");
        assert_eq!(
            found,
            [event_of(Level::Info, Some("x-y"), "c")],
            "incomplete markers are skipped"
        );
    }

    #[test]
    fn kinds_are_independent() {
        let kinds: Vec<_> = all("[EVENT:info] a [MEMORY:timing] b")
            .iter()
            .map(|finding| matches!(finding, Finding::Event { .. }))
            .collect();
        assert_eq!(kinds, [true, false]);
    }

    #[test]
    fn marker_needs_all_its_parts() {
        for line in [
            "[EVENT:info]",
            "[EVENT:info]   ",
            "[EVENT:info:] x",
            "[EVENT:info:a:b] x",
            "[event:info] x",
            "[EVENT: info] x",
            "[MEMORY:Timing] x",
            "[MEMORY:timing2] x",
            "[COOLDOWN:restart] success — x",
            "[COOLDOWN:stop:a] success — x",
            "[COOLDOWN:restart:a] done — x",
            "[COOLDOWN:restart:a] success x",
            "[COOLDOWN:restart:a] success —",
            "EVENT:info x",
        ] {
            assert_eq!(all(line), [], "{line}");
        }
    }

    #[test]
    fn a_cooldown_has_any_dash() {
        for dash in ["-", "–", "—", " — ", "- "] {
            let line = format!("[COOLDOWN:redeployment:a] failure{dash}because");
            let [Finding::Cooldown { success: false, message, .. }] = &all(&line)[..] else {
                panic!("{line}")
            };
            assert_eq!(message, "because", "{line}");
        }
    }
}
