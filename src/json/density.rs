//! Limits the number of values in a long line.
//!
//! A value takes two bytes of a line and more than 24 on the tape. Long lines consist of
//! long strings; one with many small values would need 20 times its length. In such a line
//! arrays and objects with many values are left out before it is tokenised: a document or
//! the input of a tool is copied as a whole. Only a line whose own records are that many
//! cannot be read.

use std::ops::Range;

use memchr::{memchr_iter, memchr2};

use super::elide::{Elision, Writer};
use super::repair;

/// Values that every line may have.
pub(super) const MAX_VALUES: usize = 1 << 19;

/// Bytes of a long line for each further value.
pub(super) const BYTES_PER_VALUE: usize = 64;

/// Returns whether `json`, the line or what is left of it without long strings, has more
/// values than a line of `length` bytes may have.
#[inline]
pub(super) fn exceeds(json: &[u8], length: usize) -> bool {
    let max = MAX_VALUES.max(length / BYTES_PER_VALUE);
    // A value and what separates it from the next one are two bytes.
    json.len() > 2 * max && count_values(json) > max
}

/// Returns an upper bound of the number of values and names.
fn count_values(json: &[u8]) -> usize {
    let mut count = 1;
    let mut rest = json;
    loop {
        let quote = memchr_iter(b'"', rest).next();
        let outside = &rest[..quote.unwrap_or(rest.len())];
        let separates = |byte: &&u8| matches!(byte, b',' | b':' | b'[' | b'{');
        count += outside.iter().filter(separates).count();
        let Some(quote) = quote else { return count };
        rest = behind_string(&rest[quote + 1..]);
    }
}

/// Values in an array, or members of an object, from which on they are left out.
const WIDE: usize = 1024;

/// What an array and an object that were left out contain instead.
const ARRAY_MARK: &[u8] = b"\"\"";
const OBJECT_MARK: &[u8] = b"\"\":\"\"";

/// Copies `line` without the content of wide arrays and objects to `target`, which is at
/// least as long, and returns the length of the copy. A string without content at the
/// offset of each elision marks it. Returns `None` if the line is not JSON, needs repair,
/// or has too many values in any case.
pub(super) fn elide_wide(
    line: &[u8],
    target: &mut [u8],
    elisions: &mut Vec<Elision>,
) -> Option<usize> {
    if !repair::is_intact(line) {
        return None;
    }
    elisions.clear();
    let mut writer = Writer::new(line, target, elisions);
    for content in wide_contents(line) {
        let is_array = line[content.start - 1] == b'[';
        writer.replace(content, if is_array { ARRAY_MARK } else { OBJECT_MARK });
    }
    let length = writer.finish();
    (!exceeds(&target[..length], line.len())).then_some(length)
}

/// Returns the contents of the outermost wide arrays and objects of a line that is JSON.
fn wide_contents(line: &[u8]) -> Vec<Range<usize>> {
    let mut wide: Vec<Range<usize>> = Vec::new();
    // The start of the content of each open container, and the commas in it.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += 1;
        match byte {
            b'"' => at = line.len() - behind_string(&line[at..]).len(),
            b'[' | b'{' => open.push((at, 0)),
            b',' => open.last_mut().into_iter().for_each(|(_, commas)| *commas += 1),
            b']' | b'}' => {
                let Some((start, commas)) = open.pop() else { break };
                if commas >= WIDE {
                    while wide.last().is_some_and(|inner| inner.start > start) {
                        wide.pop();
                    }
                    wide.push(start..at - 1);
                }
            }
            _ => {}
        }
    }
    wide
}

/// Returns what follows the closing quote.
fn behind_string(mut rest: &[u8]) -> &[u8] {
    loop {
        match memchr2(b'"', b'\\', rest) {
            None => return &[],
            Some(at) if rest[at] == b'"' => return &rest[at + 1..],
            Some(at) => rest = rest.get(at + 2..).unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_strings_do_not_count() {
        for (json, count) in [
            (r#"{"a":1,"b":[1,2]}"#, 7),
            (r#""a,b:[{\",""#, 1),
            (r#"["\\",1]"#, 3),
            (r#"["unterminated"#, 2),
        ] {
            assert_eq!(count_values(json.as_bytes()), count, "{json}");
        }
    }

    #[test]
    fn outermost_wide_containers_are_found() {
        let numbers = format!("[{}1]", "1,".repeat(WIDE));
        let nested = format!("[{}1]", format!("{numbers},").repeat(WIDE));
        let line = format!(r#"{{"a":[1,2],"b]":{nested},"c":{{"d":{numbers}}}}}"#);
        let found: Vec<_> =
            wide_contents(line.as_bytes()).into_iter().map(|at| &line[at]).collect();
        assert_eq!(found, [&nested[1..nested.len() - 1], &numbers[1..numbers.len() - 1]]);
    }

    #[test]
    fn short_lines_are_never_too_dense() {
        let dense = format!("[{}1]", "1,".repeat(MAX_VALUES - 2));
        assert!(!exceeds(dense.as_bytes(), dense.len()));
        let denser = format!("[{}1]", "1,".repeat(MAX_VALUES + 2));
        assert!(exceeds(denser.as_bytes(), denser.len()));
        assert!(!exceeds(denser.as_bytes(), 100 * denser.len()), "with long strings");
    }
}
