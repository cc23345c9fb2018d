//! `sessions`: one row per session.

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::short_ids::shorten_ids;
use super::usage_table::notes::UNDATED;
use super::write_all_tokens;
use crate::catalog::SessionEntry;
use crate::event::Category;
use crate::output::{
    ObjectWriter, Output, Row, RowLayout, Sink, columns, first_fitting, keep_end, one_line, plural,
    seconds, thousands,
};
use crate::usage::format_time;

/// Columns of a shortened id.
const SHORT_ID: usize = 8;

/// Columns of a shortened project and of a shortened model.
const SHORT_NAME: usize = 20;

/// Columns that a prompt has at least.
const MIN_PROMPT: usize = 16;

const COLUMNS: &[&str] = &[
    "session_id",
    "harness",
    "project",
    "started_at",
    "last_at",
    "duration_ms",
    "model",
    "turns",
    "tool_calls",
    "failed_tool_calls",
    "denied_tool_calls",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "total_tokens",
    "cost_usd",
    "cost_with_estimate_usd",
    "failed",
    "error_category",
    "prompt",
    "file",
];

/// A table of sessions.
pub(crate) struct SessionTable<'a> {
    pub(crate) entries: &'a [&'a SessionEntry],
    /// How many sessions were selected; a part of them may be shown.
    pub(crate) matching: usize,
    /// Ids from which those shown must differ.
    pub(crate) all_ids: Vec<&'a str>,
    pub(crate) zone: TimeZone,
    /// Whether nothing is shortened.
    pub(crate) is_wide: bool,
}

impl SessionTable<'_> {
    /// Returns the layout of the rows.
    pub fn layout() -> RowLayout {
        RowLayout { columns: COLUMNS.into(), is_array: true, is_dense: true }
    }

    /// Prints the table.
    pub fn print(&self, out: &mut Output) -> io::Result<()> {
        if out.rows.is_human() {
            return self.print_lines(&mut out.sink);
        }
        for entry in self.entries {
            out.row(&ListedSession { entry, zone: &self.zone })?;
        }
        out.rows.end_run(&mut out.sink)
    }

    fn print_lines(&self, sink: &mut Sink) -> io::Result<()> {
        if self.entries.is_empty() {
            return Ok(());
        }
        let style = sink.style();
        let lines = if self.is_wide || !sink.is_terminal() {
            self.lines(&Columns::WIDE, sink, None)
        } else {
            let width = sink.width();
            let layouts = Columns::layouts();
            first_fitting(layouts.iter().map(|layout| self.lines(layout, sink, Some(width))), width)
        };
        for (at, line) in lines.iter().enumerate() {
            let is_failed = at > 0 && self.entries[at - 1].failure.is_some();
            let line = match at {
                0 => style.dim(line),
                _ if is_failed => style.bad(line),
                _ => line.clone(),
            };
            sink.print(&format!("{line}\n"))?;
        }
        let all = plural(self.matching as u64, "session");
        let shown = self.entries.len();
        let note = if shown < self.matching { format!("{shown} of {all}") } else { all };
        let has_mark = self.entries.iter().any(|entry| entry.is_undated);
        let mark =
            if has_mark { format!(" · {UNDATED} dated by its file") } else { String::new() };
        sink.print(&format!("{}\n", style.dim(&format!("{note}{mark}"))))
    }

    /// Returns the lines, the heading first.
    fn lines(&self, layout: &Columns, sink: &Sink, width: Option<usize>) -> Vec<String> {
        let mut ids: Vec<String> = self.entries.iter().map(|entry| entry.id.clone()).collect();
        if !layout.is_wide {
            let listed = ids.len();
            ids.extend(self.all_ids.iter().map(|id| (*id).to_owned()));
            shorten_ids(&mut ids, SHORT_ID);
            ids.truncate(listed);
        }
        let mut rows = vec![layout.heading()];
        for (entry, id) in self.entries.iter().zip(ids) {
            rows.push(layout.cells(entry, &id, &self.zone, sink));
        }
        let mut lines = columns(&rows, &layout.right_aligned());
        if layout.has_prompt {
            let used = lines.iter().map(|line| display_width(line)).max().unwrap_or(0);
            let room = width.map_or(usize::MAX, |width| width.saturating_sub(used + 2));
            if room < MIN_PROMPT {
                // The layout does not fit.
                return lines
                    .iter()
                    .map(|line| format!("{line:used$}{:MIN_PROMPT$}", "·"))
                    .collect();
            }
            let texts = std::iter::once("prompt").chain(
                self.entries.iter().map(|entry| entry.prompt.as_deref().unwrap_or_default()),
            );
            for (line, text) in lines.iter_mut().zip(texts) {
                let padding = " ".repeat(used - display_width(line) + 2);
                let text = one_line(&sink.sanitize(text), room);
                line.push_str(&padding);
                line.push_str(&text);
                line.truncate(line.trim_end().len());
            }
        }
        lines
    }
}

fn display_width(line: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(line)
}

/// The columns of a table for people.
struct Columns {
    is_wide: bool,
    has_harness: bool,
    has_project: bool,
    has_duration: bool,
    has_model: bool,
    has_counts: bool,
    has_tokens: bool,
    has_cost: bool,
    has_prompt: bool,
}

impl Columns {
    const WIDE: Self = Self {
        is_wide: true,
        has_harness: true,
        has_project: true,
        has_duration: true,
        has_model: true,
        has_counts: true,
        has_tokens: true,
        has_cost: true,
        has_prompt: true,
    };

