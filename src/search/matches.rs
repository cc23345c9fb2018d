//! Matches in the texts of an event.

use std::ops::Range;

use super::Pattern;

/// Matches of an excerpt that are known one by one.
const MAX_RANGES: usize = 1024;

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

/// A text with a match.
#[derive(Debug)]
pub(crate) struct MatchingText {
    /// Number of the line in the file.
    pub(crate) line: u64,
    pub(crate) timestamp: Option<jiff::Timestamp>,
    pub(crate) place: SearchedPlace,
    /// The tool that was called.
    pub(crate) tool: Option<String>,
    /// Id of the call, if the tool is not known yet.
    pub(super) tool_id: Option<String>,
    /// The whole text, if it is printed. Its excerpts are found again then: kept, they would
    /// take several times its memory.
    pub(crate) text: String,
    /// Number of excerpts, if they are only counted.
    pub(super) count: u64,
}

/// A matching line, with the lines around it that were requested.
pub(crate) struct Excerpt<'t> {
    pub(crate) text: &'t str,
    /// The first matches in the text.
    pub(crate) ranges: Vec<Range<usize>>,
}

/// Visits the lines of a text that match, with `context` lines around them, until one fails.
/// Excerpts that overlap are one. Takes linear time: no part of the text is searched for the
/// ends of lines again for another match.
pub(crate) fn for_each_excerpt<E>(
    text: &str,
    pattern: &Pattern,
    context: usize,
    mut visit: impl FnMut(&Excerpt<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let bytes = text.strip_suffix('\n').unwrap_or(text).as_bytes();
    let mut visit = |(span, ranges): (Range<usize>, Vec<Range<usize>>)| {
        let within =
            |range: Range<usize>| range.start - span.start..range.end.min(span.end) - span.start;
        let ranges = ranges.into_iter().map(within).collect();
        visit(&Excerpt { text: &text[span.clone()], ranges })
    };
    let mut last: Option<(Range<usize>, Vec<Range<usize>>)> = None;
    // The end of the last line with a match.
    let mut line_end = 0;
    for range in pattern.find_iter(text) {
        // There is no line behind the last newline.
        if range.is_empty() && (range.start > bytes.len() || text.is_empty()) {
            continue;
        }
        // An empty match selects its line, and has nothing to show.
        let shown = Some(range.clone()).filter(|range| !range.is_empty());
        if let Some((_, ranges)) = last.as_mut().filter(|_| range.end <= line_end) {
            ranges.extend(shown.filter(|_| ranges.len() < MAX_RANGES));
            continue;
        }
        let line = lines_of(bytes, &range);
        let limit = last.as_ref().map_or(0, |(span, _)| span.end);
        let start = lines_before(bytes, line.start, context, limit);
        match &mut last {
            // Without context every line is printed by itself.
            Some((span, ranges)) if start < span.end || (context > 0 && start <= span.end + 1) => {
                let lines = memchr::memchr_iter(b'\n', &bytes[line_end..line.end]).count();
                span.end = lines_after(bytes, span.end, lines);
                ranges.extend(shown.filter(|_| ranges.len() < MAX_RANGES));
            }
            _ => {
                let span = start..lines_after(bytes, line.end, context);
                if let Some(complete) = last.replace((span, shown.into_iter().collect())) {
                    visit(complete)?;
                }
            }
        }
        line_end = line.end;
    }
    last.map_or(Ok(()), visit)
}

/// Returns the lines that contain a range.
fn lines_of(bytes: &[u8], range: &Range<usize>) -> Range<usize> {
    let before = &bytes[..range.start.min(bytes.len())];
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    // A match may end with a newline.
    let mut end = range.end.min(bytes.len());
    if bytes[..end].ends_with(b"\n") && end > range.start {
        end -= 1;
    }
    start..memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |at| end + at)
}

/// Returns where the line starts that is `count` lines before the one at `start`, or one
/// that starts at `limit` or before.
fn lines_before(bytes: &[u8], mut start: usize, count: usize, limit: usize) -> usize {
    for _ in 0..count {
        if start <= limit {
            break;
        }
        start = memchr::memrchr(b'\n', &bytes[..start - 1]).map_or(0, |at| at + 1);
    }
    start
}

/// Returns where the line ends that is `count` lines after the one that ends at `end`.
fn lines_after(bytes: &[u8], mut end: usize, count: usize) -> usize {
    for _ in 0..count {
        if end >= bytes.len() {
            break;
        }
        end = memchr::memchr(b'\n', &bytes[end + 1..]).map_or(bytes.len(), |at| end + 1 + at);
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::PatternOptions;

    fn excerpts(text: &str, pattern: &Pattern, context: usize) -> Vec<(String, Vec<Range<usize>>)> {
        let mut found = Vec::new();
        let visit = |excerpt: &Excerpt<'_>| {
            found.push((excerpt.text.to_owned(), excerpt.ranges.clone()));
            Ok::<_, ()>(())
        };
        for_each_excerpt(text, pattern, context, visit).unwrap();
        found
    }

    /// Returns the excerpts, with the matches in brackets.
    fn found(text: &str, pattern: &str, context: usize) -> Vec<String> {
        let pattern = Pattern::new(pattern, PatternOptions::default()).unwrap();
        let marked = |(mut text, ranges): (String, Vec<Range<usize>>)| {
            for range in ranges.iter().rev() {
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
        for pattern in ["", "$", "^", "x*"] {
            assert_eq!(found(text, pattern, 0), ["one", "two two", "three"], "{pattern}");
        }
        assert_eq!(found(text, "o*", 0), ["[o]ne", "tw[o] tw[o]", "three"]);
        assert_eq!(found("\n\nx", "", 0), ["", "", "x"]);
        assert_eq!(found("a\nb", "", 1), ["a\nb"]);
        assert!(found("", "", 0).is_empty());
        assert!(found("", "x", 3).is_empty());
    }

    #[test]
    fn excerpts_with_context_overlap_or_are_apart() {
        let text = "a\nx\nb\nc\nd\nx x\ne\nx";
        assert_eq!(found(text, "x", 0), ["[x]", "[x] [x]", "[x]"]);
        assert_eq!(found(text, "x", 1), ["a\n[x]\nb", "d\n[x] [x]\ne\n[x]"]);
        assert_eq!(found(text, "x", 2), ["a\n[x]\nb\nc\nd\n[x] [x]\ne\n[x]"]);
        assert_eq!(found(text, "x", usize::MAX).len(), 1);
        assert_eq!(found("\n\nx\n\n", "x", 1), ["\n[x]\n"]);
        assert_eq!(found("x\n\n\nx\n", "x\n", 0), ["[x]", "[x]"]);
    }

    #[test]
    fn many_matches_are_found_in_linear_time() {
        // In quadratic time each of these takes hours.
        for (text, context) in [
            ("a".repeat(4 << 20), 0),
            ("a\n".repeat(2 << 20), usize::MAX),
            ("a\n".repeat(1 << 20), 1 << 19),
        ] {
            let empty = Pattern::new("", PatternOptions::default()).unwrap();
            assert!(!excerpts(&text, &empty, context).is_empty());
            let pattern = Pattern::new("a", PatternOptions::default()).unwrap();
            let found = excerpts(&text, &pattern, context);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].0, text.trim_end());
            assert_eq!(found[0].1.len(), MAX_RANGES);
        }
    }
}
