//! Limits the number of values in a long line.
//!
//! A value takes two bytes of a line and more than 24 on the tape. Long lines consist of
//! long strings; one with many small values would need 20 times its length.

use memchr::{memchr_iter, memchr2};

/// Values that every line may have.
pub(super) const MAX_VALUES: usize = 1 << 19;

/// Bytes of a long line for each further value.
pub(super) const BYTES_PER_VALUE: usize = 64;

/// Returns whether `json`, the line or what is left of it without long strings, has more
/// values than a line of `length` bytes may have.
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
    fn short_lines_are_never_too_dense() {
        let dense = format!("[{}1]", "1,".repeat(MAX_VALUES - 2));
        assert!(!exceeds(dense.as_bytes(), dense.len()));
        let denser = format!("[{}1]", "1,".repeat(MAX_VALUES + 2));
        assert!(exceeds(denser.as_bytes(), denser.len()));
        assert!(!exceeds(denser.as_bytes(), 100 * denser.len()), "with long strings");
    }
}
