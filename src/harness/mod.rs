//! Whose line is this, and what does it say?
//!
//! One file per agent CLI translates that program's lines into neutral
//! [events](crate::event). Translating is a pure function of the line; the
//! only state here is which dialect the stream has shown so far, for lines
//! that could be anybody's.
//!
//! A new harness is one file with the two functions of a `Dialect`, and one
//! line in the table below.

mod decoder;

pub use decoder::{Decoder, Reading};

use std::fmt;

use crate::event::{Event, Packet};
use crate::json::{Json, Value};

/// Declares the harnesses and the dialects (files) each of them speaks.
macro_rules! harnesses {
    ($( $(#[$doc:meta])* $name:ident = $word:literal : $($dialect:ident),+ ;)+) => {
        $( $( mod $dialect; )+ )+

        /// An agent CLI.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
        }

        static DIALECTS: &[Dialect] = &[
            $( $( Dialect {
                harness: Harness::$name,
                claim: $dialect::claim,
                decode: $dialect::decode,
            }, )+ )+
        ];
    };
}

harnesses! {
    /// Claude Code, by Anthropic, and others that print its shape.
    Claude = "claude": claude;
    /// Codex, by `OpenAI`.
    Codex = "codex": codex, codex_envelope;
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
        Self::ALL
            .iter()
            .copied()
            .find(|harness| harness.name() == name)
    }
}

/// One way of printing events.
struct Dialect {
    harness: Harness,
    /// How sure it is that an object is in this dialect.
    claim: fn(&Head<'_>) -> Claim,
    /// What an object in this dialect says.
    decode: for<'a> fn(&Head<'a>, &mut Vec<Event<'a>>) -> Origin<'a>,
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
struct Origin<'a> {
    session_id: Option<&'a str>,
    parent_id: Option<&'a str>,
}

/// The object with the members detection looks at first.
struct Head<'a> {
    object: Value<'a>,
    kind: Option<&'a str>,
    subtype: Option<&'a str>,
    session_id: Option<&'a str>,
    /// The name in a `harness` member.
    tag: Option<Harness>,
}

impl<'a> Head<'a> {
    fn new(object: Value<'a>) -> Self {
        let mut head = Self {
            object,
            kind: None,
            subtype: None,
            session_id: None,
            tag: None,
        };
        let mut alias = None;
        for member in object.members() {
            let text = member.value.as_str();
            match member.key {
                "type" => head.kind = text,
                "subtype" => head.subtype = text,
                "session_id" => head.session_id = text,
                "sessionId" => alias = text,
                "harness" => head.tag = text.and_then(Harness::from_name),
                _ => {}
            }
        }
        head.session_id = head.session_id.or(alias);
        head
    }

    fn get(&self, key: &str) -> Option<Value<'a>> {
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
        Event::Other {
            kind: self.kind,
            subtype: self.subtype,
        }
    }
}

/// A count, if the member is there at all.
fn count(value: Option<Value<'_>>) -> Option<u64> {
    value.filter(|value| !value.is_null()).map(Value::as_count)
}
