//! The legacy file in which an agent without structured output asks for the next
//! tier. That it is there is the wish.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::wish::{Service, Wish};

/// The version of the file that is known.
const VERSION: u64 = 1;

/// The file, for one tier.
pub struct Handoff<'a> {
    path: &'a Path,
    /// What was there before the tier is not of the tier.
    before: Option<(u64, SystemTime)>,
}

/// The members of the file, and those of an escalation in a structured output.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Members {
    schema_version: Option<u64>,
    services_affected: Vec<String>,
    check_results: Vec<CheckResult>,
    investigation_findings: Option<String>,
    remediation_attempted: Option<String>,
    needed: Option<bool>,
    reason: Option<String>,
    context: Option<String>,
    failed_checks: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CheckResult {
    service: String,
    check_type: String,
    status: String,
    error: Option<String>,
}

impl<'a> Handoff<'a> {
    /// The file before a tier begins.
    pub fn before_tier(path: &'a Path) -> Self {
        Self { path, before: state_of(path) }
    }

    /// What it asks for; nothing if it is not there, or was before.
    pub fn read(&self) -> anyhow::Result<Option<Wish>> {
        let name = self.path.display();
        if self.is_stale() {
            return Ok(None);
        }
        match std::fs::read(self.path) {
            Ok(bytes) => understood(&bytes).with_context(|| name.to_string()).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| name.to_string()),
        }
    }

    /// Whether it is there since before the tier.
    pub fn is_stale(&self) -> bool {
        self.before.is_some() && state_of(self.path) == self.before
    }

    /// Nobody must read it again: it is deleted.
    pub fn delete(&self) -> anyhow::Result<()> {
        done(std::fs::remove_file(self.path))
            .with_context(|| format!("{}: cannot be deleted", self.path.display()))
    }

    /// Nobody must read it again, but somebody may want to see what is wrong: it gets
    /// another name, which is told.
    pub fn set_aside(&self) -> anyhow::Result<PathBuf> {
        let mut name = OsString::from(self.path);
        name.push(".bad");
        done(std::fs::rename(self.path, &name))
            .with_context(|| format!("{}: cannot be renamed", self.path.display()))?;
        Ok(name.into())
    }
}

impl fmt::Display for Handoff<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(formatter)
    }
}

/// What is not there is gone already.
fn done(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

fn state_of(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn understood(bytes: &[u8]) -> anyhow::Result<Wish> {
    let mut members: Map<String, Value> =
        serde_json::from_slice(bytes).context("not a JSON object")?;
    // Null is what some write for nothing.
    members.retain(|_, value| !value.is_null());
    let handoff: Members =
        serde_json::from_value(Value::Object(members)).context("not a handoff")?;
    let version = handoff.schema_version.unwrap_or(VERSION);
    ensure!(version == VERSION, "its schema_version is {version}, only {VERSION} is known");
    let services: Vec<Service> = handoff.check_results.iter().map(CheckResult::service).collect();
    let failed = handoff.check_results.iter().zip(&services);
    let failed = failed.filter(|(_, service)| service.is_in_trouble());
    let failed = failed.map(|(check, _)| check.name()).collect();
    let affected = handoff.services_affected;
    let tried = handoff.remediation_attempted.map(|tried| format!("Already tried: {tried}"));
    let found: Vec<String> = handoff.investigation_findings.into_iter().chain(tried).collect();
    Ok(Wish {
        needed: handoff.needed.unwrap_or(true),
        reason: handoff.reason.or_else(|| {
            (!affected.is_empty()).then(|| format!("affected: {}", affected.join(", ")))
        }),
        context: handoff.context.or_else(|| (!found.is_empty()).then(|| found.join("\n"))),
        failed_checks: if handoff.failed_checks.is_empty() {
            failed
        } else {
            handoff.failed_checks
        },
        services,
        troubled: affected,
    }
    .about(Vec::new()))
}

impl CheckResult {
    fn service(&self) -> Service {
        Service {
            name: self.service.clone(),
            status: self.status.clone(),
            detail: self.error.clone(),
        }
    }

    fn name(&self) -> String {
        match &*self.check_type {
            "" => self.service.clone(),
            check => format!("{}/{check}", self.service),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legacy_members_become_the_four_parts() {
        let wish = understood(
            br#"{"schema_version": 1, "recommended_tier": 2, "services_affected": ["jellyfin"],
                "check_results": [
                    {"service": "jellyfin", "check_type": "http", "status": "down", "error": "HTTP 502"},
                    {"service": "nas", "check_type": "ping", "status": "healthy"}],
                "investigation_findings": "OOM", "remediation_attempted": "restart"}"#,
        )
        .unwrap();
        assert!(wish.needed);
        assert_eq!(wish.reason.as_deref(), Some("affected: jellyfin"));
        assert_eq!(wish.context.as_deref(), Some("OOM\nAlready tried: restart"));
        assert_eq!(wish.failed_checks, ["jellyfin/http"]);
        assert_eq!(wish.services.len(), 2);
        assert_eq!(wish.troubled, ["jellyfin"]);
    }

    #[test]
    fn an_escalation_is_understood_as_well() {
        let wish = understood(
            br#"{"reason": "r", "context": "c", "failed_checks": ["f"], "check_results": null}"#,
        )
        .unwrap();
        assert_eq!((wish.needed, wish.reason.as_deref()), (true, Some("r")));
        assert_eq!(
            (wish.context.as_deref(), &*wish.failed_checks),
            (Some("c"), &["f".to_owned()][..])
        );
        assert!(!understood(br#"{"needed": false}"#).unwrap().needed);
    }

    #[test]
    fn what_is_none_is_an_error() {
        for wrong in [&b"{"[..], b"[]", b"null", br#"{"schema_version": 2}"#, br#"{"needed": 1}"#] {
            assert!(understood(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }
}
