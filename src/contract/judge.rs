//! Holds one line after the other against a contract.

use super::claude_v1::{self, ClaudeStreamJsonParseError as Violation};
use super::{Contract, claude, codex};
use crate::event::Packet;
use crate::harness::Harness;
use crate::json::{Json, Value};

/// Nested deeper than this, a line is not JSON to the contract's parser.
const MAX_DEPTH: usize = 127;

/// A line that keeps the contract.
#[derive(Clone, Debug)]
pub(crate) struct Verdict<'a> {
    /// What it is.
    pub(crate) variant: &'static str,
    /// The session it names.
    pub(crate) session_id: Option<&'a str>,
    /// The word that says more.
    pub(crate) subtype: Option<&'a str>,
    /// Types and subtypes that the contract does not know.
    pub(crate) unknown: Vec<String>,
}

impl Verdict<'_> {
    pub(super) fn new(variant: &'static str) -> Self {
        Self { variant, session_id: None, subtype: None, unknown: Vec::new() }
    }

    pub(super) fn unknown(name: String) -> Self {
        Self { unknown: vec![name], ..Self::new("Unknown") }
    }
}

/// Judges the lines of one stream.
#[derive(Debug)]
pub(crate) struct Judge {
    contract: Contract,
    session: Option<String>,
}

impl Judge {
    pub(crate) fn new(contract: Contract) -> Self {
        Self { contract, session: None }
    }

    /// The session seen last.
    pub(crate) fn session(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Judges an object: a Codex line by the contract of Codex, any other by
    /// that of Claude Code.
    pub(crate) fn object<'a>(
        &self,
        packet: &Packet<'a>,
        object: Value<'_, 'a>,
    ) -> Result<Verdict<'a>, Violation> {
        // What the tokeniser takes and serde_json might not.
        let doubtful = packet.mended || object.is_beyond(MAX_DEPTH);
        if doubtful && let Some(violation) = claude_v1::not_json(packet.json.bytes()) {
            return Err(violation);
        }
        match (packet.harness, self.contract) {
            (Harness::Codex, _) => codex::judge(object),
            (_, Contract::Current) => claude::judge(object),
            (_, Contract::V1) => {
                let judged = claude_v1::judge(object)?;
                let unknown = (judged.kind == claude_v1::Kind::Unknown)
                    .then(|| object.get("type").and_then(Value::as_str))
                    .flatten();
                Ok(Verdict {
                    variant: judged.kind.name(),
                    session_id: judged.session_id,
                    subtype: judged.kind.subtype(),
                    unknown: unknown.map(str::to_owned).into_iter().collect(),
                })
            }
        }
    }

    /// Goes on behind a line that keeps the contract.
    pub(crate) fn go_on(&mut self, verdict: &Verdict<'_>) {
        let known = verdict.variant != "Unknown";
        if known && verdict.session_id.is_some() && verdict.session_id != self.session() {
            self.session = verdict.session_id.map(str::to_owned);
        }
    }

    /// Judges JSON that is no object.
    pub(crate) fn other(json: Json<'_>) -> Violation {
        claude_v1::not_json(json.bytes()).unwrap_or_else(|| Violation::typed("expected an object"))
    }
}
