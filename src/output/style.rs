//! Colour: decided once, then only asked for.

use owo_colors::OwoColorize;

/// What the user says about colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Marks words, or leaves them as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// Decides: the flag, then a non-empty `NO_COLOR`, then
    /// `CLICOLOR_FORCE`, then whether there is a terminal that can.
    #[must_use]
    pub fn decide(
        choice: ColorChoice,
        terminal: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let set = |name| variable(name).is_some_and(|value| !value.is_empty());
        let forced =
            || variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
        let dumb = || variable("TERM").is_some_and(|term| term == "dumb");
        let colour = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => !set("NO_COLOR") && (forced() || terminal && !dumb()),
        };
        Self { colour }
    }

    /// Something to notice first.
    #[must_use]
    pub fn bold(self, text: &str) -> String {
        self.mark(text, |text| text.bold().to_string())
    }

    /// Something to notice last.
    #[must_use]
    pub fn dim(self, text: &str) -> String {
        self.mark(text, |text| text.dimmed().to_string())
    }

    /// Something that went well.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.mark(text, |text| text.green().to_string())
    }

    /// Something that went wrong.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.mark(text, |text| text.red().to_string())
    }

    /// Something that tells what it is.
    #[must_use]
    pub fn accent(self, text: &str) -> String {
        self.mark(text, |text| text.cyan().to_string())
    }

    /// Something with emphasis.
    #[must_use]
    pub fn italic(self, text: &str) -> String {
        self.mark(text, |text| text.italic().to_string())
    }

    /// Whether there is colour.
    #[must_use]
    pub fn is_coloured(self) -> bool {
        self.colour
    }

    /// Something to be careful about.
    #[must_use]
    pub fn odd(self, text: &str) -> String {
        self.mark(text, |text| text.yellow().to_string())
    }

    fn mark(self, text: &str, marked: impl FnOnce(&str) -> String) -> String {
        if self.colour && !text.is_empty() { marked(text) } else { text.to_owned() }
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
        Style::decide(choice, terminal, variable).colour
    }

    #[test]
    fn the_flag_beats_no_color_beats_force_beats_the_terminal() {
        use ColorChoice::{Always, Auto, Never};
        assert!(coloured(Auto, true, &[]));
        assert!(!coloured(Auto, false, &[]));
        assert!(!coloured(Auto, true, &[("NO_COLOR", "1")]));
        assert!(coloured(Auto, true, &[("NO_COLOR", "")]));
        assert!(!coloured(Auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(coloured(Auto, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!coloured(Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!coloured(Auto, true, &[("TERM", "dumb")]));
        assert!(coloured(Always, false, &[("NO_COLOR", "1")]));
        assert!(!coloured(Never, true, &[("CLICOLOR_FORCE", "1")]));
    }
}
