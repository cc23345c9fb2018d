//! What the next tier is told. Pure.

use std::borrow::Cow;
use std::ffi::OsString;

use super::wish::{Service, Wish};

/// One argument of a command can hold 128 KiB on Linux. Some of it is for what
/// stands between texts.
const LONGEST: usize = 127 * 1024;

/// No part but the findings takes more than this fraction of the room.
const FRACTION: usize = 5;

/// As long as what is said about the rest can be.
const CUT: usize = 40;

/// What stands where nothing was told.
const NONE: &str = "none";

/// The four labelled parts, for a command.
pub fn of(wish: &Wish, command: &[OsString]) -> String {
    // It is added to one of the arguments, if not given as one of its own.
    let longest = command.iter().map(|word| word.len()).max().unwrap_or_default();
    within(LONGEST.saturating_sub(longest), wish)
}

/// The four labelled parts. What is too long for the room is cut, part by part.
fn within(room: usize, wish: &Wish) -> String {
    // No argument can hold what ends a string in C.
    let text = |text: &str| match text {
        "" => NONE.to_owned(),
        text => text.replace('\0', "\u{fffd}"),
    };
    let services: Vec<String> = wish.services.iter().map(status).collect();
    let reason = text(wish.reason.as_deref().unwrap_or_default());
    let found = text(wish.context.as_deref().unwrap_or_default());
    let checks = text(&wish.failed_checks.join(", "));
    let services = text(&services.join("; "));
    let [reason, checks, services] =
        [&reason, &checks, &services].map(|part| bounded(part, room / FRACTION));
    let told = |found: &str| {
        format!(
            "Escalation reason: {reason}\nInvestigation findings: {found}\n\
             Failed checks: {checks}\nService status: {services}"
        )
    };
    let left = room.saturating_sub(told("").len());
    told(&bounded(&found, left))
}

/// `nas: degraded (disk 2)`
fn status(service: &Service) -> String {
    let Service { name, status, detail } = service;
    match detail {
        Some(detail) => format!("{name}: {status} ({detail})"),
        None => format!("{name}: {status}"),
    }
}

fn bounded(text: &str, room: usize) -> Cow<'_, str> {
    if text.len() <= room {
        return text.into();
    }
    let end = text.floor_char_boundary(room.saturating_sub(CUT));
    format!("{} [cut: {} bytes more]", &text[..end], text.len() - end).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(name: &str, status: &str, detail: Option<&str>) -> Service {
        let detail = detail.map(str::to_owned);
        Service { name: name.to_owned(), status: status.to_owned(), detail }
    }

    #[test]
    fn the_four_parts_are_labelled() {
        let wish = Wish {
            needed: true,
            reason: Some("a disk fails".to_owned()),
            context: Some("SMART: 12 sectors\nsecond line".to_owned()),
            failed_checks: vec!["smart".to_owned(), "ping".to_owned()],
            services: vec![
                service("web", "healthy", None),
                service("nas", "degraded", Some("disk 2")),
            ],
            troubled: Vec::new(),
        };
        assert_eq!(
            of(&wish, &[]),
            "Escalation reason: a disk fails\n\
             Investigation findings: SMART: 12 sectors\nsecond line\n\
             Failed checks: smart, ping\n\
             Service status: web: healthy; nas: degraded (disk 2)"
        );
    }

    #[test]
    fn a_part_that_was_not_told_says_so() {
        let told = of(&Wish::default(), &[]);
        assert_eq!(
            told,
            "Escalation reason: none\nInvestigation findings: none\nFailed checks: none\nService status: none"
        );
    }

    #[test]
    fn whatever_an_agent_says_it_can_be_an_argument() {
        let context = Some("a\0b".to_owned() + &"é".repeat(LONGEST));
        let told = of(&Wish { context, ..Wish::default() }, &[]);
        assert!(!told.contains('\0') && told.contains("a\u{fffd}b"));
        assert!(told.len() <= LONGEST, "{}", told.len());
        assert!(told.contains(" bytes more]\nFailed checks: none\n"));
    }

    #[test]
    fn whichever_part_is_long_all_four_are_there() {
        let long = || "é".repeat(LONGEST);
        let wish = Wish {
            reason: Some(long()),
            context: Some(long()),
            failed_checks: vec![long(), long()],
            services: vec![service("nas", "degraded", Some(&long()))],
            ..Wish::default()
        };
        let labels = [
            "Escalation reason: é",
            "\nInvestigation findings: é",
            "\nFailed checks: é",
            "\nService status: nas",
        ];
        for taken in [0, 60 * 1024, 120 * 1024] {
            let told = of(&wish, &["claude".into(), "p".repeat(taken).into()]);
            for label in labels {
                assert!(told.contains(label), "{taken}: {label}");
            }
            assert!(told.len() + taken <= LONGEST, "{taken}: {}", told.len());
            assert!(told.len() + taken > LONGEST - 200, "all of the room is used: {}", told.len());
        }
        let told = of(&wish, &["p".repeat(LONGEST).into()]);
        assert!(told.len() < 300 && told.contains("\nService status: "), "{told}");
    }
}
