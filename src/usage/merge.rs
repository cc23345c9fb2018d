//! Combines files into sessions and the items used in them.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::dedup::{Dedup, RequestPosition};
use super::file::{FileUsage, Used};
use super::key::RequestKey;
use super::{RequestLog, UsageReport, UsageSource, snapshots};
use crate::event::Tokens;
use crate::harness::Harness;

/// Something that was used at one time.
#[derive(Clone, Copy)]
pub(crate) struct UsageItem<'a> {
    /// The same for the same usage in any other set of files.
    pub(crate) key: RequestKey,
    /// Whether the message alone identifies it.
    pub(crate) is_unique: bool,
    /// The file that contains it.
    pub(crate) file: &'a FileUsage,
    /// Index of its own session in the log of the file.
    pub(super) own_session: usize,
    /// Index of the session.
    pub(crate) session: usize,
    pub(crate) at: Timestamp,
    /// Whether `at` is the modification time of a file without times.
    pub(crate) is_undated: bool,
    /// The model; empty if unknown.
    pub(crate) model: &'a str,
    pub(crate) tokens: Tokens,
    /// The cost that the CLI reports.
    pub(crate) cost_usd: Option<f64>,
    /// Whether the CLI reports the cost, here or in a sum.
    pub(crate) has_cost: bool,
    pub(crate) kind: ItemKind,
}

impl<'a> UsageItem<'a> {
    /// Returns the session in which it was used, which may be that of a subagent.
    pub(crate) fn own_session(&self) -> &'a str {
        let listed = self.file.log().and_then(|log| log.sessions().get(self.own_session));
        listed.map_or(&self.file.id, String::as_str)
    }

    /// Returns the session that started its own session.
    pub(crate) fn parent_session(&self) -> Option<&'a str> {
        let parent = self.file.started_by.as_deref();
        parent.filter(|_| self.own_session() == self.file.id)
    }

    /// Returns whether anything was used.
    pub(crate) fn is_used(&self) -> bool {
        is_used(&self.tokens, self.cost_usd)
    }
}

/// Selects the keys of requests that are printed as rows. A copy may lack the id of the
/// request, so it is not part of the key, unless several requests have the same message.
#[derive(Default)]
pub(crate) struct RequestKeys(HashSet<RequestKey>);

impl RequestKeys {
    /// Returns the key of the next request.
    pub(crate) fn of(&mut self, item: &UsageItem<'_>) -> RequestKey {
        let short = if item.is_unique { item.key.of_message() } else { item.key };
        if self.0.insert(short) { short } else { item.key }
    }
}

/// Returns whether any token or any money was used.
pub(super) fn is_used(tokens: &Tokens, cost_usd: Option<f64>) -> bool {
    tokens.total() > 0 || cost_usd.is_some_and(|cost| cost != 0.0)
}

/// What an item stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// A single request.
    Request,
    /// Several requests.
    Sum,
    /// Tokens that the CLI counted and that are not tied to a message.
    Unattributed,
}

impl ItemKind {
    /// Returns the name used in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Sum => "sum",
            Self::Unattributed => "unattributed",
        }
    }
}

/// A session with its subagents.
#[derive(Debug)]
pub(crate) struct MergedSession<'a> {
    pub(crate) id: &'a str,
    pub(crate) harness: Harness,
    pub(crate) project: Option<&'a str>,
    /// Indices of its files; of those that have parts of it, if it has none.
    pub(crate) files: Vec<usize>,
}

/// Returns the sessions of all files, and everything they used, once.
pub(crate) fn merge(files: &mut [FileUsage]) -> (Vec<MergedSession<'_>>, Vec<UsageItem<'_>>) {
    files.sort_by(|one, other| {
        // A fork and its parent may start alike; then the parent ends first.
        let key = |file: &FileUsage| (file.first.unwrap_or(file.last), file.last);
        key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
    });
    let dedup = Dedup::new(files);
    let merge = Merge::new(files, dedup);
    let (positions, mut items) = merge.requests();
    let mut by_session = vec![Vec::new(); merge.sessions.len()];
    for (index, (position, item)) in positions.iter().zip(&items).enumerate() {
        by_session[item.session].push((*position, index));
    }
    snapshots::add_items(&merge, &by_session, &mut items);
    items.extend(merge.streams());
    (merge.sessions, items)
}

