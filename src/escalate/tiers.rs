//! The tiers, lowest first.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;

use crate::cli::EscalateArgs;
use crate::cli::duration;

/// A tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tier {
    pub(super) name: Option<String>,
    pub(super) command: Vec<OsString>,
    /// The model, if the command names none.
    pub(super) model: Option<String>,
    pub(super) timeout: Option<Duration>,
}

/// Returns the tiers that the arguments define.
pub(super) fn from_args(args: &EscalateArgs) -> anyhow::Result<Vec<Tier>> {
    if let Some(path) = &args.config {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| name.to_string())?;
        return parse_config(&text, path);
    }
    let tier = |line: &String| {
        let command = split_words(line).with_context(|| format!("--tier {line:?}"))?;
        Ok(Tier { name: None, command, model: None, timeout: None })
    };
    args.tier.iter().map(tier).collect()
}

/// The content of a configuration file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(alias = "tiers")]
    tier: Vec<TierConfig>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TierConfig {
    name: Option<String>,
    command: CommandConfig,
    model: Option<String>,
    timeout: Option<TimeConfig>,
}

/// A command line, or its words.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a command line, or a list of words")]
enum CommandConfig {
    Text(String),
    Words(Vec<String>),
}

/// A duration, or seconds.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a duration like \"10m\", or a number of seconds")]
enum TimeConfig {
    Text(String),
    Seconds(u32),
}

fn parse_config(text: &str, path: &Path) -> anyhow::Result<Vec<Tier>> {
    let path = path.display();
    let config: Config = toml::from_str(text).map_err(|error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let message = error.message().replace('\n', ", ");
        anyhow!("{path}:{line}: {message}")
    })?;
    if config.tier.is_empty() {
        bail!("{path}: no [[tier]]");
    }
    let tier = |(number, tier): (usize, TierConfig)| {
        tier.into_tier().with_context(|| format!("{path}: tier {number}"))
    };
    (1..).zip(config.tier).map(tier).collect()
}

impl TierConfig {
    fn into_tier(self) -> anyhow::Result<Tier> {
        for (member, text) in [("name", &self.name), ("model", &self.model)] {
            anyhow::ensure!(text.as_deref() != Some(""), "{member}: must not be empty");
        }
        let command = match self.command {
            CommandConfig::Text(line) => split_words(&line),
            CommandConfig::Words(words) => check_program(words),
        };
        let command = command.context("command")?;
        let timeout = match self.timeout {
            Some(TimeConfig::Text(text)) => {
                Some(duration::parse(&text).map_err(|error| anyhow!("timeout: {error}"))?)
            }
            Some(TimeConfig::Seconds(seconds)) => Some(Duration::from_secs(seconds.into())),
            None => None,
        };
        Ok(Tier { name: self.name, command, model: self.model, timeout })
    }
}

/// Splits a command line into words.
fn split_words(line: &str) -> anyhow::Result<Vec<OsString>> {
    check_program(shell_words::split(line)?)
}

/// Checks that the first word names a program.
fn check_program(words: Vec<String>) -> anyhow::Result<Vec<OsString>> {
    anyhow::ensure!(words.first().is_some_and(|program| !program.is_empty()), "name a program");
    Ok(words.into_iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Tier>, String> {
        parse_config(text, Path::new("t.toml")).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn tier_has_a_command_and_optional_members() {
        let tiers = read(
            "[[tier]]\nname = 'observe'\ncommand = \"claude -p 'look around'\"\nmodel = 'haiku'\n\
             timeout = '5m'\n[[tier]]\ncommand = ['codex', 'exec', 'a b']\ntimeout = 90\n",
        )
        .unwrap();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(tiers[0].command, words(&["claude", "-p", "look around"]));
        assert_eq!(
            (tiers[0].name.as_deref(), tiers[0].model.as_deref()),
            (Some("observe"), Some("haiku"))
        );
        assert_eq!(tiers[0].timeout, Some(Duration::from_mins(5)));
        assert_eq!(tiers[1].command, words(&["codex", "exec", "a b"]));
        assert_eq!((&tiers[1].model, tiers[1].timeout), (&None, Some(Duration::from_secs(90))));
    }

    #[test]
    fn errors_are_one_line() {
        for (text, expected) in [
            ("[[tier]]\ncommand = 'x'\nmodle = 'y'\n", "t.toml:3: unknown field `modle`"),
            ("colour = 1\n[[tier]]\ncommand = 'x'\n", "t.toml:1: unknown field `colour`"),
            ("[[tier]]\nname = 'x'\n", "missing field `command`"),
            ("[[tier]]\ncommand = 5\n", "t.toml:2: a command line, or a list of words"),
            (
                "[[tier]]\ncommand = 'x'\ntimeout = 'soon'\n",
                "t.toml: tier 1: timeout: not a duration",
            ),
            ("[[tier]]\ncommand = 'x'\ntimeout = -5\n", "t.toml:3: a duration"),
            ("[[tier]]\ncommand = \"x 'y\"\n", "t.toml: tier 1: command: missing closing quote"),
            ("[[tier]]\ncommand = ''\n", "t.toml: tier 1: command: name a program"),
            ("[[tier]]\ncommand = []\n", "t.toml: tier 1: command: name a program"),
            ("[[tier]]\ncommand = ['', 'x']\n", "t.toml: tier 1: command: name a program"),
            ("[[tier]]\ncommand = 'x'\nmodel = ''\n", "t.toml: tier 1: model: must not be empty"),
            ("[[tier]]\ncommand = 'x'\nname = ''\n", "t.toml: tier 1: name: must not be empty"),
            ("[tier\n", "t.toml:1: "),
            ("tier = []\n", "t.toml: no [[tier]]"),
            ("", "missing field `tier`"),
        ] {
            let message = read(text).unwrap_err();
            assert!(message.contains(expected), "{text:?}: {message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }
}
