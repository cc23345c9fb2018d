//! Searches one file.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use regex::bytes::Regex;
use serde_json::Value;

use super::matches::{MatchingText, SearchedPlace, for_each_excerpt};
use super::pattern::Pattern;
use crate::event::{Event, ToolInput};
use crate::harness::{Harness, Record};
use crate::json::{Scratch, Text};
use crate::reader::{
    DecodedLine, LineFilter, LineSink, ReaderOptions, Recognition, UNFILTERED_LINES,
};
use crate::run::input_json;
use crate::session::Session;
use crate::sessions::SessionSource;
use crate::usage::{FileEnd, read_file};

/// What is searched.
#[derive(Debug)]
pub(crate) struct SearchOptions {
    pub(crate) pattern: Pattern,
    /// The places to search; all if empty.
    pub(crate) places: Vec<SearchedPlace>,
    /// Lines around a match.
    pub(crate) context: usize,
    /// Whether the first match of a file is enough.
    pub(crate) stops_early: bool,
    /// Whether the texts of the matches are needed, not only their number.
    pub(crate) keeps_texts: bool,
    /// Searches events from this time on.
    pub(crate) since: Option<Timestamp>,
}

impl LineFilter for SearchOptions {
    fn can_matter(&self, line: &[u8]) -> bool {
        self.pattern.can_match(line)
    }
}

/// What was found in a file.
pub(crate) struct FileMatches {
    /// The name of the file.
    pub(crate) name: String,
    pub(crate) harness: Harness,
    pub(crate) session_id: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) texts: Vec<MatchingText>,
    /// A sentence about it if nothing was recognised.
    pub(crate) problem: Option<String>,
    pub(crate) error: Option<io::Error>,
}

impl FileMatches {
    /// Returns the number of excerpts, if they are only counted.
    pub(crate) fn count(&self) -> u64 {
        self.texts.iter().map(|text| text.count).sum()
    }
}

/// Searches a session.
pub(crate) fn search(
    source: &SessionSource,
    options: &SearchOptions,
    reader: &ReaderOptions,
) -> FileMatches {
    let mut sink = SearchSink::new(options, reader.decode.harness);
    let FileEnd { error, is_file, .. } = read_file(source, reader, &mut sink);
    let was_stopped = sink.is_done;
    let problem = sink.recognition.problem(is_file).filter(|_| sink.last_line < UNFILTERED_LINES);
    let SearchSink { session, mut texts, .. } = sink;
    if texts.iter().any(|found| found.tool_id.is_some()) && options.keeps_texts {
        name_tools(&mut texts, source, reader);
    }
    FileMatches {
        name: source.name(),
        harness: session.harness(),
        session_id: session.id().map(str::to_owned),
        project: session.description().and_then(|description| description.cwd.clone()),
        texts,
        problem,
        error: error.filter(|_| !was_stopped),
    }
}

/// Sets the tools of matches in outputs whose calls were not decoded.
fn name_tools(texts: &mut [MatchingText], source: &SessionSource, reader: &ReaderOptions) {
    let unnamed = texts.iter().filter_map(|found| found.tool_id.clone());
    let mut calls = ToolNames { names: unnamed.map(|id| (id, None)).collect() };
    let filter = IdFilter::new(calls.names.keys());
    let line_filter = filter.map(|filter| Arc::new(filter) as Arc<dyn LineFilter>);
    let reader = ReaderOptions { line_filter, ..reader.clone() };
    // What can be named is named.
    let _ = read_file(source, &reader, &mut calls);
    for found in texts {
        let name = found.tool_id.as_ref().and_then(|id| calls.names.get(id).cloned().flatten());
        found.tool = found.tool.take().or(name);
    }
}

/// Selects the lines that contain one of the ids.
#[derive(Debug)]
struct IdFilter(Regex);

impl IdFilter {
    fn new<'a>(ids: impl Iterator<Item = &'a String>) -> Option<Self> {
        let ids: Vec<String> = ids.map(|id| regex::escape(id)).collect();
        Regex::new(&ids.join("|")).ok().map(Self)
    }
}

impl LineFilter for IdFilter {
    fn can_matter(&self, line: &[u8]) -> bool {
        self.0.is_match(line)
    }
}

/// Collects the names of the tools of some calls.
struct ToolNames {
    names: HashMap<String, Option<String>>,
}

impl LineSink for ToolNames {
    fn line(&mut self, _: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        let DecodedLine::Record(record) = line else { return Ok(()) };
        for event in record.events {
            if let Event::ToolCall(call) = event
                && let Some(name) = call.id.and_then(|id| self.names.get_mut(id))
            {
                *name = call.name.map(str::to_owned);
            }
        }
        Ok(())
    }
}

