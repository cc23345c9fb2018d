//! Damaged indices, folders that cannot be written, files that change while they are read.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn damaged_index_is_replaced() {
    let sessions = Sessions::with_answers(&["a", "b"]);
    assert_eq!(sessions.output_tokens(&[]), 20);
    let sound = fs::read(sessions.index()).unwrap();
    let damage: [(&str, Vec<u8>); 4] = [
        ("empty", Vec::new()),
        ("not a database", b"streamj".repeat(2000)),
        ("cut off", sound[..sound.len() / 2].to_vec()),
        ("cut off in the header", sound[..60].to_vec()),
    ];
    for (what, bytes) in damage {
        fs::write(sessions.index(), bytes).unwrap();
        for _ in 0..2 {
            assert_eq!(sessions.output_tokens(&[]), 20, "{what}");
        }
    }
    // A byte at any place.
    for at in (0..sound.len()).step_by(sound.len() / 40) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x41;
        fs::write(sessions.index(), bytes).unwrap();
        for _ in 0..2 {
            assert_eq!(sessions.output_tokens(&[]), 20, "byte {at}");
        }
    }
}

#[test]
fn index_of_another_version_is_replaced() {
    let sessions = Sessions::with_answers(&["a"]);
    sessions.output_tokens(&[]);
    let change = |statement: &str| {
        let database = rusqlite::Connection::open(sessions.index()).unwrap();
        database.execute_batch(statement).unwrap();
    };
    for statement in [
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 1",
        "DROP TABLE files",
        "ALTER TABLE files DROP COLUMN entry",
    ] {
        change(statement);
        for _ in 0..2 {
            assert_eq!(sessions.output_tokens(&[]), 10, "{statement}");
            sessions.run(&["sessions"]).success().stderr("");
        }
        let database = rusqlite::Connection::open(sessions.index()).unwrap();
        let count: i64 =
            database.query_row("SELECT count(*) FROM files", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1, "{statement}");
    }
}

#[test]
fn killed_process_leaves_a_usable_index() {
    let names: Vec<String> = (0..200).map(|number| format!("s{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sessions = Sessions::with_answers(&names);
    for milliseconds in 0..30 {
        let mut command = std::process::Command::new(crate::support::BIN);
        command.args(["usage", "--by", "month", "--reindex"]).arg(sessions.folder.path());
        command.env("XDG_CACHE_HOME", sessions.cache.path()).env_remove("HOME");
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().unwrap();
        sleep(Duration::from_millis(2 * milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        if milliseconds % 5 == 0 {
            assert_eq!(sessions.output_tokens(&[]), 2000);
        }
    }
    assert_eq!(sessions.output_tokens(&[]), 2000);
}

#[test]
fn cache_that_cannot_be_written_is_a_note() {
    let sessions = Sessions::with_answers(&["a"]);
    // A file in place of the folder.
    fs::write(sessions.cache.path().join("streamj"), "").unwrap();
    let run = |args: &[&str]| {
        let run = sessions.run(&[&["usage", "--by", "month"], args].concat()).success();
        assert_eq!(run.total(), 10);
        run.errors().to_owned()
    };
    let note = run(&[]);
    assert!(note.contains("index not used") && note.contains("--no-index"), "{note}");
    assert_eq!(note.lines().count(), 1, "{note}");
    assert_eq!(run(&["--no-index"]), "");
    assert_eq!(run(&["--quiet"]), "");
}

/// SQLite reports a file size limit like a full disk.
#[cfg(unix)]
#[test]
fn full_disk_is_a_note() {
    let names: Vec<String> = (0..50).map(|number| format!("s{number:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let sessions = Sessions::with_answers(&names);
    for blocks in [0, 8, 24] {
        let mut command = std::process::Command::new("sh");
        let script = format!("ulimit -f {blocks}; exec \"$@\"");
        command.args(["-c", &script, "sh", crate::support::BIN, "usage", "--by", "month"]);
        command.args(["--format", "jsonl"]).arg(sessions.folder.path());
        command.env("XDG_CACHE_HOME", sessions.cache.path()).env_remove("HOME");
        let run = Command::from_std(command).assert().success();
        assert_eq!(run.total(), 500);
        assert!(run.errors().contains("index not"), "{blocks}: {run}");
    }
    assert_eq!(sessions.output_tokens(&[]), 500);
}

#[test]
fn locked_index_is_not_waited_for_long() {
    let sessions = Sessions::with_answers(&["a"]);
    sessions.output_tokens(&[]);
    let database = rusqlite::Connection::open(sessions.index()).unwrap();
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let run = sessions.run(&["usage", "--by", "month"]).success();
    assert_eq!(run.total(), 10);
    assert!(run.errors().contains("another process uses it"), "{run}");
}

#[test]
fn file_that_changes_while_it_is_read_is_counted_right_afterwards() {
    let sessions = Sessions::with_answers(&["a"]);
    let is_done = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let writer = std::thread::Builder::new().spawn_scoped(scope, || {
            let mut count = 1;
            while !is_done.load(Ordering::Relaxed) {
                count += 1;
                let line = reply("a", &count.to_string(), 10).to_string();
                let (start, end) = line.split_at(line.len() / 2);
                sessions.append_text("a.jsonl", start);
                sessions.append_text("a.jsonl", &format!("{end}\n"));
                // The reader would never reach the end of a file that grows faster.
                sleep(Duration::from_millis(2));
            }
            count
        });
        let mut last = 0;
        for _ in 0..20 {
            // A line may be incomplete while it is read.
            let total = sessions.run(&["usage", "--by", "month"]).success().total();
            assert!(total >= last, "{total} after {last}");
            last = total;
        }
        is_done.store(true, Ordering::Relaxed);
        writer.unwrap().join().unwrap()
    });
    for _ in 0..2 {
        assert_eq!(sessions.output_tokens(&[]), written * 10);
        sleep(SETTLING);
    }
}

/// What could not be searched is not deleted.
#[cfg(unix)]
#[test]
fn sessions_in_an_unreadable_folder_are_not_forgotten() {
    let sessions = Sessions::with_answers(&["a", "b"]);
    assert_eq!(sessions.output_tokens(&["--keep"]), 20);
    let folder = sessions.path("");
    let moved = sessions.folder.path().join("moved");
    fs::rename(&folder, &moved).unwrap();
    // A link to itself cannot be followed.
    let link = sessions.folder.path().join("missing-folder");
    let run = |args: &[&str]| {
        let mut command = streamj(&[&["usage", "--by", "month"], args].concat());
        command.arg(sessions.folder.path()).arg(&link);
        command.env("XDG_CACHE_HOME", sessions.cache.path()).assert()
    };
    fs::remove_dir_all(&moved).unwrap();
    run(&[]).failure().code(2);
    assert_eq!(sessions.output_tokens(&["--keep"]), 20);
}
