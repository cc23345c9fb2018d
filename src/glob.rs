//! Names with wildcards.

use regex::Regex;

/// A pattern for a whole name, in which `*` stands for any characters and `?` for one.
#[derive(Clone, Debug)]
pub(crate) struct Glob(Regex);

impl Glob {
    /// Compiles a pattern. Fails if it is too long.
    pub(crate) fn new(glob: &str) -> Result<Self, regex::Error> {
        Regex::new(&pattern(glob)).map(Self)
    }

    /// Returns whether the pattern matches the whole of `name`.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

/// Translates a glob to an anchored regular expression.
pub(crate) fn pattern(glob: &str) -> String {
    let pattern: String = glob
        .chars()
        .map(|c| match c {
            '*' => ".*".to_owned(),
            '?' => ".".to_owned(),
            c => regex::escape(&c.to_string()),
        })
        .collect();
    format!("(?s)^(?:{pattern})$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glob_matches_the_whole_name() {
        let matches = |glob: &str, name: &str| Glob::new(glob).unwrap().matches(name);
        assert!(matches("Bash", "Bash"));
        assert!(!matches("Bash", "BashOutput"));
        assert!(matches("mcp__*", "mcp__demo__add"));
        assert!(matches("?dit", "Edit"));
        assert!(!matches("a.c", "abc"));
    }
}
