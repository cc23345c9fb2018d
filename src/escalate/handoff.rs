//! The legacy file in which an agent without structured output requests the next tier.
//! Its existence is the request.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::request::{EscalationRequest, ServiceStatus};
use crate::input::read_limited;

/// The supported `schema_version`.
const VERSION: u64 = 1;

/// The size of the largest file that is read.
const MAX_SIZE: u64 = 1 << 20;

/// The file, during one tier.
pub(super) struct Handoff<'a> {
    path: &'a Path,
    /// Size and time before the tier started. An unchanged file is not from this tier.
    before: Option<(u64, SystemTime)>,
}

/// The members of the file, and those of `escalation` in a structured output.
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
    /// Records the state of the file before a tier starts.
    pub fn before_tier(path: &'a Path) -> Self {
        Self { path, before: file_state(path) }
    }

    /// Returns the request; `None` if the file does not exist or is older than the tier.
    pub fn read(&self) -> anyhow::Result<Option<EscalationRequest>> {
        let name = self.path.display();
        if self.is_stale() {
            return Ok(None);
        }
        match read_limited(self.path, MAX_SIZE) {
            Ok(bytes) => parse(&bytes).with_context(|| name.to_string()).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| name.to_string()),
        }
    }

    /// Returns whether the file is older than the tier.
    pub fn is_stale(&self) -> bool {
        self.before.is_some() && file_state(self.path) == self.before
    }

    /// Deletes the file, so that it is not read again.
    pub fn delete(&self) -> anyhow::Result<()> {
        ignore_missing(std::fs::remove_file(self.path))
            .with_context(|| format!("{}: cannot be deleted", self.path.display()))
    }

    /// Renames an invalid file, so that it is not read again, and returns the new name.
    pub fn set_aside(&self) -> anyhow::Result<PathBuf> {
        let mut name = OsString::from(self.path);
        name.push(".bad");
        ignore_missing(std::fs::rename(self.path, &name))
            .with_context(|| format!("{}: cannot be renamed", self.path.display()))?;
        Ok(name.into())
    }
}

impl fmt::Display for Handoff<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(formatter)
    }
}

/// Accepts a file that does not exist.
fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(error),
    })
}

fn file_state(path: &Path) -> Option<(u64, SystemTime)> {
    let metadata = path.metadata().ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

fn parse(bytes: &[u8]) -> anyhow::Result<EscalationRequest> {
    let mut members: Map<String, Value> =
        serde_json::from_slice(bytes).context("not a JSON object")?;
    // Null is the same as missing.
    members.retain(|_, value| !value.is_null());
    let members: Members =
        serde_json::from_value(Value::Object(members)).context("not a handoff")?;
    let version = members.schema_version.unwrap_or(VERSION);
    ensure!(version == VERSION, "schema_version {version} is not supported, only {VERSION}");
    let services: Vec<ServiceStatus> =
        members.check_results.iter().map(CheckResult::service).collect();
    let failed = members.check_results.iter().zip(&services);
    let failed = failed.filter(|(_, service)| !service.is_healthy());
    let failed = failed.map(|(check, _)| check.name()).collect();
    let affected = members.services_affected;
    let tried = members.remediation_attempted.map(|tried| format!("Already tried: {tried}"));
    let found: Vec<String> = members.investigation_findings.into_iter().chain(tried).collect();
    Ok(EscalationRequest {
        needed: members.needed.unwrap_or(true),
        reason: members.reason.or_else(|| {
            (!affected.is_empty()).then(|| format!("affected: {}", affected.join(", ")))
        }),
        context: members.context.or_else(|| (!found.is_empty()).then(|| found.join("\n"))),
        failed_checks: if members.failed_checks.is_empty() {
            failed
        } else {
            members.failed_checks
        },
        services,
        unhealthy: affected,
    }
    .with_mentioned(Vec::new()))
}

impl CheckResult {
    fn service(&self) -> ServiceStatus {
        ServiceStatus {
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
    fn legacy_members_become_a_request() {
        let request = parse(
            br#"{"schema_version": 1, "recommended_tier": 2, "services_affected": ["jellyfin"],
                "check_results": [
                    {"service": "jellyfin", "check_type": "http", "status": "down", "error": "HTTP 502"},
                    {"service": "nas", "check_type": "ping", "status": "healthy"}],
                "investigation_findings": "OOM", "remediation_attempted": "restart"}"#,
        )
        .unwrap();
        assert!(request.needed);
        assert_eq!(request.reason.as_deref(), Some("affected: jellyfin"));
        assert_eq!(request.context.as_deref(), Some("OOM\nAlready tried: restart"));
        assert_eq!(request.failed_checks, ["jellyfin/http"]);
        assert_eq!(request.services.len(), 2);
        assert_eq!(request.unhealthy, ["jellyfin"]);
    }

    #[test]
    fn members_of_escalation_are_accepted() {
        let request = parse(
            br#"{"reason": "r", "context": "c", "failed_checks": ["f"], "check_results": null}"#,
        )
        .unwrap();
        assert_eq!((request.needed, request.reason.as_deref()), (true, Some("r")));
        assert_eq!(
            (request.context.as_deref(), &*request.failed_checks),
            (Some("c"), &["f".to_owned()][..])
        );
        assert!(!parse(br#"{"needed": false}"#).unwrap().needed);
    }

    #[test]
    fn invalid_file_is_an_error() {
        for invalid in [&b"{"[..], b"[]", b"null", br#"{"schema_version": 2}"#, br#"{"needed": 1}"#]
        {
            assert!(parse(invalid).is_err(), "{}", String::from_utf8_lossy(invalid));
        }
    }
}
