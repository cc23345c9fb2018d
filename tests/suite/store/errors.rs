//! Databases that cannot be opened, read or written.

#[cfg(unix)]
use std::path::Path;

use super::*;

/// Checks for exit status 2 with one line on standard error.
fn assert_error(run: Assert, message: &str) {
    run.code(2).stdout("").stderr(format!("streamj: {message}\n"));
}

#[test]
fn file_that_is_no_database_is_not_modified() {
    let store = Store::new();
    let text = "not a database, but long enough to be looked at ".repeat(50);
    std::fs::write(store.path("ops.db"), &text).unwrap();
    let message = format!("{}: not a database", store.db());
    assert_error(store.findings(&[&store.sample_run("s")]), &message);
    assert_error(store.memories(&[]), &message);
    assert_eq!(std::fs::read_to_string(store.path("ops.db")).unwrap(), text);
}

#[test]
fn newer_database_is_not_modified() {
    let store = Store::new();
    let file = store.sample_run("s");
    store.findings(&[&file]);
    store.open().pragma_update(None, "user_version", 2).unwrap();
    let before = std::fs::read(store.path("ops.db")).unwrap();
    let message = format!(
        "{}: written by a newer streamj: version 2 of the file, this one supports 1",
        store.db()
    );
    assert_error(store.findings(&[&file]), &message);
    assert_error(store.memories(&["--decay"]), &message);
    assert_eq!(std::fs::read(store.path("ops.db")).unwrap(), before);
}

#[test]
fn database_of_another_program_is_not_modified() {
    let store = Store::new();
    store.open().execute_batch("CREATE TABLE bookmarks (url)").unwrap();
    let file = store.sample_run("s");
    let message = format!("{}: a database of another program", store.db());
    assert_error(store.findings(&[&file]), &message);
    assert_eq!(rows(&store.open(), "SELECT name FROM sqlite_schema"), [json!(["bookmarks"])]);
    // Its `user_version` has no meaning for streamj.
    for version in [1, 9] {
        store.open().pragma_update(None, "user_version", version).unwrap();
        let before = std::fs::read(store.path("ops.db")).unwrap();
        assert_error(store.findings(&[&file]), &message);
        assert_error(store.memories(&[]), &message);
        assert_eq!(std::fs::read(store.path("ops.db")).unwrap(), before);
    }
}

#[test]
fn reading_keeps_the_write_ahead_log() {
    let store = Store::new();
    store.add_memory("s", "db:timing", "slow");
    let writer = store.open();
    writer.execute_batch("UPDATE memories SET observation = 'fast'").unwrap();
    // A killed process leaves these files.
    let copy = Store::new();
    for name in ["ops.db", "ops.db-wal"] {
        std::fs::copy(store.path(name), copy.path(name)).unwrap();
    }
    let before = std::fs::read(copy.path("ops.db")).unwrap();
    copy.memories(&[]).stdout("db:\n- timing (0.7): fast\n");
    assert_eq!(std::fs::read(copy.path("ops.db")).unwrap(), before);
    copy.memories(&[]).stdout("db:\n- timing (0.7): fast\n");
}

#[cfg(unix)]
#[test]
fn file_size_limit_is_reported() {
    let store = Store::new();
    let script = "ulimit -f 8; exec \"$0\" findings --db \"$1\" \"$2\"";
    Command::new("sh")
        .args(["-c", script, BIN, &store.db(), &store.sample_run("s")])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("ops.db: "));
}

#[test]
fn locked_database_is_reported_after_five_seconds() {
    let store = Store::new();
    store.findings(&[&store.sample_run("s1")]);
    let second = store.sample_run("s2");
    let database = store.open();
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let message = format!(
        "streamj: {second}: not stored: {}: locked by another process for 5 seconds\n",
        store.db()
    );
    let run = store.findings(&[&second]).code(2).stderr(message);
    assert!(!run.rows().is_empty(), "findings are printed even if they cannot be stored");
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(count(&database, "sessions"), 1);
    assert_eq!((count(&database, "events"), count(&database, "memories")), (2, 1));
    store.findings(&[&second]).code(0);
    assert_eq!(count(&database, "sessions"), 2);
}

