//! `tsv`: tab-separated values with backslash escapes.

use std::borrow::Cow;

use bstr::ByteSlice;

use super::RowLayout;
use super::table::Table;

pub(super) fn writer(layout: RowLayout) -> Table {
    Table::new(layout, "\t", escape)
}

fn escape(value: &[u8]) -> Cow<'_, [u8]> {
    if value.find_byteset(b"\t\n\r\\").is_none() {
        return Cow::Borrowed(value);
    }
    let mut escaped = Vec::with_capacity(value.len() + 16);
    for byte in value {
        match byte {
            b'\t' => escaped.extend_from_slice(br"\t"),
            b'\n' => escaped.extend_from_slice(br"\n"),
            b'\r' => escaped.extend_from_slice(br"\r"),
            b'\\' => escaped.extend_from_slice(br"\\"),
            byte => escaped.push(*byte),
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_stays_on_one_line() {
        assert_eq!(escape(b"a b"), b"a b".as_slice());
        assert_eq!(escape(b"a\tb\\\r\n"), br"a\tb\\\r\n".as_slice());
    }
}
