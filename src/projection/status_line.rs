//! The status line of an agent CLI.

use jiff::{SignedDuration, Timestamp};

use crate::harness::status_input::SessionStatus;
use crate::output::{Style, sanitize, single_line, thousands};
use crate::usage::{RecentUsage, WindowUsage, dollars};

/// Characters of a value that are shown.
const MAX_VALUE: usize = 80;

/// Stands for a value that is not known.
const UNKNOWN: &str = "-";

/// Percentages from which a value is a warning, and is bad.
const WARNING: f64 = 60.0;
const BAD: f64 = 80.0;

/// What the status line is made of.
pub(crate) struct StatusLine<'a> {
    pub(crate) session: &'a SessionStatus,
    /// What was used today; `None` if that is not known.
    pub(crate) recent: Option<&'a RecentUsage>,
    pub(crate) now: Timestamp,
    pub(crate) style: Style,
}

impl StatusLine<'_> {
    /// Returns the line of what is known.
    pub(crate) fn format(&self) -> String {
        let named = |name: &str, before: &str, after: &str| {
            Some(format!("{before}{}{after}", self.value(name)?))
        };
        let block = named("block", "block ", "");
        let block = match (block, self.value("block_left")) {
            (Some(block), Some(left)) => Some(format!("{block}, {left} left")),
            (block, _) => block,
        };
        let parts = [
            self.value("model"),
            named("context", "", " context"),
            named("cost", "", " session"),
            named("today", "", " today"),
            block,
            self.value("limits"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return "no status".to_owned();
        }
        parts.join(&format!(" {} ", self.style.dim("·")))
    }

    /// Returns a text in which names in braces are replaced by values. A name that does not
    /// exist stays as it is.
    pub(crate) fn fill(&self, template: &str) -> String {
        let template = single_line(template);
        let mut line = String::new();
        let mut rest = &*template;
        while let Some((before, after)) = rest.split_once('{') {
            line.push_str(before);
            rest = after;
            if let Some(after) = after.strip_prefix('{') {
                line.push('{');
                rest = after;
                continue;
            }
            match after.split_once('}') {
                Some((name, after)) if NAMES.contains(&name) => {
                    line.push_str(&self.value(name).unwrap_or_else(|| UNKNOWN.to_owned()));
                    rest = after;
                }
                _ => line.push('{'),
            }
        }
        line + rest
    }

    fn value(&self, name: &str) -> Option<String> {
        let Self { session, recent, now, style } = self;
        let text = |text: &Option<String>| Some(plain(text.as_ref()?, MAX_VALUE));
        let window = recent.and_then(|recent| recent.window.as_ref());
        let window = window.filter(|window| window.end > *now);
        match name {
            "model" => text(&session.model).map(|model| style.accent(&model)),
            "folder" => text(&session.folder),
            "version" => text(&session.version),
            "context" => Some(self.percentage(session.context_percent?)),
            "context_tokens" => session.context_tokens.map(thousands),
            "cost" => session.cost_usd.map(dollars),
            "time" => Some(duration(SignedDuration::from_millis(
                i64::try_from(session.duration_ms?).ok()?,
            ))),
            "today" => recent.as_ref()?.today_usd.map(dollars),
            "block" => window?.usd.map(dollars),
            "block_left" => {
                window.map(|WindowUsage { end, .. }| duration(end.duration_since(*now)))
            }
            "limits" => {
                let limits = session.limits.iter();
                let limits: Vec<String> = limits
                    .map(|(name, used, reset)| {
                        let left = reset.and_then(|reset| Timestamp::from_second(reset).ok());
                        let left = left.map(|reset| reset.duration_since(*now));
                        let left = left.filter(SignedDuration::is_positive).map(duration);
                        let left = left.map(|left| format!(" ({left})")).unwrap_or_default();
                        format!("{name} {}{left}", self.percentage(*used))
                    })
                    .collect();
                (!limits.is_empty()).then(|| limits.join(", "))
            }
            _ => None,
        }
    }

    fn percentage(&self, used: f64) -> String {
        let text = format!("{:.0}%", used.clamp(0.0, 999.0));
        match used {
            used if used >= BAD => self.style.bad(&text),
            used if used >= WARNING => self.style.warning(&text),
            _ => text,
        }
    }
}

/// Names of values.
const NAMES: [&str; 11] = [
    "model",
    "folder",
    "version",
    "context",
    "context_tokens",
    "cost",
    "time",
    "today",
    "block",
    "block_left",
    "limits",
];

/// Returns the start of a text on one line, without control characters.
fn plain(text: &str, max: usize) -> String {
    let start: String = text.chars().take(max).collect();
    sanitize(&single_line(&start)).into_owned()
}

/// Formats a time in hours and minutes.
fn duration(left: SignedDuration) -> String {
    let minutes = left.as_mins();
    match minutes / 60 {
        0 => format!("{minutes}m"),
        hours if hours < 48 => format!("{hours}h {}m", minutes % 60),
        hours => format!("{}d {}h", hours / 24, hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_filled() {
        let session = SessionStatus {
            model: Some("M\u{1b}[31m\n1".to_owned()),
            cost_usd: Some(1.5),
            ..SessionStatus::default()
        };
        let line = StatusLine {
            session: &session,
            recent: None,
            now: Timestamp::UNIX_EPOCH,
            style: Style::default(),
        };
        for (template, expected) in [
            ("{cost} of {today}", "$1.50 of -"),
            ("{{cost} {bad} {", "{cost} {bad} {"),
            ("a\nb", "a b"),
            ("", ""),
        ] {
            assert_eq!(line.fill(template), expected);
        }
        let model = line.fill("{model}");
        assert!(!model.contains(['\n', '\u{1b}']), "{model}");
    }
}
