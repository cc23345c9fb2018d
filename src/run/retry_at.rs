//! The time of the next attempt in an error text, for CLIs that report it in prose
//! only.
//!
//! For example `try again at Nov 20th, 2026 3:45 PM` or `resets 3pm (Europe/Berlin)`;
//! the [rules](Rules) of the CLI contain the words before the time. `try again in 2 hours
//! 5 minutes` and `resets at 2026-12-01T00:00:00Z` are the same for all.

use std::time::SystemTime;

use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{RoundMode, SignedDuration, Timestamp, TimestampRound, ToSpan, Unit, Zoned};
use regex::Regex;

use crate::harness::Rules;

const TIME: &str = r"\s+
    (?: (?<month>[a-z]{3}) [a-z]* \s+ (?<day>\d{1,2}) (?:st|nd|rd|th)? ,? \s+
        (?: (?<year>\d{4}) ,? \s+ )? (?: at \s+ )? )?
    (?<hour>\d{1,2}) (?: : (?<minute>\d{2}) )? \s* (?<half>am|pm) \b
    (?: \s* \( (?<zone>[^)]+) \) )?
";

/// Returns the time that `text` names. A time of day, or a day without a year, is the
/// next one after `written`; without a zone it is local time. Delays below `min_delay` do
/// not count.
pub(super) fn in_text(
    text: &str,
    rules: &Rules,
    written: SystemTime,
    min_delay: SignedDuration,
) -> Option<Timestamp> {
    let marker = rules.retry_seconds_marker;
    if let Some((_, seconds)) = marker.and_then(|marker| text.rsplit_once(marker)) {
        return Timestamp::from_second(seconds.trim().parse().ok()?).ok();
    }
    if let Some(delay) = delay_in(text).filter(|delay| *delay >= min_delay) {
        let moment = Timestamp::try_from(written).ok()?.checked_add(delay).ok()?;
        return whole_seconds(moment);
    }
    if let Some(moment) = iso_time_in(text) {
        return Some(moment);
    }
    if rules.retry_words.is_empty() {
        return None;
    }
    let words = rules.retry_words.join("|").replace(' ', r"\ ");
    let found = Regex::new(&format!("(?ix) (?: {words} ) {TIME}")).ok()?.captures(text)?;
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    let number = |name: &str| part(name).and_then(|digits| digits.parse::<i16>().ok());

    let zone = match part("zone") {
        Some(name) => TimeZone::get(name).ok()?,
        None => TimeZone::system(),
    };
    let written = Timestamp::try_from(written).ok()?.to_zoned(zone.clone());
    let hour = number("hour").filter(|hour| (1..=12).contains(hour))? % 12;
    let half = if part("half")?.eq_ignore_ascii_case("pm") { 12 } else { 0 };
    let minute = i8::try_from(number("minute").unwrap_or(0)).ok()?;
    let hour = i8::try_from(hour + half).ok()?;
    let at = |date: Date| -> Option<Zoned> {
        let time = jiff::civil::Time::new(hour, minute, 0, 0).ok()?;
        date.to_datetime(time).to_zoned(zone.clone()).ok()
    };

    let moment = match part("month") {
        None => {
            let today = at(written.date())?;
            if today < written { at(written.date().checked_add(1.day()).ok()?)? } else { today }
        }
        Some(name) => {
            let month = month(name)?;
            let day = i8::try_from(number("day")?).ok()?;
            let on = |year| at(Date::new(year, month, day).ok()?);
            match number("year") {
                Some(year) => on(year)?,
                None => on(written.year())
                    .filter(|moment| *moment >= written)
                    .or_else(|| on(written.year() + 1))?,
            }
        }
    };
    Some(moment.timestamp())
}

/// Returns a time in whole seconds, not earlier than `moment`.
fn whole_seconds(moment: Timestamp) -> Option<Timestamp> {
    let up = TimestampRound::new().smallest(Unit::Second).mode(RoundMode::Ceil);
    moment.round(up).ok()
}

const ISO_TIME: &str = r"(?ix) \b (?: again | retry | resets? | renews? | available ) \s+
    (?: (?: at | on | after | until ) \s+ )?
    (?<date> \d{4}-\d{2}-\d{2} ) [T\x20] (?<time> \d{2}:\d{2} (?: :\d{2} (?: \.\d+ )? )? )
    \s? (?<zone> Z | UTC | GMT | [+-]\d{2}:?\d{2} )?";

/// Returns the time in ISO 8601 that `text` names. Without a zone it is local time.
fn iso_time_in(text: &str) -> Option<Timestamp> {
    let found = Regex::new(ISO_TIME).ok()?.captures(text)?;
    let moment: DateTime = format!("{}T{}", &found["date"], &found["time"]).parse().ok()?;
    let zone = match found.name("zone").map(|zone| zone.as_str()) {
        None => TimeZone::system(),
        Some(offset) if offset.starts_with(['+', '-']) => {
            let (hours, minutes) = (offset.get(..3)?, offset.get(offset.len() - 2..)?);
            let seconds = 3600 * hours.parse::<i32>().ok()?;
            let rest = 60 * minutes.parse::<i32>().ok()?;
            let seconds = if hours.starts_with('-') { seconds - rest } else { seconds + rest };
            TimeZone::fixed(Offset::from_seconds(seconds).ok()?)
        }
        Some(_) => TimeZone::UTC,
    };
    whole_seconds(moment.to_zoned(zone).ok()?.timestamp())
}

/// Shorter delays are those of a retry, not of a limit.
pub(super) const MIN_DELAY: SignedDuration = SignedDuration::from_secs(30);