/// Files with their sessions.
pub(super) struct Merge<'a> {
    pub(super) files: &'a [FileUsage],
    pub(super) dedup: Dedup,
    pub(super) sessions: Vec<MergedSession<'a>>,
    /// For each file its session, and the sessions that its log lists.
    session_indices: Vec<(usize, Vec<usize>)>,
}

impl<'a> Merge<'a> {
    fn new(files: &'a [FileUsage], dedup: Dedup) -> Self {
        let started_by =
            files.iter().filter_map(|file| Some((file.id.as_str(), file.started_by.as_deref()?)));
        let mut sessions = SessionList {
            started_by: started_by.collect(),
            indices: HashMap::new(),
            list: Vec::new(),
        };
        let session_indices = files
            .iter()
            .map(|file| {
                let listed = file.log().map(RequestLog::sessions).unwrap_or_default();
                let listed =
                    listed.iter().map(|id| sessions.index_of(id, file)).collect::<Vec<_>>();
                // A copied history names another session first.
                let own = listed.first().copied();
                (own.unwrap_or_else(|| sessions.index_of(&file.id, file)), listed)
            })
            .collect();
        let mut merge = Self { files, dedup, sessions: sessions.list, session_indices };
        merge.name_projects();
        merge.assign_files();
        merge
    }

    /// Sets the files of each session.
    fn assign_files(&mut self) {
        for (index, (own, _)) in self.session_indices.iter().enumerate() {
            self.sessions[*own].files.push(index);
        }
        let has_files: Vec<bool> =
            self.sessions.iter().map(|session| !session.files.is_empty()).collect();
        for (index, (_, listed)) in self.session_indices.iter().enumerate() {
            for session in listed.iter().filter(|session| !has_files[**session]) {
                self.sessions[*session].files.push(index);
            }
        }
    }

    /// Returns the session with the index `listed` in the log of a file.
    pub(super) fn session(&self, file: usize, listed: usize) -> usize {
        let (own, list) = &self.session_indices[file];
        list.get(listed).copied().unwrap_or(*own)
    }

    /// Sets each session's project: its working directory, or that of another session
    /// in the same project folder, or the folder's name.
    fn name_projects(&mut self) {
        let mut known: HashMap<&str, &str> = HashMap::new();
        for file in self.files {
            if let (Some(folder), Some(cwd)) = (&file.project_folder, &file.cwd) {
                known.entry(folder).or_insert(cwd);
            }
        }
        let names: [&dyn Fn(&'a FileUsage) -> Option<&'a str>; 2] =
            [&|file| file.cwd.as_deref(), &|file| {
                let folder = file.project_folder.as_deref()?;
                Some(known.get(folder).copied().unwrap_or(folder))
            }];
        for name in names {
            for (file, (own, listed)) in self.files.iter().zip(&self.session_indices) {
                for session in listed.iter().chain([own]) {
                    let session = &mut self.sessions[*session];
                    session.project = session.project.or_else(|| name(file));
                }
            }
        }
    }

    /// Returns every request that is not a copy, with its position.
    fn requests(&self) -> (Vec<RequestPosition>, Vec<UsageItem<'a>>) {
        let (mut positions, mut items) = (Vec::new(), Vec::new());
        for (index, file) in self.files.iter().enumerate() {
            let Some(log) = file.log() else { continue };
            let mut at = file.first.unwrap_or(file.last);
            for (request, number) in log.requests.iter().zip(0..) {
                at = request.at.unwrap_or(at);
                if !self.dedup.is_original((index, number)) {
                    continue;
                }
                positions.push((index, number));
                let position = (number as u64).to_le_bytes();
                let no_id = || RequestKey::of(&[b"position", file.id.as_bytes(), &position]);
                items.push(UsageItem {
                    key: request.id.key().unwrap_or_else(no_id),
                    is_unique: request.has_unique_id,
                    file,
                    own_session: request.session,
                    session: self.session(index, request.session),
                    at,
                    is_undated: file.is_undated,
                    model: log.model(request.model),
                    tokens: request.tokens.without_cache_in_input(),
                    cost_usd: request.cost_usd,
                    has_cost: request.cost_usd.is_some(),
                    kind: ItemKind::Request,
                });
            }
        }
        (positions, items)
    }

    /// Returns the items of recorded streams whose sessions have no session file.
    fn streams(&self) -> Vec<UsageItem<'a>> {
        let mut on_disk: HashSet<usize> = HashSet::new();
        for (file, (own, listed)) in self.files.iter().zip(&self.session_indices) {
            if file.log().is_some_and(|log| !log.is_empty()) {
                on_disk.extend(listed.iter().chain([own]));
            }
        }
        let mut streams: Vec<RecordedStream<'a>> = Vec::new();
        for (file, (session, _)) in self.files.iter().zip(&self.session_indices) {
            if let Used::Stream(report) = &file.used
                && report.source != UsageSource::None
                && !on_disk.contains(session)
            {
                let stream = RecordedStream { file, session: *session, report };
                stream.add_to(&mut streams);
            }
        }
        streams.iter().flat_map(RecordedStream::items).collect()
    }
}

