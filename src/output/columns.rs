//! Aligned columns and readable numbers.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Pads the cells of rows to aligned columns; `right` selects the columns that are
/// aligned to the right.
pub(crate) fn columns(rows: &[Vec<String>], right: &[bool]) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..count).map(|at| width(at).unwrap_or(0)).collect();
    rows.iter()
        .map(|row| {
            let mut line = String::new();
            for (at, cell) in row.iter().enumerate() {
                let padding = " ".repeat(widths[at] - cell.width());
                let is_right = right.get(at).copied().unwrap_or(false);
                if at > 0 {
                    line.push_str("  ");
                }
                if is_right {
                    line.push_str(&padding);
                }
                line.push_str(cell);
                if !is_right {
                    line.push_str(&padding);
                }
            }
            line.truncate(line.trim_end().len());
            line
        })
        .collect()
}

/// Returns the first layout whose lines are no wider than `width`, else the last one.
pub(crate) fn first_fitting(
    layouts: impl IntoIterator<Item = Vec<String>>,
    width: usize,
) -> Vec<String> {
    let mut last = Vec::new();
    for lines in layouts {
        let fits = lines.iter().all(|line| line.width() <= width);
        last = lines;
        if fits {
            break;
        }
    }
    last
}

/// Shortens a label to a width from its start: the end is more specific.
pub(crate) fn keep_end(label: &str, width: usize) -> String {
    if label.width() <= width {
        return label.to_owned();
    }
    let mut kept = label;
    while !kept.is_empty() && kept.width() >= width {
        kept = kept.char_indices().nth(1).map_or("", |(at, _)| &kept[at..]);
    }
    format!("…{kept}")
}

/// Formats `1234567` as `1,234,567`.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Formats a duration: `1.2 s`, `3 min 20 s`.
pub(crate) fn seconds(milliseconds: u64) -> String {
    let tenths = milliseconds.saturating_add(50) / 100;
    if tenths >= 600 {
        format!("{} min {} s", tenths / 600, tenths % 600 / 10)
    } else {
        format!("{}.{} s", tenths / 10, tenths % 10)
    }
}

/// Formats a count: `1 turn`, `2 turns`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// Returns the first line of a text, cut to a width. An ellipsis marks a cut.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let mut line = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if c == '\n' || used > width {
            // Make room for the ellipsis.
            while used > width.max(1) || line.ends_with(' ') {
                let Some(last) = line.pop() else { break };
                used = used.saturating_sub(last.width().unwrap_or(0));
            }
            line.push('…');
            break;
        }
        line.push(if c == '\t' { ' ' } else { c });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_display_width() {
        let rows =
            [vec!["日本".to_owned(), "1".to_owned()], vec!["a".to_owned(), "100".to_owned()]];
        assert_eq!(columns(&rows, &[false, true]), ["日本    1", "a     100"]);
    }

    #[test]
    fn durations_are_rounded() {
        let shown: Vec<_> =
            [0, 49, 950, 59_949, 60_000, 3_723_000].into_iter().map(seconds).collect();
        assert_eq!(shown, ["0.0 s", "0.0 s", "1.0 s", "59.9 s", "1 min 0 s", "62 min 3 s"]);
    }

    #[test]
    fn digits_are_grouped_in_threes() {
        let shown: Vec<_> = [0, 999, 1000, 1_234_567].into_iter().map(thousands).collect();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn first_layout_that_fits_is_taken() {
        let layouts = || [vec!["wide one".to_owned()], vec!["wide".to_owned()], vec![]];
        assert_eq!(first_fitting(layouts(), 80), ["wide one"]);
        assert_eq!(first_fitting(layouts(), 7), ["wide"]);
        let last: [&str; 0] = [];
        assert_eq!(first_fitting(layouts(), 3), last);
    }

    #[test]
    fn long_labels_keep_their_end() {
        assert_eq!(keep_end("short", 10), "short");
        assert_eq!(keep_end("/home/me/projects/streamj", 10), "…s/streamj");
        assert_eq!(keep_end("日本語日本語", 7), "…日本語");
        assert_eq!(keep_end("any", 0), "…");
    }

    #[test]
    fn line_is_cut_to_its_width() {
        assert_eq!(one_line("short", 10), "short");
        assert_eq!(one_line("two\nlines", 10), "two…");
        assert_eq!(one_line("exactly10!", 10), "exactly10!");
        assert_eq!(one_line("more than ten", 10), "more than…");
        assert_eq!(one_line("日本語日本語", 6), "日本…");
    }
}
