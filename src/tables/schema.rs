//! The definition of the tables: their names, and the name, type and description of every
//! column. All formats, the documentation and the schema for engines come from it.

use jiff::Timestamp;
use jiff::civil::Date;

/// The version of the tables. A column is added without a new version; one that is removed
/// or changes its meaning needs one.
pub(crate) const VERSION: u32 = 1;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    Integer,
    /// An amount of US dollars.
    Dollars,
    Flag,
    /// A time in UTC, in microseconds.
    Time,
    /// A day of UTC.
    Day,
}

impl ColumnKind {
    /// Returns the name used in the schema: that of the type in SQL.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Integer => "bigint",
            Self::Dollars => "double",
            Self::Flag => "boolean",
            Self::Time => "timestamp",
            Self::Day => "date",
        }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnKind,
    /// Whether every row has a value.
    pub(crate) is_required: bool,
    /// What it contains.
    pub(crate) doc: &'static str,
}

/// The value of a column in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Text(&'a str),
    Integer(i64),
    Dollars(f64),
    Flag(bool),
    Time(Timestamp),
    Day(Date),
}

/// A type of values.
trait CellValue {
    const KIND: ColumnKind;
    const IS_REQUIRED: bool = true;

    fn cell(&self) -> Cell<'_>;
}

macro_rules! cell_value {
    ($type:ty, $kind:ident, $value:ident => $cell:expr) => {
        impl CellValue for $type {
            const KIND: ColumnKind = ColumnKind::$kind;

            fn cell(&self) -> Cell<'_> {
                let $value = self;
                Cell::$kind($cell)
            }
        }
    };
}

cell_value!(String, Text, text => text);
cell_value!(&'static str, Text, text => text);
cell_value!(i64, Integer, number => *number);
cell_value!(u64, Integer, number => i64::try_from(*number).unwrap_or(i64::MAX));
cell_value!(f64, Dollars, number => *number);
cell_value!(bool, Flag, flag => *flag);
cell_value!(Timestamp, Time, time => *time);
cell_value!(Date, Day, day => *day);

impl<T: CellValue> CellValue for Option<T> {
    const KIND: ColumnKind = T::KIND;
    const IS_REQUIRED: bool = false;

    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Null, T::cell)
    }
}

/// Defines a type with a field for each column.
macro_rules! record {
    ($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $about:literal])+ $column:ident: $type:ty,)* }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $name {
            $($(#[doc = $about])+ pub(crate) $column: $type,)*
        }

        impl $name {
            const DOC: &'static str = concat!($($doc),+);
            const COLUMNS: &'static [Column] = &[$(Column {
                name: stringify!($column),
                kind: <$type as CellValue>::KIND,
                is_required: <$type as CellValue>::IS_REQUIRED,
                doc: concat!($($about),+),
            }),*];

            fn each<'a>(&'a self, mut cell: impl FnMut(Cell<'a>)) {
                $(cell(self.$column.cell());)*
            }
        }
    };
}

/// Defines the tables; the name of the enum's variant is that of the type of its rows.
macro_rules! tables {
    ($($table:ident($record:ident) = $name:literal,)*) => {
        /// The name of a table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
        pub(crate) enum TableName { $($table,)* }

        impl TableName {
            pub(crate) const ALL: [Self; [$($name),*].len()] = [$(Self::$table),*];

            /// Returns the name, with which the names of its files start.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$table => $name,)* }
            }

            /// Returns what its rows are.
            pub(crate) fn doc(self) -> &'static str {
                match self { $(Self::$table => $record::DOC.trim_ascii(),)* }
            }

            /// Returns the columns that other tables do not have.
            pub(crate) fn own_columns(self) -> &'static [Column] {
                match self { $(Self::$table => $record::COLUMNS,)* }
            }
        }

        /// What a row of a table has beside its origin.
        #[derive(Clone, Debug)]
        pub(crate) enum TableRecord { $($table(Box<$record>),)* }

        impl TableRecord {
            /// Returns the table.
            pub(crate) fn table(&self) -> TableName {
                match self { $(Self::$table(_) => TableName::$table,)* }
            }

            fn each<'a>(&'a self, cell: impl FnMut(Cell<'a>)) {
                match self { $(Self::$table(record) => record.each(cell),)* }
            }
        }

        $(impl From<$record> for TableRecord {
            fn from(record: $record) -> Self {
                Self::$table(Box::new(record))
            }
        })*
    };
}

