//! `csv`: comma-separated values, quoted as in RFC 4180.

use std::borrow::Cow;

use super::RowLayout;
use super::table::Table;

pub(super) fn writer(layout: RowLayout) -> Table {
    Table::new(layout, ",", quote)
}

fn quote(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) {
        return Cow::Borrowed(value);
    }
    let mut quoted = vec![b'"'];
    for byte in value {
        if *byte == b'"' {
            quoted.push(b'"');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    Cow::Owned(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_special_values_are_quoted() {
        assert_eq!(quote(b"a b"), b"a b".as_slice());
        assert_eq!(quote(b"a,\"b\"\n"), b"\"a,\"\"b\"\"\n\"".as_slice());
    }
}
