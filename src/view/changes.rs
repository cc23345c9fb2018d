//! The files that a run changes, with the numbers of added and removed lines.

use std::collections::HashMap;
use std::ops::Range;

use similar::{DiffOp, TextDiff};

use crate::harness::FileChange;

/// Longer texts are compared by their common start and end only.
const MAX_COMPARED: usize = 256 << 10;

/// Numbers of added and removed lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LineChanges {
    pub(super) added: usize,
    pub(super) removed: usize,
}

impl LineChanges {
    /// Counts the lines of a change; `None` if its texts are unknown.
    pub(super) fn of(change: &FileChange<'_>) -> Option<Self> {
        let new = change.new.as_deref()?;
        let Some(old) = change.old.as_deref() else {
            return Some(Self { added: new.lines().count(), removed: 0 });
        };
        if old.len().max(new.len()) > MAX_COMPARED {
            return Some(Self::around_common(old, new));
        }
        let (old, new) = (lines(old), lines(new));
        let diff = TextDiff::from_slices(&old, &new);
        let added = diff.ops().iter().map(|op| changed(op, op.new_range())).sum();
        let removed = diff.ops().iter().map(|op| changed(op, op.old_range())).sum();
        Some(Self { added, removed })
    }

    /// Counts the lines between the common start and the common end.
    fn around_common(old: &str, new: &str) -> Self {
        let start = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
        let [old_count, new_count] = [old, new].map(|text| text.lines().count());
        let ends = old.lines().rev().zip(new.lines().rev());
        let end = ends.take_while(|(old, new)| old == new).count();
        let common = (start + end).min(old_count).min(new_count);
        Self { added: new_count - common, removed: old_count - common }
    }

    fn plus(self, other: Self) -> Self {
        Self { added: self.added + other.added, removed: self.removed + other.removed }
    }
}

impl std::fmt::Display for LineChanges {
    /// Formats `+3 −2`.
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.removed {
            0 => write!(to, "+{}", self.added),
            removed => write!(to, "+{} −{removed}", self.added),
        }
    }
}

/// Returns the lines of a text without their ends, so that a last line without a newline is
/// equal to the same line with one.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

fn changed(op: &DiffOp, range: Range<usize>) -> usize {
    if matches!(op, DiffOp::Equal { .. }) { 0 } else { range.len() }
}

/// The changes that a call would make.
#[derive(Debug, Default)]
pub(super) struct CallChanges(Vec<(String, Option<LineChanges>)>);

impl CallChanges {
    /// Collects the changes of files that are named.
    pub(super) fn new(changes: &[FileChange<'_>]) -> Self {
        let named = changes.iter().filter_map(|change| {
            Some((change.path.as_deref()?.to_owned(), LineChanges::of(change)))
        });
        Self(named.collect())
    }

    /// Returns the number of lines in all files, if it is known for each.
    pub(super) fn total(&self) -> Option<LineChanges> {
        let mut lines = self.0.iter().map(|(_, lines)| *lines);
        let first = lines.next()??;
        lines.try_fold(first, |sum, lines| Some(sum.plus(lines?)))
    }
}

/// The files that a run has changed, in the order of their first changes.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    files: Vec<(String, Option<LineChanges>)>,
    positions: HashMap<String, usize>,
}

impl ChangedFiles {
    /// Adds the changes of a call that succeeded.
    pub(super) fn add(&mut self, changes: CallChanges) {
        for (path, lines) in changes.0 {
            let known = self.positions.get(&path).copied();
            if let Some((_, sum)) = known.and_then(|at| self.files.get_mut(at)) {
                *sum = sum.zip(lines).map(|(sum, lines)| sum.plus(lines)).or(*sum).or(lines);
                continue;
            }
            self.positions.insert(path.clone(), self.files.len());
            self.files.push((path, lines));
        }
    }

    /// Returns the files with the numbers of their lines, if these are known.
    pub(super) fn files(&self) -> &[(String, Option<LineChanges>)] {
        &self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change<'a>(old: Option<&'a str>, new: &'a str) -> FileChange<'a> {
        FileChange {
            path: Some("a.rs".into()),
            old: old.map(Into::into),
            new: Some(new.into()),
            ..FileChange::default()
        }
    }

    fn counted(old: Option<&str>, new: &str) -> String {
        LineChanges::of(&change(old, new)).unwrap().to_string()
    }

    #[test]
    fn lines_are_counted_as_a_diff_shows_them() {
        assert_eq!(counted(None, "a\nb\n"), "+2");
        assert_eq!(counted(Some("a\nb\nc"), "a\nX\nY\nc"), "+2 −1");
        assert_eq!(counted(Some("a\nb"), "a\nb\nc\n"), "+1");
        assert_eq!(counted(Some("a\n"), ""), "+0 −1");
        let long = "same line\n".repeat(40_000);
        let changed = format!("{long}new\n");
        assert_eq!(counted(Some(&long), &changed), "+1");
        assert_eq!(counted(Some(&format!("x\n{long}y\n")), &format!("{long}y\n")), "+0 −1");
    }

    #[test]
    fn changes_of_a_file_add_up() {
        let mut files = ChangedFiles::default();
        files.add(CallChanges::new(&[change(None, "a\nb\n")]));
        files.add(CallChanges::new(&[change(Some("a"), "c")]));
        let unknown = FileChange { path: Some("b.rs".into()), ..FileChange::default() };
        let changes = CallChanges::new(&[unknown]);
        assert_eq!(changes.total(), None);
        files.add(changes);
        let shown: Vec<_> = files
            .files()
            .iter()
            .map(|(path, lines)| (path.as_str(), lines.map(|lines| lines.to_string())))
            .collect();
        assert_eq!(shown, [("a.rs", Some("+3 −1".to_owned())), ("b.rs", None)]);
    }
}
