//! The tiers: what is run, lowest first.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;

use crate::cli::EscalateArgs;
use crate::wrap::duration;

/// A tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tier {
    /// What it is called.
    pub name: Option<String>,
    /// What it runs.
    pub command: Vec<OsString>,
    /// Its model, where the command names none.
    pub model: Option<String>,
    /// When it is ended.
    pub timeout: Option<Duration>,
}

/// The tiers a user asks for.
pub fn of(args: &EscalateArgs) -> anyhow::Result<Vec<Tier>> {
    if let Some(path) = &args.config {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| name.to_string())?;
        return configured(&text, path);
    }
    let tier = |line: &String| {
        let command = words(line).with_context(|| format!("--tier {line:?}"))?;
        Ok(Tier { name: None, command, model: None, timeout: None })
    };
    args.tier.iter().map(tier).collect()
}

/// What a file holds.
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
    command: Line,
    model: Option<String>,
    timeout: Option<Time>,
}

/// A command line, or its words.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a command line, or a list of words")]
enum Line {
    Text(String),
    Words(Vec<String>),
}

/// A duration, or seconds.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a duration like \"10m\", or a number of seconds")]
enum Time {
    Text(String),
    Seconds(u32),
}

fn configured(text: &str, path: &Path) -> anyhow::Result<Vec<Tier>> {
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
        tier.understood().with_context(|| format!("{path}: tier {number}"))
    };
    (1..).zip(config.tier).map(tier).collect()
}

impl TierConfig {
    fn understood(self) -> anyhow::Result<Tier> {
        for (member, text) in [("name", &self.name), ("model", &self.model)] {
            anyhow::ensure!(text.as_deref() != Some(""), "{member}: it is empty");
        }
        let command = match self.command {
            Line::Text(line) => words(&line),
            Line::Words(words) => runnable(words),
        };
        let command = command.context("command")?;
        let timeout = match self.timeout {
            Some(Time::Text(text)) => {
                Some(duration::parse(&text).map_err(|wrong| anyhow!("timeout: {wrong}"))?)
            }
            Some(Time::Seconds(seconds)) => Some(Duration::from_secs(seconds.into())),
            None => None,
        };
        Ok(Tier { name: self.name, command, model: self.model, timeout })
    }
}

/// The words of a command line.
fn words(line: &str) -> anyhow::Result<Vec<OsString>> {
    runnable(shell_words::split(line)?)
}

/// Words that name a program.
fn runnable(words: Vec<String>) -> anyhow::Result<Vec<OsString>> {
    anyhow::ensure!(words.first().is_some_and(|program| !program.is_empty()), "name a program");
    Ok(words.into_iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Tier>, String> {
        configured(text, Path::new("t.toml")).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn a_tier_has_a_command_and_may_have_more() {
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
    fn what_is_wrong_is_told_in_one_line() {
        for (text, complaint) in [
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
            ("[[tier]]\ncommand = 'x'\nmodel = ''\n", "t.toml: tier 1: model: it is empty"),
            ("[[tier]]\ncommand = 'x'\nname = ''\n", "t.toml: tier 1: name: it is empty"),
            ("[tier\n", "t.toml:1: "),
            ("tier = []\n", "t.toml: no [[tier]]"),
            ("", "missing field `tier`"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(complaint), "{text:?}: {told}");
            assert_eq!(told.lines().count(), 1, "{told}");
        }
    }
}
