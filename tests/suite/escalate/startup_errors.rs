//! Errors before the first tier: one line on standard error, and no agent runs.

use super::*;

/// Checks that nothing was printed and no agent was run; returns standard error.
fn refused(tiers: &Tiers, args: &[&str]) -> String {
    let run = tiers.run(args).code(125).stdout("");
    assert_eq!(tiers.runs("one/claude"), 0, "{run}");
    run.errors().to_owned()
}

/// Returns the single line on standard error, without its prefix.
fn message(tiers: &Tiers, args: &[&str]) -> String {
    let errors = refused(tiers, args);
    assert_eq!(errors.lines().count(), 1, "{errors}");
    errors.trim_end().strip_prefix("streamj: ").unwrap().to_owned()
}

fn two_agents() -> Tiers {
    let tiers = Tiers::new();
    tiers.two_agents();
    tiers
}

#[test]
fn invalid_config_is_refused() {
    let tiers = two_agents();
    let config = |text: &str| {
        std::fs::write(tiers.workspace.path("tiers.toml"), text).unwrap();
        message(&tiers, &["--config", "tiers.toml"])
    };
    let error = config("[[tier]]\ncommand = 'one/claude -p x'\nretries = 3\n");
    assert!(error.starts_with("tiers.toml:3: unknown field `retries`"), "{error}");
    let error = config("[[tier]]\nname = 'x'\n");
    assert!(error.contains("missing field `command`"), "{error}");
    assert_eq!(config("[[tier]]\ncommand = ''\n"), "tiers.toml: tier 1: command: name a program");
    let error = message(&tiers, &["--config", "nowhere.toml"]);
    assert!(error.starts_with("nowhere.toml: "), "{error}");
    assert!(!tiers.workspace.path("ops.db").exists(), "no database was created");
}

#[test]
fn invalid_tier_is_refused() {
    let tiers = two_agents();
    let second = |line: &str| message(&tiers, &[&ONE_TIER[..], &["--tier", line]].concat());
    assert_eq!(second("claude 'x"), "--tier \"claude 'x\": missing closing quote");
    assert_eq!(second(" "), "--tier \" \": name a program");
    assert_eq!(second("''"), "--tier \"''\": name a program");
    for (line, start) in [
        ("codex login", "tier 2: only `codex exec` takes a context"),
        ("claude -p --output-format text x", "tier 2: claude --output-format"),
        ("claude -p --append-system-prompt-file f x", "tier 2: claude takes one"),
    ] {
        let error = second(line);
        assert!(error.starts_with(start), "{line}: {error}");
    }
}

#[test]
fn invalid_options_are_refused() {
    let tiers = two_agents();
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
    tiers
        .command(&ONE_TIER)
        .env("CLAUDEOPS_MAX_TIER", "all")
        .assert()
        .code(125)
        .stderr("streamj: CLAUDEOPS_MAX_TIER: not the number of a tier: all\n");
    let with =
        |option: &str, value: &str| message(&tiers, &[&ONE_TIER[..], &[option, value]].concat());
    assert_eq!(with("--cwd", "nowhere"), "tier 1: nowhere: not a folder");
    let stdout = "--record-dir -: standard output is no folder; name one";
    assert_eq!(with("--record-dir", "-"), stdout);
    assert!(!tiers.workspace.path("-").exists());
    assert!(!tiers.workspace.path("ops.db").exists(), "no database was created");
    let error = with("--schema", "nowhere.json");
    assert!(error.contains("nowhere.json"), "{error}");
    std::fs::write(tiers.workspace.path("file"), "").unwrap();
    let error = with("--record-dir", "file/records");
    assert!(error.starts_with("file/records: "), "{error}");
}

#[test]
fn unusable_database_is_refused() {
    let tiers = two_agents();
    let db = tiers.workspace.path("ops.db");
    let name = db.display();
    for dry_run in [&[][..], &["--dry-run"]] {
        let error = || message(&tiers, &[&ONE_TIER[..], dry_run].concat());
        std::fs::write(&db, "no database ".repeat(100)).unwrap();
        assert_eq!(error(), format!("{name}: not a database"));
        std::fs::remove_file(&db).unwrap();
        tiers.database().pragma_update(None, "user_version", 9).unwrap();
        assert_eq!(error(), format!("{name}: a database of another program"));
        std::fs::remove_file(&db).unwrap();
    }
}

#[test]
fn locked_database_is_refused_after_five_seconds() {
    let tiers = two_agents();
    tiers.run_two(&[]);
    let database = tiers.database();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    tiers
        .run_two(&[])
        .code(125)
        .stdout("")
        .stderr(predicate::str::ends_with("ops.db: locked by another process for 5 seconds\n"));
    assert_eq!(tiers.runs("one/claude"), 1, "an agent runs only if its run can be stored");
    database.execute_batch("ROLLBACK").unwrap();
    assert_eq!(tiers.statuses().len(), 2);
    tiers.run_two(&[]).decided(&["escalate", "settled"]);
}

#[test]
fn prompt_that_is_not_utf8_is_refused() {
    let tiers = two_agents();
    assert_cmd::Command::from_std(tiers.command(&ONE_TIER))
        .write_stdin(b"look \xff around")
        .assert()
        .code(125)
        .stderr("streamj: standard input: not UTF-8 at byte 5; a prompt must be text\n");
    assert_eq!(tiers.runs("one/claude"), 0);
}
