//! A picture for the terminal: a bar for each row.

use std::io;

use unicode_width::UnicodeWidthStr;

use super::group::Row;
use crate::cli::Plot;
use crate::output::{Sink, thousands};

/// The eighths of a column, from none to seven.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Labels take no more than this of the width.
const LABEL_SHARE: usize = 3;

/// Draws the rows as bars as wide as the terminal allows.
pub(super) fn draw(what: Plot, rows: &[Row], sink: &mut Sink) -> io::Result<()> {
    let style = sink.style();
    let width = sink.width();
    let bars: Vec<(String, f64, String)> = rows
        .iter()
        .map(|row| {
            let label = sink.fit(row.key.as_deref().unwrap_or_default()).into_owned();
            let (value, shown) = value(what, row);
            (cut(&label, (width / LABEL_SHARE).max(10)), value, shown)
        })
        .collect();
    let widest = |text: fn(&(String, f64, String)) -> usize| bars.iter().map(text).max();
    let label_width = widest(|(label, ..)| label.width()).unwrap_or(0);
    let value_width = widest(|(_, _, shown)| shown.width()).unwrap_or(0);
    let room = width.saturating_sub(label_width + value_width + 4).max(1);
    let largest = bars.iter().map(|(_, value, _)| *value).fold(0.0, f64::max);
    for (label, value, shown) in &bars {
        let label = format!("{label}{}", " ".repeat(label_width - label.width()));
        let bar = bar(*value, largest, room);
        let space = " ".repeat(value_width - shown.width());
        sink.print(&format!("{}  {space}{shown}  {}\n", style.dim(&label), style.good(&bar)))?;
    }
    Ok(())
}

#[allow(clippy::cast_precision_loss)] // a bar has eight steps per column
fn value(what: Plot, row: &Row) -> (f64, String) {
    match what {
        Plot::Tokens => (row.tokens.total() as f64, thousands(row.tokens.total())),
        Plot::Cost => match row.cost_usd.or(row.estimate.usd) {
            Some(usd) => {
                (usd, format!("{}${usd:.2}", if row.cost_usd.is_none() { "~" } else { "" }))
            }
            None => (0.0, "unknown".to_owned()),
        },
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
fn bar(value: f64, largest: f64, room: usize) -> String {
    if largest <= 0.0 || value <= 0.0 {
        return String::new();
    }
    // Something is never nothing.
    let eighths = ((value / largest) * (room * 8) as f64).round().max(1.0) as usize;
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A label that is too long loses its beginning: the end tells more.
fn cut(label: &str, width: usize) -> String {
    if label.width() <= width {
        return label.to_owned();
    }
    let mut kept = label;
    while kept.width() >= width {
        kept = kept.char_indices().nth(1).map_or("", |(at, _)| &kept[at..]);
    }
    format!("…{kept}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_share_and_never_invisible() {
        assert_eq!(bar(8.0, 8.0, 4), "████");
        assert_eq!(bar(4.0, 8.0, 4), "██");
        assert_eq!(bar(1.0, 8.0, 4), "▌");
        assert_eq!(bar(0.001, 8.0, 4), "▏");
        assert_eq!(bar(0.0, 8.0, 4), "");
        assert_eq!(bar(0.0, 0.0, 4), "");
    }

    #[test]
    fn long_labels_keep_their_end() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("/home/me/projects/streamj", 10), "…s/streamj");
        assert_eq!(cut("日本語日本語", 7), "…日本語");
    }
}
