//! Where sessions are kept: `sessions/PROJECT/SESSION/agents/AGENT/wire.jsonl` with
//! `state.json`, by the predecessor `sessions/PROJECT/SESSION/wire.jsonl`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON lines",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: Some(project_folder),
};

const WIRE: &str = "wire.jsonl";
const AGENTS: &str = "agents";
const MAIN: &str = "main";

/// Returns the folders of both programs: in `KIMI_CODE_HOME` and `KIMI_SHARE_DIR`, or in the
/// home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set =
        |name: &str| variable(name).filter(|value| !value.trim().is_empty()).map(PathBuf::from);
    let homes = [("KIMI_CODE_HOME", ".kimi-code"), ("KIMI_SHARE_DIR", ".kimi")];
    let folder = |(name, default)| {
        let home = set(name).or_else(|| set("HOME").map(|home| home.join(default)))?;
        Some(home.join("sessions"))
    };
    homes.into_iter().filter_map(folder).collect()
}

/// The files of all agents are one session, which is found by that of the main agent.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    let folder = path.parent()?;
    let agents = folder.parent().filter(|agents| agents.file_name() == Some(OsStr::new(AGENTS)));
    let session = agents.and_then(Path::parent);
    if let Some((agents, session)) = agents.zip(session).filter(|_| name == WIRE) {
        let main = agents.join(MAIN).join(WIRE);
        if path == main {
            return Some(SessionLayout::Files(files(session, &main)));
        }
        return main.exists().then_some(SessionLayout::Ignore);
    }
    // The context is what the model received; subagents are in the file of their parent.
    let is_context = name.starts_with("context") && folder.join(WIRE).exists();
    let parent = folder.parent().and_then(Path::parent).map(|parent| parent.join(WIRE));
    let is_subagent = folder.parent().and_then(Path::file_name) == Some(OsStr::new("subagents"))
        && parent.is_some_and(|parent| parent.exists());
    (is_context || is_subagent).then_some(SessionLayout::Ignore)
}

/// Returns the description of a session, the file of the main agent, and those of others.
fn files(session: &Path, main: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(session.join(AGENTS)).into_iter().flatten().flatten();
    let mut others: Vec<_> = entries.map(|entry| entry.path().join(WIRE)).collect();
    others.retain(|path| path != main && path.exists());
    others.sort();
    [session.join("state.json"), main.to_owned()].into_iter().chain(others).collect()
}

/// Returns the folder of the project, whose name ends with a hash of its directory.
fn project_folder(session: &Path) -> Option<&str> {
    let parts: Vec<&OsStr> = session.iter().collect();
    let sessions = parts.iter().rposition(|part| *part == "sessions")?;
    parts.get(sessions + 1)?.to_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_agents_are_one_session() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("sessions/wd_demo_1/session_1");
        let wire = |agent: &str| session.join("agents").join(agent).join(WIRE);
        for agent in ["agent-0", "main"] {
            std::fs::create_dir_all(wire(agent).parent().unwrap()).unwrap();
            std::fs::write(wire(agent), "").unwrap();
        }
        let Some(SessionLayout::Files(files)) = session_layout(&wire("main")) else { panic!() };
        assert_eq!(files, [session.join("state.json"), wire("main"), wire("agent-0")]);
        assert!(matches!(session_layout(&wire("agent-0")), Some(SessionLayout::Ignore)));
        assert_eq!(project_folder(&wire("main")), Some("wd_demo_1"));
    }

    #[test]
    fn context_and_subagents_of_the_predecessor_are_no_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("sessions/0123/abc");
        let subagent = session.join("subagents/x");
        std::fs::create_dir_all(&subagent).unwrap();
        std::fs::write(session.join(WIRE), "").unwrap();
        assert!(session_layout(&session.join(WIRE)).is_none(), "a file of lines like any other");
        for path in [session.join("context.jsonl"), subagent.join(WIRE)] {
            assert!(matches!(session_layout(&path), Some(SessionLayout::Ignore)), "{path:?}");
        }
        assert!(session_layout(Path::new("a/context.jsonl")).is_none());
    }

    #[test]
    fn both_programs_have_a_folder() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let default = ["/h/.kimi-code/sessions", "/h/.kimi/sessions"].map(PathBuf::from);
        assert_eq!(folders(&[("HOME", "/h")]), default);
        let own = folders(&[("HOME", "/h"), ("KIMI_CODE_HOME", "/k")]);
        assert_eq!(own[0], PathBuf::from("/k/sessions"));
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
