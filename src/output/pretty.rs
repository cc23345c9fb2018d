//! JSON for a person: the same tokens, indented.

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
            shown.extend(std::iter::repeat_n(b' ', 2 * depth));
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

#[cfg(test)]
mod tests {
    use super::*;

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
