//! Parsers for the values of options.

use std::ffi::OsStr;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use regex::bytes::Regex;

use super::duration;
use crate::glob::Glob;
use crate::harness::Harness;
use crate::output::Format;

/// The longest line that simd-json accepts.
const MAX_LINE_LIMIT: usize = u32::MAX as usize - 1024;

/// Accepts any name, since descriptions are read later; completions offer those of built-in
/// CLIs.
#[derive(Clone)]
pub(super) struct HarnessParser;

impl TypedValueParser for HarnessParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let name = value.to_str().map(str::to_owned);
        name.ok_or_else(|| clap::Error::new(ErrorKind::InvalidUtf8).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Harness::ALL.iter().map(|harness| PossibleValue::new(harness.name()))))
    }
}

/// The formats of rows.
pub(super) fn row_formats() -> impl TypedValueParser<Value = Format> {
    formats(Format::accepts_rows)
}

/// The formats of events.
pub(super) fn event_formats() -> impl TypedValueParser<Value = Format> {
    formats(Format::accepts_events)
}

fn formats(accepts: fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::value_variants().iter().filter(|format| accepts(**format));
    let values = formats.filter_map(Format::to_possible_value);
    PossibleValuesParser::new(values).try_map(|name| Format::from_str(&name, true))
}

/// Parses a size: `1000`, `64K`, `64M`, `64MiB`, `1G`.
pub(super) fn size(text: &str) -> Result<usize, String> {
    match size_or_zero(text)? {
        0 => Err("must not be 0".to_owned()),
        bytes if bytes > MAX_LINE_LIMIT => Err("must be less than 4G".to_owned()),
        bytes => Ok(bytes),
    }
}

pub(super) fn size_or_zero(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let number: usize = digits.parse().map_err(|_| "not a number of bytes".to_owned())?;
    let shift = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err("unknown unit: use K, M or G".to_owned()),
    };
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

/// Patterns of secrets that the user gives.
#[derive(Clone, Debug)]
pub(crate) struct OwnPatterns(pub(super) Vec<Regex>);

pub(super) fn own_pattern(text: &str) -> Result<OwnPatterns, String> {
    let pattern = Regex::new(text).map_err(|error| error.to_string())?;
    if pattern.is_match(b"") {
        Err("matches an empty text".to_owned())
    } else {
        Ok(OwnPatterns(vec![pattern]))
    }
}

/// Reads patterns from a file.
pub(super) fn pattern_file(path: &str) -> Result<OwnPatterns, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let lines = text.lines().enumerate();
    let patterns = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let patterns = patterns.map(|(at, line)| {
        let pattern = own_pattern(line).map_err(|error| format!("line {}: {error}", at + 1))?;
        Ok(pattern.0)
    });
    Ok(OwnPatterns(patterns.collect::<Result<Vec<_>, String>>()?.concat()))
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    let threads = text.parse().ok().filter(|threads| (1..=256).contains(threads));
    threads.ok_or_else(|| "not a number from 1 to 256".to_owned())
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    duration::parse(text)
}

/// Parses a duration that is not zero.
#[cfg(feature = "store")]
pub(super) fn positive_duration(text: &str) -> Result<Duration, String> {
    duration(text)
        .and_then(|time| if time.is_zero() { Err("must not be 0".to_owned()) } else { Ok(time) })
}

/// Parses a name with wildcards.
pub(super) fn glob(text: &str) -> Result<Glob, String> {
    Glob::new(text).map_err(|_| "the pattern is too long".to_owned())
}

/// Parses a JSON pointer: empty, or starting with a slash.
pub(super) fn pointer(text: &str) -> Result<String, String> {
    if text.is_empty() || text.starts_with('/') {
        Ok(text.to_owned())
    } else {
        Err(format!("a JSON pointer starts with a slash: /{text}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("64K"), Ok(65536));
        assert_eq!(size("64MiB"), Ok(64 << 20));
        for wrong in ["", "K", "1T", "-1", "0", "5G", "99999999999999999999"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
