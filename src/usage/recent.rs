//! What one CLI has used today and in the current window of five hours.

use jiff::Timestamp;

use super::block::Blocks;
use super::merge::{MergedSession, UsageItem};
use super::{Estimate, Figures, Prices};
use crate::codec::codec_struct;
use crate::harness::Harness;

/// What one CLI has used recently.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecentUsage {
    /// When it was counted.
    pub(crate) counted_at: Timestamp,
    /// When the day started.
    pub(crate) day_start: Timestamp,
    /// The cost since then in US dollars, estimated where it is not reported.
    pub(crate) today_usd: Option<f64>,
    pub(crate) window: Option<WindowUsage>,
}

codec_struct!(RecentUsage { counted_at, day_start, today_usd, window });

/// What was used in the current window.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WindowUsage {
    pub(crate) end: Timestamp,
    /// The cost in US dollars, estimated where it is not reported.
    pub(crate) usd: Option<f64>,
}

codec_struct!(WindowUsage { end, usd });

impl RecentUsage {
    /// Adds up what was used.
    pub(crate) fn new(
        harness: Harness,
        (sessions, items): &(Vec<MergedSession<'_>>, Vec<UsageItem<'_>>),
        prices: &Prices,
        day_start: Timestamp,
        now: Timestamp,
    ) -> Self {
        let cost_since = |start: Timestamp| {
            let is_own = |item: &&UsageItem<'_>| {
                sessions[item.session].harness == harness && item.at >= start
            };
            let mut figures = Figures::default();
            for item in items.iter().filter(is_own) {
                figures.add(item, &prices.estimate_item(item));
            }
            let Estimate { usd, .. } = figures.combined_cost();
            usd.or_else(|| (!figures.is_used()).then_some(0.0))
        };
        let window = Blocks::new(sessions, items).active(harness, now);
        let window =
            window.map(|window| WindowUsage { end: window.end(), usd: cost_since(window.start) });
        Self { counted_at: now, day_start, today_usd: cost_since(day_start), window }
    }
}