tables! {
    Runs(RunRecord) = "runs",
    Requests(RequestRecord) = "requests",
    Tools(ToolRecord) = "tools",
    Messages(MessageRecord) = "messages",
    Errors(ErrorRecord) = "errors",
}

record! {
    /// Columns that every table has.
    TableOrigin {
        /// The agent CLI: its name, or `unknown`.
        harness: &'static str,
        /// The session; the file if no line names one.
        session_id: String,
        /// The folder the agent worked in, or the CLI's name for it.
        project: Option<String>,
        /// When it happened, in UTC: the time of the line, or of the last one before it that
        /// has one; the modification time of a file without times.
        timestamp: Option<Timestamp>,
        /// The day of `timestamp` in UTC.
        day: Option<Date>,
        /// Whether `timestamp` is the modification time of the file.
        is_undated: bool,
        /// The file, as it was named or found.
        file: String,
        /// The line, counted from 1, that completed the row; null if the row is about
        /// several lines.
        line: Option<u64>,
    }
}

record! {
    /// One row for each file: a run, a session, or the part of a session that a file has.
    /// `timestamp` is that of the last line.
    RunRecord {
        /// The session that started this one as a subagent.
        parent_session_id: Option<String>,
        /// The requested model, or the first that answered.
        model: Option<String>,
        /// The release of the CLI.
        version: Option<String>,
        /// When the first line was written.
        started_at: Option<Timestamp>,
        /// The duration that the CLI reports, or the time from the first to the last line.
        duration_ms: Option<u64>,
        /// Prompts of the user, or results if the file has no prompts.
        turns: u64,
        /// Tool calls.
        tool_calls: u64,
        /// Tool calls that failed.
        failed_tool_calls: u64,
        /// Tool calls that were denied.
        denied_tool_calls: u64,
        /// Whether the run is complete, has no error, and no heuristic applies.
        succeeded: bool,
        /// Whether the run came to its end.
        is_complete: bool,
        /// The category of its row in `errors`.
        error_category: Option<&'static str>,
        /// Tokens of the rows of `requests` of this file: input that was neither read from nor
        /// written to the cache.
        input_tokens: u64,
        /// Output tokens.
        output_tokens: u64,
        /// Input tokens read from the cache.
        cache_read_tokens: u64,
        /// Input tokens written to the cache.
        cache_write_tokens: u64,
        /// Output tokens spent on reasoning, which are part of `output_tokens`.
        reasoning_tokens: u64,
        /// The cost in US dollars that the CLI reports.
        cost_usd: Option<f64>,
        /// Lines.
        lines: u64,
        /// Lines that are not JSON, or too long.
        malformed_lines: u64,
    }
}

record! {
    /// One row for each request to a model that a file contains. Copies of a request in other
    /// files have the same `request_key`: keep one row for each.
    RequestRecord {
        /// Identifies the request on every machine.
        request_key: String,
        /// `request`; `sum` for several requests that the CLI counts as one, `unattributed` for
        /// tokens that it counts and that are not tied to a message.
        kind: &'static str,
        /// The model.
        model: Option<String>,
        /// The session that started the session as a subagent.
        parent_session_id: Option<String>,
        /// Whether the file is a recorded stream. It does not count if any row of the same
        /// session is from a session file.
        is_stream: bool,
        /// When the file starts: of several rows with the same key, the request belongs to the
        /// one whose file starts first.
        run_started_at: Option<Timestamp>,
        /// Input tokens that were neither read from nor written to the cache.
        input_tokens: u64,
        /// Output tokens.
        output_tokens: u64,
        /// Input tokens read from the cache.
        cache_read_tokens: u64,
        /// Input tokens written to the cache.
        cache_write_tokens: u64,
        /// The part of `cache_write_tokens` that is kept for an hour, if the CLI distinguishes
        /// it.
        cache_write_1h_tokens: Option<u64>,
        /// Output tokens spent on reasoning, which are part of `output_tokens`.
        reasoning_tokens: u64,
        /// Input, cache reads, cache writes and output.
        total_tokens: u64,
        /// The cost in US dollars that the CLI reports.
        cost_usd: Option<f64>,
        /// The cost by the price table of this release; null if it lacks the model.
        estimated_cost_usd: Option<f64>,
    }
}

