//! The warnings of a run: at most 20 of a kind, then a count.

use crate::event::Retry;

/// Warnings of one kind that are kept.
const MAX_KEPT: usize = 20;

/// Bytes of a warning that are kept.
const MAX_LENGTH: usize = 4096;

/// A bounded list of warnings.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    kept: Vec<String>,
    /// Number of warnings by kind.
    counts: Vec<(&'static str, usize)>,
}

impl Warnings {
    /// Adds a warning that starts with `kind`.
    pub(super) fn add(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        let known = self.counts.iter().position(|(name, _)| *name == kind);
        let at = known.unwrap_or_else(|| {
            self.counts.push((kind, 0));
            self.counts.len() - 1
        });
        self.counts[at].1 += 1;
        if self.counts[at].1 <= MAX_KEPT {
            let text = text();
            self.kept.push(format!("{kind} {}", &text[..text.floor_char_boundary(MAX_LENGTH)]));
        }
    }

    /// Removes all warnings of a kind.
    pub(super) fn remove(&mut self, kind: &str) {
        self.counts.retain(|(name, _)| *name != kind);
        self.kept.retain(|warning| warning.split(' ').next() != Some(kind));
    }

    /// Iterates over the warnings, and the counts of those that were not kept.
    pub(super) fn iter(&self) -> impl Iterator<Item = String> {
        let over = self.counts.iter().filter(|(_, count)| *count > MAX_KEPT);
        let counts = over.map(|(kind, count)| {
            let kind = kind.trim_end_matches(':');
            format!("{kind}: {} more", count - MAX_KEPT)
        });
        self.kept.iter().cloned().chain(counts)
    }
}

/// Describes a retry: `attempt 1 of 10, status 500, server_error`, or what is known of it.
/// A message that is a sentence is used as it is.
pub(super) fn describe_retry(retry: &Retry<'_>) -> String {
    if let Some(sentence) = retry.message.filter(|text| text.contains(' ')) {
        return sentence.to_owned();
    }
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let mut parts = Vec::new();
    if retry.attempt.or(retry.max).is_some() || retry.message.is_none() {
        parts.push(format!("attempt {} of {}", number(retry.attempt), number(retry.max)));
    }
    parts.extend(retry.status.map(|status| format!("status {status}")));
    parts.extend(retry.message.map(str::to_owned));
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_of_a_kind_are_kept_and_the_rest_counted() {
        let mut warnings = Warnings::default();
        for line in 1..=25 {
            warnings.add("malformed", || format!("line {line}"));
        }
        warnings.add("retry:", || "once".to_owned());
        let list: Vec<_> = warnings.iter().collect();
        assert_eq!(list.len(), 22);
        assert_eq!(list[0], "malformed line 1");
        assert_eq!(list[20], "retry: once");
        assert_eq!(list[21], "malformed: 5 more");
    }
}
