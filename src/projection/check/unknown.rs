//! Types and members that the format tables do not contain, with their counts.

use std::collections::BTreeMap;

use crate::output::plural;

/// Names that are counted separately: they come from the stream and must not fill the
/// memory.
const MAX_NAMES: usize = 1000;

/// Characters of a name. A path consists of names from the tables and one name from
/// the stream.
const MAX_TYPE: usize = 80;
const MAX_MEMBER: usize = 160;

/// The name of something that the tables do not contain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnknownName {
    /// A type or a subtype.
    Type(String),
    /// The path of a member.
    Member(String),
    /// Any name beyond the limit.
    Other,
}

impl UnknownName {
    /// Returns the name as it is in the stream.
    pub fn name(&self) -> &str {
        match self {
            Self::Type(name) | Self::Member(name) => name,
            Self::Other => "…",
        }
    }

    /// Describes it; its name is printed as `shown`.
    pub fn message(&self, shown: &str, lines: u64) -> String {
        let what = if self.is_member() { "member" } else { "type" };
        format!("unknown {what} {shown}, {}", plural(lines, "line"))
    }

    fn is_member(&self) -> bool {
        matches!(self, Self::Member(_))
    }
}

/// The lines on which something occurs.
#[derive(Clone, Copy, Debug)]
struct Occurrences {
    /// The first of them.
    line: u64,
    count: u64,
    /// The ordinal of the last record, which counts once.
    last: u64,
}

/// Unknown names and where they occur.
#[derive(Debug, Default)]
pub(super) struct UnknownNames {
    names: BTreeMap<UnknownName, Occurrences>,
}

impl UnknownNames {
    /// Counts an unknown type.
    pub fn add_type(&mut self, name: &str, line: u64, record: u64) {
        self.add(UnknownName::Type(truncated(name, MAX_TYPE)), line, record);
    }

    /// Counts an unknown member.
    pub fn add_member(&mut self, path: &str, line: u64, record: u64) {
        self.add(UnknownName::Member(truncated(path, MAX_MEMBER)), line, record);
    }

    fn add(&mut self, name: UnknownName, line: u64, record: u64) {
        let fits = self.names.len() < MAX_NAMES || self.names.contains_key(&name);
        let name = if fits { name } else { UnknownName::Other };
        let first = Occurrences { line, count: 0, last: 0 };
        let occurrences = self.names.entry(name).or_insert(first);
        if occurrences.last != record {
            occurrences.last = record;
            occurrences.count += 1;
        }
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the names, each with its first line and the number of its lines, in the
    /// order of the lines.
    pub fn by_line(&self) -> Vec<(&UnknownName, u64, u64)> {
        let names = self.names.iter();
        let mut names: Vec<_> =
            names.map(|(name, Occurrences { line, count, .. })| (name, *line, *count)).collect();
        names.sort_by_key(|(_, line, _)| *line);
        names
    }

    /// Describes how many there are.
    pub fn facts(&self) -> impl Iterator<Item = String> {
        let members = self.names.keys().filter(|name| name.is_member()).count();
        let types = self.names.len() - members;
        [(types, "unknown type"), (members, "unknown member")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| plural(count as u64, what))
    }
}

fn truncated(name: &str, length: usize) -> String {
    name.chars().take(length).collect()
}
