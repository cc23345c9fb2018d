//! Reads one file of a session.

use std::io;
use std::time::SystemTime;

use crate::codec::{Bytes, Codec, codec_struct};
use crate::event::{Category, Event};
use crate::harness::Record;
use crate::index::{Index, Recalled};
use crate::json::Scratch;
use crate::reader::{DecodedLine, LineSink, ReaderOptions};
use crate::run::{Heuristics, Run, ToolCounts};
use crate::sessions::SessionSource;
use crate::usage::{
    self, FileContent, FileEnd, FileUsage, FileUsageBuilder, read_file, read_input,
};

/// Characters of a prompt that are kept.
const MAX_PROMPT: usize = 200;

/// What is known about a file, beside what was used.
pub(super) struct Overview {
    /// Prompts of the user, or results if there are none.
    pub(super) turns: u64,
    pub(super) tools: ToolCounts,
    pub(super) prompt: Prompt,
    pub(super) failure: Option<Category>,
}

codec_struct!(Overview { turns, tools, prompt, failure });

codec_struct!(ToolCounts { calls, failed, denied });

/// The first prompt of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prompt {
    /// Number of the line that contains it; `None` if there is none.
    line: Option<u64>,
    /// The start of it on one line, if that was read. It is not remembered.
    text: Option<String>,
}

codec_struct!(Prompt { line }..Self::default());

/// Reads a file, unless everything about it is remembered.
pub(super) fn read(
    source: &SessionSource,
    options: &ReaderOptions,
    index: Option<&Index>,
) -> (FileUsage, Overview) {
    let mut builder = OverviewBuilder::new(options);
    let Some(recalled) = index.and_then(|index| index.recall(source)) else {
        let end = read_file(source, options, &mut builder);
        let (content, overview) = builder.finish(&end);
        return (content.usage(source, end), overview);
    };
    if let Some(unchanged) = unchanged(source, options, &recalled) {
        return unchanged;
    }
    let modified = recalled.modified();
    // How a session ended follows from all of it.
    let (end, reading) = match recalled.open(source, false) {
        Ok(mut reading) => {
            let end = read_input(None, &mut reading.input, options, &mut builder);
            (FileEnd { modified, ..end }, Some(reading))
        }
        Err(error) => (FileEnd { error: Some(error), ..FileEnd::default() }, None),
    };
    let (content, overview) = builder.finish(&end);
    if let Some(reading) = reading.filter(|_| end.error.is_none()) {
        reading.remember(&usage::encode(&content), content.can_resume(), Some(&encode(&overview)));
    }
    (content.usage(source, end), overview)
}

fn unchanged(
    source: &SessionSource,
    options: &ReaderOptions,
    recalled: &Recalled<'_>,
) -> Option<(FileUsage, Overview)> {
    let details = &mut Bytes::new(recalled.unchanged_details()?, options.decode.described);
    Some((usage::unchanged(source, options, recalled)?, Overview::decode(details)?))
}

fn encode(overview: &Overview) -> Vec<u8> {
    let mut bytes = Vec::new();
    overview.encode(&mut bytes);
    bytes
}

struct OverviewBuilder {
    usage: FileUsageBuilder,
    run: Run,
    prompt: FirstPrompt,
    prompts: u64,
    results: u64,
}

impl OverviewBuilder {
    fn new(options: &ReaderOptions) -> Self {
        let harness = options.decode.harness;
        Self {
            usage: FileUsageBuilder::new(harness),
            run: Run::new(harness, SystemTime::now()).without_output(),
            prompt: FirstPrompt::default(),
            prompts: 0,
            results: 0,
        }
    }

    fn record(&mut self, record: &Record<'_>, line: u64) {
        self.prompt.read(record, line);
        for event in own_events(record) {
            match event {
                Event::Prompt { synthetic: false, .. } => self.prompts += 1,
                Event::Finished(_) => self.results += 1,
                _ => {}
            }
        }
    }

    fn finish(self, end: &FileEnd) -> (FileContent, Overview) {
        let failure = self.run.verdict(Heuristics::Apply).failure;
        let overview = Overview {
            turns: if self.prompts > 0 { self.prompts } else { self.results },
            tools: self.run.tool_counts(),
            prompt: self.prompt.found,
            failure: failure.map(|failure| failure.category),
        };
        (self.usage.finish(end), overview)
    }
}

/// Returns the events of the main thread.
fn own_events<'r>(record: &Record<'r>) -> &'r [Event<'r>] {
    if record.parent_id.is_some() { &[] } else { record.events }
}

/// Finds the first prompt.
#[derive(Default)]
struct FirstPrompt {
    found: Prompt,
    scratch: Scratch,
}

impl FirstPrompt {
    fn read(&mut self, record: &Record<'_>, line: u64) {
        for event in own_events(record) {
            if let Event::Prompt { text, synthetic: false, .. } = event
                && self.found.line.is_none()
            {
                let text = start(text.read(&mut self.scratch));
                self.found = Prompt { line: text.is_some().then_some(line), text };
            }
        }
    }
}

impl LineSink for FirstPrompt {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        if let DecodedLine::Record(record) = line {
            self.read(record, number);
        }
        // The rest of the file is not needed.
        if self.found.line.is_some() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

impl Prompt {
    /// Returns the start of it, if it was read.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns whether it still has to be read.
    pub(super) fn is_unread(&self) -> bool {
        self.line.is_some() && self.text.is_none()
    }

    /// Reads it.
    pub(super) fn read(source: &SessionSource, options: &ReaderOptions) -> Self {
        let mut prompt = FirstPrompt::default();
        // The sink ends the reading early.
        let _ = read_file(source, options, &mut prompt);
        prompt.found
    }
}

/// Returns the start of a text on one line; `None` if it is blank.
fn start(text: &str) -> Option<String> {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().take(MAX_PROMPT));
        if line.chars().count() >= MAX_PROMPT {
            line = line.chars().take(MAX_PROMPT).collect();
            break;
        }
    }
    (!line.is_empty()).then_some(line)
}

impl LineSink for OverviewBuilder {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        self.run.read(line, number);
        if let DecodedLine::Record(record) = line {
            self.record(record, number);
        }
        self.usage.line(number, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_is_cut_to_the_start_of_one_line() {
        assert_eq!(start("  fix\n\tthe  tests "), Some("fix the tests".to_owned()));
        assert_eq!(start(" \n "), None);
        assert_eq!(start(&"é".repeat(500)), Some("é".repeat(MAX_PROMPT)));
        assert_eq!(start(&"ab ".repeat(500)).unwrap().chars().count(), MAX_PROMPT);
    }
}
