//! Commands of GitHub Actions in its log, and the summary of a step.

use std::fs::OpenOptions;
use std::io::{self, Write};

use super::ci_log::CommandEscaper;

/// Where a failure is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SourceLine<'t> {
    pub(crate) file: &'t str,
    pub(crate) line: &'t str,
}

/// Returns whether the environment is a job of GitHub Actions.
pub(crate) fn is_github() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Returns the command that starts a group of lines.
pub(crate) fn group(title: &str) -> String {
    format!("::group::{}\n", escape_data(title))
}

/// Returns the command that ends a group.
pub(crate) fn end_group() -> String {
    "::endgroup::\n".to_owned()
}

/// Returns the command that reports an error, at a line of the source if it is known.
pub(crate) fn error(title: &str, message: &str, place: Option<SourceLine<'_>>) -> String {
    let place = place.map(|SourceLine { file, line }| {
        format!("file={},line={},", escape_property(file), escape_property(line))
    });
    let (place, title) = (place.unwrap_or_default(), escape_property(title));
    format!("::error {place}title={title}::{}\n", escape_data(message))
}

/// Adds Markdown to the summary of the step, if there is one.
pub(crate) fn add_to_summary(markdown: &str) -> io::Result<()> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else {
        return Ok(());
    };
    OpenOptions::new().create(true).append(true).open(path)?.write_all(markdown.as_bytes())
}

/// Escapes a text that is a part of a command, and older commands in it.
fn escape_data(text: &str) -> String {
    let text = CommandEscaper::default().escape(text);
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escape_property(text: &str) -> String {
    escape_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns a text as code in Markdown, which contains no other Markdown and no HTML.
pub(crate) fn markdown_code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let text = text.replace(['\n', '\r'], " ");
    format!("{fence} {text} {fence}")
}

/// Returns lines as a block of code in Markdown.
pub(crate) fn markdown_block(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Finds a place like `src/lib.rs:3:5`, `src/a.ts(3,5)` or `File "a.py", line 3` in a line of
/// an output.
pub(crate) fn source_line(line: &str) -> Option<SourceLine<'_>> {
    if let Some((file, rest)) =
        line.split_once("File \"").and_then(|(_, rest)| rest.split_once('"'))
    {
        let line = rest.strip_prefix(", line ")?;
        return numbered(file, line);
    }
    let line = line.trim_start().trim_start_matches("--> ");
    line.split_whitespace().find_map(|word| {
        let (file, line) = word.split_once(['(', ':'])?;
        numbered(file, line)
    })
}

/// Returns the place if the file has an extension, and the text starts with a number.
fn numbered<'t>(file: &'t str, text: &'t str) -> Option<SourceLine<'t>> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (_, extension) = file.rsplit_once('.')?;
    let is_file =
        !extension.is_empty() && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (end > 0 && is_file).then_some(SourceLine { file, line: &text[..end] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_agent_is_no_command() {
        let place = SourceLine { file: "a,b:c.rs", line: "3" };
        assert_eq!(
            error("x: y", "50 %\n::error::z", Some(place)),
            "::error file=a%2Cb%3Ac.rs,line=3,title=x%3A y::50 %25%0A: :error::z\n"
        );
        assert_eq!(group("a\n::stop-commands::x"), "::group::a%0A: :stop-commands::x\n");
        assert_eq!(markdown_code("a `b` ``c``\n<img>"), "``` a `b` ``c`` <img> ```");
        assert_eq!(markdown_block("x\n```\ny"), "````text\nx\n```\ny\n````\n");
    }

    #[test]
    fn places_in_the_source_are_found() {
        for (line, expected) in [
            ("  --> src/lib.rs:3:5", Some(("src/lib.rs", "3"))),
            ("thread 'x' panicked at src/main.rs:2:5:", Some(("src/main.rs", "2"))),
            ("src/a.ts(3,5): error TS2304: x", Some(("src/a.ts", "3"))),
            ("  File \"a b.py\", line 12, in f", Some(("a b.py", "12"))),
            ("error: test failed at 12:30", None),
            ("http://localhost:80", None),
        ] {
            let found = source_line(line).map(|place| (place.file, place.line));
            assert_eq!(found, expected, "{line}");
        }
    }
}
