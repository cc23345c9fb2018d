//! The secret without which no request is answered.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use data_encoding::HEXLOWER;

use crate::output::private;

/// Bytes of a token: 192 bits.
const LENGTH: usize = 24;

/// Fewest characters of a token in a file.
const MIN_LENGTH: usize = 32;

/// A secret in the address of the page.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// Creates a random token.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(HEXLOWER.encode(&bytes)))
    }

    /// Reads the token in a file, which is created with a random one unless it exists.
    pub(crate) fn of_file(path: &Path) -> io::Result<Self> {
        let read = |text: String| {
            let token = text.trim();
            let is_valid =
                token.len() >= MIN_LENGTH && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
            is_valid.then(|| Self(token.to_owned())).ok_or_else(|| {
                io::Error::other(format!("not a token of {MIN_LENGTH} or more letters and digits"))
            })
        };
        match std::fs::read_to_string(path) {
            Ok(text) => read(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let token = Self::random()?;
                writeln!(private::create(path)?, "{token}")?;
                Ok(token)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns whether `given` is this token, in a time that does not depend on how much of
    /// it is right.
    pub(super) fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        let differences = own.iter().zip(given).fold(0, |sum, (one, other)| sum | (one ^ other));
        own.len() == given.len() && differences == 0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_random_and_compared_as_a_whole() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        let text = one.to_string();
        assert_eq!(text.len(), 2 * LENGTH);
        assert!(one.is(&text) && !other.is(&text));
        assert!(!one.is(&text[1..]) && !one.is("") && !one.is(&format!("{text}0")));
    }

    #[test]
    fn token_of_a_file_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let token = Token::of_file(&path).unwrap();
        assert!(Token::of_file(&path).unwrap().is(&token.to_string()));
        std::fs::write(&path, "short").unwrap();
        assert!(Token::of_file(&path).is_err());
    }
}
