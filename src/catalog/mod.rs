//! The sessions on this machine: what is known about each, and how one is named.
//!
//! A session is listed once, with its subagents and whatever files it is stored in.

mod lookup;
mod overview;
mod project;

use std::collections::HashMap;

use jiff::Timestamp;

use crate::event::{Category, Tokens};
use crate::harness::Harness;
use crate::reader::ReaderOptions;
use crate::run::ToolCounts;
use crate::sessions::SessionSource;
use crate::usage::{self, Estimate, FileUsage, ItemKind, Prices, UsageItem};

pub(crate) use lookup::{Lookup, is_session_name};
pub(crate) use overview::{Overview, OverviewBuilder};
pub(crate) use project::ProjectFilter;

/// A session with its subagents.
#[derive(Debug)]
pub(crate) struct SessionEntry {
    pub(crate) id: String,
    pub(crate) harness: Harness,
    /// The folder the agent worked in.
    pub(crate) project: Option<String>,
    /// The time of the first line, if lines have times.
    pub(crate) started: Option<Timestamp>,
    /// The time of the last line, else the modification time of the file.
    pub(crate) last: Timestamp,
    pub(crate) is_undated: bool,
    pub(crate) model: Option<String>,
    /// Prompts of the user, or results if there are none.
    pub(crate) turns: u64,
    pub(crate) tools: ToolCounts,
    /// Tokens, of which `input` excludes those read from and written to the cache.
    pub(crate) tokens: Tokens,
    /// The cost that the CLI reports.
    pub(crate) cost_usd: Option<f64>,
    /// The estimated cost of tokens without a reported cost.
    pub(crate) uncosted: Estimate,
    /// The start of the first prompt.
    pub(crate) prompt: Option<String>,
    /// Why the session is not a success.
    pub(crate) failure: Option<Category>,
    /// The main file first.
    pub(crate) files: Vec<String>,
}

impl SessionEntry {
    /// Returns the reported cost plus an estimate of the rest.
    pub(crate) fn combined_cost(&self) -> Estimate {
        let mut cost = self.uncosted.clone();
        cost.add(&Estimate { usd: self.cost_usd, ..Estimate::default() });
        cost
    }

    /// Returns the time from the first to the last line in milliseconds.
    pub(crate) fn duration_ms(&self) -> Option<u64> {
        let started = self.started.filter(|_| !self.is_undated)?;
        u64::try_from(self.last.as_millisecond() - started.as_millisecond()).ok()
    }
}

/// The sessions of some files.
pub(crate) struct Catalog {
    /// The sessions, the one that was used last first.
    pub(crate) entries: Vec<SessionEntry>,
    /// The files.
    pub(crate) files: Vec<FileUsage>,
}

impl Catalog {
    /// Reads all sessions, and calls `done` after each file. `prices` serve to estimate
    /// costs that are not reported.
    pub(crate) fn read(
        sources: &[SessionSource],
        options: &ReaderOptions,
        prices: &Prices,
        done: impl FnMut(),
    ) -> Self {
        let read = |source: &SessionSource| overview::read(source, options);
        let (mut files, mut overviews) = (Vec::new(), HashMap::new());
        for (file, overview) in usage::read_each(sources, options.threads, read, done) {
            overviews.insert(file.name.clone(), overview);
            files.push(file);
        }
        let entries = entries(&mut files, &overviews, prices);
        Self { entries, files }
    }
}

fn entries(
    files: &mut [FileUsage],
    overviews: &HashMap<String, Overview>,
    prices: &Prices,
) -> Vec<SessionEntry> {
    let (sessions, items) = usage::merge(files);
    let mut used: Vec<SessionTotals> = Vec::new();
    used.resize_with(sessions.len(), SessionTotals::default);
    for item in &items {
        used[item.session].add(item, prices);
    }
    let sessions: Vec<_> = sessions
        .into_iter()
        .map(|session| {
            let (id, project) = (session.id.to_owned(), session.project.map(str::to_owned));
            (id, session.harness, project, session.files)
        })
        .collect();
    let mut entries = Vec::new();
    for ((id, harness, project, indices), used) in sessions.into_iter().zip(used) {
        let own = indices.into_iter().map(|index| &files[index]);
        let own = own.filter(|file| file.problem.is_none());
        let mut own: Vec<(&FileUsage, &Overview)> =
            own.filter_map(|file| Some((file, overviews.get(&file.name)?))).collect();
        own.sort_by_key(|(file, _)| {
            lookup::main_file_rank(&id, &file.name, file.started_by.is_some())
        });
        let Some((main, overview)) = own.first() else { continue };
        let is_named = id != main.name;
        let is_empty = overview.turns == 0 && overview.tools.calls == 0;
        if !is_named && is_empty && used.tokens.total() == 0 {
            // A file that belongs to other sessions, such as their titles.
            continue;
        }
        let tools = own.iter().fold(ToolCounts::default(), |sum, (_, file)| sum.plus(file.tools));
        entries.push(SessionEntry {
            harness,
            project,
            started: own.iter().filter_map(|(file, _)| file.first).min(),
            last: own.iter().map(|(file, _)| file.last).max().unwrap_or(main.last),
            is_undated: main.is_undated,
            model: main.model.clone(),
            turns: overview.turns,
            tools,
            tokens: used.tokens,
            cost_usd: used.cost_usd,
            uncosted: used.uncosted,
            prompt: overview.prompt.clone(),
            failure: overview.verdict.failure.as_ref().map(|failure| failure.category),
            files: own.iter().map(|(file, _)| file.name.clone()).collect(),
            id,
        });
    }
    entries.sort_by(|one, other| {
        let key = |entry: &SessionEntry| (entry.last, entry.started);
        key(other).cmp(&key(one)).then_with(|| one.id.cmp(&other.id))
    });
    entries
}

/// What a session used.
#[derive(Default)]
struct SessionTotals {
    tokens: Tokens,
    cost_usd: Option<f64>,
    uncosted: Estimate,
}

impl SessionTotals {
    fn add(&mut self, item: &UsageItem<'_>, prices: &Prices) {
        self.tokens.add(&item.tokens);
        if !item.has_cost && item.tokens.total() > 0 {
            self.uncosted.add(&if item.kind == ItemKind::Request {
                prices.estimate_request(item.model, &item.tokens)
            } else {
                prices.estimate(item.model, &item.tokens)
            });
        }
        if let Some(cost) = item.cost_usd {
            *self.cost_usd.get_or_insert(0.0) += cost;
        }
    }
}
