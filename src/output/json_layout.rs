//! Indents and compacts JSON without changing its tokens.

/// Maximum indentation, so that deep nesting does not multiply the output.
const MAX_DEPTH: usize = 40;

/// Indents JSON.
#[must_use]
pub(super) fn indent(json: &[u8]) -> Vec<u8> {
    let mut indented = Vec::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for &byte in json {
        if in_string {
            indented.push(byte);
            in_string = escaped || byte != b'"';
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        if byte.is_ascii_whitespace() {
            continue;
        }
        let closes = matches!(byte, b'}' | b']');
        depth -= usize::from(closes && depth > 0);
        let opened = matches!(indented.last(), Some(b'{' | b'['));
        let breaks = indented.last() == Some(&b',') || opened != closes && (opened || closes);
        if breaks {
            indented.push(b'\n');
            indented.extend(std::iter::repeat_n(b' ', 2 * depth.min(MAX_DEPTH)));
        }
        indented.push(byte);
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b':' => indented.push(b' '),
            _ => {}
        }
    }
    indented
}

/// Removes white space between tokens, newlines included.
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
    fn compact_json_is_one_line() {
        let json = b"{\n  \"a \\\" b\" : [ 1.50 , \" \\\\\" ] ,\n \"c\":null }\n";
        assert_eq!(compact(json), b"{\"a \\\" b\":[1.50,\" \\\\\"],\"c\":null}");
    }

    #[test]
    fn tokens_are_unchanged() {
        let json = br#"{"a":[1.50,{"b":"x,\"}y\\"}],"c":{},"d":[ ]}"#;
        let printed = String::from_utf8(indent(json)).unwrap();
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
        assert_eq!(printed, expected);
    }
}