record! {
    /// One row for each tool call. `timestamp` is that of the result, `line` the line that shows how
    /// the call ended.
    ToolRecord {
        /// The id of the call.
        id: Option<String>,
        /// The tool.
        name: Option<String>,
        /// The MCP server.
        server: Option<String>,
        /// `completed`, `failed`, `denied`, or `pending` if it did not end.
        status: &'static str,
        /// The CLI's own failure flag.
        is_error: Option<bool>,
        /// Exit status of a command.
        exit_code: Option<i64>,
        /// The call that started the subagent it belongs to (on disk: the subagent).
        parent_id: Option<String>,
        /// When the call was written.
        started_at: Option<Timestamp>,
        /// The duration that the CLI reports, or the time from the call to its result.
        duration_ms: Option<u64>,
        /// The input as JSON.
        input: Option<String>,
        /// What the agent received.
        output: Option<String>,
        /// The size of the whole output.
        output_bytes: u64,
        /// Whether input or output were cut (`--max-text`).
        is_truncated: bool,
    }
}

record! {
    /// One row for each prompt, each block of text and each block of reasoning.
    MessageRecord {
        /// `user`, `assistant` or `reasoning`.
        role: &'static str,
        /// The id of the message that the block belongs to.
        message_id: Option<String>,
        /// The model that wrote it, if the line says so.
        model: Option<String>,
        /// The call that started the subagent it belongs to (on disk: the subagent).
        parent_id: Option<String>,
        /// The text.
        text: String,
        /// The size of the whole text.
        text_bytes: u64,
        /// Whether the text was cut (`--max-text`).
        is_truncated: bool,
    }
}

record! {
    /// One row for each run that is not a success, as the command `error` prints it.
    ErrorRecord {
        /// The category: `rate_limit`, `auth`, `api`, `incomplete`, …
        category: &'static str,
        /// Why it failed, in more detail: `overloaded`, `max_turns`, `network`, …
        reason: Option<&'static str>,
        /// The HTTP status.
        status: Option<i64>,
        /// Whether a later attempt may succeed.
        is_retryable: Option<bool>,
        /// When the exceeded limit is reset.
        retry_at: Option<Timestamp>,
        /// What reports the failure: `result`, `turn`, `message`, `stream`, `heuristic`,
        /// `truncated`.
        source: &'static str,
        /// The message.
        message: String,
    }
}

/// A row of a table.
#[derive(Clone, Debug)]
pub(crate) struct ExportRow {
    pub(crate) origin: TableOrigin,
    pub(crate) record: TableRecord,
}

impl TableName {
    /// Returns the columns, in their order.
    pub(crate) fn columns(self) -> impl Iterator<Item = &'static Column> {
        TableOrigin::COLUMNS.iter().chain(self.own_columns())
    }

    /// Returns what the columns that every table has are, and these.
    pub(crate) fn common_columns() -> (&'static str, &'static [Column]) {
        (TableOrigin::DOC.trim_ascii(), TableOrigin::COLUMNS)
    }
}

impl ExportRow {
    /// Passes the value of each column to `cell`, in the order of [`TableName::columns`].
    pub(crate) fn each_cell<'a>(&'a self, mut cell: impl FnMut(Cell<'a>)) {
        self.origin.each(&mut cell);
        self.record.each(&mut cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_distinct_names_and_descriptions() {
        for table in TableName::ALL {
            let mut names: Vec<_> = table.columns().map(|column| column.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", table.name());
            for column in table.columns() {
                let doc = column.doc.trim();
                assert!(doc.ends_with(['.', '…']), "{}: {doc}", column.name);
            }
        }
    }
}