/// Assigns ids to sessions; a subagent belongs to the session that started it.
struct SessionList<'a> {
    started_by: HashMap<&'a str, &'a str>,
    indices: HashMap<&'a str, usize>,
    list: Vec<MergedSession<'a>>,
}

impl<'a> SessionList<'a> {
    fn index_of(&mut self, id: &'a str, file: &FileUsage) -> usize {
        let mut id = id;
        // Files can claim anything, a cycle too.
        for _ in 0..self.started_by.len() {
            let Some(parent) = self.started_by.get(id) else { break };
            id = parent;
        }
        *self.indices.entry(id).or_insert_with(|| {
            self.list.push(MergedSession {
                id,
                harness: file.harness,
                project: None,
                files: Vec::new(),
            });
            self.list.len() - 1
        })
    }
}

/// A recorded stream.
struct RecordedStream<'a> {
    file: &'a FileUsage,
    session: usize,
    report: &'a UsageReport,
}

impl<'a> RecordedStream<'a> {
    /// Adds the stream to a list, unless it is a copy. The count of a resumed thread
    /// includes its history, so the largest one of a session counts.
    fn add_to(self, streams: &mut Vec<Self>) {
        let same_session = |other: &&mut Self| other.session == self.session;
        for other in streams.iter_mut().filter(same_session) {
            if other.report == self.report {
                return;
            }
            let reports = [other.report, self.report];
            if reports.iter().all(|report| report.source == UsageSource::Turns) {
                if self.report.tokens.total() > other.report.tokens.total() {
                    *other = self;
                }
                return;
            }
        }
        streams.push(self);
    }

    /// Returns the key of a model's share. The largest count of a thread counts; other
    /// counts of one session are added up.
    fn key(&self, model: &str) -> RequestKey {
        let Self { file, report, .. } = self;
        let counts = if report.source == UsageSource::Turns {
            Vec::new()
        } else {
            let Tokens { input, output, cache_read, cache_write, .. } = report.tokens;
            let cached = [cache_read, cache_write].map(Option::unwrap_or_default);
            let cost = report.cost_usd.unwrap_or_default().to_bits();
            [input, output, cached[0], cached[1], cost].map(u64::to_le_bytes).concat()
        };
        RequestKey::of(&[b"stream", file.id.as_bytes(), model.as_bytes(), &counts])
    }

    fn items(&self) -> Vec<UsageItem<'a>> {
        let Self { file, session, report } = *self;
        let item = |model: &'a str, tokens: &Tokens, cost_usd| UsageItem {
            key: self.key(model),
            is_unique: true,
            file,
            own_session: usize::MAX,
            session,
            at: file.last,
            is_undated: file.is_undated,
            model,
            tokens: tokens.without_cache_in_input(),
            cost_usd,
            has_cost: report.cost_usd.is_some(),
            kind: ItemKind::Sum,
        };
        if report.models.is_empty() {
            let model = file.model.as_deref().unwrap_or_default();
            return vec![item(model, &report.tokens, report.cost_usd)];
        }
        let model_costs: f64 = report.models.iter().filter_map(|share| share.cost_usd).sum();
        let mut named = Tokens::default();
        let mut items = Vec::new();
        for share in &report.models {
            named.add(&share.tokens);
            items.push(item(share.model.as_str(), &share.tokens, share.cost_usd));
        }
        let rest = report.cost_usd.map(|cost| cost - model_costs).filter(|rest| *rest > 1e-9);
        items.push(item("", &report.tokens.without(&named), rest));
        items
    }
}
