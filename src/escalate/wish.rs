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
        let in_trouble = wish.services.iter().filter(|service| service.is_in_trouble());
        let in_trouble = in_trouble.map(|service| service.name.clone()).collect();
        wish.and_troubled(in_trouble)
    }

    /// It is about these services, too.
    pub fn and_troubled(mut self, mut services: Vec<String>) -> Self {
        self.troubled.append(&mut services);
        self.troubled.sort_unstable();
        self.troubled.dedup();
        self
    }
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
    fn it_is_about_the_services_that_are_not_well() {
        let wish = Wish::of(&[
            service("web", "healthy"),
            service("db", "down"),
            event(Level::Critical, "db"),
            event(Level::Warning, "nas"),
            event(Level::Info, "dns"),
            Finding::Cooldown {
                action_type: "restart".to_owned(),
                service: "mail".to_owned(),
                success: true,
                message: "m".to_owned(),
            },
        ]);
        assert_eq!(wish.troubled, ["db", "mail", "nas"]);
        assert_eq!(wish.services.len(), 2);
        assert!(!wish.needed, "nobody said so");
    }

    #[test]
    fn without_a_context_the_summary_is_one() {
        let summary = Finding::Summary { text: "s".to_owned() };
        let escalation = |context: Option<&str>| Finding::Escalation {
            needed: true,
            reason: None,
            context: context.map(str::to_owned),
            failed_checks: Vec::new(),
        };
        let wish = Wish::of(&[summary.clone(), escalation(None)]);
        assert_eq!((wish.needed, wish.context.as_deref()), (true, Some("s")));
        assert_eq!(Wish::of(&[summary, escalation(Some("c"))]).context.as_deref(), Some("c"));
    }
}
