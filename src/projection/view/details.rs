//! What lies behind a tool call: its check boxes, its diff, its input.

use std::borrow::Cow;

use super::look::{Look, Paint};
use crate::json::Json;
use crate::output::visible;

/// A line of details, without its indent.
pub(super) type Line = (String, Paint);

/// The items of a todo list, if the call is one.
pub(super) fn todo(name: &str, input: &[u8], look: &Look) -> Option<Vec<Line>> {
    let input = Json::new(input);
    let items = match name {
        "TodoWrite" => input.get("todos")?,
        "todo_list" => input.get("items")?,
        _ => return None,
    };
    let line = |item: Json<'_>| {
        let word = |key| item.get(key).and_then(Json::as_str);
        let completed = item.get("completed").is_some_and(|flag| flag.bytes() == b"true");
        let text = word("content").or_else(|| word("text")).unwrap_or_default();
        let (sign, ascii, paint) = match word("status").as_deref() {
            Some("completed") => ("☑", "[x]", Paint::Dim),
            Some("in_progress") => ("▸", "[>]", Paint::Bold),
            None if completed => ("☑", "[x]", Paint::Dim),
            _ => ("☐", "[ ]", Paint::Plain),
        };
        let sign = if look.ascii || !look.pretty { ascii } else { sign };
        (format!("{sign} {}", visible(&text)), paint)
    };
    Some(items.elements().map(line).collect())
}

/// A text shorter than this is told by the call's line.
const TOLD: usize = 60;

/// Everything a call was given that its line does not tell: `gist` is what it
/// tells.
pub(super) fn input(input: &[u8], gist: &str) -> Vec<Line> {
    let json = Json::new(input);
    let text = |key| json.get(key).and_then(Json::as_str);
    let change = text("old_string").zip(text("new_string"));
    let mut lines = Vec::new();
    for (name, value) in json.members() {
        let name = name.as_str().unwrap_or_default();
        let value = value.as_str().unwrap_or_else(|| String::from_utf8_lossy(value.bytes()));
        match name.as_ref() {
            "old_string" | "new_string" if change.is_some() => continue,
            "content" => continue,
            _ if value == gist && value.len() < TOLD => continue,
            _ => {}
        }
        let mut rows = value.lines();
        let first = format!("{}: {}", visible(&name), visible(rows.next().unwrap_or_default()));
        lines.push((first, Paint::Dim));
        lines.extend(rows.map(|row| (format!("  {}", visible(row)), Paint::Dim)));
    }
    lines.extend(change.iter().flat_map(|(old, new)| diff(old, new)));
    lines.extend(text("content").iter().flat_map(|content| marked(content, "+", Paint::Good)));
    lines
}

/// What was, and what is.
fn diff(old: &str, new: &str) -> Vec<Line> {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let before = same(&mut old.iter().zip(&new));
    let after = same(&mut old[before..].iter().rev().zip(new[before..].iter().rev()));
    let lines = |rows: &[&str], sign: &str, paint: Paint| -> Vec<Line> {
        rows.iter().map(|row| (format!("{sign} {}", visible(row)), paint)).collect()
    };
    let (changed_old, changed_new) =
        (&old[before..old.len() - after], &new[before..new.len() - after]);
    [
        lines(&old[..before], " ", Paint::Dim),
        lines(changed_old, "-", Paint::Bad),
        lines(changed_new, "+", Paint::Good),
        lines(&old[old.len() - after..], " ", Paint::Dim),
    ]
    .concat()
}

fn marked(text: &str, sign: &str, paint: Paint) -> Vec<Line> {
    text.lines().map(|row| (format!("{sign} {}", visible(row)), paint)).collect()
}

/// The lines of a text.
pub(super) fn plain(text: &str) -> Vec<Line> {
    text.lines().map(|row| (visible(row).into_owned(), Paint::Dim)).collect()
}

/// The first lines that say something.
pub(super) fn beginning(text: &str, count: usize) -> Vec<Line> {
    let rows = text.lines().filter(|row| !row.trim().is_empty());
    rows.take(count).map(|row| (visible(row).into_owned(), Paint::Dim)).collect()
}

/// `340 B`, `1.2 kB`.
pub(super) fn size(bytes: usize) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{}.{} kB", bytes / 1000, bytes % 1000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// A member of a line that is known by its type only.
pub(super) fn member<'a>(json: Json<'a>, pointer: &str) -> Option<Cow<'a, str>> {
    json.pointer(pointer)?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_what_has_changed_between_what_has_not() {
        let shown: Vec<String> =
            diff("a\nb\nc\nd", "a\nX\nY\nd").into_iter().map(|(line, _)| line).collect();
        assert_eq!(shown, ["  a", "- b", "- c", "+ X", "+ Y", "  d"]);
        let shown: Vec<String> = diff("a", "a\nb").into_iter().map(|(line, _)| line).collect();
        assert_eq!(shown, ["  a", "+ b"]);
    }

    #[test]
    fn sizes_are_for_people() {
        let shown: Vec<_> = [0, 999, 1000, 12_345, 3_400_000].into_iter().map(size).collect();
        assert_eq!(shown, ["0 B", "999 B", "1.0 kB", "12.3 kB", "3.4 MB"]);
    }
}