struct SearchSink<'a> {
    options: &'a SearchOptions,
    session: Session,
    texts: Vec<MatchingText>,
    scratch: Scratch,
    is_done: bool,
    recognition: Recognition,
    last_line: u64,
}

impl<'a> SearchSink<'a> {
    fn new(options: &'a SearchOptions, harness: Option<Harness>) -> Self {
        Self {
            options,
            session: Session::new(harness),
            texts: Vec::new(),
            scratch: Scratch::default(),
            is_done: false,
            recognition: Recognition::default(),
            last_line: 0,
        }
    }

    fn record(&mut self, number: u64, record: &Record<'_>) {
        self.session.apply(record);
        let time = record.time();
        if self.options.since.is_some_and(|since| time.is_some_and(|time| time < since)) {
            return;
        }
        let found =
            |place| TextOrigin { line: number, timestamp: time, place, tool: None, tool_id: None };
        for event in record.events {
            match event {
                Event::Text { text, .. } => self.text(text, &found(SearchedPlace::Text)),
                Event::Prompt { text, synthetic: false, .. } => {
                    self.text(text, &found(SearchedPlace::Prompt));
                }
                Event::Reasoning { text } | Event::ReasoningPart { text } => {
                    self.text(text, &found(SearchedPlace::Thinking));
                }
                Event::ToolCall(call) => {
                    let origin = TextOrigin { tool: call.name, ..found(SearchedPlace::ToolInput) };
                    self.input(&call.input, &origin);
                }
                Event::ToolResult(result) => {
                    let (tool, tool_id) = (result.call.name, result.call.id);
                    let origin = TextOrigin { tool, tool_id, ..found(SearchedPlace::ToolOutput) };
                    let texts = [&result.output, &result.stdout, &result.stderr];
                    // The output usually repeats the streams of a command.
                    if let Some(text) = texts.into_iter().flatten().next() {
                        self.text(text, &origin);
                    }
                    self.input(
                        &result.call.input,
                        &TextOrigin { tool, ..found(SearchedPlace::ToolInput) },
                    );
                }
                _ => {}
            }
        }
    }

    fn input(&mut self, input: &ToolInput<'_>, origin: &TextOrigin<'_>) {
        if !self.is_searched(origin.place) {
            return;
        }
        let Some(json) = input_json(input) else { return };
        if let Ok(value) = serde_json::from_slice::<Value>(&json) {
            self.values(&value, origin);
        }
    }

    /// Searches the texts and numbers of a value.
    fn values(&mut self, value: &Value, origin: &TextOrigin<'_>) {
        match value {
            Value::String(text) => self.plain(text, origin),
            Value::Number(number) => self.plain(&number.to_string(), origin),
            Value::Array(elements) => elements.iter().for_each(|value| self.values(value, origin)),
            Value::Object(members) => members.values().for_each(|value| self.values(value, origin)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(&mut self, text: &Text<'_>, origin: &TextOrigin<'_>) {
        if self.is_searched(origin.place) {
            let mut scratch = std::mem::take(&mut self.scratch);
            self.plain(text.read(&mut scratch), origin);
            self.scratch = scratch;
        }
    }

    fn plain(&mut self, text: &str, origin: &TextOrigin<'_>) {
        let SearchOptions { pattern, context, stops_early, keeps_texts, .. } = self.options;
        let mut count = 0;
        // The first one is enough unless they are counted.
        let _ = for_each_excerpt(text, pattern, *context, |_| {
            count += 1;
            if *keeps_texts || *stops_early { Err(()) } else { Ok(()) }
        });
        if count == 0 {
            return;
        }
        let tool = origin.tool.map(str::to_owned);
        self.texts.push(MatchingText {
            line: origin.line,
            timestamp: origin.timestamp,
            place: origin.place,
            tool_id: origin.tool_id.filter(|_| tool.is_none()).map(str::to_owned),
            tool,
            text: if *keeps_texts { text.to_owned() } else { String::new() },
            count,
        });
        self.is_done |= stops_early;
    }

    fn is_searched(&self, place: SearchedPlace) -> bool {
        self.options.places.is_empty() || self.options.places.contains(&place)
    }
}

/// Where a text was found.
#[derive(Clone, Copy)]
struct TextOrigin<'a> {
    line: u64,
    timestamp: Option<Timestamp>,
    place: SearchedPlace,
    tool: Option<&'a str>,
    tool_id: Option<&'a str>,
}

impl LineSink for SearchSink<'_> {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.last_line = number;
        self.recognition.apply(line, number);
        if let DecodedLine::Record(record) = line {
            self.record(number, record);
        }
        if self.is_done { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}
