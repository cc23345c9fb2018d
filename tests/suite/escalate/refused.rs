//! What is wrong before anything is run: told in one line, and nothing is.

use super::*;

/// Refused, and nothing has happened.
fn refused(tiers: &Tiers, args: &[&str]) -> String {
    let done = tiers.escalate(args);
    assert_eq!((done.code, &*done.stdout), (Some(125), ""), "{done:?}");
    assert_eq!(tiers.runs("one/claude"), 0, "{done:?}");
    done.stderr
}

fn one_line(tiers: &Tiers, args: &[&str]) -> String {
    let told = refused(tiers, args);
    assert_eq!(told.lines().count(), 1, "{told}");
    told.trim_end().strip_prefix("streamj: ").unwrap().to_owned()
}

const TIER: [&str; 2] = ["--tier", "one/claude -p look"];

#[test]
fn a_config_that_says_what_nobody_understands() {
    let tiers = Tiers::new();
    tiers.usual();
    let config = |text: &str| {
        std::fs::write(tiers.stage.path("tiers.toml"), text).unwrap();
        one_line(&tiers, &["--config", "tiers.toml"])
    };
    let told = config("[[tier]]\ncommand = 'one/claude -p x'\nretries = 3\n");
    assert!(told.starts_with("tiers.toml:3: unknown field `retries`"), "{told}");
    let told = config("[[tier]]\nname = 'x'\n");
    assert!(told.contains("missing field `command`"), "{told}");
    assert_eq!(config("[[tier]]\ncommand = ''\n"), "tiers.toml: tier 1: command: name a program");
    let told = one_line(&tiers, &["--config", "nowhere.toml"]);
    assert!(told.starts_with("nowhere.toml: "), "{told}");
    assert!(!tiers.stage.path("ops.db").exists(), "nothing was made");
}

#[test]
fn tiers_that_cannot_be_understood_or_told() {
    let tiers = Tiers::new();
    tiers.usual();
    let second = |line: &str| one_line(&tiers, &[&TIER[..], &["--tier", line]].concat());
    assert_eq!(second("claude 'x"), "--tier \"claude 'x\": missing closing quote");
    assert_eq!(second(" "), "--tier \" \": name a program");
    assert_eq!(second("''"), "--tier \"''\": name a program");
    assert!(second("codex login").starts_with("tier 2: only `codex exec` takes a context"));
    assert!(
        second("claude -p --output-format text x").starts_with("tier 2: claude --output-format")
    );
    assert!(
        second("claude -p --append-system-prompt-file f x").starts_with("tier 2: claude takes one")
    );
}

#[test]
fn options_that_make_no_sense() {
    let tiers = Tiers::new();
    tiers.usual();
    for args in [
        &["--tier", "x", "--config", "y"][..],
        &[],
        &["--tier", "x", "--max-tier", "0"],
        &["--tier", "x", "--every", "0"],
        &["--tier", "x", "--cooldown-limit", "0"],
        &["--tier", "x", "--cooldown", "soon"],
    ] {
        assert!(refused(&tiers, args).starts_with("error: "), "{args:?}");
    }
    let mut command = tiers.command(&TIER);
    let done = Done::of(&command.env("CLAUDEOPS_MAX_TIER", "all").output().unwrap());
    assert_eq!(done.code, Some(125));
    assert_eq!(done.stderr, "streamj: CLAUDEOPS_MAX_TIER: not the number of a tier: all\n");
    let told = one_line(&tiers, &[&TIER[..], &["--cwd", "nowhere"]].concat());
    assert_eq!(told, "tier 1: nowhere: not a folder");
    assert!(!tiers.stage.path("ops.db").exists(), "nothing was begun");
    let told = one_line(&tiers, &[&TIER[..], &["--schema", "nowhere.json"]].concat());
    assert!(told.contains("nowhere.json"), "{told}");
    std::fs::write(tiers.stage.path("file"), "").unwrap();
    let told = one_line(&tiers, &[&TIER[..], &["--record-dir", "file/records"]].concat());
    assert!(told.starts_with("file/records: "), "{told}");
}

#[test]
fn a_database_that_cannot_be_used() {
    let tiers = Tiers::new();
    tiers.usual();
    let db = tiers.stage.path("ops.db");
    let name = db.display();
    for dry in [&[][..], &["--dry-run"]] {
        let told = || one_line(&tiers, &[&TIER[..], dry].concat());
        std::fs::write(&db, "no database ".repeat(100)).unwrap();
        assert_eq!(told(), format!("{name}: not a database"));
        std::fs::remove_file(&db).unwrap();
        tiers.store().pragma_update(None, "user_version", 9).unwrap();
        assert_eq!(told(), format!("{name}: a database of another program"));
        std::fs::remove_file(&db).unwrap();
    }
}

#[test]
fn a_database_that_somebody_else_holds() {
    let tiers = Tiers::new();
    tiers.usual().both(&[]);
    let store = tiers.store();
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    let done = tiers.both(&[]);
    assert_eq!((done.code, &*done.stdout), (Some(125), ""));
    assert!(done.stderr.ends_with("ops.db: locked by another process for 5 seconds\n"), "{done:?}");
    assert_eq!(tiers.runs("one/claude"), 1, "nobody is run whose run cannot be stored");
    store.execute_batch("ROLLBACK").unwrap();
    assert_eq!(tiers.statuses().len(), 2);
    assert_eq!(words(&tiers.both(&[])), ["escalate", "settled"]);
}

#[test]
fn a_prompt_that_is_no_text() {
    let tiers = Tiers::new();
    std::fs::write(tiers.stage.path("prompt"), b"look \xff around").unwrap();
    let mut command = tiers.usual().command(&TIER);
    command.stdin(std::fs::File::open(tiers.stage.path("prompt")).unwrap());
    let done = Done::of(&command.output().unwrap());
    let told = "streamj: standard input: not UTF-8 at byte 5; a prompt must be text\n";
    assert_eq!((done.code, &*done.stderr), (Some(125), told));
    assert_eq!(tiers.runs("one/claude"), 0);
}
