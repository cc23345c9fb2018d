//! Prints a command line for a shell.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use crate::output::sanitize;

/// Prints a command line.
pub(super) fn print(argv: &[OsString]) -> io::Result<u8> {
    let words: Vec<_> = argv.iter().map(|word| quote(word)).collect();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", words.join(" "))?;
    stdout.flush()?;
    Ok(0)
}

/// Quotes a word. Control characters are escaped in a way that shells understand.
fn quote(word: &OsStr) -> String {
    if let Some(text) = word.to_str().filter(|text| sanitize(text) == *text) {
        return shell_words::quote(text).into_owned();
    }
    let mut quoted = String::from("$'");
    for byte in word.as_encoded_bytes() {
        match byte {
            b'\'' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => quoted.extend(["\\x".to_owned(), format!("{byte:02x}")]),
        }
    }
    quoted + "'"
}
