//! Whether the next tier may run. Pure.

use std::time::Duration;

use super::wish::{Wish, is_same};
use crate::findings::Level;
use crate::store::Actions;

/// What the user allows.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// The highest tier that may run.
    pub max_tier: usize,
    /// Nothing but the first tier is run, and nothing written.
    pub dry_run: bool,
    /// The time in which actions are counted.
    pub cooldown: Duration,
    /// How many of them on a service are enough.
    pub cooldown_limit: u64,
}

/// What follows from a tier's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The next tier runs.
    Escalate,
    /// Nobody else is needed.
    Settled,
    /// The next tier is needed, and none is left that may run.
    MaxTier,
    /// The next tier would run.
    DryRun,
    /// The next tier is needed, and there was too much action already.
    Cooldown,
    /// The tier failed.
    Failed,
}

impl Decision {
    /// Its name in records.
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

    /// How bad it is.
    pub fn level(self) -> Level {
        match self {
            Self::Escalate | Self::Settled | Self::DryRun => Level::Info,
            Self::MaxTier | Self::Cooldown => Level::Warning,
            Self::Failed => Level::Critical,
        }
    }
}

/// A decision, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The decision.
    pub decision: Decision,
    /// Why.
    pub reason: String,
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

impl Policy {
    /// What follows from what `tier` asks for, when so much was done to services.
    pub fn judge(&self, tier: usize, wish: &Wish, actions: &Actions) -> Judgement {
        let told = |otherwise: &str| wish.reason.clone().unwrap_or_else(|| otherwise.to_owned());
        if !wish.needed {
            return Judgement::new(Decision::Settled, told("nothing is needed"));
        }
        let wanted = told("no reason given");
        if tier >= self.max_tier {
            let reason = format!("tier {tier} is the last that may run: {wanted}");
            return Judgement::new(Decision::MaxTier, reason);
        }
        if let Some(reason) = self.too_much(wish, actions) {
            return Judgement::new(Decision::Cooldown, reason);
        }
        if self.dry_run {
            let reason = format!("tier {} would run: {wanted}", tier + 1);
            return Judgement::new(Decision::DryRun, reason);
        }
        Judgement::new(Decision::Escalate, wanted)
    }

    /// A service it is about to which too much was done already. If it is about
    /// none that is named, it can be about any that is not well.
    fn too_much(&self, wish: &Wish, actions: &Actions) -> Option<String> {
        let concerned = |service: &str| match &*wish.troubled {
            [] => !wish.is_well(service),
            troubled => troubled.iter().any(|own| is_same(own, service)),
        };
        let limit = self.cooldown_limit;
        let (service, count) = actions
            .iter()
            .find(|(service, count)| *count >= limit && concerned(service))
            .filter(|_| !self.cooldown.is_zero())?;
        let actions = crate::output::plural(count, "action");
        let window = spelled(self.cooldown);
        Some(format!("{service}: {actions} within {window}, the limit is {limit}"))
    }
}

/// `4 h`, `90 min`, `10 s`.
fn spelled(duration: Duration) -> String {
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

    const POLICY: Policy = Policy {
        max_tier: 3,
        dry_run: false,
        cooldown: Duration::from_hours(4),
        cooldown_limit: 2,
    };

    fn needed(troubled: &[&str]) -> Wish {
        let troubled = troubled.iter().map(|name| (*name).to_owned()).collect();
        Wish { needed: true, reason: Some("r".to_owned()), troubled, ..Wish::default() }
    }

    fn judge(
        policy: Policy,
        tier: usize,
        wish: &Wish,
        actions: &[(&str, u64)],
    ) -> (Decision, String) {
        let Judgement { decision, reason } =
            policy.judge(tier, wish, &actions.iter().copied().collect());
        (decision, reason)
    }

    #[test]
    fn who_needs_nobody_is_settled_whatever_else_is() {
        let policy = Policy { max_tier: 1, dry_run: true, ..POLICY };
        let (decision, reason) = judge(policy, 1, &Wish::default(), &[("db", 9)]);
        assert_eq!((decision, &*reason), (Decision::Settled, "nothing is needed"));
    }

    #[test]
    fn the_next_tier_runs_up_to_the_highest_allowed() {
        assert_eq!(judge(POLICY, 1, &needed(&[]), &[]), (Decision::Escalate, "r".to_owned()));
        assert_eq!(judge(POLICY, 2, &needed(&[]), &[]).0, Decision::Escalate);
        let (decision, reason) = judge(POLICY, 3, &needed(&[]), &[]);
        assert_eq!((decision, &*reason), (Decision::MaxTier, "tier 3 is the last that may run: r"));
    }

    #[test]
    fn actions_on_a_service_it_is_about_are_counted() {
        let of = |troubled: &[&str], actions: &[(&str, u64)]| {
            judge(POLICY, 1, &needed(troubled), actions).0
        };
        assert_eq!(of(&["db"], &[("db", 1), ("web", 5)]), Decision::Escalate);
        assert_eq!(of(&["db", "web"], &[("db", 1), ("web", 2)]), Decision::Cooldown);
        assert_eq!(of(&[], &[("web", 2)]), Decision::Cooldown, "it may be about any");
        assert_eq!(of(&["DB"], &[("db", 1), ("Db", 1)]), Decision::Cooldown, "it is one service");
        let (_, reason) = judge(POLICY, 1, &needed(&["db"]), &[("db", 2)]);
        assert_eq!(reason, "db: 2 actions within 4 h, the limit is 2");
        let off = Policy { cooldown: Duration::ZERO, ..POLICY };
        assert_eq!(judge(off, 1, &needed(&["db"]), &[("db", 9)]).0, Decision::Escalate);
    }

    #[test]
    fn a_dry_run_tells_what_would_be() {
        let dry = Policy { dry_run: true, ..POLICY };
        let (decision, reason) = judge(dry, 1, &needed(&["db"]), &[]);
        assert_eq!((decision, &*reason), (Decision::DryRun, "tier 2 would run: r"));
        assert_eq!(judge(dry, 1, &needed(&["db"]), &[("db", 2)]).0, Decision::Cooldown);
        assert_eq!(judge(dry, 3, &needed(&["db"]), &[]).0, Decision::MaxTier);
    }
}
