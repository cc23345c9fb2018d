//! The part of a failed call's output that is shown: its end, and the first line that is
//! certainly an error.

/// Lines that are shown by default.
pub(crate) const EXCERPT_LINES: usize = 10;

/// A part of an excerpt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ExcerptPart<'t> {
    Line(&'t str),
    /// This number of lines above the next one are omitted, and whether they are the first.
    Omitted(usize, bool),
}

impl ExcerptPart<'_> {
    /// Describes omitted lines: `… 41 lines above`.
    pub(crate) fn describe_omitted(count: usize, is_start: bool) -> String {
        let above = if is_start { " above" } else { "" };
        format!("… {}{above}", super::plural(count as u64, "line"))
    }
}

/// Returns at most `most` lines of the output of a call that failed. Blank lines are left
/// out, and so are lines that only repeat the exit status, if that is shown.
pub(crate) fn excerpt(text: &str, most: usize, exit_code: Option<i64>) -> Vec<ExcerptPart<'_>> {
    let lines = || {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.filter(|line| exit_code.is_none_or(|code| !repeats_exit_code(line, code)))
    };
    let count = lines().count();
    let first_error = lines().position(is_error);
    let tail = count.saturating_sub(most);
    // Half of the lines are those from the first error on, if that is further above.
    let (start, end, tail) = match first_error.filter(|at| *at < tail) {
        Some(at) => (at, at + most.div_ceil(2), count - most / 2),
        None => (tail, tail, tail),
    };
    let mut parts = Vec::new();
    if most == 0 {
        return parts;
    }
    for (at, line) in lines().enumerate() {
        if at == start && start > 0 {
            parts.push(ExcerptPart::Omitted(start, true));
        }
        if at == tail && tail > end {
            parts.push(ExcerptPart::Omitted(tail - end, false));
        }
        if (start..end).contains(&at) || at >= tail {
            parts.push(ExcerptPart::Line(line));
        }
    }
    if tail == count && end < count {
        parts.push(ExcerptPart::Omitted(count - end, false));
    }
    parts
}

/// Returns the first line of an output that is certainly an error, else the last one.
pub(crate) fn first_error(text: &str) -> Option<&str> {
    let last = || text.lines().rev().find(|line| !line.trim().is_empty());
    text.lines().find(|line| is_error(line)).or_else(last)
}

/// Beginnings of lines that report an error in the output of compilers, test runners and
/// package managers.
const ERROR_STARTS: [&str; 10] = [
    "error:",
    "error[",
    "fatal:",
    "fatal error:",
    "panic:",
    "FAILED ",
    "--- FAIL:",
    "npm ERR!",
    "npm error",
    "Traceback (most recent call last)",
];

/// What such lines contain behind the position of the error.
const ERROR_PARTS: [&str; 4] = [": error:", ": error TS", ": fatal error:", "' panicked at "];

/// Returns whether a line is certainly an error.
fn is_error(line: &str) -> bool {
    let line = without_colour(line).trim_start();
    let is_exception = |word: &str| word.ends_with("Error:") || word.ends_with("Exception:");
    ERROR_STARTS.iter().any(|start| line.starts_with(start))
        || ERROR_PARTS.iter().any(|part| line.contains(part))
        || line.split_ascii_whitespace().next().is_some_and(is_exception)
}

/// Returns a line without the escape sequences that it starts with.
fn without_colour(mut line: &str) -> &str {
    while let Some((_, rest)) = line.strip_prefix("\u{1b}[").and_then(|code| code.split_once('m')) {
        line = rest;
    }
    line
}

/// Words of lines that only report an exit status.
const STATUS_WORDS: [&str; 13] = [
    "the", "command", "process", "error", "exit", "exited", "failed", "finished", "with", "code",
    "status", "non-zero", "a",
];

/// Returns whether a line says nothing but that the exit status is `code`.
fn repeats_exit_code(line: &str, code: i64) -> bool {
    let words = line.split(|c: char| c.is_whitespace() || ":.()[]".contains(c));
    let mut has_code = false;
    for word in words.filter(|word| !word.is_empty()) {
        if word.parse() == Ok(code) {
            has_code = true;
        } else if !STATUS_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            return false;
        }
    }
    has_code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, most: usize) -> Vec<String> {
        let parts = excerpt(text, most, Some(101));
        let part = |part| match part {
            ExcerptPart::Line(line) => line.to_owned(),
            ExcerptPart::Omitted(count, is_start) => ExcerptPart::describe_omitted(count, is_start),
        };
        parts.into_iter().map(part).collect()
    }

    #[test]
    fn end_of_an_output_is_shown() {
        assert_eq!(shown("a\n\nb\nc\n\n", 2), ["… 1 line above", "b", "c"]);
        assert_eq!(shown("a\nb", 2), ["a", "b"]);
        assert_eq!(shown("a\nb", 0), [""; 0]);
        assert_eq!(shown("", 3), [""; 0]);
    }

    #[test]
    fn first_error_is_shown_with_the_end() {
        let text = "1\n2\n\u{1b}[31merror[E0308]: mismatched\n --> src/lib.rs\n5\n6\n7\n8\nerror: could not compile";
        let expected = [
            "… 2 lines above",
            "\u{1b}[31merror[E0308]: mismatched",
            " --> src/lib.rs",
            "… 3 lines",
            "8",
            "error: could not compile",
        ];
        assert_eq!(shown(text, 4), expected);
        assert_eq!(shown("1\nerror: x\n3", 1), ["… 1 line above", "error: x", "… 1 line"]);
        assert_eq!(shown("1\n2\nerror: x\n4", 2), ["… 2 lines above", "error: x", "4"]);
    }

    #[test]
    fn errors_are_recognised_only_where_that_is_certain() {
        for line in [
            "error: test failed",
            "  src/a.c:3:5: error: expected ';'",
            "src/a.ts(3,5): error TS2304: Cannot find name",
            "ValueError: x",
            "Traceback (most recent call last):",
            "thread 'main' panicked at src/main.rs:2:5:",
            "--- FAIL: TestX (0.00s)",
        ] {
            assert!(is_error(line), "{line}");
        }
        for line in ["0 errors", "error handling", "ERROR_CODE=1", "no error: fine", "Errors:"] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn line_that_repeats_the_exit_status_is_left_out() {
        for line in [
            "Exit code 101",
            "Command exited with code 101",
            "Command failed with exit code: 101.",
            "Error: Command failed (exit code: 101)",
        ] {
            assert_eq!(shown(&format!("{line}\nout"), 5), ["out"], "{line}");
        }
        for line in ["Exit code 1", "101", "job exited with code 101"] {
            let is_kept = !shown(line, 5).is_empty();
            assert_eq!(is_kept, line != "101", "{line}");
        }
    }
}
