//! `session`: session id, model, directory, version, tools.

use std::borrow::Cow;
use std::io;

use super::Projection;
use crate::exit::Exit;
use crate::json::Json;
use crate::output::{ObjectWriter, Output, Row, Sink, columns};
use crate::reader::DecodedLine;
use crate::run::{Session, SessionDescription};

/// Prints the first description of the session.
#[derive(Default)]
pub(crate) struct SessionProjection {
    session: Session,
}

impl Projection for SessionProjection {
    fn line(&mut self, line: &DecodedLine<'_>, _: u64, _: &mut Output) -> io::Result<()> {
        match line {
            DecodedLine::Record(record) => self.session.apply(record),
            DecodedLine::Text(session_id) => self.session.set_id(*session_id),
            _ => {}
        }
        Ok(())
    }

    fn end(self: Box<Self>, out: &mut Output) -> io::Result<Exit> {
        out.row(&SessionRow(&self.session))?;
        Ok(Exit::Success)
    }
}

struct SessionRow<'a>(&'a Session);

impl SessionRow<'_> {
    fn resume_command(&self) -> Option<String> {
        self.0.harness().adapter().resume_command(self.0.id()?)
    }
}

pub(crate) const COLUMNS: &[&str] = &[
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
    "resume_command",
];

impl Row for SessionRow<'_> {
    fn kind(&self) -> Cow<'_, str> {
        Cow::Borrowed("session")
    }

    fn write_json(&self, to: &mut Vec<u8>) {
        let empty = SessionDescription::default();
        let description = self.0.description().unwrap_or(&empty);
        ObjectWriter::write(to, |object| {
            object
                .text("harness", self.0.harness().name())
                .text("session_id", self.0.id())
                .text("model", self.0.model())
                .text("cwd", description.cwd.as_deref())
                .text("version", description.version.as_deref())
                .raw("tools", description.tools.as_deref())
                .raw("mcp_servers", description.mcp_servers.as_deref())
                .text("permission_mode", description.permission_mode.as_deref())
                .text("api_key_source", description.api_key_source.as_deref())
                .raw("agents", description.agents.as_deref())
                .raw("slash_commands", description.slash_commands.as_deref())
                .text("resume_command", self.resume_command().as_deref());
        });
    }

    fn write_human(&self, sink: &mut Sink) -> io::Result<()> {
        let empty = SessionDescription::default();
        let description = self.0.description().unwrap_or(&empty);
        let names = |json: &Option<Vec<u8>>| json.as_deref().map(names);
        let facts = [
            ("harness", Some(self.0.harness().to_string())),
            ("session", self.0.id().map(str::to_owned)),
            ("model", self.0.model().map(str::to_owned)),
            ("directory", description.cwd.clone()),
            ("version", description.version.clone()),
            ("permissions", description.permission_mode.clone()),
            ("credentials", description.api_key_source.clone()),
            ("tools", names(&description.tools)),
            ("MCP servers", names(&description.mcp_servers)),
            ("agents", names(&description.agents)),
            ("resume", self.resume_command()),
        ];
        let known = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let known = known.filter(|(_, value)| !value.is_empty());
        let rows: Vec<_> = known
            .map(|(name, value)| vec![name.to_owned(), sink.sanitize(&value).into_owned()])
            .collect();
        columns(&rows, &[]).iter().try_for_each(|line| sink.print(&format!("{line}\n")))
    }
}

/// Returns the names in a list of strings, or of objects with a name and a status.
fn names(list: &[u8]) -> String {
    let text = |json: Json<'_>| json.as_str().map(Cow::into_owned);
    let name = |element: Json<'_>| {
        let of_object = || {
            let name = text(element.get("name")?)?;
            let status = element.get("status").and_then(text);
            Some(status.map_or(name.clone(), |status| format!("{name} ({status})")))
        };
        text(element).or_else(of_object)
    };
    Json::new(list).elements().filter_map(name).collect::<Vec<_>>().join(", ")
}
