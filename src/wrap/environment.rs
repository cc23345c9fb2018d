//! The environment of the child.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use anyhow::bail;
use regex::bytes::Regex;

use crate::cli::Surroundings;
use crate::harness::Harness;
use crate::harness::command::{self, Variables};
use crate::redact::Redactor;

/// Variables by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// Variables that the command line itself sets: `env NAME=VALUE agent`.
    assigned: BTreeMap<OsString, OsString>,
}

impl Environment {
    /// Returns the environment of this process with the user's changes, for `command`.
    pub(super) fn new(
        args: &Surroundings,
        harness: Harness,
        command: &[OsString],
    ) -> anyhow::Result<Self> {
        let variables = std::env::vars_os().collect();
        let assigned = command::assignments(command).into_iter().filter_map(|pair| split(pair));
        let mut environment = Self { variables, assigned: assigned.collect() };
        for pair in &args.env {
            let Some((name, value)) = split(pair) else {
                bail!("--env {}: write NAME=VALUE", pair.display());
            };
            environment.variables.insert(name, value);
        }
        for name in &args.unset {
            let is_name = !name.is_empty() && !name.as_encoded_bytes().contains(&b'=');
            anyhow::ensure!(is_name, "--unset {}: write a NAME", name.display());
            environment.variables.remove(name);
        }
        if args.strip_auth {
            environment.strip_auth(harness);
        }
        Ok(environment)
    }

    /// Removes the credentials of `harness`, or of all CLIs if it is unknown. Proxies,
    /// certificates, homes and organisations are kept.
    fn strip_auth(&mut self, harness: Harness) {
        for name in credentials(harness) {
            self.variables.remove(OsStr::new(name));
        }
    }

    /// Returns the credentials of `harness` that the command line sets.
    pub(super) fn assigned_credentials(&self, harness: Harness) -> Vec<&'static str> {
        let is_assigned = |name: &&str| self.assigned.contains_key(OsStr::new(name));
        credentials(harness).filter(is_assigned).collect()
    }

    /// Iterates over the variables that the command gets.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }

    /// Returns a redactor for the secrets in the environment and what `own` matches.
    pub(super) fn redactor(&self, own: &[Regex]) -> Redactor {
        Redactor::of_variables(self.iter().chain(&self.assigned), own)
    }
}

impl Variables for Environment {
    fn get(&self, name: &str) -> Option<&OsStr> {
        let name = OsStr::new(name);
        let value = self.assigned.get(name).or_else(|| self.variables.get(name))?;
        (!value.is_empty()).then_some(value)
    }
}

/// Returns the variables that hold credentials of `harness`, or of all CLIs if it is
/// unknown.
fn credentials(harness: Harness) -> impl Iterator<Item = &'static str> {
    let harnesses = match harness {
        Harness::Unknown => Harness::ALL.to_vec(),
        known => vec![known],
    };
    let credentials = |harness: Harness| harness.adapter().program.credentials;
    harnesses.into_iter().flat_map(credentials).copied()
}

/// Splits `NAME=VALUE`.
fn split(pair: &OsStr) -> Option<(OsString, OsString)> {
    let bytes = pair.as_encoded_bytes();
    let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
    Some(split_at(pair, at))
}

/// Returns the two sides of the `=` at `at`.
#[cfg(unix)]
fn split_at(pair: &OsStr, at: usize) -> (OsString, OsString) {
    use std::os::unix::ffi::OsStrExt;
    let (name, value) = pair.as_bytes().split_at(at);
    (OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(&value[1..]).to_owned())
}

/// Returns the two sides of the `=` at `at`.
#[cfg(not(unix))]
fn split_at(pair: &OsStr, at: usize) -> (OsString, OsString) {
    let text = pair.to_string_lossy();
    (text[..at].into(), text[at + 1..].into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let pairs = variables.iter().map(|(name, value)| (name.into(), value.into()));
        Environment { variables: pairs.collect(), ..Environment::default() }
    }

    #[test]
    fn stripping_removes_exactly_the_contracts_variables() {
        let kept = [
            "CODEX_HOME",
            "SSL_CERT_FILE",
            "HTTPS_PROXY",
            "HTTP_PROXY",
            "NO_PROXY",
            "CODEX_CA_CERTIFICATE",
            "OPENAI_ORG_ID",
            "OPENAI_API_VERSION",
            "PATH",
        ];
        let codex = ["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
        let claude = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
        let all: Vec<(&str, &str)> =
            [&kept[..], &codex, &claude].concat().iter().map(|name| (*name, "x")).collect();
        let stripped = |harness| {
            let mut environment = environment(&all);
            environment.strip_auth(harness);
            let names: Vec<_> = environment.variables.into_keys().collect();
            all.iter()
                .map(|(name, _)| *name)
                .filter(|name| !names.contains(&OsString::from(name)))
                .collect::<Vec<_>>()
        };
        assert_eq!(stripped(Harness::Codex), codex);
        assert_eq!(stripped(Harness::Claude), claude);
        assert_eq!(stripped(Harness::Unknown), [codex, claude].concat());
    }

    #[test]
    fn values_of_secret_variables_are_detected() {
        let redactor =
            environment(&[("MY_TOKEN", "topsecret-value"), ("LANG", "en_US.UTF-8")]).redactor(&[]);
        assert!(redactor.leaks(b"it is topsecret-value"));
        assert!(!redactor.leaks(b"it is en_US.UTF-8"));
    }
}
