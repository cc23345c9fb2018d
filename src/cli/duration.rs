//! Durations like `90s`, `10m`, `1h30m`, `500ms`.

use std::time::Duration;

/// The longest duration; a time so far in the future can still be represented.
const MAX_DURATION: Duration = Duration::from_hours(24 * 365 * 10);

/// Parses a duration; a plain number is seconds.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let invalid = || "not a duration: write 90s, 10m or 1h30m".to_owned();
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..digits].parse().map_err(|_| invalid())?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "ms" => 0.001,
            "s" => 1.0,
            // A number without a unit is in seconds if it is the whole text.
            "" if total.is_zero() && rest.is_empty() => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return Err(invalid()),
        };
        rest = &rest[letters..];
        let part = Duration::try_from_secs_f64(number * unit).map_err(|_| invalid())?;
        total = total.checked_add(part).ok_or_else(invalid)?;
    }
    Ok(total.min(MAX_DURATION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        for (text, milliseconds) in [
            ("90", 90_000),
            ("90s", 90_000),
            ("10m", 600_000),
            ("1h30m", 5_400_000),
            ("500ms", 500),
            ("1.5s", 1500),
            ("1d", 86_400_000),
            ("0", 0),
            ("9223372036854775807s", 315_360_000_000),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "10x", "-5s", "1h30", "5 m", "1e9d", "99999999999999999999d", "."] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
