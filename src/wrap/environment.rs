//! The environment the child gets, and which credentials are in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use anyhow::bail;

use crate::cli::Surroundings;
use crate::harness::Harness;
use crate::redact::Redactor;

/// What each CLI takes credentials, or the place to send them, from. Nothing
/// else is stripped: proxies, certificates, homes and organisations stay.
const CODEX_AUTH: &[&str] = &["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"];
const CLAUDE_AUTH: &[&str] = &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];

/// Variables by name.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// What the user asks for, for the program of `harness`.
    pub fn of(args: &Surroundings, harness: Option<Harness>) -> anyhow::Result<Self> {
        let mut environment = Self::of_process();
        for pair in &args.env {
            let bytes = pair.as_encoded_bytes();
            let at = bytes.iter().position(|byte| *byte == b'=').filter(|at| *at > 0);
            let Some((name, value)) = at.map(|at| split_at(pair, at)) else {
                bail!("--env {}: write NAME=VALUE", pair.display());
            };
            environment.set(&name, &value);
        }
        for name in &args.unset {
            let is_name = !name.is_empty() && !name.as_encoded_bytes().contains(&b'=');
            anyhow::ensure!(is_name, "--unset {}: write a NAME", name.display());
            environment.unset(name);
        }
        if args.strip_auth {
            environment.strip_auth(harness);
        }
        Ok(environment)
    }

    /// That of this process.
    pub fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &OsStr, value: &OsStr) {
        self.0.insert(name.to_owned(), value.to_owned());
    }

    /// Removes a variable.
    pub fn unset(&mut self, name: &OsStr) {
        self.0.remove(name);
    }

    /// Removes the credentials `harness` would take from it; those of all, if
    /// it is not known.
    pub fn strip_auth(&mut self, harness: Option<Harness>) {
        let names = match harness {
            Some(Harness::Codex) => CODEX_AUTH.to_vec(),
            Some(Harness::Claude) => CLAUDE_AUTH.to_vec(),
            _ => [CODEX_AUTH, CLAUDE_AUTH].concat(),
        };
        for name in names {
            self.unset(OsStr::new(name));
        }
    }

    /// The variables.
    pub fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }

    /// Recognises the secrets in it.
    pub fn redactor(&self) -> Redactor {
        Redactor::of_variables(self.iter())
    }

    /// Where Codex will find its credentials: a label, no secret. Variables
    /// are asked before the cached login, as the contract has it.
    pub fn codex_auth_source(&self, exists: impl Fn(&Path) -> bool) -> &'static str {
        let set = |name: &str| self.get(name).is_some();
        if set("CODEX_API_KEY") {
            "CODEX_API_KEY"
        } else if set("OPENAI_API_KEY") {
            "OPENAI_API_KEY"
        } else if self.codex_home().is_some_and(|home| exists(&home.join("auth.json"))) {
            "cached"
        } else {
            "unknown"
        }
    }

    fn codex_home(&self) -> Option<PathBuf> {
        let own = self.get("CODEX_HOME").map(PathBuf::from);
        own.or_else(|| Some(Path::new(self.get("HOME")?).join(".codex")))
    }

    /// A variable that is set, and not to nothing.
    fn get(&self, name: &str) -> Option<&OsStr> {
        let value = self.0.get(OsStr::new(name))?;
        (!value.is_empty()).then_some(value)
    }
}

/// The two sides of the `=` at `at`.
#[cfg(unix)]
fn split_at(pair: &OsStr, at: usize) -> (OsString, OsString) {
    use std::os::unix::ffi::OsStrExt;
    let (name, value) = pair.as_bytes().split_at(at);
    (OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(&value[1..]).to_owned())
}

/// The two sides of the `=` at `at`.
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
    fn credentials_are_found_in_the_contracts_order() {
        let source = |variables: &[(&str, &str)], file: &str| {
            environment(variables).codex_auth_source(|path| path == Path::new(file))
        };
        let both = [("OPENAI_API_KEY", "a"), ("CODEX_API_KEY", "b")];
        assert_eq!(source(&both, ""), "CODEX_API_KEY");
        assert_eq!(source(&both[..1], "/h/.codex/auth.json"), "OPENAI_API_KEY");
        let home = [("HOME", "/h"), ("OPENAI_API_KEY", "")];
        assert_eq!(source(&home, "/h/.codex/auth.json"), "cached");
        let moved = [("HOME", "/h"), ("CODEX_HOME", "/c")];
        assert_eq!(source(&moved, "/c/auth.json"), "cached");
        assert_eq!(source(&moved, "/h/.codex/auth.json"), "unknown");
        assert_eq!(source(&[], ""), "unknown");
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
        let all: Vec<(&str, &str)> =
            [&kept[..], CODEX_AUTH, CLAUDE_AUTH].concat().iter().map(|name| (*name, "x")).collect();
        let left = |harness| {
            let mut environment = environment(&all);
            environment.strip_auth(harness);
            let names: Vec<_> = environment.0.into_keys().collect();
            all.iter()
                .map(|(name, _)| *name)
                .filter(|name| !names.contains(&OsString::from(name)))
                .collect::<Vec<_>>()
        };
        assert_eq!(left(Some(Harness::Codex)), CODEX_AUTH);
        assert_eq!(left(Some(Harness::Claude)), CLAUDE_AUTH);
        assert_eq!(left(None).len(), 6);
    }

    #[test]
    fn the_very_values_of_secret_variables_are_recognised() {
        let redactor =
            environment(&[("MY_TOKEN", "topsecret-value"), ("LANG", "en_US.UTF-8")]).redactor();
        assert!(redactor.leaks(b"it is topsecret-value"));
        assert!(!redactor.leaks(b"it is en_US.UTF-8"));
    }
}
