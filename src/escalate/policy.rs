//! Decides whether the next tier runs.

use std::time::Duration;

use super::request::{EscalationRequest, is_same_service};
use crate::findings::Level;
use crate::store::Actions;

/// What the user allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct EscalationPolicy {
    /// The highest tier that may run.
    pub(super) max_tier: usize,
    /// Whether only the first tier runs, and nothing is written.
    pub(super) dry_run: bool,
    /// The time over which actions are counted.
    pub(super) cooldown: Duration,
    /// The number of actions on a service that prevents an escalation.
    pub(super) cooldown_limit: u64,
}

/// What happens after a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The next tier runs.
    Escalate,
    /// The next tier is not needed.
    Settled,
    /// The next tier is needed but may not run.
    MaxTier,
    /// The next tier is needed; in a dry run it does not run.
    DryRun,
    /// The next tier is needed, but there were too many actions on a service.
    Cooldown,
    /// The tier failed.
    Failed,
}

impl Decision {
    /// Returns the name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Escalate => "escalate",
            Self::Settled => "settled",
            Self::MaxTier => "max-tier",
            Self::DryRun => "dry-run",
            Self::Cooldown => "cooldown",
            Self::Failed => "failed",
        }
    }

    /// Returns the level of the event that records it.
    pub fn level(self) -> Level {
        match self {
            Self::Escalate | Self::Settled | Self::DryRun => Level::Info,
            Self::MaxTier | Self::Cooldown => Level::Warning,
            Self::Failed => Level::Critical,
        }
    }
}

/// A decision and its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) decision: Decision,
    pub(super) reason: String,
}

impl Judgement {
    fn new(decision: Decision, reason: String) -> Self {
        Self { decision, reason }
    }

    /// A tier failed.
    pub fn failed(why: &str) -> Self {
        Self::new(Decision::Failed, why.to_owned())
    }
}

impl EscalationPolicy {
    /// Decides about the request of `tier`, given the recent actions on services.
    pub fn judge(&self, tier: usize, request: &EscalationRequest, actions: &Actions) -> Judgement {
        let reason_or =
            |default: &str| request.reason.clone().unwrap_or_else(|| default.to_owned());
        if !request.needed {
            return Judgement::new(Decision::Settled, reason_or("nothing is needed"));
        }
        let reason = reason_or("no reason given");
        if tier >= self.max_tier {
            let reason = format!("tier {tier} is the last that may run: {reason}");
            return Judgement::new(Decision::MaxTier, reason);
        }
        if let Some(reason) = self.cooldown_reason(request, actions) {
            return Judgement::new(Decision::Cooldown, reason);
        }
        if self.dry_run {
            let reason = format!("tier {} would run: {reason}", tier + 1);
            return Judgement::new(Decision::DryRun, reason);
        }
        Judgement::new(Decision::Escalate, reason)
    }

    /// Returns why a service of the request had too many actions, if one had. A request
    /// that names no service may concern any that is not healthy.
    fn cooldown_reason(&self, request: &EscalationRequest, actions: &Actions) -> Option<String> {
        let is_concerned = |service: &str| match &*request.unhealthy {
            [] => !request.is_healthy(service),
            unhealthy => unhealthy.iter().any(|own| is_same_service(own, service)),
        };
        let limit = self.cooldown_limit;
        let (service, count) = actions
            .iter()
            .find(|(service, count)| *count >= limit && is_concerned(service))
            .filter(|_| !self.cooldown.is_zero())?;
        let actions = crate::output::plural(count, "action");
        let window = format_duration(self.cooldown);
        Some(format!("{service}: {actions} within {window}, the limit is {limit}"))
    }
}

/// `4 h`, `90 min`, `10 s`.
fn format_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        _ if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: EscalationPolicy = EscalationPolicy {
        max_tier: 3,
        dry_run: false,
        cooldown: Duration::from_hours(4),
        cooldown_limit: 2,
    };

    fn needed(unhealthy: &[&str]) -> EscalationRequest {
        let unhealthy = unhealthy.iter().map(|name| (*name).to_owned()).collect();
        EscalationRequest {
            needed: true,
            reason: Some("r".to_owned()),
            unhealthy,
            ..EscalationRequest::default()
        }
    }

    fn judge(
        policy: EscalationPolicy,
        tier: usize,
        request: &EscalationRequest,
        actions: &[(&str, u64)],
    ) -> (Decision, String) {
        let Judgement { decision, reason } =
            policy.judge(tier, request, &actions.iter().copied().collect());
        (decision, reason)
    }

    #[test]
    fn tier_without_request_is_settled() {
        let policy = EscalationPolicy { max_tier: 1, dry_run: true, ..POLICY };
        let (decision, reason) = judge(policy, 1, &EscalationRequest::default(), &[("db", 9)]);
        assert_eq!((decision, &*reason), (Decision::Settled, "nothing is needed"));
    }

    #[test]
    fn next_tier_runs_up_to_the_highest_allowed() {
        assert_eq!(judge(POLICY, 1, &needed(&[]), &[]), (Decision::Escalate, "r".to_owned()));
        assert_eq!(judge(POLICY, 2, &needed(&[]), &[]).0, Decision::Escalate);
        let (decision, reason) = judge(POLICY, 3, &needed(&[]), &[]);
        assert_eq!((decision, &*reason), (Decision::MaxTier, "tier 3 is the last that may run: r"));
    }

    #[test]
    fn actions_on_concerned_services_are_counted() {
        let of = |unhealthy: &[&str], actions: &[(&str, u64)]| {
            judge(POLICY, 1, &needed(unhealthy), actions).0
        };
        assert_eq!(of(&["db"], &[("db", 1), ("web", 5)]), Decision::Escalate);
        assert_eq!(of(&["db", "web"], &[("db", 1), ("web", 2)]), Decision::Cooldown);
        assert_eq!(of(&[], &[("web", 2)]), Decision::Cooldown, "it may concern any");
        assert_eq!(
            of(&["DB"], &[("db", 1), ("Db", 1)]),
            Decision::Cooldown,
            "names are compared regardless of case"
        );
        let (_, reason) = judge(POLICY, 1, &needed(&["db"]), &[("db", 2)]);
        assert_eq!(reason, "db: 2 actions within 4 h, the limit is 2");
        let off = EscalationPolicy { cooldown: Duration::ZERO, ..POLICY };
        assert_eq!(judge(off, 1, &needed(&["db"]), &[("db", 9)]).0, Decision::Escalate);
    }

    #[test]
    fn dry_run_reports_what_would_run() {
        let dry = EscalationPolicy { dry_run: true, ..POLICY };
        let (decision, reason) = judge(dry, 1, &needed(&["db"]), &[]);
        assert_eq!((decision, &*reason), (Decision::DryRun, "tier 2 would run: r"));
        assert_eq!(judge(dry, 1, &needed(&["db"]), &[("db", 2)]).0, Decision::Cooldown);
        assert_eq!(judge(dry, 3, &needed(&["db"]), &[]).0, Decision::MaxTier);
    }
}
