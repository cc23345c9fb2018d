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
        let mut mentioned = Vec::new();
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
                    mentioned.extend(service.clone());
                }
                Finding::Cooldown { service, .. } => mentioned.push(service.clone()),
                Finding::Event { .. } | Finding::Memory { .. } => {}
            }
        }
        // Who writes no context has said it in the summary.
        wish.context = wish.context.or_else(|| summary.cloned());
        wish.about(mentioned)
    }

    /// It is about the services that are in trouble, and about those that were only
    /// mentioned: of one that was looked at it is known how it is.
    pub fn about(mut self, mut mentioned: Vec<String>) -> Self {
        mentioned.retain(|name| self.looked_at(name).next().is_none());
        let in_trouble = self.services.iter().filter(|service| service.is_in_trouble());
        mentioned.extend(in_trouble.map(|service| service.name.clone()));
        self.troubled.append(&mut mentioned);
        self.troubled.sort_unstable();
        self.troubled.dedup();
        self
    }

    /// Whether a service was looked at, and nobody needs to care about it.
    pub fn is_well(&self, name: &str) -> bool {
        let mut looks = self.looked_at(name).peekable();
        looks.peek().is_some() && !looks.any(Service::is_in_trouble)
    }

    fn looked_at(&self, name: &str) -> impl Iterator<Item = &Service> {
        self.services.iter().filter(move |service| is_same(&service.name, name))
    }
}

/// Whether two names are those of one service.
pub fn is_same(name: &str, other: &str) -> bool {
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
    fn it_is_about_the_services_that_are_not_well() {
        let wish = Wish::of(&[
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
        assert_eq!(wish.troubled, ["db", "mail", "nas"]);
        assert!(wish.is_well("WEB") && !wish.is_well("db") && !wish.is_well("mail"));
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
