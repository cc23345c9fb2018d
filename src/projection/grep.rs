//! `grep`: the matches in sessions.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use jiff::tz::TimeZone;

use crate::output::{ObjectWriter, Output, Row, RowLayout, Sink, sanitize};
use crate::search::{Excerpt, FileMatches, MatchingText, SearchOptions, for_each_excerpt};
use crate::usage::format_time;

/// Characters around a match in a line that is longer than the terminal.
const MARGIN: usize = 24;

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GrepRows {
    /// Each match.
    Matches,
    /// The sessions with matches.
    Sessions,
    /// The number of matches of each session.
    Counts,
}

impl GrepRows {
    pub fn new(lists_sessions: bool, counts: bool) -> Self {
        match (lists_sessions, counts) {
            (true, _) => Self::Sessions,
            (_, true) => Self::Counts,
            _ => Self::Matches,
        }
    }

    /// Returns the layout of the rows.
    pub fn layout(self) -> RowLayout {
        let columns: &[&str] = match self {
            Self::Matches => {
                &["session_id", "harness", "file", "line", "timestamp", "where", "tool", "text"]
            }
            Self::Sessions => &["session_id", "harness", "project", "file"],
            Self::Counts => &["session_id", "harness", "project", "file", "count"],
        };
        RowLayout { columns: columns.into(), is_array: true, is_dense: true }
    }
}

/// Prints the matches of files.
pub(crate) struct GrepOutput {
    what: GrepRows,
    /// Whether a group was printed.
    has_group: bool,
}

impl GrepOutput {
    pub fn new(what: GrepRows) -> Self {
        Self { what, has_group: false }
    }

    /// Prints the matches of a file.
    pub fn file(
        &mut self,
        file: &FileMatches,
        options: &SearchOptions,
        out: &mut Output,
    ) -> io::Result<()> {
        let what = self.what;
        if what != GrepRows::Matches {
            return out.row(&GrepRow { file, found: None, what });
        }
        if out.rows.is_human() {
            self.heading(file, &mut out.sink)?;
        }
        let SearchOptions { pattern, context, .. } = options;
        file.texts.iter().try_for_each(|found| {
            let print = |excerpt: &Excerpt<'_>| {
                out.row(&GrepRow { file, found: Some((found, excerpt)), what })
            };
            for_each_excerpt(&found.text, pattern, *context, print)
        })
    }

    fn heading(&mut self, file: &FileMatches, sink: &mut Sink) -> io::Result<()> {
        if std::mem::replace(&mut self.has_group, true) {
            sink.print("\n")?;
        }
        let text = heading(file);
        let text = sink.style().bold(&sink.sanitize(&text));
        sink.print(&format!("{text}\n"))
    }
}

/// Describes a session: its id, CLI and project, or the name of its file.
fn heading(file: &FileMatches) -> String {
    let id = file.session_id.as_deref().unwrap_or(&file.name);
    let mut parts = vec![id, file.harness.name()];
    parts.extend(file.project.as_deref());
    parts.join("  ")
}

struct GrepRow<'a> {
    file: &'a FileMatches,
    /// The match and the text it is in; `None` for the session.
    found: Option<(&'a MatchingText, &'a Excerpt<'a>)>,
    what: GrepRows,
}

impl GrepRow<'_> {
    fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let Self { file, found, what } = self;
        object
            .text("session_id", file.session_id.as_deref())
            .text("harness", file.harness.name())
            .text("project", file.project.as_deref())
            .text("file", file.name.as_str());
        if let Some((found, excerpt)) = found {
            let time = found.timestamp.map(|time| format_time(time, &TimeZone::UTC));
            object
                .count("line", found.line)
                .text("timestamp", time.as_deref())
                .text("where", found.place.name())
                .text("tool", found.tool.as_deref())
                .text("text", excerpt.text);
        } else if *what == GrepRows::Counts {
            object.count("count", file.count());
        }
    }
}

impl Row for GrepRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("match")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.write_members(object));
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let style = sink.style();
        let Some((found, excerpt)) = self.found else {
            let text = sink.sanitize(&heading(self.file)).into_owned();
            let count = self.file.count();
            return match self.what {
                GrepRows::Counts => sink.print(&format!("{count:>6}  {text}\n")),
                _ => sink.print(&format!("{text}\n")),
            };
        };
        let tool = found.tool.as_deref().map(|tool| format!(" {tool}")).unwrap_or_default();
        let label = format!("{}:{}{tool}: ", found.line, found.place.name());
        let label = sink.sanitize(&label).into_owned();
        let width = sink.is_terminal().then(|| sink.width().saturating_sub(label.len()));
        sink.print(&style.dim(&label))?;
        let mut start = 0;
        for (at, line) in excerpt.text.split('\n').enumerate() {
            let ranges = excerpt.ranges.iter().filter_map(|range| within(range, start, line.len()));
            let text = highlight(line, &ranges.collect::<Vec<_>>(), width, sink);
            let indent = if at == 0 { String::new() } else { " ".repeat(label.len()) };
            sink.print(&format!("{indent}{text}\n"))?;
            start += line.len() + 1;
        }
        Ok(())
    }
}

/// Returns the part of a range that lies in the line at `start`.
fn within(range: &Range<usize>, start: usize, length: usize) -> Option<Range<usize>> {
    let from = range.start.max(start);
    let to = range.end.min(start + length);
    (from < to).then(|| from - start..to - start)
}

/// Returns a line with its matches highlighted. A line that is too long is cut around the
/// first match.
fn highlight(line: &str, ranges: &[Range<usize>], width: Option<usize>, sink: &Sink) -> String {
    let style = sink.style();
    let clean =
        |text: &str| if sink.is_terminal() { sanitize(text).into_owned() } else { text.to_owned() };
    let is_long = width.is_some_and(|width| line.len() > width);
    let (mut from, mut to) = (0, line.len());
    if let Some(width) = width.filter(|_| is_long) {
        let first = ranges.first().map_or(0, |range| range.start);
        if first + MARGIN > width {
            from = line.floor_char_boundary(first.saturating_sub(MARGIN));
        }
        to = line.floor_char_boundary(line.len().min(from + width.saturating_sub(2)));
    }
    let mut text = if from > 0 { "…".to_owned() } else { String::new() };
    let mut at = from;
    for range in ranges {
        let (start, end) = (range.start.clamp(at, to), range.end.clamp(at, to));
        text.push_str(&clean(&line[at..start]));
        if start < end {
            text.push_str(&style.matched(&clean(&line[start..end])));
        }
        at = end;
    }
    text.push_str(&clean(&line[at..to]));
    if to < line.len() {
        text.push('…');
    }
    text
}