const DELAY: &str = r"(?ix) \b (?: again | retry | resets? ) \s+ in \s+ (?<parts>
    (?: \d+ (?: \.\d+ )? \s* (?: days? | hours? | hrs? | minutes? | mins? | seconds? | secs? | [dhms] )
        (?: \s* ,? \s* (?: and \s+ )? )? )+ ) \b";
const DELAY_PART: &str = r"(?i)(?<number>\d+(?:\.\d+)?)\s*(?<unit>[dhms])";

/// Returns the delay before the next attempt that `text` names.
fn delay_in(text: &str) -> Option<SignedDuration> {
    let found = Regex::new(DELAY).ok()?.captures(text)?;
    let parts = Regex::new(DELAY_PART).ok()?;
    let mut seconds = 0.0;
    for part in parts.captures_iter(found.name("parts")?.as_str()) {
        let number: f64 = part["number"].parse().ok()?;
        seconds += number
            * match part["unit"].to_ascii_lowercase().as_str() {
                "d" => 86_400.0,
                "h" => 3_600.0,
                "m" => 60.0,
                _ => 1.0,
            };
    }
    SignedDuration::try_from_secs_f64(seconds).ok()
}

fn month(name: &str) -> Option<i8> {
    let names =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = name.to_ascii_lowercase();
    let at = names.iter().position(|month| *month == name)?;
    i8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::Harness;

    /// The texts are written at noon UTC on 16 November 2026.
    fn moment(text: &str) -> Option<String> {
        let now: Timestamp = "2026-11-16T12:00:00Z".parse().unwrap();
        let rules = Harness::Claude.rules();
        in_text(text, rules, now.into(), MIN_DELAY).map(|moment| moment.to_string())
    }

    #[test]
    fn named_zone_and_day_are_exact() {
        let text = "You've hit your limit · resets Dec 1, 12am (UTC)";
        assert_eq!(moment(text).as_deref(), Some("2026-12-01T00:00:00Z"));
        let text = "resets Jan 2, 9:30am (UTC)";
        assert_eq!(moment(text).as_deref(), Some("2027-01-02T09:30:00Z"));
        let text = "Try again at Nov 20th, 2026 3:45 PM (UTC).";
        assert_eq!(moment(text).as_deref(), Some("2026-11-20T15:45:00Z"));
    }

    #[test]
    fn time_of_day_is_the_next_one() {
        assert_eq!(moment("resets 3pm (UTC)").as_deref(), Some("2026-11-16T15:00:00Z"));
        assert_eq!(moment("resets 3am (UTC)").as_deref(), Some("2026-11-17T03:00:00Z"));
        assert_eq!(moment("resets 12pm (UTC)").as_deref(), Some("2026-11-16T12:00:00Z"));
    }

    #[test]
    fn delay_counts_from_the_time_of_writing() {
        for (text, expected) in [
            ("Try again in 3 days 4 hours 32 minutes.", "2026-11-19T16:32:00Z"),
            ("please try again in 2h, 5m", "2026-11-16T14:05:00Z"),
            ("Retry in 90 seconds", "2026-11-16T12:01:30Z"),
            ("Please try again in 6m0s.", "2026-11-16T12:06:00Z"),
            ("try again in 1h12m3.4s. Visit", "2026-11-16T13:12:04Z"),
            ("try again in 2 days", "2026-11-18T12:00:00Z"),
            ("your limit resets in 1 hour and 1 minute", "2026-11-16T13:01:00Z"),
        ] {
            assert_eq!(moment(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn delay_ends_at_a_whole_second() {
        let written: Timestamp = "2026-11-16T12:00:00.148170122Z".parse().unwrap();
        let rules = Harness::Codex.rules();
        let moment = in_text("try again in 2 minutes", rules, written.into(), MIN_DELAY);
        assert_eq!(moment.unwrap().to_string(), "2026-11-16T12:02:01Z");
    }

    #[test]
    fn iso_time_is_exact() {
        for (text, expected) in [
            ("Quota exceeded. Resets at 2026-12-01T00:00:00Z.", "2026-12-01T00:00:00Z"),
            ("try again at 2026-12-01 06:30 UTC", "2026-12-01T06:30:00Z"),
            ("retry after 2026-12-01T00:00:00.25+02:00", "2026-11-30T22:00:01Z"),
            ("resets on 2026-12-01T00:00:00-0130", "2026-12-01T01:30:00Z"),
            ("available again at 2026-12-01T00:00Z", "2026-12-01T00:00:00Z"),
        ] {
            assert_eq!(moment(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(moment("resets at 2026-13-01T00:00:00Z"), None);
        assert_eq!(moment("request of 2026-12-01T00:00:00Z failed"), None);
    }

    #[test]
    fn old_releases_append_the_second() {
        let text = "Claude AI usage limit reached|1747238400";
        assert_eq!(moment(text).as_deref(), Some("2025-05-14T16:00:00Z"));
    }

    #[test]
    fn unknown_cli_has_no_words_for_it() {
        let rules = Harness::Unknown.rules();
        let moment = |text| in_text(text, rules, SystemTime::UNIX_EPOCH, MIN_DELAY);
        assert_eq!(moment("resets 3pm (UTC)"), None);
        assert!(moment("resets at 2026-12-01T00:00:00Z").is_some(), "the same for all");
    }

    #[test]
    fn other_texts_give_no_time() {
        for text in [
            "Rate limit reached. Please try again in 0.5s.",
            "try again in 3 attempts",
            "try again in 348000ms",
            "try again in 3 months",
            "try again in 99999999999999999999 days",
            "try again later",
            "resets 25pm",
            "resets Foo 1, 3pm (UTC)",
            "resets 3pm (Nowhere/Else)",
            "limit reached|soon",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
