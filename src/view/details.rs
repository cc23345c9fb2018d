//! What is shown below a tool call: its to-do list, its input, its output.

use std::borrow::Cow;
use std::io;

use similar::{ChangeTag, TextDiff};

use super::changes::lines;
use super::theme::{Theme, Tone};
use crate::harness::{FileChange, TodoItem, TodoState};
use crate::json::Json;
use crate::output::{ExcerptPart, excerpt};

/// A line of details without its indentation. It is sanitised when it is printed.
pub(super) struct DetailLine<'t> {
    /// A sign or a name, and the space behind it.
    pub(super) prefix: Cow<'t, str>,
    pub(super) text: &'t str,
    pub(super) tone: Tone,
}

impl<'t> DetailLine<'t> {
    pub(super) fn new(prefix: &'t str, text: &'t str, tone: Tone) -> Self {
        Self { prefix: prefix.into(), text, tone }
    }
}

/// Prints a line.
type ShowFn<'f> = &'f mut dyn FnMut(&DetailLine<'_>) -> io::Result<()>;

/// Shows a to-do list.
pub(super) fn todo_list(items: &[TodoItem], theme: &Theme, show: ShowFn<'_>) -> io::Result<()> {
    for item in items {
        let (symbol, ascii, tone) = match item.state {
            TodoState::Completed => ("☑ ", "[x] ", Tone::Dim),
            TodoState::InProgress => ("▸ ", "[>] ", Tone::Bold),
            TodoState::Open => ("☐ ", "[ ] ", Tone::Plain),
        };
        let symbol = if theme.ascii_only || !theme.is_terminal { ascii } else { symbol };
        show(&DetailLine::new(symbol, &item.text, tone))?;
    }
    Ok(())
}

/// A value shorter than this is not repeated below the summary that contains it.
const SHORT_VALUE: usize = 60;

/// Shows the input of a call, except for what its summary shows. Changes of files are shown
/// as diffs.
pub(super) fn input(
    input: Json<'_>,
    changes: &[FileChange<'_>],
    summary: &str,
    show: ShowFn<'_>,
) -> io::Result<()> {
    for (name, value) in input.members() {
        let name = name.as_str().unwrap_or_default();
        let value = value.as_str().unwrap_or_else(|| String::from_utf8_lossy(value.bytes()));
        let is_changed = changes.iter().any(|change| change.members.contains(&name.as_ref()));
        if is_changed || value == summary && value.len() < SHORT_VALUE {
            continue;
        }
        let mut rows = value.lines();
        let text = rows.next().unwrap_or_default();
        show(&DetailLine { prefix: format!("{name}: ").into(), text, tone: Tone::Dim })?;
        for row in rows {
            show(&DetailLine::new("  ", row, Tone::Dim))?;
        }
    }
    for change in changes {
        let path = change.path.as_deref().filter(|_| changes.len() > 1);
        if let Some(path) = path {
            show(&DetailLine::new("", path, Tone::Bold))?;
        }
        if let Some(new) = &change.new {
            diff(change.old.as_deref().unwrap_or_default(), new, show)?;
        }
    }
    Ok(())
}

/// Unchanged lines around a change that are shown.
const CONTEXT: usize = 3;

/// Shows a diff: changed lines with their context.
fn diff(old: &str, new: &str, show: ShowFn<'_>) -> io::Result<()> {
    let (old, new) = (lines(old), lines(new));
    let diff = TextDiff::from_slices(&old, &new);
    for (at, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
        if at > 0 {
            show(&DetailLine::new("", "…", Tone::Dim))?;
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, tone) = match change.tag() {
                ChangeTag::Equal => ("  ", Tone::Dim),
                ChangeTag::Delete => ("- ", Tone::Bad),
                ChangeTag::Insert => ("+ ", Tone::Good),
            };
            show(&DetailLine::new(sign, change.value(), tone))?;
        }
    }
    Ok(())
}

/// Shows all lines of an output.
pub(super) fn output(text: &str, show: ShowFn<'_>) -> io::Result<()> {
    text.lines().try_for_each(|row| show(&DetailLine::new("", row, Tone::Dim)))
}

/// Shows at most this number of lines of the output of a failed call.
pub(super) fn failed_output(
    text: &str,
    most: usize,
    exit_code: Option<i64>,
    show: ShowFn<'_>,
) -> io::Result<()> {
    excerpt(text, most, exit_code).iter().try_for_each(|part| match part {
        ExcerptPart::Line(row) => show(&DetailLine::new("", row, Tone::Dim)),
        ExcerptPart::Omitted(count, is_start) => {
            let omitted = ExcerptPart::describe_omitted(*count, *is_start);
            show(&DetailLine::new("", &omitted, Tone::Dim))
        }
    })
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
        let shown = |old, new| {
            let mut lines = Vec::new();
            diff(old, new, &mut |line| {
                lines.push(format!("{}{}", line.prefix, line.text));
                Ok(())
            })
            .unwrap();
            lines
        };
        assert_eq!(shown("a\nb\nc\nd", "a\nX\nY\nd"), ["  a", "- b", "- c", "+ X", "+ Y", "  d"]);
        assert_eq!(shown("a\n", "a\nb\n"), ["  a", "+ b"]);
        // A newline at the end makes no difference.
        assert_eq!(shown("a\nb", "a\nb\nc\n"), ["  a", "  b", "+ c"]);
        let apart = shown("1\n2\n3\n4\n5\n6\n7\n8\n9", "x\n2\n3\n4\n5\n6\n7\n8\ny");
        let expected = ["- 1", "+ x", "  2", "  3", "  4", "…", "  6", "  7", "  8", "- 9", "+ y"];
        assert_eq!(apart, expected);
    }

    #[test]
    fn sizes_are_rounded() {
        let shown: Vec<_> = [0, 999, 1000, 12_345, 3_400_000].into_iter().map(size).collect();
        assert_eq!(shown, ["0 B", "999 B", "1.0 kB", "12.3 kB", "3.4 MB"]);
    }
}
