//! CLIs that a file describes: which lines are theirs, and where the members of each event
//! are. `docs/harnesses.md` explains the format.
//!
//! | file | content |
//! |---|---|
//! | `lookup` | JSON pointers and conditions |
//! | `rules` | what a description contains |
//! | `parse`, `table` | TOML, and what is wrong with it |
//! | `decode`, `events` | detection and translation of lines |
//! | `adapter` | the answers to all other questions about a CLI |
//! | `infer` | a first description, from a recording |

mod adapter;
mod decode;
mod events;
#[cfg(feature = "cli")]
mod infer;
mod lookup;
#[cfg(feature = "descriptions")]
mod parse;
mod rules;
#[cfg(feature = "descriptions")]
mod table;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use super::{Adapter, Harness};
use lookup::{Conditions, Paths};
use rules::Rules;

#[cfg(feature = "cli")]
pub(crate) use infer::infer;
#[cfg(feature = "cli")]
pub(crate) use parse::MAX_BYTES;

/// The description of a CLI that is not built in.
///
/// ```
/// # #[cfg(feature = "descriptions")] {
/// use streamj::harness::{Description, Harness};
///
/// let description = Description::parse(
///     r#"
///     name = "my-agent"
///     [[text]]
///     when = { event = "say" }
///     text = "/message"
///     "#,
/// )?;
/// let harness = Harness::described(description);
/// assert_eq!(harness.name(), "my-agent");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Description {
    name: String,
    title: String,
    /// The names of its executables.
    programs: Vec<String>,
    /// The variables that hold credentials.
    credentials: Vec<String>,
    /// The start of the command that resumes a session.
    resume: Option<String>,
    /// Conditions that hold for every line, and for no line of another CLI.
    recognise: Option<Conditions>,
    session: Paths,
    parent: Paths,
    time: Paths,
    /// Whether every finished run has a terminal event.
    has_end: bool,
    rules: Rules,
}

impl Description {
    /// Returns the name used in records and on the command line.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What is wrong with a description, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DescriptionError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for DescriptionError {}

/// A described CLI: a description that is kept until the process ends.
#[derive(Clone, Copy)]
pub struct Described(&'static Entry);

struct Entry {
    description: Description,
    adapter: OnceLock<Adapter>,
}

impl Described {
    /// Keeps a description.
    pub(super) fn new(description: Description) -> Self {
        Self(Box::leak(Box::new(Entry { description, adapter: OnceLock::new() })))
    }

    /// Returns the description.
    pub(super) fn description(self) -> &'static Description {
        &self.0.description
    }

    /// Returns the answers to all questions about the CLI. Not inlined, since the adapters
    /// of built-in CLIs are constants.
    #[inline(never)]
    pub(super) fn adapter(self) -> &'static Adapter {
        self.0.adapter.get_or_init(|| adapter::adapter(self))
    }
}

impl fmt::Debug for Described {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.description().name())
    }
}

impl PartialEq for Described {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Described {}

impl Hash for Described {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

/// Returns the description of a harness, if it is a described one.
pub(super) fn description_of(harness: Harness) -> Option<&'static Description> {
    match harness {
        Harness::Described(described) => Some(described.description()),
        _ => None,
    }
}
