//! A tier's request for the next tier, from its findings or from the legacy file.

use crate::findings::{Finding, Level};

/// Whether the next tier is needed, and what it should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EscalationRequest {
    /// Whether the next tier is needed.
    pub(super) needed: bool,
    pub(super) reason: Option<String>,
    /// The tier's findings.
    pub(super) context: Option<String>,
    pub(super) failed_checks: Vec<String>,
    /// The services that the tier checked.
    pub(super) services: Vec<ServiceStatus>,
    /// The services that the request concerns, as far as they are named.
    pub(super) unhealthy: Vec<String>,
}

/// A service that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServiceStatus {
    pub(super) name: String,
    pub(super) status: String,
    pub(super) detail: Option<String>,
}

/// The status of a healthy service.
const HEALTHY: &str = "healthy";

impl ServiceStatus {
    pub fn is_healthy(&self) -> bool {
        self.status == HEALTHY
    }
}

impl EscalationRequest {
    /// Returns the request in findings.
    pub fn from_findings(findings: &[Finding]) -> Self {
        let mut request = Self::default();
        let mut summary = None;
        let mut mentioned = Vec::new();
        for finding in findings {
            match finding {
                Finding::Summary { text } => summary = Some(text),
                Finding::Escalation { needed, reason, context, failed_checks } => {
                    request.needed = *needed;
                    request.reason.clone_from(reason);
                    request.context.clone_from(context);
                    request.failed_checks.clone_from(failed_checks);
                }
                Finding::Service { name, status, detail } => request.services.push(ServiceStatus {
                    name: name.clone(),
                    status: status.clone(),
                    detail: detail.clone(),
                }),
                Finding::Event { level: Level::Warning | Level::Critical, service, .. } => {
                    mentioned.extend(service.clone());
                }
                Finding::Cooldown { service, .. } => mentioned.push(service.clone()),
                Finding::Event { .. } | Finding::Memory { .. } => {}
            }
        }
        // Without a context the summary has the findings.
        request.context = request.context.or_else(|| summary.cloned());
        request.with_mentioned(mentioned)
    }

    /// Sets the services that the request concerns: those that were found not healthy, and
    /// those that were mentioned but not checked.
    pub fn with_mentioned(mut self, mut mentioned: Vec<String>) -> Self {
        mentioned.retain(|name| self.checks_of(name).next().is_none());
        let unhealthy = self.services.iter().filter(|service| !service.is_healthy());
        mentioned.extend(unhealthy.map(|service| service.name.clone()));
        self.unhealthy.append(&mut mentioned);
        self.unhealthy.sort_unstable();
        self.unhealthy.dedup();
        self
    }

    /// Returns whether a service was checked and is healthy.
    pub fn is_healthy(&self, name: &str) -> bool {
        let mut checks = self.checks_of(name).peekable();
        checks.peek().is_some() && checks.all(ServiceStatus::is_healthy)
    }

    fn checks_of(&self, name: &str) -> impl Iterator<Item = &ServiceStatus> {
        self.services.iter().filter(move |service| is_same_service(&service.name, name))
    }
}

/// Returns whether two names mean the same service.
pub(super) fn is_same_service(name: &str, other: &str) -> bool {
    name.to_lowercase() == other.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn service(name: &str, status: &str) -> Finding {
        Finding::Service { name: name.to_owned(), status: status.to_owned(), detail: None }
    }

    fn event(level: Level, service: &str) -> Finding {
        Finding::Event { level, service: Some(service.to_owned()), message: "m".to_owned() }
    }

    #[test]
    fn request_concerns_services_that_are_not_healthy() {
        let request = EscalationRequest::from_findings(&[
            service("web", "healthy"),
            service("db", "down"),
            event(Level::Critical, "db"),
            event(Level::Warning, "Web"),
            event(Level::Warning, "nas"),
            event(Level::Info, "dns"),
            Finding::Cooldown {
                action_type: "restart".to_owned(),
                service: "mail".to_owned(),
                success: true,
                message: "m".to_owned(),
            },
            Finding::Cooldown {
                action_type: "restart".to_owned(),
                service: "web".to_owned(),
                success: true,
                message: "m".to_owned(),
            },
        ]);
        assert_eq!(request.unhealthy, ["db", "mail", "nas"]);
        assert!(
            request.is_healthy("WEB") && !request.is_healthy("db") && !request.is_healthy("mail")
        );
        assert_eq!(request.services.len(), 2);
        assert!(!request.needed, "not requested");
    }

    #[test]
    fn summary_replaces_a_missing_context() {
        let summary = Finding::Summary { text: "s".to_owned() };
        let escalation = |context: Option<&str>| Finding::Escalation {
            needed: true,
            reason: None,
            context: context.map(str::to_owned),
            failed_checks: Vec::new(),
        };
        let request = EscalationRequest::from_findings(&[summary.clone(), escalation(None)]);
        assert_eq!((request.needed, request.context.as_deref()), (true, Some("s")));
        assert_eq!(
            EscalationRequest::from_findings(&[summary, escalation(Some("c"))]).context.as_deref(),
            Some("c")
        );
    }
}
