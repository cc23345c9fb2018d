//! Which session is this, and how does it describe itself?

use crate::event::{Event, Packet, Session as Described};
use crate::harness::Harness;

/// What is known of the session. The first to say something is right.
#[derive(Debug, Default)]
pub struct Session {
    harness: Option<Harness>,
    /// The best guess until somebody is sure.
    guess: Option<Harness>,
    id: Option<String>,
    /// The latest id that is not the first.
    changed_to: Option<String>,
    description: Option<Description>,
    message_model: Option<String>,
}

/// How the session described itself, first time.
#[derive(Debug, Default)]
pub struct Description {
    /// The model asked for.
    pub model: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The release of the CLI.
    pub version: Option<String>,
    /// How permissions are handled.
    pub permission_mode: Option<String>,
    /// Where the credentials come from.
    pub api_key_source: Option<String>,
    /// Tools, as JSON.
    pub tools: Option<Vec<u8>>,
    /// MCP servers, as JSON.
    pub mcp_servers: Option<Vec<u8>>,
    /// Kinds of subagents, as JSON.
    pub agents: Option<Vec<u8>>,
    /// Slash commands, as JSON.
    pub slash_commands: Option<Vec<u8>>,
}

impl Session {
    /// A session of `harness`, if that is known beforehand.
    #[must_use]
    pub fn new(harness: Option<Harness>) -> Self {
        Self { harness, ..Self::default() }
    }

    /// Takes in what a packet says.
    pub fn apply(&mut self, packet: &Packet<'_>) {
        if packet.certain {
            self.harness.get_or_insert(packet.harness);
        } else if packet.harness != Harness::Unknown {
            self.guess.get_or_insert(packet.harness);
        }
        if let Some(id) = packet.session_id {
            match &self.id {
                None => self.id = Some(id.to_owned()),
                Some(own) if own == id || self.changed_to.as_deref() == Some(id) => {}
                Some(_) => self.changed_to = Some(id.to_owned()),
            }
        }
        for event in packet.events {
            match event {
                Event::Session(told) if self.description.is_none() => {
                    self.description = Some(Description::of(told));
                }
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

    /// Whose session it is.
    #[must_use]
    pub fn harness(&self) -> Harness {
        self.harness.or(self.guess).unwrap_or(Harness::Unknown)
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The model asked for, else the first that answered.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        let asked = self.description.as_ref().and_then(|told| told.model.as_deref());
        asked.or(self.message_model.as_deref())
    }

    /// The latest id that is not the first: two sessions in one stream.
    #[must_use]
    pub fn changed_to(&self) -> Option<&str> {
        self.changed_to.as_deref()
    }

    /// How it described itself.
    #[must_use]
    pub fn description(&self) -> Option<&Description> {
        self.description.as_ref()
    }
}

impl Description {
    fn of(told: &Described<'_>) -> Self {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let json = |json: Option<crate::json::Json<'_>>| json.map(|json| json.bytes().to_vec());
        Self {
            model: text(told.model),
            cwd: text(told.cwd),
            version: text(told.version),
            permission_mode: text(told.permission_mode),
            api_key_source: text(told.api_key_source),
            tools: json(told.tools),
            mcp_servers: json(told.mcp_servers),
            agents: json(told.agents),
            slash_commands: json(told.slash_commands),
        }
    }
}
