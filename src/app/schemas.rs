//! The JSON Schemas of what is printed and of what agents are asked for.

use std::borrow::Cow;

use crate::cli::SchemaName;
use crate::findings::response_schema;

/// Returns a schema.
pub(super) fn text(name: SchemaName) -> Cow<'static, str> {
    Cow::Borrowed(match name {
        SchemaName::AgentResponse => response_schema::SCHEMA,
        SchemaName::AgentResponseStrict => return Cow::Owned(response_schema::strict_schema()),
        SchemaName::Error => include_str!("../../schemas/error.json"),
        SchemaName::Events => include_str!("../../schemas/events.json"),
        SchemaName::Session => include_str!("../../schemas/session.json"),
        SchemaName::Summary => include_str!("../../schemas/summary.json"),
        SchemaName::Tools => include_str!("../../schemas/tools.json"),
        SchemaName::Usage => include_str!("../../schemas/usage.json"),
    })
}
