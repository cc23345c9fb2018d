//! A command line as a shell reads it.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};

use crate::output::visible;

/// Prints a command line.
pub fn print(argv: &[OsString]) -> io::Result<u8> {
    let words: Vec<_> = argv.iter().map(|word| quoted(word)).collect();
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{}", words.join(" "))?;
    stdout.flush()?;
    Ok(0)
}

/// A word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    // What acts on a terminal is spelled out, in a way shells read.
    if let Some(text) = word.to_str().filter(|text| visible(text) == *text) {
        return shell_words::quote(text).into_owned();
    }
    let mut spelled = String::from("$'");
    for byte in word.as_encoded_bytes() {
        match byte {
            b'\'' | b'\\' => spelled.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => spelled.push(char::from(*byte)),
            _ => spelled.extend(["\\x".to_owned(), format!("{byte:02x}")]),
        }
    }
    spelled + "'"
}
