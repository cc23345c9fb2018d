//! JSON inside a script element.

use memchr::memchr;

/// Escapes JSON so that it cannot end the script element that contains it.
///
/// A script element ends with `</`, and `<!` starts a comment in which the rules differ.
/// Both occur inside strings only, where `/` and `<` may be written as escapes: the parsed
/// value is the same.
pub(crate) struct ScriptData<'a>(pub(crate) &'a [u8]);

impl ScriptData<'_> {
    /// Passes the escaped bytes on in parts.
    pub(crate) fn write<E>(self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let Self(mut rest) = self;
        while let Some((at, escape)) = next_mark(rest) {
            each(&rest[..at])?;
            each(escape)?;
            // What follows `<` is kept.
            rest = &rest[at + 1..];
        }
        each(rest)
    }
}

/// Returns the next `<` to be escaped and what replaces it.
fn next_mark(json: &[u8]) -> Option<(usize, &'static [u8])> {
    let mut from = 0;
    loop {
        let at = from + memchr(b'<', &json[from..])?;
        match json.get(at + 1) {
            Some(b'/') => return Some((at, b"<\\")),
            Some(b'!') => return Some((at, b"\\u003c")),
            _ => from = at + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let json = serde_json::to_vec(text).unwrap();
        let mut to = Vec::new();
        let Ok(()) = ScriptData(&json).write(|part| {
            to.extend_from_slice(part);
            Ok::<_, std::convert::Infallible>(())
        });
        assert_eq!(serde_json::from_slice::<String>(&to).unwrap(), text);
        String::from_utf8(to).unwrap()
    }

    #[test]
    fn nothing_ends_or_comments_the_element() {
        for text in [
            "</script>",
            "<!--<script>",
            "a</SCRIPT >b</scr",
            "<</script>",
            "<!</!-->",
            "\\</script>",
            "<",
            "</",
            "<!",
            "é<b>no mark</b>",
        ] {
            let escaped = escaped(text);
            assert!(!escaped.contains("</") && !escaped.contains("<!"), "{escaped}");
        }
        assert_eq!(escaped("a < b"), "\"a < b\"");
    }
}
