//! Reads one file of a session.

use std::io;
use std::time::SystemTime;

use crate::event::Event;
use crate::harness::{Harness, Record};
use crate::json::Scratch;
use crate::reader::{DecodedLine, LineSink, ReaderOptions};
use crate::run::{Heuristics, LineCounts, Run, ToolCounts, Verdict};
use crate::sessions::SessionSource;
use crate::usage::{FileEnd, FileUsage, FileUsageBuilder, read_file};

/// Characters of a prompt that are kept.
const MAX_PROMPT: usize = 200;

/// What is known about a file, beside what was used.
pub(crate) struct Overview {
    /// Prompts of the user, or results if there are none.
    pub(crate) turns: u64,
    pub(crate) tools: ToolCounts,
    /// The start of the first prompt, on one line.
    pub(super) prompt: Option<String>,
    pub(crate) verdict: Verdict,
    pub(crate) lines: LineCounts,
    /// The release of the CLI.
    pub(crate) version: Option<String>,
    /// Wall time of the last result.
    pub(crate) duration_ms: Option<u64>,
}

/// Reads a file.
pub(super) fn read(source: &SessionSource, options: &ReaderOptions) -> (FileUsage, Overview) {
    let mut builder = OverviewBuilder::new(options.decode.harness);
    let end = read_file(source, options, &mut builder);
    builder.finish(source, end)
}

/// Collects what is known about a file.
pub(crate) struct OverviewBuilder {
    usage: FileUsageBuilder,
    run: Run,
    prompt: Option<String>,
    prompts: u64,
    results: u64,
    scratch: Scratch,
}

impl OverviewBuilder {
    pub(crate) fn new(harness: Option<Harness>) -> Self {
        Self {
            usage: FileUsageBuilder::new(harness),
            run: Run::new(harness, SystemTime::now()).without_output(),
            prompt: None,
            prompts: 0,
            results: 0,
            scratch: Scratch::default(),
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        if record.parent_id.is_some() {
            return;
        }
        for event in record.events {
            match event {
                Event::Prompt { text, synthetic: false, .. } => {
                    self.prompts += 1;
                    if self.prompt.is_none() {
                        self.prompt = start(text.read(&mut self.scratch));
                    }
                }
                Event::Finished(_) => self.results += 1,
                _ => {}
            }
        }
    }

    /// Ends the file.
    pub(crate) fn finish(self, source: &SessionSource, end: FileEnd) -> (FileUsage, Overview) {
        let description = self.run.session().description();
        let overview = Overview {
            turns: if self.prompts > 0 { self.prompts } else { self.results },
            tools: self.run.tool_counts(),
            prompt: self.prompt,
            verdict: self.run.verdict(Heuristics::Apply),
            lines: self.run.lines(),
            version: description.and_then(|description| description.version.clone()),
            duration_ms: self.run.duration_ms,
        };
        (self.usage.finish(source, end), overview)
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
            self.record(record);
        }
        self.usage.line(number, line)
    }

    fn before_wait(&mut self) -> io::Result<()> {
        Ok(())
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