    /// Returns the layouts for a terminal, widest first.
    fn layouts() -> Vec<Self> {
        let all = Self { is_wide: false, ..Self::WIDE };
        let no_model = || Self { has_model: false, ..Self { is_wide: false, ..Self::WIDE } };
        let no_duration = || Self { has_duration: false, ..no_model() };
        let no_counts = || Self { has_counts: false, ..no_duration() };
        let no_tokens = || Self { has_tokens: false, ..no_counts() };
        let no_harness = || Self { has_harness: false, ..no_tokens() };
        let no_cost = || Self { has_cost: false, ..no_harness() };
        let no_project = || Self { has_project: false, ..no_cost() };
        let least = Self { has_prompt: false, ..no_project() };
        vec![
            all,
            no_model(),
            no_duration(),
            no_counts(),
            no_tokens(),
            no_harness(),
            no_cost(),
            no_project(),
            least,
        ]
    }

    /// Returns the headings, and whether their columns are aligned to the right.
    fn headings(&self) -> Vec<(&'static str, bool)> {
        let optional = [
            (self.has_harness, ("cli", false)),
            (self.has_project, ("project", false)),
            (true, ("started", false)),
            (self.has_duration, ("time", true)),
            (self.has_model, ("model", false)),
            (self.has_counts, ("turns", true)),
            (self.has_counts, ("tools", false)),
            (self.has_tokens, ("tokens", true)),
            (self.has_cost, ("cost", true)),
        ];
        let shown = optional.into_iter().filter(|(is_shown, _)| *is_shown);
        std::iter::once(("session", false)).chain(shown.map(|(_, heading)| heading)).collect()
    }

    fn heading(&self) -> Vec<String> {
        self.headings().into_iter().map(|(name, _)| name.to_owned()).collect()
    }

    fn right_aligned(&self) -> Vec<bool> {
        self.headings().into_iter().map(|(_, is_right)| is_right).collect()
    }

    fn cells(&self, entry: &SessionEntry, id: &str, zone: &TimeZone, sink: &Sink) -> Vec<String> {
        let mut cells = vec![sink.sanitize(id).into_owned()];
        if self.has_harness {
            cells.push(entry.harness.name().to_owned());
        }
        if self.has_project {
            cells.push(self.name(entry.project.as_deref(), sink, &['/', '\\']));
        }
        let time = entry.started.unwrap_or(entry.last).to_zoned(zone.clone());
        let mark = if entry.is_undated { UNDATED } else { "" };
        cells.push(format!("{}{mark}", time.strftime("%F %H:%M")));
        if self.has_duration {
            cells.push(entry.duration_ms().map_or("-".to_owned(), short_duration));
        }
        if self.has_model {
            cells.push(self.name(entry.model.as_deref(), sink, &['/']));
        }
        if self.has_counts {
            cells.push(entry.turns.to_string());
            cells.push(tool_counts(entry));
        }
        if self.has_tokens {
            cells.push(thousands(entry.tokens.total()));
        }
        if self.has_cost {
            cells.push(entry.combined_cost().format_exact(entry.uncosted.is_empty()));
        }
        cells
    }

    /// Returns a name, or its last part if it is to be short.
    fn name(&self, name: Option<&str>, sink: &Sink, separators: &[char]) -> String {
        let name = name.unwrap_or("-");
        if self.is_wide {
            return sink.sanitize(name).into_owned();
        }
        let last = name.rsplit(separators).find(|part| !part.is_empty()).unwrap_or(name);
        keep_end(&sink.sanitize(last), SHORT_NAME)
    }
}

/// Formats numbers of calls: `12`, `12 (1 failed)`.
fn tool_counts(entry: &SessionEntry) -> String {
    let tools = entry.tools;
    let failed = tools.failed + tools.denied;
    if failed == 0 { tools.calls.to_string() } else { format!("{} ({failed} failed)", tools.calls) }
}

/// Formats the time between two lines, which may be days.
fn short_duration(milliseconds: u64) -> String {
    let minutes = milliseconds / 60_000;
    match (minutes / 60 / 24, minutes / 60 % 24, minutes % 60) {
        (0, 0, _) => seconds(milliseconds),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// A session as a row.
pub(crate) struct ListedSession<'a> {
    pub(crate) entry: &'a SessionEntry,
    pub(crate) zone: &'a TimeZone,
}

impl ListedSession<'_> {
    /// Writes the members.
    pub(crate) fn write_members(&self, object: &mut ObjectWriter<'_>) {
        let Self { entry, zone } = self;
        let time = |time: Timestamp| format_time(time, zone);
        object
            .text("session_id", entry.id.as_str())
            .text("harness", entry.harness.name())
            .text("project", entry.project.as_deref())
            .text("started_at", entry.started.map(time).as_deref())
            .text("last_at", time(entry.last).as_str())
            .flag("undated", entry.is_undated.then_some(true))
            .count("duration_ms", entry.duration_ms())
            .text("model", entry.model.as_deref())
            .count("turns", entry.turns)
            .count("tool_calls", entry.tools.calls)
            .count("failed_tool_calls", entry.tools.failed)
            .count("denied_tool_calls", entry.tools.denied);
        write_all_tokens(object, &entry.tokens);
        object
            .cost("cost_usd", entry.cost_usd)
            .cost("cost_with_estimate_usd", entry.combined_cost().usd)
            .flag("failed", entry.failure.is_some())
            .text("error_category", entry.failure.map(Category::name))
            .text("prompt", entry.prompt.as_deref())
            .text("file", entry.files.first().map(String::as_str));
    }
}

impl Row for ListedSession<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("session")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        ObjectWriter::write(to, |object| self.write_members(object));
    }

    /// The table is printed as a whole.
    fn write_human(&self, _: &mut Sink) -> io::Result<()> {
        Ok(())
    }
}
