//! JSON for a person: the same tokens, indented.

/// Deeper than this nothing is indented: a page must not be a hundred times as
/// long as its document.
const DEEPEST: usize = 40;

/// Indents JSON; numbers and strings keep their spelling.
#[must_use]
pub(super) fn indented(json: &[u8]) -> Vec<u8> {
    let mut shown = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for &byte in json {
        if in_string {
            shown.push(byte);
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        if byte.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(byte, b'}' | b']');
        depth -= usize::from(closes && depth > 0);
        let opened = matches!(shown.last(), Some(b'{' | b'['));
        let breaks = shown.last() == Some(&b',') || opened != closes && (opened || closes);
        if breaks {
            shown.push(b'\n');
            shown.extend(std::iter::repeat_n(b' ', 2 * depth.min(DEEPEST)));
        }
        shown.push(byte);
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b':' => shown.push(b' '),
            _ => {}
        }
    }
    shown
}

/// The same tokens with nothing between them: one line.
#[must_use]
pub(super) fn compact(json: &[u8]) -> Vec<u8> {
    let (mut in_string, mut escaped) = (false, false);
    let mut keep = |byte: &u8| {
        let inside = in_string;
        in_string = if in_string { escaped || *byte != b'"' } else { *byte == b'"' };
        escaped = inside && *byte == b'\\' && !escaped;
        inside || !byte.is_ascii_whitespace()
    };
    json.iter().copied().filter(|byte| keep(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compact_json_is_one_line_with_its_spelling() {
        let json = b"{\n  \"a \\\" b\" : [ 1.50 , \" \\\\\" ] ,\n \"c\":null }\n";
        assert_eq!(compact(json), b"{\"a \\\" b\":[1.50,\" \\\\\"],\"c\":null}");
    }

    #[test]
    fn tokens_keep_their_spelling() {
        let json = br#"{"a":[1.50,{"b":"x,\"}y\\"}],"c":{},"d":[ ]}"#;
        let shown = String::from_utf8(indented(json)).unwrap();
        let expected = r#"{
  "a": [
    1.50,
    {
      "b": "x,\"}y\\"
    }
  ],
  "c": {},
  "d": []
}"#;
        assert_eq!(shown, expected);
    }
}
