//! The environment of the child.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use anyhow::bail;

use crate::cli::Surroundings;
use crate::harness::Harness;
use crate::harness::command::Variables;
use crate::redact::Redactor;

/// Variables by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Returns the environment of this process with the user's changes.
    pub(super) fn new(args: &Surroundings, harness: Harness) -> anyhow::Result<Self> {
        let mut environment = Self(std::env::vars_os().collect());
        for pair in &args.env {
            let bytes = pair.as_encoded_bytes();
            let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| *at > 0);
            let Some((name, value)) = at.map(|at| split_at(pair, at)) else {
                bail!("--env {}: write NAME=VALUE", pair.display());
            };
            environment.0.insert(name, value);
        }
        for name in &args.unset {
            let is_name = !name.is_empty() && !name.as_encoded_bytes().contains(&b'=');
            anyhow::ensure!(is_name, "--unset {}: write a NAME", name.display());
            environment.0.remove(name);
        }
        if args.strip_auth {
            environment.strip_auth(harness);
        }
        Ok(environment)
    }

    /// Removes the credentials of `harness`, or of all CLIs if it is unknown. Proxies,
    /// certificates, homes and organisations are kept.
    fn strip_auth(&mut self, harness: Harness) {
        let all = Harness::ALL;
        let harnesses = if harness == Harness::Unknown { all } else { &[harness] };
        for name in harnesses.iter().flat_map(|harness| harness.adapter().credentials()) {
            self.0.remove(OsStr::new(name));
        }
    }

    /// Iterates over the variables.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }

    /// Returns a redactor for the secrets in the environment.
    pub(super) fn redactor(&self) -> Redactor {
        Redactor::of_variables(self.iter())
    }
}

impl Variables for Environment {
    fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }
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
        Environment(pairs.collect())
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
            let names: Vec<_> = environment.0.into_keys().collect();
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
            environment(&[("MY_TOKEN", "topsecret-value"), ("LANG", "en_US.UTF-8")]).redactor();
        assert!(redactor.leaks(b"it is topsecret-value"));
        assert!(!redactor.leaks(b"it is en_US.UTF-8"));
    }
}
