//! Days and times on the command line.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// A day, or a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A day of the calendar.
    Day(Date),
    /// This many days ago; 0 is today.
    DaysAgo(i64),
    /// A point in time.
    At(Timestamp),
}

impl Moment {
    /// Returns the start, or the end if `end` is set.
    pub fn resolve(self, zone: &TimeZone, now: Timestamp, end: bool) -> anyhow::Result<Timestamp> {
        let day = match self {
            Self::At(time) => return Ok(time),
            Self::Day(day) => Ok(day),
            Self::DaysAgo(days) => zone.to_datetime(now).date().checked_sub(days.days()),
        };
        let moment = || {
            let day = if end { day?.tomorrow()? } else { day? };
            Ok::<_, jiff::Error>(day.to_zoned(zone.clone())?.timestamp())
        };
        moment().map_err(|_| anyhow::anyhow!("there is no such day in the calendar"))
    }
}

/// Parses `2026-11-01`, `20261101`, `today`, `yesterday`, `7d`, or RFC 3339.
pub(super) fn moment(text: &str) -> Result<Moment, String> {
    /// A century.
    const MAX_DAYS: u32 = 36_525;
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    match text {
        "today" => return Ok(Moment::DaysAgo(0)),
        "yesterday" => return Ok(Moment::DaysAgo(1)),
        // Seven days are today and the six before it.
        _ if days.is_some_and(|days| (1..=MAX_DAYS).contains(&days)) => {
            return Ok(Moment::DaysAgo(i64::from(days.unwrap_or(1)) - 1));
        }
        _ => {}
    }
    let compact = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    let spelled = if compact {
        format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..])
    } else {
        text.into()
    };
    if let Ok(time) = spelled.parse::<Timestamp>() {
        return Ok(Moment::At(time));
    }
    let is_day = spelled.len() == "2026-11-01".len();
    let day = spelled.parse::<Date>().ok().filter(|_| is_day);
    day.map(Moment::Day).ok_or_else(|| "not a day: use 2026-11-01, 7d or today".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_parsed() {
        let now: Timestamp = "2026-11-16T23:30:00Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        for (text, begins, ends) in [
            ("2026-11-01", "2026-10-31T23:00:00Z", "2026-11-01T23:00:00Z"),
            ("20261101", "2026-10-31T23:00:00Z", "2026-11-01T23:00:00Z"),
            ("today", "2026-11-16T23:00:00Z", "2026-11-17T23:00:00Z"),
            ("yesterday", "2026-11-15T23:00:00Z", "2026-11-16T23:00:00Z"),
            ("7d", "2026-11-10T23:00:00Z", "2026-11-11T23:00:00Z"),
            ("2026-11-01T12:00:00Z", "2026-11-01T12:00:00Z", "2026-11-01T12:00:00Z"),
        ] {
            let moment = moment(text).unwrap();
            let resolved = |end| moment.resolve(&zone, now, end).unwrap().to_string();
            assert_eq!((&*resolved(false), &*resolved(true)), (begins, ends), "{text}");
        }
        assert!(moment("9999-12-31").unwrap().resolve(&zone, now, true).is_err());
        for wrong in ["", "d", "0d", "8000000d", "tomorrow", "2026-13-01", "2026", "11/01/2026"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
