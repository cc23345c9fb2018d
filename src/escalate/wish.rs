//! What a tier asks for, from its findings or from the legacy file.

use crate::findings::{Finding, Level};

/// Whether somebody else should take over, and what they should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Whether it is needed.
    pub needed: bool,
    /// Why.
    pub reason: Option<String>,
    /// What was found out.
    pub context: Option<String>,
    /// The checks that failed.
    pub failed_checks: Vec<String>,
    /// The services that were looked at.
    pub services: Vec<Service>,
    /// The services it is about, as far as they are named.
    pub troubled: Vec<String>,
}

/// A service that was looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// How it is.
    pub status: String,
    /// More about that.
    pub detail: Option<String>,
}

/// The status of a service that nobody needs to care about.
const HEALTHY: &str = "healthy";

impl Service {
    /// Whether somebody has to care.
    pub fn is_in_trouble(&self) -> bool {
        self.status != HEALTHY
    }
}

impl Wish {
    /// What findings ask for.
    pub fn of(findings: &[Finding]) -> Self {
        let mut wish = Self::default();
        let mut summary = None;
        for finding in findings {
            match finding {
                Finding::Summary { text } => summary = Some(text),
                Finding::Escalation { needed, reason, context, failed_checks } => {
                    wish.needed = *needed;
                    wish.reason.clone_from(reason);
                    wish.context.clone_from(context);
                    wish.failed_checks.clone_from(failed_checks);
                }
                Finding::Service { name, status, detail } => wish.services.push(Service {
                    name: name.clone(),
                    status: status.clone(),
                    detail: detail.clone(),
                }),
                Finding::Event { level: Level::Warning | Level::Critical, service, .. } => {
                    wish.troubled.extend(service.clone());
                }
                Finding::Cooldown { service, .. } => wish.troubled.push(service.clone()),
                Finding::Event { .. } | Finding::Memory { .. } => {}
            }
        }
        // Who writes no context has said it in the summary.
        wish.context = wish.context.or_else(|| summary.cloned());
        wish.with_troubled_services()
    }

    /// The services that are not healthy are what it is about, too.
    pub fn with_troubled_services(mut self) -> Self {
        let in_trouble = self.services.iter().filter(|service| service.is_in_trouble());
        self.troubled.extend(in_trouble.map(|service| service.name.clone()));
        self.troubled.sort_unstable();
        self.troubled.dedup();
        self
    }
}
