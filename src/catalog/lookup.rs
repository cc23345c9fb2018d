//! Finds the session that a user names.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::bail;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{ProjectFilter, entries, overview};
use crate::event::EventFilter;
use crate::harness::Harness;
use crate::index::{Index, IndexOptions};
use crate::output::{plural, sanitize, single_line};
use crate::reader::{DecodeOptions, DecodedLine, LineSink, ReaderOptions};
use crate::session::Session;
use crate::sessions::{self, SessionSource};
use crate::usage::{self, Prices};

/// The name of the session that was used last; `@last-2` is two before it.
const LAST: &str = "@last";

/// Characters that the start of an id has at least.
const MIN_PREFIX: usize = 4;

/// Lines in which a session names itself and its folder.
const MAX_HEAD: u64 = 200;

/// Sessions that are listed if several match.
const MAX_LISTED: usize = 20;

/// Difference between the clock of the file system and that of the CLI.
const CLOCK_SKEW: Duration = Duration::from_mins(5);

/// Returns whether an argument may name a session: it is no file, and has neither a slash
/// nor a dot.
pub(crate) fn is_session_name(path: &Path) -> bool {
    let Some(name) = path.to_str() else { return false };
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_prefix = name.len() >= MIN_PREFIX && name.chars().all(is_id) && !name.starts_with('-');
    (is_prefix || parse_last(name).is_some()) && !path.exists()
}

/// Returns how many sessions are between the last one and the one named.
fn parse_last(name: &str) -> Option<usize> {
    match name.strip_prefix(LAST)? {
        "" => Some(0),
        rest => rest.strip_prefix('-')?.parse().ok(),
    }
}

/// Returns the rank of a file among those of a session, the main file first.
pub(super) fn main_file_rank<'a>(
    id: &str,
    name: &'a str,
    is_started_by_another: bool,
) -> (bool, bool, usize, &'a str) {
    let stem = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or(name);
    (is_started_by_another, !stem.contains(id), name.len(), name)
}

/// Where sessions are looked up.
pub(crate) struct Lookup<'a> {
    /// The folders of the CLIs.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) project: Option<&'a ProjectFilter>,
    pub(crate) harness: Option<Harness>,
    pub(crate) described: &'static [Harness],
    pub(crate) max_line: usize,
    pub(crate) threads: Option<usize>,
    pub(crate) uses_index: bool,
}

/// A file, and the session that it belongs to.
struct Candidate {
    source: SessionSource,
    id: String,
    started_by: Option<String>,
    harness: Harness,
    cwd: Option<String>,
    first: Option<Timestamp>,
}

/// A session that matches a name.
struct NamedSession {
    id: String,
    main: Candidate,
}

