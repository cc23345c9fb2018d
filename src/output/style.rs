//! Colours, decided once.

use owo_colors::OwoColorize;

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless an environment variable decides
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Colours text, or leaves it unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    is_coloured: bool,
}

impl Style {
    /// Decides with the variables of the environment; see [`decide`](Self::decide).
    pub fn from_environment(choice: ColorChoice, terminal: bool) -> Self {
        Self::decide(choice, terminal, |name| std::env::var(name).ok())
    }

    /// Decides in this order: the flag, a non-empty `NO_COLOR`, `FORCE_COLOR` or
    /// `CLICOLOR_FORCE`, whether the output is a terminal that supports colour.
    pub fn decide(
        choice: ColorChoice,
        terminal: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let is_off = |value: &str| matches!(value, "" | "0") || value.eq_ignore_ascii_case("false");
        let forces = |name| variable(name).is_some_and(|value| !is_off(&value));
        let forced = || ["FORCE_COLOR", "CLICOLOR_FORCE"].into_iter().any(forces);
        let dumb = || variable("TERM").is_some_and(|term| term == "dumb");
        let is_coloured = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => !set("NO_COLOR") && (forced() || terminal && !dumb()),
        };
        Self { is_coloured }
    }

    /// Formats what should be noticed first.
    pub fn bold(self, text: &str) -> String {
        self.apply(text, |text| text.bold().to_string())
    }

    /// Formats what is least important.
    pub fn dim(self, text: &str) -> String {
        self.apply(text, |text| text.dimmed().to_string())
    }

    /// Formats a success.
    pub fn good(self, text: &str) -> String {
        self.apply(text, |text| text.green().to_string())
    }

    /// Formats a failure.
    pub fn bad(self, text: &str) -> String {
        self.apply(text, |text| text.red().to_string())
    }

    /// Formats a label.
    pub fn accent(self, text: &str) -> String {
        self.apply(text, |text| text.cyan().to_string())
    }

    /// Formats what was searched for.
    pub fn matched(self, text: &str) -> String {
        self.apply(text, |text| text.red().bold().to_string())
    }

    /// Formats a keyword of code.
    pub fn keyword(self, text: &str) -> String {
        self.apply(text, |text| text.magenta().to_string())
    }

    /// Formats a link.
    pub fn underlined(self, text: &str) -> String {
        self.apply(text, |text| text.underline().to_string())
    }

    /// Formats emphasised text.
    pub fn italic(self, text: &str) -> String {
        self.apply(text, |text| text.italic().to_string())
    }

    /// Returns whether colour is used.
    pub fn is_coloured(self) -> bool {
        self.is_coloured
    }

    /// Formats a warning.
    pub fn warning(self, text: &str) -> String {
        self.apply(text, |text| text.yellow().to_string())
    }

    fn apply(self, text: &str, formatted: impl FnOnce(&str) -> String) -> String {
        if self.is_coloured && !text.is_empty() { formatted(text) } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coloured(choice: ColorChoice, terminal: bool, environment: &[(&str, &str)]) -> bool {
        let variable = |name: &str| {
            let found = environment.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Style::decide(choice, terminal, variable).is_coloured
    }

    #[test]
    fn flag_beats_no_color_beats_force_beats_terminal() {
        use ColorChoice::{Always, Auto, Never};
        assert!(coloured(Auto, true, &[]));
        assert!(!coloured(Auto, false, &[]));
        assert!(!coloured(Auto, true, &[("NO_COLOR", "1")]));
        assert!(coloured(Auto, true, &[("NO_COLOR", "")]));
        for force in ["FORCE_COLOR", "CLICOLOR_FORCE"] {
            assert!(!coloured(Auto, true, &[("NO_COLOR", "1"), (force, "1")]));
            assert!(coloured(Auto, false, &[("NO_COLOR", ""), (force, "1")]));
            assert!(coloured(Auto, false, &[(force, "1")]));
            assert!(coloured(Auto, false, &[(force, "3"), ("TERM", "dumb")]));
            assert!(!coloured(Auto, false, &[(force, "0")]));
            assert!(!coloured(Auto, false, &[(force, "")]));
            assert!(!coloured(Auto, false, &[(force, "false")]));
            assert!(!coloured(Auto, false, &[(force, "False")]));
            assert!(coloured(Auto, true, &[(force, "0")]));
            assert!(!coloured(Never, true, &[(force, "1")]));
        }
        assert!(!coloured(Auto, true, &[("TERM", "dumb")]));
        assert!(coloured(Always, false, &[("NO_COLOR", "1")]));
    }
}
