//! The description of a session.

use crate::json::Json;

/// How a session describes itself.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SessionInfo<'a> {
    /// The requested model.
    pub model: Option<&'a str>,
    /// The working directory.
    pub cwd: Option<&'a str>,
    /// The release of the CLI.
    pub version: Option<&'a str>,
    /// How permissions are handled.
    pub permission_mode: Option<&'a str>,
    /// A label for the origin of the credentials; never a secret.
    pub api_key_source: Option<&'a str>,
    /// The tools, as the CLI lists them.
    pub tools: Option<Json<'a>>,
    /// The configured MCP servers.
    pub mcp_servers: Option<Json<'a>>,
    /// The kinds of subagents.
    pub agents: Option<Json<'a>>,
    /// The slash commands.
    pub slash_commands: Option<Json<'a>>,
    /// The session that this one forks.
    pub forked_from: Option<&'a str>,
    /// The session that started this one as a subagent.
    pub started_by: Option<&'a str>,
}