impl Lookup<'_> {
    /// Returns the main file of the session called `name`. Fails if there is none, or
    /// several.
    pub(crate) fn find(&self, name: &str) -> anyhow::Result<SessionSource> {
        let mut sources = sessions::find(&self.folders, |_, _| {});
        if let Some(position) = parse_last(name) {
            return self.last(&mut sources, position);
        }
        let index = self.index(&sources);
        let read = |source: &SessionSource| {
            let remembered = index.as_ref().and_then(|index| self.remembered(source, index));
            remembered.or_else(|| self.identify(source))
        };
        let candidates = usage::read_each(&sources, self.threads, read, || {});
        let mut found = self.group(candidates.into_iter().flatten().collect());
        found.retain(|found| found.id.starts_with(name));
        // A whole id is not also the start of another one.
        if let Some(exact) = found.iter().position(|found| found.id == name) {
            return Ok(found.swap_remove(exact).main.source);
        }
        found.sort_by(|one, other| {
            other.main.first.cmp(&one.main.first).then_with(|| one.id.cmp(&other.id))
        });
        match found.len() {
            0 => bail!("{name}: no such file, and no session with this id{}", self.searched()),
            1 => Ok(found.swap_remove(0).main.source),
            _ => bail!("{}", describe(name, &found)),
        }
    }

    /// Returns the session `position` places after the one that was used last. Files are
    /// read in the order of their modification: a line is not younger than its file.
    fn last(
        &self,
        sources: &mut [SessionSource],
        position: usize,
    ) -> anyhow::Result<SessionSource> {
        let modified = |source: &SessionSource| source.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        sources.sort_by_cached_key(|source| std::cmp::Reverse(modified(source)));
        let (options, prices) = (self.options(EventFilter::All), Prices::open(None)?);
        let (mut files, mut overviews) = (Vec::new(), HashMap::new());
        let index = self.index(sources);
        let mut listed;
        let mut rest = sources.iter().peekable();
        loop {
            // Doubling bounds the number of rounds.
            let count = (2 * files.len()).max(position + 1);
            while files.len() < count
                && let Some(source) = rest.next()
            {
                let (file, overview) = overview::read(source, &options, index.as_ref());
                overviews.insert(file.name.clone(), overview);
                files.push(file);
            }
            listed = entries(&mut files, &overviews, &prices);
            listed.retain(|entry| {
                self.project.is_none_or(|project| project.matches(entry.project.as_deref()))
            });
            let is_older = |source: &&SessionSource| {
                let written = modified(source) + CLOCK_SKEW;
                listed.get(position).is_some_and(|entry| SystemTime::from(entry.last) > written)
            };
            if rest.peek().is_none_or(is_older) {
                break;
            }
        }
        if let Some(index) = index {
            // Nothing depends on what cannot be written.
            let _ = index.finish(sources);
        }
        let Some(entry) = listed.get(position) else {
            let sessions = plural(listed.len() as u64, "session");
            bail!("{LAST}: only {sessions}{}", self.searched());
        };
        let main = entry.files.first();
        let found = sources.iter().find(|source| Some(&source.name()) == main);
        found.cloned().ok_or_else(|| anyhow::anyhow!("{LAST}: no session"))
    }

    /// Opens the index. Without it, everything is read.
    fn index(&self, sources: &[SessionSource]) -> Option<Index> {
        let options = IndexOptions {
            folders: &self.folders,
            is_complete: false,
            rebuilds: false,
            keeps: false,
        };
        let open = || Index::open(&options, &self.options(EventFilter::All), sources).ok();
        if self.uses_index { open().flatten() } else { None }
    }

    /// Returns what is remembered about a file that has not changed.
    fn remembered(&self, source: &SessionSource, index: &Index) -> Option<Candidate> {
        let options = self.options(EventFilter::Usage);
        let file = usage::unchanged(source, &options, &index.recall(source)?)?;
        Some(Candidate {
            source: source.clone(),
            id: Some(file.id).filter(|id| *id != file.name)?,
            started_by: file.started_by,
            harness: file.harness,
            cwd: file.cwd,
            first: file.first,
        })
    }

    /// Reads the start of a file as far as it names its session.
    fn identify(&self, source: &SessionSource) -> Option<Candidate> {
        let mut head = Head { session: Session::new(self.harness), ..Head::default() };
        // The sink ends the reading early.
        let _ = usage::read_file(source, &self.options(EventFilter::Usage), &mut head);
        let session = &head.session;
        Some(Candidate {
            source: source.clone(),
            id: session.id()?.to_owned(),
            started_by: head.started_by.clone(),
            harness: session.harness(),
            cwd: session.description().and_then(|description| description.cwd.clone()),
            first: head.first,
        })
    }

    fn options(&self, filter: EventFilter) -> ReaderOptions {
        let (harness, described) = (self.harness, self.described);
        let decode = DecodeOptions { harness, described, filter, ..DecodeOptions::default() };
        ReaderOptions {
            decode,
            max_line: self.max_line,
            threads: Some(1),
            ..ReaderOptions::default()
        }
    }

    /// Returns the sessions of files, those of subagents with the session that started
    /// them.
    fn group(&self, candidates: Vec<Candidate>) -> Vec<NamedSession> {
        let mut sessions: HashMap<String, Candidate> = HashMap::new();
        for candidate in candidates {
            let is_wanted = |project: &ProjectFilter| project.matches(candidate.cwd.as_deref());
            if !self.project.is_none_or(is_wanted) {
                continue;
            }
            let id = candidate.started_by.as_ref().unwrap_or(&candidate.id).clone();
            let rank = |file: &Candidate| {
                let (started, name) = (file.started_by.is_some(), file.source.name());
                let (is_started, has_other_name, length, _) = main_file_rank(&id, &name, started);
                (is_started, has_other_name, length)
            };
            match sessions.get(&id) {
                Some(known) if rank(known) <= rank(&candidate) => {}
                _ => {
                    sessions.insert(id, candidate);
                }
            }
        }
        sessions.into_iter().map(|(id, main)| NamedSession { id, main }).collect()
    }

    fn searched(&self) -> String {
        match self.folders.as_slice() {
            [] => "; no agent CLI keeps sessions here".to_owned(),
            _ => " (`streamj sessions` lists them)".to_owned(),
        }
    }
}

/// Lists the sessions whose ids start with `name`.
fn describe(name: &str, found: &[NamedSession]) -> String {
    let zone = TimeZone::try_system().unwrap_or(TimeZone::UTC);
    let mut text = format!("{name}: {} sessions match; give more of the id:", found.len());
    for NamedSession { id, main } in found.iter().take(MAX_LISTED) {
        let time =
            main.first.map(|time| time.to_zoned(zone.clone()).strftime("%F %H:%M").to_string());
        let time = time.unwrap_or_default();
        let project = main.cwd.as_deref().unwrap_or("-");
        let line = format!("{id}  {}  {time}  {project}", main.harness);
        text.push_str("\n  ");
        text.push_str(sanitize(&single_line(&line)).trim_end());
    }
    if let Some(more) = found.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
        text.push_str("\n  … ");
        text.push_str(&plural(more as u64, "more session"));
    }
    text
}

/// Reads a file until its session and its folder are known.
#[derive(Default)]
struct Head {
    session: Session,
    started_by: Option<String>,
    first: Option<Timestamp>,
}

impl LineSink for Head {
    fn line(&mut self, number: u64, line: &DecodedLine<'_>) -> io::Result<()> {
        if let DecodedLine::Record(record) = line {
            self.session.apply(record);
            self.first = self.first.or_else(|| record.time());
            for event in record.events {
                if let crate::event::Event::Session(info) = event {
                    self.started_by = info.started_by.map(str::to_owned);
                }
            }
        }
        let description = self.session.description();
        let has_folder = description.is_some_and(|description| description.cwd.is_some());
        let is_known = self.session.id().is_some() && has_folder;
        if is_known || number >= MAX_HEAD {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sessions_are_told_from_files() {
        for name in ["@last", "@last-2", "7f3c", "ses_1a2b", "01a1e184-9112"] {
            assert!(is_session_name(Path::new(name)), "{name}");
        }
        for name in
            ["-", "7f3", "@lasting", "@last-x", "run.jsonl", "./7f3c", "a/b", "--json", "src"]
        {
            assert!(!is_session_name(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn main_file_is_the_one_with_the_id_in_its_name() {
        let rank = |name| main_file_rank("7f3c", name, false);
        assert!(rank("p/7f3c.jsonl") < rank("p/7f3c/subagents/agent-1.jsonl"));
        assert!(rank("p/7f3c.jsonl") < main_file_rank("7f3c", "a", true));
    }
}
