//! Decides whether a match is a secret, by its surroundings and its characters.

use std::ops::Range;

use memchr::memmem;

/// Longest line before an option that is searched for the name of its command.
const MAX_COMMAND: usize = 512;

/// Accepts every match.
pub(super) fn any(_: &[u8], _: Range<usize>) -> bool {
    true
}

/// What is before a word of a rule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Follows {
    /// Anything.
    Anything,
    /// No letter or digit, unless they are part of an escape in JSON or in a URL.
    Boundary,
    /// The start of a parameter of a URL.
    UrlParameter,
    /// The number of a bot.
    BotNumber,
    /// The start of a long option.
    OptionDashes,
}

/// Bytes of an option before the end of its name, at most.
const MAX_OPTION: usize = 24;

impl Follows {
    /// Returns whether the text before a word allows a match.
    pub(super) fn allows(self, before: &[u8]) -> bool {
        match self {
            Self::Anything => true,
            Self::Boundary => match before {
                [.., b'\\', b'b' | b'f' | b'n' | b'r' | b't'] | [] => true,
                [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                    true
                }
                [.., last] => !last.is_ascii_alphanumeric(),
            },
            Self::UrlParameter => {
                matches!(before.last(), Some(b'?' | b'&' | b';')) || before.ends_with(b"\\u0026")
            }
            Self::BotNumber => {
                before.len() >= 6 && before[before.len() - 6..].iter().all(u8::is_ascii_digit)
            }
            Self::OptionDashes => {
                let is_part = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'-';
                let recent = before.iter().rev().take(MAX_OPTION);
                let length = recent.take_while(is_part).count();
                before[before.len() - length..].starts_with(b"--")
            }
        }
    }

    /// Returns the number of bytes that it looks at.
    pub(super) fn reach(self) -> usize {
        match self {
            Self::Anything => 0,
            Self::Boundary => 3,
            Self::UrlParameter | Self::BotNumber => 6,
            Self::OptionDashes => MAX_OPTION,
        }
    }
}

/// Returns whether there is a digit.
pub(super) fn has_digit(text: &[u8], secret: Range<usize>) -> bool {
    text[secret].iter().any(u8::is_ascii_digit)
}

/// Returns whether a value is more than a word, a number, a path or a variable.
pub(super) fn is_random(text: &[u8], secret: Range<usize>) -> bool {
    let value = &text[secret];
    let is_mixed = value.iter().any(u8::is_ascii_alphabetic)
        && (value.iter().any(u8::is_ascii_digit) || value.len() >= 16 && has_both_cases(value));
    value.len() >= 6 && is_mixed && !is_reference(value) && !is_member_path(value)
}

/// Returns whether a value is a path of names, as in code: `response.data.accessToken`.
fn is_member_path(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphabetic);
    value.contains(&b'.') && value.split(|byte| *byte == b'.').all(is_name)
}

/// Returns whether a value is more than a word or a variable.
pub(super) fn is_password(text: &[u8], secret: Range<usize>) -> bool {
    let start = secret.start;
    let value = &text[secret];
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let is_mixed = has_digit || has_both_cases(value) && follows_scheme(&text[..start]);
    value.len() >= 8 && is_mixed && !is_reference(value)
}

/// Returns whether `user:` is followed by a password, and not `host:` by a port.
pub(super) fn is_user_password(text: &[u8], secret: Range<usize>) -> bool {
    let value = &text[secret.clone()];
    let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_port =
        (1..=5).contains(&digits) && matches!(value.get(digits), Some(b'/' | b'?' | b'#'));
    !is_port && !is_reference(value) && !text[secret.end..].starts_with(b"@sha256:")
}

/// Returns whether the command before the option `-u` is one that expects a password.
pub(super) fn names_curl(text: &[u8], secret: Range<usize>) -> bool {
    let start = secret.start.saturating_sub(MAX_COMMAND);
    let before = &text[start..secret.start];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |at| &before[at..]);
    let has_command =
        || memmem::find(line, b"curl").is_some() || memmem::find(line, b"wget").is_some();
    has_command() && !is_reference(&text[secret])
}

/// Returns whether a value names a secret instead of being one: `$TOKEN`, `${{ … }}`,
/// `/run/secrets/x`.
fn is_reference(value: &[u8]) -> bool {
    let is_path = [&b"/"[..], b"./", b"../", b"~/"].iter().any(|start| value.starts_with(start))
        && value[1..].contains(&b'/')
        && !value.iter().any(|byte| matches!(byte, b'+' | b'='));
    let is_variable = matches!(value, [b'$', b'{' | b'(' | b'A'..=b'Z' | b'a'..=b'z' | b'_', ..]);
    let is_environment =
        memmem::find(value, b"env.").is_some() || memmem::find(value, b"environ").is_some();
    is_path || is_variable || is_environment
}

/// Returns whether the text ends with the scheme of an authorization.
fn follows_scheme(before: &[u8]) -> bool {
    let word = before.trim_ascii_end();
    ["basic", "bearer", "digest"].iter().any(|scheme| {
        let start = word.len().saturating_sub(scheme.len());
        word[start..].eq_ignore_ascii_case(scheme.as_bytes())
    })
}

/// Returns whether there are both lower and upper case letters behind the first letter.
fn has_both_cases(value: &[u8]) -> bool {
    value.iter().skip(1).any(u8::is_ascii_uppercase) && value.iter().any(u8::is_ascii_lowercase)
}

/// Returns whether the value of an environment variable is worth masking wherever it
/// occurs. A value like `github` or `production` also occurs as a word.
pub(super) fn is_secret_value(value: &[u8], is_named: bool) -> bool {
    let has = |class: fn(&u8) -> bool| value.iter().any(class);
    let has_upper = value.iter().skip(1).any(u8::is_ascii_uppercase);
    let classes = [
        has(u8::is_ascii_lowercase) || value.first().is_some_and(u8::is_ascii_uppercase),
        has_upper,
        has(u8::is_ascii_digit),
        has(|byte| !byte.is_ascii_alphanumeric()),
    ];
    let classes = classes.into_iter().filter(|is_used| *is_used).count();
    let distinct = (0..=u8::MAX).filter(|byte| value.contains(byte)).count();
    match (is_named, value.len()) {
        (_, ..6) => false,
        (true, length) => distinct >= 4 && (classes >= 2 || length >= 10),
        (false, length) => {
            let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
            length >= 12 && distinct >= 8 && is_mixed && !is_reference(value)
        }
    }
}
