//! Tables in Markdown, laid out to the width.

use super::text_flow::TextFlow;
use super::theme::{Theme, Tone, shown_width};

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alignment {
    Left,
    Centre,
    Right,
}

/// Between two columns.
const SEPARATOR: &str = " │ ";
const SEPARATOR_WIDTH: usize = 3;

/// In narrower columns a table is not readable.
const MIN_COLUMN: usize = 7;

/// A table.
struct MarkdownTable<'t> {
    header: Vec<&'t str>,
    alignments: Vec<Alignment>,
    rows: Vec<Vec<&'t str>>,
}

/// Returns the lines of a table of this width; `None` if the text is no table.
pub(super) fn lay_out(text: &str, width: usize, theme: &Theme) -> Option<Vec<String>> {
    let table = MarkdownTable::parse(text)?;
    let count = table.header.len();
    let available = width.saturating_sub(SEPARATOR_WIDTH * (count - 1));
    let mut widths = table.natural_widths(theme);
    if widths.iter().sum::<usize>() > available && available < MIN_COLUMN * count {
        return Some(table.records(width, theme));
    }
    shrink(&mut widths, available);
    let mut lines = table.row(&table.header, &widths, Tone::Bold, theme);
    let rule = widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("─┼─");
    lines.push(theme.paint(&rule, Tone::Dim));
    for row in &table.rows {
        lines.extend(table.row(row, &widths, Tone::Plain, theme));
    }
    Some(lines)
}

/// Makes the widest columns narrower until all fit.
fn shrink(widths: &mut [usize], available: usize) {
    for width in widths.iter_mut() {
        *width = (*width).min(available);
    }
    while widths.iter().sum::<usize>() > available {
        let Some(widest) = widths.iter_mut().max() else { return };
        *widest -= 1;
    }
}

impl<'t> MarkdownTable<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let mut lines = text.lines().map(cells);
        let header = lines.next()?;
        let delimiters = lines.next()?;
        let alignments =
            delimiters.iter().map(|cell| alignment(cell)).collect::<Option<Vec<_>>>()?;
        let count = header.len();
        if alignments.len() != count {
            return None;
        }
        let rows = lines.map(|mut row| {
            row.resize(count, "");
            row
        });
        Some(Self { header, alignments, rows: rows.collect() })
    }

    /// Returns the width of each column without wrapping.
    fn natural_widths(&self, theme: &Theme) -> Vec<usize> {
        let rows = || std::iter::once(&self.header).chain(&self.rows);
        let width = |at: usize| {
            let cells = rows().map(|row| shown_width(&cell(row[at], None, theme)));
            cells.max().unwrap_or(0).max(1)
        };
        (0..self.header.len()).map(width).collect()
    }

    /// Returns the lines of a row.
    fn row(&self, row: &[&str], widths: &[usize], tone: Tone, theme: &Theme) -> Vec<String> {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(widths)
            .map(|(text, width)| {
                let shown = cell(text, Some(*width), theme);
                shown.lines().map(|line| theme.paint(line, tone)).collect()
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        let separator = theme.paint(SEPARATOR, Tone::Dim);
        let line = |number: usize| {
            let parts = cells.iter().zip(widths).zip(&self.alignments);
            let parts = parts.map(|((lines, width), alignment)| {
                let text = lines.get(number).map_or("", String::as_str);
                pad(text, *width, *alignment)
            });
            let line = parts.collect::<Vec<_>>().join(&separator);
            line.trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }

    /// Returns the rows one below the other, each cell with the name of its column.
    fn records(&self, width: usize, theme: &Theme) -> Vec<String> {
        let mut lines = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            if at > 0 {
                lines.push(String::new());
            }
            for (name, text) in self.header.iter().zip(row).filter(|(_, text)| !text.is_empty()) {
                let name = theme.paint(&format!("{name}:"), Tone::Dim);
                let shown = cell(&format!("{name} {text}"), Some(width), theme);
                lines.extend(shown.lines().map(str::to_owned));
            }
        }
        lines
    }
}

/// Splits a row like `| a | b |`.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = match line.strip_suffix('|') {
        Some(inside) if !inside.ends_with('\\') => inside,
        _ => line,
    };
    let mut cells = Vec::new();
    let mut start = 0;
    for (at, _) in line.match_indices('|') {
        if !line[..at].ends_with('\\') {
            cells.push(line[start..at].trim());
            start = at + 1;
        }
    }
    cells.push(line[start..].trim());
    cells
}

/// Parses a cell below the header: `---`, `:--`, `:-:`, `--:`.
fn alignment(cell: &str) -> Option<Alignment> {
    let dashes = cell.trim_matches(':');
    if dashes.is_empty() || !dashes.bytes().all(|byte| byte == b'-') {
        return None;
    }
    Some(match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Alignment::Centre,
        (false, true) => Alignment::Right,
        _ => Alignment::Left,
    })
}

/// Renders the text of a cell.
fn cell(text: &str, width: Option<usize>, theme: &Theme) -> String {
    let theme = Theme { width, ..*theme };
    let text = text.replace("\\|", "|").replace("<br>", " ").replace("<br/>", " ");
    let mut flow = TextFlow::inline();
    let mut shown = flow.push(&text, &theme);
    shown += &flow.finish(&theme);
    shown.truncate(shown.trim_end_matches('\n').len());
    shown
}

fn pad(text: &str, width: usize, alignment: Alignment) -> String {
    let free = width.saturating_sub(shown_width(text));
    let left = match alignment {
        Alignment::Left => 0,
        Alignment::Centre => free / 2,
        Alignment::Right => free,
    };
    format!("{}{text}{}", " ".repeat(left), " ".repeat(free - left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Style;

    fn shown(text: &str, width: usize) -> String {
        let theme = Theme {
            is_terminal: true,
            ascii_only: false,
            width: Some(width),
            has_hyperlinks: false,
            style: Style::default(),
        };
        lay_out(text, width, &theme).unwrap().join("\n")
    }

    #[test]
    fn columns_are_aligned() {
        let text = "| Name | Size | Note |\n|:-----|-----:|:----:|\n| a.rs | 12 | x |\n| 日本 | 3,400 | a \\| b |";
        assert_eq!(
            shown(text, 80),
            "Name │  Size │ Note\n─────┼───────┼──────\na.rs │    12 │   x\n日本 │ 3,400 │ a | b"
        );
    }

    #[test]
    fn wide_columns_wrap_and_narrow_tables_are_records() {
        let text = "|Key|Meaning|\n|---|---|\n|one|the first of many words here|\n|two||";
        assert_eq!(
            shown(text, 23),
            "Key │ Meaning\n────┼──────────────────\none │ the first of many\n    │ words here\ntwo │"
        );
        assert_eq!(
            shown(text, 14),
            "Key: one\nMeaning: the\nfirst of many\nwords here\n\nKey: two"
        );
    }

    #[test]
    fn other_texts_are_no_tables() {
        for text in ["| a | b |", "| a |\n| b |", "| a | b |\n|---|\n", "|| x\n"] {
            assert!(MarkdownTable::parse(text).is_none(), "{text}");
        }
    }
}
