//! Which session files are opened.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};

use super::*;

/// Reports which files of a folder are opened.
struct Watch(OwnedFd);

impl Watch {
    fn new(folder: &Path) -> Self {
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
        inotify::add_watch(&watch, folder, WatchFlags::OPEN).unwrap();
        Self(watch)
    }

    /// Returns the names of files that were opened since the last call.
    fn opened(&self) -> BTreeSet<String> {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.0, &mut buffer);
        let mut names = BTreeSet::new();
        while let Ok(event) = events.next() {
            assert!(!event.events().contains(ReadFlags::QUEUE_OVERFLOW));
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            names.extend(name.map(|name| name.to_string_lossy().into_owned()));
        }
        names
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| format!("{name}.jsonl")).collect()
}

#[test]
fn unchanged_sessions_are_not_opened() {
    let sessions = Sessions::with_answers(&["a", "b", "c"]);
    let watch = Watch::new(sessions.path("a.jsonl").parent().unwrap());
    assert_eq!(sessions.output_tokens(&[]), 30);
    assert_eq!(watch.opened(), names(&["a", "b", "c"]));
    assert_eq!(sessions.output_tokens(&[]), 30);
    assert_eq!(watch.opened(), names(&[]));
    // What is remembered does not depend on how it is printed.
    sessions.run(&["usage", "--by", "request"]).success();
    sessions.run(&["usage", "--by", "session,model", "--since", "2026-10-01"]).success();
    assert_eq!(watch.opened(), names(&[]));

    sessions.append("b.jsonl", &[reply("b", "2", 5)]);
    sleep(SETTLING);
    assert_eq!(sessions.output_tokens(&[]), 35);
    assert_eq!(watch.opened(), names(&["b"]));
    assert_eq!(sessions.output_tokens(&["--reindex"]), 35);
    assert_eq!(watch.opened(), names(&["a", "b", "c"]));
    assert_eq!(sessions.output_tokens(&[]), 35);
    assert_eq!(watch.opened(), names(&[]));
}

/// The part before the remembered place is replaced without a trace that the index could
/// find: so the result shows which part was read.
#[test]
fn appended_lines_are_read_from_where_reading_ended() {
    use std::os::unix::fs::FileExt;

    let sessions = Sessions::new();
    let filler = "x".repeat(5000);
    let padding = serde_json::json!({"type": "summary", "leafUuid": filler});
    let lines = [padding.clone(), reply("a", "1", 10), padding];
    sessions.append("a.jsonl", &lines);
    sleep(SETTLING);
    assert_eq!(sessions.output_tokens(&[]), 10);
    let text = fs::read_to_string(sessions.path("a.jsonl")).unwrap();
    let at = text.find("\"output_tokens\":10").unwrap() + "\"output_tokens\":".len();
    let file = fs::File::options().write(true).open(sessions.path("a.jsonl")).unwrap();
    file.write_all_at(b"99", at as u64).unwrap();
    sessions.append("a.jsonl", &[reply("a", "2", 5)]);
    sleep(SETTLING);
    assert_eq!(sessions.output_tokens(&[]), 15);
    assert_eq!(sessions.output_tokens(&["--reindex"]), 104);
}

#[test]
fn sessions_are_listed_without_reading_those_that_are_not_shown() {
    let sessions = Sessions::with_answers(&["a", "b", "c"]);
    let watch = Watch::new(sessions.path("a.jsonl").parent().unwrap());
    // The counts are remembered, how the sessions ended is not.
    sessions.output_tokens(&[]);
    let all = sessions.run(&["sessions"]).success().rows();
    assert_eq!(watch.opened(), names(&["a", "b", "c"]));
    // Only prompts are read.
    let shown = sessions.run(&["sessions", "--limit", "1"]).success().rows();
    assert_eq!(shown, all[..1]);
    assert_eq!(watch.opened().len(), 1);
    sessions.output_tokens(&[]);
    assert_eq!(watch.opened(), names(&[]));
}

#[test]
fn two_processes_lose_nothing() {
    let names: Vec<String> = (0..120).map(|number| format!("s{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sessions = Sessions::with_answers(&names);
    // One project each, and everything.
    let other = sessions.folder.path().join("projects/-other");
    fs::create_dir_all(&other).unwrap();
    for name in &names[..60] {
        let file = format!("{name}.jsonl");
        fs::rename(sessions.path(&file), other.join(&file)).unwrap();
    }
    sleep(SETTLING);
    let own = sessions.path("a").parent().unwrap().to_owned();
    let folders = [own.as_path(), &other, sessions.folder.path()];
    let start = |folder: &&Path| {
        let mut command = std::process::Command::new(crate::support::BIN);
        command.args(["usage", "--by", "month", "--json"]).arg(folder);
        command.env("XDG_CACHE_HOME", sessions.cache.path()).env_remove("HOME");
        command.env("XDG_CONFIG_HOME", "/nonexistent");
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let running: Vec<_> = folders.iter().map(start).collect();
    for (run, expected) in running.into_iter().zip([600, 600, 1200]) {
        let output = run.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        let rows: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(rows.as_array().unwrap().last().unwrap()["output_tokens"], expected);
    }
    let watches = [Watch::new(&own), Watch::new(&other)];
    assert_eq!(sessions.output_tokens(&[]), 1200);
    for watch in watches {
        assert_eq!(watch.opened(), BTreeSet::new());
    }
}
