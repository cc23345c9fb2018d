//! What the next tier is told. Pure.

use super::wish::{Service, Wish};

/// One argument of a command can hold 128 KiB on Linux.
const LONGEST: usize = 100 * 1024;

/// What stands where nothing was told.
const NONE: &str = "none";

/// The four labelled parts.
pub fn of(wish: &Wish) -> String {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| NONE.to_owned());
    let list = |items: Vec<String>, separator: &str| match items.as_slice() {
        [] => NONE.to_owned(),
        items => items.join(separator),
    };
    let parts = [
        format!("Escalation reason: {}", text(&wish.reason)),
        format!("Investigation findings: {}", text(&wish.context)),
        format!("Failed checks: {}", list(wish.failed_checks.clone(), ", ")),
        format!("Service status: {}", list(wish.services.iter().map(status).collect(), "; ")),
    ];
    // No argument can hold what ends a string in C.
    bounded(parts.join("\n").replace('\0', "\u{fffd}"))
}

/// `nas: degraded (disk 2)`
fn status(service: &Service) -> String {
    let Service { name, status, detail } = service;
    match detail {
        Some(detail) => format!("{name}: {status} ({detail})"),
        None => format!("{name}: {status}"),
    }
}

fn bounded(text: String) -> String {
    if text.len() <= LONGEST {
        return text;
    }
    let end = text.floor_char_boundary(LONGEST);
    format!("{}\n[cut: {} bytes more]", &text[..end], text.len() - end)
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
            of(&wish),
            "Escalation reason: a disk fails\n\
             Investigation findings: SMART: 12 sectors\nsecond line\n\
             Failed checks: smart, ping\n\
             Service status: web: healthy; nas: degraded (disk 2)"
        );
    }

    #[test]
    fn a_part_that_was_not_told_says_so() {
        let told = of(&Wish::default());
        assert_eq!(
            told,
            "Escalation reason: none\nInvestigation findings: none\nFailed checks: none\nService status: none"
        );
    }

    #[test]
    fn whatever_an_agent_says_it_can_be_an_argument() {
        let context = Some("a\0b".to_owned() + &"é".repeat(LONGEST));
        let told = of(&Wish { context, ..Wish::default() });
        assert!(!told.contains('\0') && told.contains("a\u{fffd}b"));
        assert!(told.len() < LONGEST + 100, "{}", told.len());
        assert!(told.ends_with(" bytes more]"));
    }
}
