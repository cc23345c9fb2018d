//! Whatever happens to the files, the index does not change a result.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::Connection;
use serde_json::json;

use super::*;
use crate::support::{recordings_under, root};

/// What is compared.
const COMMANDS: [&[&str]; 4] = [
    &["usage", "--by", "request"],
    &["usage", "--by", "session,model", "--estimate"],
    &["usage", "--by", "day,project", "--utc", "--since", "2026-01-01"],
    &["sessions"],
];

/// Lines of session files and streams of several CLIs, in order, each as a list.
static RECORDINGS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let folder = root().join("tests/fixtures");
    let mut recordings: Vec<Vec<String>> = recordings_under(&folder.join("transcripts"))
        .into_iter()
        .chain(["claude/text_success", "codex/web_search"].map(crate::support::fixture))
        .map(|path| fs::read_to_string(path).unwrap_or_default())
        .map(|text| text.lines().map(|line| format!("{line}\n")).collect())
        .filter(|lines: &Vec<String>| lines.iter().map(String::len).sum::<usize>() < 100_000)
        .collect();
    recordings.sort_by_key(Vec::len);
    assert!(recordings.len() > 20, "{}", recordings.len());
    recordings.split_off(recordings.len() / 3)
});

/// What happens to the files between two runs.
#[derive(Clone, Debug)]
enum Change {
    /// The next lines of a recording are appended to a file.
    Record {
        file: usize,
        recording: usize,
        lines: usize,
    },
    /// Lines with ids that also occur in other files are appended.
    Answer {
        file: usize,
        id: u64,
        output: u64,
        kind: usize,
    },
    /// Bytes that are no complete line are appended.
    Tear {
        file: usize,
        bytes: usize,
    },
    /// The end is cut off.
    Truncate {
        file: usize,
        part: usize,
    },
    /// The file is written anew with another content.
    Rewrite {
        file: usize,
        output: u64,
    },
    Rename {
        file: usize,
        to: usize,
    },
    Delete {
        file: usize,
    },
    /// A session is resumed in a copy of its file.
    Copy {
        file: usize,
        to: usize,
    },
    /// Only the modification time changes.
    Touch {
        file: usize,
    },
}

const FILES: usize = 5;

fn change() -> impl Strategy<Value = Change> {
    let file = || 0..FILES;
    prop_oneof![
        6 => (file(), 0..1000_usize, 1..30_usize)
            .prop_map(|(file, recording, lines)| Change::Record { file, recording, lines }),
        6 => (file(), 0..8_u64, 1..100_u64, 0..6_usize)
            .prop_map(|(file, id, output, kind)| Change::Answer { file, id, output, kind }),
        1 => (file(), 1..300_usize).prop_map(|(file, bytes)| Change::Tear { file, bytes }),
        2 => (file(), 0..100_usize).prop_map(|(file, part)| Change::Truncate { file, part }),
        1 => (file(), 1..100_u64).prop_map(|(file, output)| Change::Rewrite { file, output }),
        2 => (file(), file()).prop_map(|(file, to)| Change::Rename { file, to }),
        1 => file().prop_map(|file| Change::Delete { file }),
        2 => (file(), file()).prop_map(|(file, to)| Change::Copy { file, to }),
        1 => file().prop_map(|file| Change::Touch { file }),
    ]
}

/// A folder that changes.
struct ChangingSessions {
    sessions: Sessions,
    /// The recording that is being written to a file, and the number of lines so far.
    written: BTreeMap<usize, (usize, usize)>,
}

impl ChangingSessions {
    fn path(&self, file: usize) -> PathBuf {
        // Session files of one CLI are in folders of their projects.
        let folder = ["projects/-a", "projects/-b", "sessions/2026"][file % 3];
        let folder = self.sessions.folder.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        folder.join(format!("file{file}.jsonl"))
    }

    fn append(&self, file: usize, text: &str) {
        let name = self.path(file);
        self.sessions.append_text(name.to_str().unwrap(), text);
    }

    fn apply(&mut self, change: &Change) {
        match *change {
            Change::Record { file, recording, lines } => {
                let new = || (recording % RECORDINGS.len(), 0);
                let (recording, start) = *self.written.entry(file).or_insert_with(new);
                let all = &RECORDINGS[recording];
                let end = (start + lines).min(all.len());
                self.append(file, &all[start..end].concat());
                if end == all.len() {
                    self.written.remove(&file);
                } else {
                    self.written.insert(file, (recording, end));
                }
            }
            Change::Answer { file, id, output, kind } => {
                self.append(file, &format!("{}\n", line(file, id, output, kind)));
            }
            Change::Tear { file, bytes } => {
                let line = line(file, 1, 1, 0).to_string();
                self.append(file, &line[..bytes.min(line.len())]);
            }
            Change::Truncate { file, part } => {
                if let Ok(file) = fs::File::options().write(true).open(self.path(file)) {
                    let length = file.metadata().unwrap().len();
                    file.set_len(length * part as u64 / 100).unwrap();
                }
            }
            Change::Rewrite { file, output } => {
                let _ = fs::remove_file(self.path(file));
                self.append(file, &format!("{}\n", line(file, 99, output, 0)));
            }
            Change::Rename { file, to } => {
                let _ = fs::rename(self.path(file), self.path(to));
            }
            Change::Delete { file } => {
                let _ = fs::remove_file(self.path(file));
            }
            Change::Copy { file, to } if file != to => {
                let _ = fs::copy(self.path(file), self.path(to));
            }
            Change::Copy { .. } => {}
            Change::Touch { file } => {
                if let Ok(file) = fs::File::options().write(true).open(self.path(file)) {
                    file.set_modified(std::time::SystemTime::now()).unwrap();
                }
            }
        }
    }

