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

/// Formats a duration as it can be parsed: `1h30m`, `1.5s`.
pub(crate) fn format(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let part = |count: u64, unit: &str| match count {
        0 => String::new(),
        count => format!("{count}{unit}"),
    };
    let whole = part(seconds / 3600, "h") + &part(seconds / 60 % 60, "m");
    let rest = Duration::new(seconds % 60, duration.subsec_nanos());
    if rest.is_zero() && !whole.is_empty() {
        return whole;
    }
    format!("{whole}{}s", rest.as_secs_f64())
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

    #[test]
    fn formatted_duration_can_be_parsed() {
        for (text, formatted) in
            [("90", "1m30s"), ("10m", "10m"), ("1h30m", "1h30m"), ("500ms", "0.5s"), ("0", "0s")]
        {
            let duration = parse(text).unwrap();
            assert_eq!(format(duration), formatted);
            assert_eq!(parse(formatted), Ok(duration));
        }
    }
}
