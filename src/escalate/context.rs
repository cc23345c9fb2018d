//! The text that tells the next tier what was found.

use std::borrow::Cow;
use std::ffi::OsString;

use super::request::{EscalationRequest, ServiceStatus};

/// Maximum length. An argument can have 128 KiB on Linux, including separators.
const MAX_LENGTH: usize = 127 * 1024;

/// Parts other than the findings get at most 1/5 of the available length.
const PART_DIVISOR: usize = 5;

/// Maximum length of the notice about a truncated part.
const NOTICE_LENGTH: usize = 40;

/// Replaces an empty part.
const NONE: &str = "none";

/// Returns the four labelled parts, short enough for an argument of `command`.
pub(super) fn write(request: &EscalationRequest, command: &[OsString]) -> String {
    // It may be appended to an existing argument.
    let longest = command.iter().map(|word| word.len()).max().unwrap_or_default();
    within(MAX_LENGTH.saturating_sub(longest), request)
}

/// Returns the four labelled parts, each truncated so that all fit in `length`.
fn within(length: usize, request: &EscalationRequest) -> String {
    // An argument cannot contain a NUL.
    let text = |text: &str| match text {
        "" => NONE.to_owned(),
        text => text.replace('\0', "\u{fffd}"),
    };
    let services: Vec<String> = request.services.iter().map(describe).collect();
    let reason = text(request.reason.as_deref().unwrap_or_default());
    let found = text(request.context.as_deref().unwrap_or_default());
    let checks = text(&request.failed_checks.join(", "));
    let services = text(&services.join("; "));
    let [reason, checks, services] =
        [&reason, &checks, &services].map(|part| truncate(part, length / PART_DIVISOR));
    let format = |found: &str| {
        format!(
            "Escalation reason: {reason}\nInvestigation findings: {found}\n\
             Failed checks: {checks}\nService status: {services}"
        )
    };
    let left = length.saturating_sub(format("").len());
    format(&truncate(&found, left))
}

/// `nas: degraded (disk 2)`
fn describe(service: &ServiceStatus) -> String {
    let ServiceStatus { name, status, detail } = service;
    match detail {
        Some(detail) => format!("{name}: {status} ({detail})"),
        None => format!("{name}: {status}"),
    }
}

fn truncate(text: &str, length: usize) -> Cow<'_, str> {
    if text.len() <= length {
        return text.into();
    }
    let end = text.floor_char_boundary(length.saturating_sub(NOTICE_LENGTH));
    format!("{} [cut: {} bytes more]", &text[..end], text.len() - end).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(name: &str, status: &str, detail: Option<&str>) -> ServiceStatus {
        let detail = detail.map(str::to_owned);
        ServiceStatus { name: name.to_owned(), status: status.to_owned(), detail }
    }

    #[test]
    fn four_parts_are_labelled() {
        let request = EscalationRequest {
            needed: true,
            reason: Some("a disk fails".to_owned()),
            context: Some("SMART: 12 sectors\nsecond line".to_owned()),
            failed_checks: vec!["smart".to_owned(), "ping".to_owned()],
            services: vec![
                service("web", "healthy", None),
                service("nas", "degraded", Some("disk 2")),
            ],
            unhealthy: Vec::new(),
        };
        assert_eq!(
            write(&request, &[]),
            "Escalation reason: a disk fails\n\
             Investigation findings: SMART: 12 sectors\nsecond line\n\
             Failed checks: smart, ping\n\
             Service status: web: healthy; nas: degraded (disk 2)"
        );
    }

    #[test]
    fn empty_part_is_none() {
        let text = write(&EscalationRequest::default(), &[]);
        assert_eq!(
            text,
            "Escalation reason: none\nInvestigation findings: none\nFailed checks: none\nService status: none"
        );
    }

    #[test]
    fn text_is_always_a_valid_argument() {
        let context = Some("a\0b".to_owned() + &"é".repeat(MAX_LENGTH));
        let text = write(&EscalationRequest { context, ..EscalationRequest::default() }, &[]);
        assert!(!text.contains('\0') && text.contains("a\u{fffd}b"));
        assert!(text.len() <= MAX_LENGTH, "{}", text.len());
        assert!(text.contains(" bytes more]\nFailed checks: none\n"));
    }

    #[test]
    fn long_part_does_not_displace_others() {
        let long = || "é".repeat(MAX_LENGTH);
        let request = EscalationRequest {
            reason: Some(long()),
            context: Some(long()),
            failed_checks: vec![long(), long()],
            services: vec![service("nas", "degraded", Some(&long()))],
            ..EscalationRequest::default()
        };
        let labels = [
            "Escalation reason: é",
            "\nInvestigation findings: é",
            "\nFailed checks: é",
            "\nService status: nas",
        ];
        for taken in [0, 60 * 1024, 120 * 1024] {
            let text = write(&request, &["claude".into(), "p".repeat(taken).into()]);
            for label in labels {
                assert!(text.contains(label), "{taken}: {label}");
            }
            assert!(text.len() + taken <= MAX_LENGTH, "{taken}: {}", text.len());
            assert!(
                text.len() + taken > MAX_LENGTH - 200,
                "the whole length is used: {}",
                text.len()
            );
        }
        let text = write(&request, &["p".repeat(MAX_LENGTH).into()]);
        assert!(text.len() < 300 && text.contains("\nService status: "), "{text}");
    }
}
