//! Whose line is this, and what does it say?
//!
//! One file per agent CLI translates that program's lines into neutral
//! [events](crate::event), and keeps the words of its contract for the fold.
//! Translating is a pure function of the line; the only state here is which
//! dialect the stream has shown so far, for lines that could be anybody's.
//!
//! A new harness is one file (with `claim`, `decode` and `RULES`), its `mod`
//! line, and its line in the table below. What a CLI keeps on disk is another
//! dialect of its harness, in a file of its own.

mod block;
mod decoder;
mod detector;
mod growth;

mod claude;
mod claude_transcript;
mod codex;
mod codex_envelope;
mod codex_rollout;

pub use block::{BlockDecoder, Decoded, Outlook, Spare};
pub use decoder::{Decoder, Habits, Objects, Reading};
pub use growth::Growth;

use std::fmt;

use crate::event::{Event, Interest, Packet};
use crate::json::{Json, Value};
use detector::Detector;

/// Declares the harnesses, and the dialects (files) each of them speaks. The
/// first file has the rules.
macro_rules! harnesses {
    ($( $(#[$doc:meta])* $name:ident = $word:literal : $first:ident $(, $more:ident)* ;)+) => {
        /// An agent CLI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Harness {
            $( $(#[$doc])* $name, )+
            /// Nobody streamj knows.
            Unknown,
        }

        impl Harness {
            /// Every harness that can be asked for by name.
            pub const ALL: &[Self] = &[ $( Self::$name ),+ ];

            /// Its name in records and on the command line.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $( Self::$name => $word, )+
                    Self::Unknown => "unknown",
                }
            }

            /// What its contract says.
            #[must_use]
            pub fn rules(self) -> &'static Rules {
                match self {
                    $( Self::$name => &$first::RULES, )+
                    Self::Unknown => &UNKNOWN_RULES,
                }
            }
        }

        static DIALECTS: &[Dialect] = &[ $(
            Dialect {
                harness: Harness::$name,
                claim: $first::claim,
                decode: $first::decode,
            },
            $( Dialect {
                harness: Harness::$name,
                claim: $more::claim,
                decode: $more::decode,
            }, )*
        )+ ];
    };
}

harnesses! {
    /// Claude Code, by Anthropic, and others that print its shape.
    Claude = "claude": claude, claude_transcript;
    /// Codex, by `OpenAI`.
    Codex = "codex": codex, codex_envelope, codex_rollout;
}

impl fmt::Display for Harness {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Harness {
    /// The harness called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|harness| harness.name() == name)
    }

    /// Whose an object is, for somebody who has seen nothing else of its stream.
    #[must_use]
    pub fn of(object: Value<'_, '_>) -> Self {
        let detected = Detector::default().detect(&Head::new(object, Interest::Nothing));
        detected.map_or(Self::Unknown, |detected| detected.dialect.harness)
    }
}

/// What the fold must know about a harness: the words of its contract.
#[derive(Debug)]
pub struct Rules {
    /// Error texts with one of these are about a limit. Lower case.
    pub rate_limit: &'static [&'static str],
    /// Error texts with one of these are about credentials. Lower case.
    pub auth: &'static [&'static str],
    /// What ends an error text that was cut.
    pub truncated: &'static str,
    /// The warning about a stream without its terminal event, if the contract
    /// asks for one.
    pub missing_end: Option<&'static str>,
    /// What is wrong with a stream that just stops.
    pub just_stops: &'static str,
    /// The summary tells of a thread and its turns.
    pub thread_metadata: bool,
    /// Asked for a document, it answers with it: the last message is one.
    pub answers_with_document: bool,
    /// A good end may be doubted: see [`crate::run::heuristics`].
    pub heuristics: bool,
}

static UNKNOWN_RULES: Rules = Rules {
    rate_limit: &["429", "rate limit", "rate-limit"],
    auth: &["401", "403", "unauthorized"],
    truncated: " ... (truncated)",
    missing_end: None,
    just_stops: "the stream has no event of a known agent CLI",
    thread_metadata: false,
    answers_with_document: false,
    heuristics: false,
};

/// One way of printing events.
struct Dialect {
    harness: Harness,
    /// How sure it is that an object is in this dialect.
    claim: fn(&Head<'_, '_>) -> Claim,
    /// What an object in this dialect says.
    decode: for<'t, 'a> fn(&Head<'t, 'a>, &mut Vec<Event<'a>>) -> Place<'a>,
}

/// How sure a dialect is of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Claim {
    /// Not its own.
    No,
    /// Its own if nobody else has been seen in the stream.
    Shared,
    /// Its own, whatever came before.
    Certain,
}

impl Claim {
    fn certain_if(condition: bool) -> Self {
        if condition { Self::Certain } else { Self::No }
    }
}

/// Where in the run an object belongs.
#[derive(Clone, Copy, Debug, Default)]
struct Place<'a> {
    session_id: Option<&'a str>,
    parent_id: Option<&'a str>,
    on_disk: bool,
}

/// The object with the members detection looks at first.
struct Head<'t, 'a> {
    object: Value<'t, 'a>,
    kind: Option<&'a str>,
    subtype: Option<&'a str>,
    session_id: Option<&'a str>,
    message: Option<Value<'t, 'a>>,
    event: Option<Value<'t, 'a>>,
    parent_id: Option<&'a str>,
    timestamp: Option<&'a str>,
    /// Whether it is linked to the entry before it, as in a transcript.
    linked: bool,
    /// Whether there is a `harness` member, and whom it names.
    tagged: bool,
    tag: Option<Harness>,
    /// What is asked for. A dialect may say more, or save itself the work.
    interest: Interest,
}

impl<'t, 'a> Head<'t, 'a> {
    fn new(object: Value<'t, 'a>, interest: Interest) -> Self {
        let mut head = Self {
            object,
            kind: None,
            subtype: None,
            session_id: None,
            message: None,
            event: None,
            parent_id: None,
            timestamp: None,
            linked: false,
            tagged: false,
            tag: None,
            interest,
        };
        let mut alias = None;
        for member in object.members() {
            let value = member.value;
            match member.key {
                "type" => head.kind = value.as_str(),
                "subtype" => head.subtype = value.as_str(),
                "session_id" => head.session_id = value.as_str(),
                "sessionId" => alias = value.as_str(),
                "message" => head.message = Some(value),
                "event" => head.event = Some(value),
                "parent_tool_use_id" => head.parent_id = value.as_str(),
                "timestamp" => head.timestamp = value.as_str(),
                "parentUuid" => head.linked = true,
                "harness" => {
                    head.tagged = true;
                    head.tag = value.as_str().and_then(Harness::from_name);
                }
                _ => {}
            }
        }
        head.session_id = head.session_id.or(alias);
        head
    }

    fn get(&self, key: &str) -> Option<Value<'t, 'a>> {
        self.object.get(key)
    }

    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn str(&self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }

    /// The event of last resort: a line that is only known by its type.
    fn other(&self) -> Event<'a> {
        Event::Other { kind: self.kind, subtype: self.subtype }
    }
}

/// A count, if the member is there at all.
fn count(value: Option<Value<'_, '_>>) -> Option<u64> {
    value.filter(|value| !value.is_null()).map(Value::as_count)
}
