//! The warnings of a run, so many of a kind and then a count.

/// How many warnings of one kind are kept.
pub const LIMIT: usize = 20;

/// A list that cannot grow without bound.
#[derive(Debug, Default)]
pub struct Warnings {
    kept: Vec<String>,
    kinds: Vec<(&'static str, usize)>,
}

impl Warnings {
    /// Adds a warning; `kind` is how it begins.
    pub fn add(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        let known = self.kinds.iter().position(|(name, _)| *name == kind);
        let at = known.unwrap_or_else(|| {
            self.kinds.push((kind, 0));
            self.kinds.len() - 1
        });
        self.kinds[at].1 += 1;
        if self.kinds[at].1 <= LIMIT {
            self.kept.push(format!("{kind} {}", cut(&text())));
        }
    }

    /// All warnings, with a count of those that were not kept.
    pub fn list(&self) -> impl Iterator<Item = String> {
        let over = self.kinds.iter().filter(|(_, count)| *count > LIMIT);
        let counts = over.map(|(kind, count)| {
            let kind = kind.trim_end_matches(':');
            format!("{kind}: {} more", count - LIMIT)
        });
        self.kept.iter().cloned().chain(counts)
    }
}

/// Warnings are sentences; nobody reads the rest of a megabyte.
fn cut(text: &str) -> &str {
    const LENGTH: usize = 4096;
    &text[..text.floor_char_boundary(LENGTH)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_of_a_kind_and_then_a_count() {
        let mut warnings = Warnings::default();
        for line in 1..=25 {
            warnings.add("malformed", || format!("line {line}"));
        }
        warnings.add("retry:", || "once".to_owned());
        let list: Vec<_> = warnings.list().collect();
        assert_eq!(list.len(), 22);
        assert_eq!(list[0], "malformed line 1");
        assert_eq!(list[20], "retry: once");
        assert_eq!(list[21], "malformed: 5 more");
    }
}
