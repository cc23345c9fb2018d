//! Where conversations are kept: `conversations/ID/base_state.json`, and each event in
//! `events/event-NUMBER-ID.json`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::harness::layout::{SessionFiles, SessionLayout, own_home};

pub(super) const SESSIONS: SessionFiles = SessionFiles {
    form: "JSON documents",
    has_tokens: true,
    folders: session_folders,
    layout: Some(session_layout),
    project_folder: None,
};

const STATE: &str = "base_state.json";
const EVENTS: &str = "events";

/// Returns the folder of the conversations: `OPENHANDS_CONVERSATIONS_DIR`, or one in
/// `OPENHANDS_PERSISTENCE_DIR` or in the home folder.
fn session_folders(variable: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    let own = set("OPENHANDS_CONVERSATIONS_DIR").map(PathBuf::from);
    let home = || own_home(variable, &["OPENHANDS_PERSISTENCE_DIR"], ".openhands");
    let folder = own.or_else(|| home().map(|home| home.join("conversations")));
    folder.into_iter().collect()
}

/// Events and state are one session, which is found by its state.
fn session_layout(path: &Path) -> Option<SessionLayout> {
    let name = path.file_name().and_then(OsStr::to_str)?;
    let folder = path.parent()?;
    if name == STATE {
        let mut files = events(&folder.join(EVENTS));
        files.push(path.to_owned());
        return (files.len() > 1).then_some(SessionLayout::Files(files));
    }
    let is_event = number(path).is_some() && folder.file_name() == Some(OsStr::new(EVENTS));
    let state = folder.parent()?.join(STATE);
    (is_event && state.exists()).then_some(SessionLayout::Ignore)
}

/// Returns the events in a folder in their order.
fn events(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let numbered =
        entries.map(|entry| entry.path()).filter_map(|path| Some((number(&path)?, path)));
    let mut numbered: Vec<_> = numbered.collect();
    numbered.sort();
    numbered.into_iter().map(|(_, path)| path).collect()
}

/// Returns the number of an event by the name of its file.
fn number(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?.strip_prefix("event-")?.strip_suffix(".json")?;
    name.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_and_state_are_one_session() {
        let folder = tempfile::tempdir().unwrap();
        let event = |name: &str| folder.path().join(EVENTS).join(name);
        std::fs::create_dir(folder.path().join(EVENTS)).unwrap();
        let names = ["event-00001-b.json", "event-100000-a.json", "event-99999-c.json"];
        for name in names.iter().chain(&[".eventlog.lock"]) {
            std::fs::write(event(name), "{}").unwrap();
        }
        assert!(session_layout(&event(names[0])).is_none(), "any other file");
        let state = folder.path().join(STATE);
        std::fs::write(&state, "{}").unwrap();
        let Some(SessionLayout::Files(files)) = session_layout(&state) else { panic!() };
        assert_eq!(files, [event(names[0]), event(names[2]), event(names[1]), state]);
        assert!(matches!(session_layout(&event(names[0])), Some(SessionLayout::Ignore)));
        assert!(session_layout(Path::new("a/base_state.json")).is_none());
    }

    #[test]
    fn most_specific_variable_names_the_folder() {
        let folders = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            session_folders(&|name| value(name).map(|(_, value)| (*value).to_owned()))
        };
        let mut set = vec![("HOME", "/h")];
        assert_eq!(folders(&set), [PathBuf::from("/h/.openhands/conversations")]);
        set.push(("OPENHANDS_PERSISTENCE_DIR", "/p"));
        assert_eq!(folders(&set), [PathBuf::from("/p/conversations")]);
        set.push(("OPENHANDS_CONVERSATIONS_DIR", "/c"));
        assert_eq!(folders(&set), [PathBuf::from("/c")]);
        assert!(folders(&[]).is_empty(), "never the current folder");
    }
}