    /// Returns standard output, standard error and the exit status.
    fn print(&self, args: &[&str], more: &[&str]) -> (String, String, Option<i32>) {
        let run = self.sessions.run(&[args, more].concat());
        let output = run.get_output();
        (run.text().to_owned(), run.errors().to_owned(), output.status.code())
    }
}

/// Returns a line of a session: an answer that may be repeated with other counts, lack an
/// id, or belong to a subagent, and the CLI's own count.
fn line(file: usize, id: u64, output: u64, kind: usize) -> Value {
    let session = format!("session-{}", file % 3);
    let at = format!("2026-11-01T10:{:02}:00Z", id * 5);
    let mut line = answer(&session, &format!("msg_00000000000000000000{id}"), &at, output);
    match kind {
        1 => drop(line.as_object_mut().unwrap().remove("requestId")),
        2 => drop(line["message"].as_object_mut().unwrap().remove("id")),
        3 => line["isSidechain"] = true.into(),
        4 => line["requestId"] = format!("r-{output}").into(),
        5 => {
            let usage = json!({"inputTokens": 900, "outputTokens": output * 10, "costUSD": 0.5});
            let share = json!({"custom-1": usage});
            return json!({"type": "cost-state", "sessionId": session, "modelUsage": share,
                "totalCostUSD": 0.5, "totalDuration": 7});
        }
        _ => {}
    }
    line
}

#[test]
fn results_with_and_without_the_index_are_equal_after_every_change() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config { cases: cases.unwrap_or(12), ..Config::default() };
    let histories = prop::collection::vec(prop::collection::vec(change(), 1..4), 1..8);
    let mut runner = TestRunner::new(config);
    let result = runner.run(&histories, |history| {
        let sessions = Sessions::new();
        let mut folder = ChangingSessions { sessions, written: BTreeMap::new() };
        for (step, changes) in history.iter().enumerate() {
            for change in changes {
                folder.apply(change);
            }
            // Read at once, some files are not remembered.
            if step % 2 == 0 {
                sleep(SETTLING);
            }
            for _ in 0..2 {
                for command in COMMANDS {
                    let indexed = folder.print(command, &[]);
                    let read = folder.print(command, &["--no-index"]);
                    prop_assert_eq!(indexed, read, "step {}: {:?}", step, command);
                }
            }
        }
        Ok(())
    });
    result.unwrap();
}

/// An answer at every place of a recording belongs to what was read before.
#[test]
fn recording_read_in_parts_counts_like_the_whole() {
    for recording in RECORDINGS.iter().step_by(3) {
        let sessions = Sessions::new();
        let command = ["usage", "--by", "request", "--estimate"];
        let middle = recording.len() / 2;
        for part in [&recording[..middle], &recording[middle..recording.len() - 1]] {
            sessions.append_text("a.jsonl", &part.concat());
            sleep(SETTLING);
            let indexed = sessions.run(&command);
            let read = sessions.run(&[&command[..], &["--no-index"]].concat());
            assert_eq!(indexed.text(), read.text());
            assert_eq!(indexed.errors(), read.errors());
        }
    }
}

/// The rows of the last run are printed again, in any format, until a session changes.
#[test]
fn table_that_is_remembered_is_the_same() {
    let sessions = Sessions::with_answers(&["a", "b"]);
    let commands: [&[&str]; 6] = [
        &["usage", "--by", "session,model", "--format", "json"],
        &["usage", "--by", "week", "--estimate", "--breakdown"],
        &["usage", "--by", "block", "--format", "csv", "--order", "desc", "--limit", "1"],
        &["usage", "--by", "project", "--format", "human"],
        &["usage", "--plot", "--by", "day"],
        &["usage", "--by", "harness", "--model", "x*"],
    ];
    for output in [1, 2] {
        for command in commands {
            let command = [command, &["--utc"]].concat();
            let read = sessions.run(&[&command[..], &["--no-index"]].concat());
            for _ in 0..2 {
                assert_eq!(sessions.run(&command).text(), read.text(), "{command:?}");
            }
        }
        sessions.append("a.jsonl", &[reply("a", "more", output)]);
        sleep(SETTLING);
    }
    // A session that is read gets an entry again.
    let command = ["usage", "--by", "month", "--format", "jsonl"];
    let known = sessions.run(&command);
    let database = Connection::open(sessions.index()).unwrap();
    assert_ne!(database.execute("DELETE FROM files", []).unwrap(), 0);
    assert_eq!(sessions.run(&command).text(), known.text());
    let count = "SELECT count(*) FROM files";
    let read: i64 = database.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(read, 0, "no session was read");
}
