//! What is shown below a tool call: its to-do list, its input, its output.

use similar::{ChangeTag, TextDiff};

use super::theme::{Theme, Tone};
use crate::harness::{FileChange, TodoItem, TodoState};
use crate::json::Json;
use crate::output::sanitize;

/// A line of details without its indentation.
pub(super) type DetailLine = (String, Tone);

/// Returns the lines of a to-do list.
pub(super) fn todo_list(items: &[TodoItem], theme: &Theme) -> Vec<DetailLine> {
    let line = |item: &TodoItem| {
        let (symbol, ascii, tone) = match item.state {
            TodoState::Completed => ("☑", "[x]", Tone::Dim),
            TodoState::InProgress => ("▸", "[>]", Tone::Bold),
            TodoState::Open => ("☐", "[ ]", Tone::Plain),
        };
        let symbol = if theme.ascii_only || !theme.is_terminal { ascii } else { symbol };
        (format!("{symbol} {}", sanitize(&item.text)), tone)
    };
    items.iter().map(line).collect()
}

/// A value shorter than this is not repeated below the summary that contains it.
const SHORT_VALUE: usize = 60;

/// Returns the input of a call, except for what its summary shows. The change of a
/// file is shown as a diff.
pub(super) fn input(
    input: Json<'_>,
    change: Option<&FileChange<'_>>,
    summary: &str,
) -> Vec<DetailLine> {
    let mut lines = Vec::new();
    for (name, value) in input.members() {
        let name = name.as_str().unwrap_or_default();
        let value = value.as_str().unwrap_or_else(|| String::from_utf8_lossy(value.bytes()));
        let is_changed = change.is_some_and(|change| change.members.contains(&name.as_ref()));
        if is_changed || value == summary && value.len() < SHORT_VALUE {
            continue;
        }
        let mut rows = value.lines();
        let first = format!("{}: {}", sanitize(&name), sanitize(rows.next().unwrap_or_default()));
        lines.push((first, Tone::Dim));
        lines.extend(rows.map(|row| (format!("  {}", sanitize(row)), Tone::Dim)));
    }
    if let Some(FileChange { old, new, .. }) = change {
        lines.extend(diff(old.as_deref().unwrap_or_default(), new));
    }
    lines
}

/// Returns a diff with all lines of both texts.
fn diff(old: &str, new: &str) -> Vec<DetailLine> {
    TextDiff::from_lines(old, new)
        .iter_all_changes()
        .map(|change| {
            let (sign, tone) = match change.tag() {
                ChangeTag::Equal => (" ", Tone::Dim),
                ChangeTag::Delete => ("-", Tone::Bad),
                ChangeTag::Insert => ("+", Tone::Good),
            };
            let line = change.value().trim_end_matches(['\n', '\r']);
            (format!("{sign} {}", sanitize(line)), tone)
        })
        .collect()
}

/// Returns all lines of an output.
pub(super) fn output(text: &str) -> Vec<DetailLine> {
    text.lines().map(|row| (sanitize(row).into_owned(), Tone::Dim)).collect()
}

/// Returns the first lines that are not blank.
pub(super) fn first_lines(text: &str, count: usize) -> Vec<DetailLine> {
    let rows = text.lines().filter(|row| !row.trim().is_empty());
    rows.take(count).map(|row| (sanitize(row).into_owned(), Tone::Dim)).collect()
}

/// Formats a size: `340 B`, `1.2 kB`.
pub(super) fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_shows_changed_and_unchanged_lines() {
        let shown = |old, new| -> Vec<String> {
            diff(old, new).into_iter().map(|(line, _)| line).collect()
        };
        assert_eq!(shown("a\nb\nc\nd", "a\nX\nY\nd"), ["  a", "- b", "- c", "+ X", "+ Y", "  d"]);
        assert_eq!(shown("a\n", "a\nb\n"), ["  a", "+ b"]);
    }

    #[test]
    fn sizes_are_rounded() {
        let shown: Vec<_> = [0, 999, 1000, 12_345, 3_400_000].into_iter().map(size).collect();
        assert_eq!(shown, ["0 B", "999 B", "1.0 kB", "12.3 kB", "3.4 MB"]);
    }
}