#[test]
fn only_findings_creates_a_database() {
    let store = Store::new();
    let message = format!("{}: no such file", store.db());
    assert_error(store.memories(&[]), &message);
    assert_error(store.memories(&["--decay"]), &message);
    assert!(!store.path("ops.db").exists());
    let file = store.sample_run("s");
    let findings = |db: &str| run(&["findings", "--db", db, &file], "");
    let nowhere = store.path("no/ops.db").display().to_string();
    let message = format!("{nowhere}: cannot be opened: its folder does not exist");
    assert_error(findings(&nowhere), &message);
    let folder = store.folder.path().display().to_string();
    assert_error(findings(&folder), &format!("{folder}: cannot be opened: it is a folder"));
    findings("").code(2);
}

#[test]
fn special_sqlite_names_are_plain_file_names() {
    let store = Store::new();
    streamj(&["findings", "--db", ":memory:", &store.sample_run("s")])
        .current_dir(store.folder.path())
        .assert()
        .success();
    assert!(store.path(":memory:").exists());
}

/// Runs the program as a user for whom file permissions apply.
#[cfg(unix)]
fn run_unprivileged(args: &[&str]) -> Assert {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(BIN);
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    command.args(args).stdin(Stdio::null()).assert()
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

#[cfg(unix)]
#[test]
fn folder_without_permission_is_reported() {
    let store = Store::new();
    store.add_memory("s", "db:timing", "slow");
    set_mode(store.folder.path(), 0o600);
    let run = run_unprivileged(&["memories", "--db", &store.db()]);
    set_mode(store.folder.path(), 0o700);
    let message = format!("streamj: {}: cannot be opened: Permission denied", store.db());
    let one_line = predicate::str::contains("\n").count(1);
    run.code(2).stdout("").stderr(predicate::str::starts_with(message).and(one_line));
}

#[cfg(unix)]
#[test]
fn read_only_database_is_read_but_not_written() {
    let store = Store::new();
    store.add_memory("s", "db:timing", "slow");
    let (file, name) = (store.sample_run("t"), store.db());
    let (db, folder) = (store.path("ops.db"), store.folder.path());
    for (file_mode, folder_mode) in [(0o444, 0o555), (0o444, 0o777)] {
        set_mode(&db, file_mode);
        set_mode(folder, folder_mode);
        let before = std::fs::read(&db).unwrap();
        let message = format!("{name}: read-only: nothing can be stored");
        assert_error(run_unprivileged(&["findings", "--db", &name, &file]), &message);
        run_unprivileged(&["memories", "--db", &name]).stdout("db:\n- timing (0.7): slow\n");
        assert_error(run_unprivileged(&["memories", "--decay", "--db", &name]), &message);
        assert_eq!(std::fs::read(&db).unwrap(), before);
        assert!(!store.path("ops.db-wal").exists(), "no other files are created");
    }
    set_mode(folder, 0o700);
}

#[test]
fn triggers_and_views_of_a_foreign_file_are_not_executed() {
    let store = Store::new();
    store.findings(&[&store.sample_run("s")]);
    let trigger = "CREATE TABLE planted (x); CREATE TRIGGER t AFTER INSERT ON sessions \
        BEGIN INSERT INTO planted VALUES (1); END;";
    store.open().execute_batch(trigger).unwrap();
    store.findings(&[&store.sample_run("s2")]).success();
    assert_eq!(rows(&store.open(), "SELECT count(*) FROM planted"), [json!([0])]);
    let view = "ALTER TABLE memories RENAME TO own; CREATE VIEW memories AS SELECT * FROM own;";
    store.open().execute_batch(view).unwrap();
    store.memories(&[]).code(2).stdout("");
}
