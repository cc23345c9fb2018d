//! Matches in the texts of an event.

use std::ops::Range;

use super::Pattern;

/// Where a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SearchedPlace {
    /// What the assistant wrote
    Text,
    /// What the user asked
    Prompt,
    /// Reasoning
    Thinking,
    /// Inputs of tool calls
    ToolInput,
    /// Outputs of tool calls
    ToolOutput,
}

impl SearchedPlace {
    /// Returns the name used in rows.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Prompt => "prompt",
            Self::Thinking => "thinking",
            Self::ToolInput => "tool-input",
            Self::ToolOutput => "tool-output",
        }
    }
}

/// Lines of a text, at least one of which has a match.
#[derive(Debug)]
pub(crate) struct SearchMatch {
    /// Number of the line in the file.
    pub(crate) line: u64,
    pub(crate) timestamp: Option<jiff::Timestamp>,
    pub(crate) place: SearchedPlace,
    /// The tool that was called.
    pub(crate) tool: Option<String>,
    /// Id of the call, if the tool is not known yet.
    pub(super) tool_id: Option<String>,
    /// The matching line, with the lines around it that were requested.
    pub(crate) text: String,
    /// The matches in the text.
    pub(crate) ranges: Vec<Range<usize>>,
}

/// A part of a text that is printed.
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) ranges: Vec<Range<usize>>,
}

/// Returns the lines of a text that match, with `context` lines around them. Excerpts that
/// overlap are one.
pub(super) fn excerpts(text: &str, pattern: &Pattern, context: usize) -> Vec<Excerpt> {
    let mut found: Vec<(Range<usize>, Vec<Range<usize>>)> = Vec::new();
    for range in pattern.find_iter(text) {
        let span = lines_around(text, &range, context);
        match found.last_mut() {
            // Without context every line is printed by itself.
            Some((last, ranges))
                if span.start < last.end || (context > 0 && span.start <= last.end + 1) =>
            {
                last.end = last.end.max(span.end);
                ranges.push(range);
            }
            _ => found.push((span, vec![range])),
        }
    }
    let excerpt = |(span, ranges): (Range<usize>, Vec<Range<usize>>)| Excerpt {
        text: text[span.clone()].to_owned(),
        ranges: ranges
            .into_iter()
            .map(|range| range.start - span.start..range.end.min(span.end) - span.start)
            .collect(),
    };
    found.into_iter().map(excerpt).collect()
}

/// Returns the lines that contain a range, and `context` lines before and after them.
fn lines_around(text: &str, range: &Range<usize>, context: usize) -> Range<usize> {
    let bytes = text.strip_suffix('\n').unwrap_or(text).as_bytes();
    let mut start = range.start;
    for count in 0..=context {
        let before = if count == 0 { start.min(bytes.len()) } else { start.saturating_sub(1) };
        start = memchr::memrchr(b'\n', &bytes[..before]).map_or(0, |at| at + 1);
        if start == 0 {
            break;
        }
    }
    // A match may end with a newline.
    let mut end = range.end.min(bytes.len());
    if bytes[..end].ends_with(b"\n") && end > range.start {
        end -= 1;
    }
    for count in 0..=context {
        let after = if count == 0 { end } else { (end + 1).min(bytes.len()) };
        end = memchr::memchr(b'\n', &bytes[after..]).map_or(bytes.len(), |at| after + at);
        if end == bytes.len() {
            break;
        }
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::PatternOptions;

    /// Returns the excerpts, with the matches in brackets.
    fn found(text: &str, pattern: &str, context: usize) -> Vec<String> {
        let pattern = Pattern::new(pattern, PatternOptions::default()).unwrap();
        let marked = |excerpt: Excerpt| {
            let mut text = excerpt.text;
            for range in excerpt.ranges.iter().rev() {
                text.insert(range.end, ']');
                text.insert(range.start, '[');
            }
            text
        };
        excerpts(text, &pattern, context).into_iter().map(marked).collect()
    }

    #[test]
    fn matching_lines_are_excerpts() {
        let text = "one\ntwo two\nthree\n";
        assert_eq!(found(text, "two", 0), ["[two] [two]"]);
        assert_eq!(found(text, "o", 0), ["[o]ne", "tw[o] tw[o]"]);
        assert_eq!(found(text, "three", 1), ["two two\n[three]"]);
        assert_eq!(found(text, "one|three", 1), ["[one]\ntwo two\n[three]"]);
        assert_eq!(found(text, "one\ntwo", 0), ["[one\ntwo] two"]);
        assert_eq!(found(text, "three\n", 0), ["[three]"]);
        assert!(found(text, "$", 0).is_empty());
        assert!(found("", "x", 3).is_empty());
    }
}
