//! The session of a run.

use crate::codec::codec_struct;
use crate::event::{Event, SessionInfo};
use crate::harness::{Harness, Record};
use crate::json::Json;

/// What is known about the session. The first value of each kind is kept.
#[derive(Debug, Default)]
pub struct Session {
    harness: Option<Harness>,
    /// The harness of a record that is not certain.
    guess: Option<Harness>,
    id: Option<String>,
    /// The last id that differs from the first.
    changed_to: Option<String>,
    description: Option<SessionDescription>,
    message_model: Option<String>,
}

/// How the session described itself first, completed by later lines.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SessionDescription {
    /// The requested model.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The release of the CLI.
    pub version: Option<String>,
    /// How permissions are handled.
    pub permission_mode: Option<String>,
    /// A label for the origin of the credentials.
    pub api_key_source: Option<String>,
    /// The tools, as JSON.
    pub tools: Option<Vec<u8>>,
    /// The MCP servers, as JSON.
    pub mcp_servers: Option<Vec<u8>>,
    /// The kinds of subagents, as JSON.
    pub agents: Option<Vec<u8>>,
    /// The slash commands, as JSON.
    pub slash_commands: Option<Vec<u8>>,
}

codec_struct!(Session { harness, guess, id, changed_to, description, message_model });

// The other members do not change once they are set, and nothing that is remembered needs
// them.
codec_struct!(SessionDescription { model, cwd, version }..Self::default());

impl Session {
    /// Creates a session of `harness`, if that is known.
    pub(crate) fn new(harness: Option<Harness>) -> Self {
        Self { harness, ..Self::default() }
    }

    /// Updates the session from a record.
    pub fn apply(&mut self, record: &Record<'_>) {
        if record.is_certain {
            if self.harness.is_none_or(|own| record.harness.is_fork_of(own)) {
                self.harness = Some(record.harness);
            }
        } else if record.harness != Harness::Unknown {
            self.guess.get_or_insert(record.harness);
        }
        self.set_id(record.session_id);
        for event in record.events {
            match event {
                Event::Session(info) => match &mut self.description {
                    None => self.description = Some(SessionDescription::new(info)),
                    Some(first) if self.changed_to.is_none() => first.complete(info),
                    Some(_) => {}
                },
                Event::Model { model } if self.message_model.is_none() => {
                    self.message_model = Some((*model).to_owned());
                }
                Event::Message(message) if self.message_model.is_none() => {
                    self.message_model = message.model.map(str::to_owned);
                }
                _ => {}
            }
        }
    }

    /// Updates the session from an id, if a line names one.
    pub(crate) fn set_id(&mut self, id: Option<&str>) {
        let Some(id) = id else { return };
        match &self.id {
            None => self.id = Some(id.to_owned()),
            Some(own) if own == id || self.changed_to.as_deref() == Some(id) => {}
            Some(_) => self.changed_to = Some(id.to_owned()),
        }
    }

    /// Returns the CLI.
    #[must_use]
    pub fn harness(&self) -> Harness {
        self.harness.or(self.guess).unwrap_or(Harness::Unknown)
    }

    /// Returns the session id.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the requested model, or the first that answered.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let requested = self.description.as_ref().and_then(|info| info.model.as_deref());
        requested.or(self.message_model.as_deref())
    }

    /// Returns the last id that differs from the first: there are two sessions in one
    /// stream.
    pub(crate) fn changed_to(&self) -> Option<&str> {
        self.changed_to.as_deref()
    }

    /// Returns how the session described itself.
    #[must_use]
    pub fn description(&self) -> Option<&SessionDescription> {
        self.description.as_ref()
    }
}

impl SessionDescription {
    /// Adds what a later line says about the same session.
    fn complete(&mut self, info: &SessionInfo<'_>) {
        let members = [
            (&mut self.model, info.model),
            (&mut self.cwd, info.cwd),
            (&mut self.version, info.version),
        ];
        for (known, told) in members {
            if known.is_none() {
                *known = told.map(str::to_owned);
            }
        }
    }

    fn new(info: &SessionInfo<'_>) -> Self {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let json = |json: Option<Json<'_>>| json.map(|json| json.bytes().to_vec());
        Self {
            model: text(info.model),
            cwd: text(info.cwd),
            version: text(info.version),
            permission_mode: text(info.permission_mode),
            api_key_source: text(info.api_key_source),
            tools: json(info.tools),
            mcp_servers: json(info.mcp_servers),
            agents: json(info.agents),
            slash_commands: json(info.slash_commands),
        }
    }
}
