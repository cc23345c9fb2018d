//! A label for the auth lines, made harmless as the contract says: escape
//! sequences go, line ends become spaces, other controls go, 200 characters.

/// The label, if anything is left of it.
pub fn sanitized(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\x1b' => skip_escape_sequence(&mut rest),
            '\r' => {
                rest.next_if_eq(&'\n');
                plain.push(' ');
            }
            '\n' => plain.push(' '),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    let label: String = plain.trim().chars().take(200).collect();
    (!label.is_empty()).then_some(label)
}

fn skip_escape_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if rest.next_if_eq(&'[').is_some() {
        // Parameters, then the final byte.
        while rest.next_if(|c| (' '..='?').contains(c)).is_some() {}
        rest.next_if(|c| ('@'..='~').contains(c));
    } else if rest.next_if_eq(&']').is_some() {
        while rest.next_if(|c| !matches!(c, '\x07' | '\x1b')).is_some() {}
        if rest.next_if_eq(&'\x1b').is_some() {
            rest.next_if_eq(&'\\');
        } else {
            rest.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_cannot_act_on_a_terminal() {
        let label = |text: &str| sanitized(text).unwrap_or_default();
        assert_eq!(label("L2 extraction"), "L2 extraction");
        assert_eq!(label("\x1b[1;31mred\x1b[0m"), "red");
        assert_eq!(label("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07!"), "link!");
        assert_eq!(label("a\r\nb\nc\rd"), "a b c d");
        assert_eq!(label(" \x00a\x07\x7fb\u{9b} "), "ab");
        assert_eq!(label(&"é".repeat(300)), "é".repeat(200));
        assert_eq!(sanitized("\x1b[2J\n "), None);
        assert_eq!(sanitized("\x1b"), None);
    }
}
