//! `session`: who, where, with what.

use std::io;

use super::Projection;
use crate::exit::Exit;
use crate::harness::Reading;
use crate::json::Json;
use crate::output::{Object, Output, Record, Sink, columns};
use crate::run::{Description, Session};

/// Keeps the first description and prints it.
#[derive(Default)]
pub(super) struct SessionOfRun {
    session: Session,
}

impl Projection for SessionOfRun {
    fn read(&mut self, reading: &Reading<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        if let Reading::Packet(packet) = reading {
            self.session.apply(packet);
        }
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        out.record(&Row(&self.session))?;
        Ok(Exit::Done)
    }
}

struct Row<'a>(&'a Session);

/// The columns of a table.
pub(super) const COLUMNS: &[&str] = &[
    "harness",
    "session_id",
    "model",
    "cwd",
    "version",
    "permission_mode",
    "api_key_source",
    "tools",
    "mcp_servers",
    "agents",
    "slash_commands",
];

impl Record for Row<'_> {
    fn json(&self, object: &mut Object<'_>) {
        let empty = Description::default();
        let told = self.0.description().unwrap_or(&empty);
        object
            .text("harness", self.0.harness().name())
            .text("session_id", self.0.id())
            .text("model", self.0.model())
            .text("cwd", told.cwd.as_deref())
            .text("version", told.version.as_deref())
            .raw("tools", told.tools.as_deref())
            .raw("mcp_servers", told.mcp_servers.as_deref())
            .text("permission_mode", told.permission_mode.as_deref())
            .text("api_key_source", told.api_key_source.as_deref())
            .raw("agents", told.agents.as_deref())
            .raw("slash_commands", told.slash_commands.as_deref());
    }

    fn human(&self, sink: &mut Sink) -> io::Result<()> {
        let empty = Description::default();
        let told = self.0.description().unwrap_or(&empty);
        let names = |json: &Option<Vec<u8>>| json.as_deref().map(names);
        let facts = [
            ("harness", Some(self.0.harness().to_string())),
            ("session", self.0.id().map(str::to_owned)),
            ("model", self.0.model().map(str::to_owned)),
            ("directory", told.cwd.clone()),
            ("version", told.version.clone()),
            ("permissions", told.permission_mode.clone()),
            ("credentials", told.api_key_source.clone()),
            ("tools", names(&told.tools)),
            ("MCP servers", names(&told.mcp_servers)),
            ("agents", names(&told.agents)),
        ];
        let told = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let shown = told.filter(|(_, value)| !value.is_empty());
        let rows: Vec<_> = shown
            .map(|(name, value)| vec![name.to_owned(), sink.fit(&value).into_owned()])
            .collect();
        columns(&rows, &[]).iter().try_for_each(|line| sink.print(&format!("{line}\n")))
    }
}

/// The names in a list of strings, or of objects with a name and a status.
fn names(list: &[u8]) -> String {
    let text = |json: Json<'_>| json.as_str().map(std::borrow::Cow::into_owned);
    let name = |element: Json<'_>| {
        let own = || {
            let name = text(element.get("name")?)?;
            let status = element.get("status").and_then(text);
            Some(status.map_or(name.clone(), |status| format!("{name} ({status})")))
        };
        text(element).or_else(own)
    };
    Json::new(list).elements().filter_map(name).collect::<Vec<_>>().join(", ")
}
