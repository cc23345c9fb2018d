//! What the user allows, and what not.

use super::*;

#[test]
fn the_highest_tier_is_named_by_option_or_environment() {
    for named in [&["--max-tier", "1"][..], &[]] {
        let tiers = Tiers::new();
        let mut command = tiers.usual().command(named);
        command.args(["--tier", "one/claude -p look", "--tier", "two/claude -p fix"]);
        if named.is_empty() {
            command.env("CLAUDEOPS_MAX_TIER", "1");
        }
        let done = Done::of(&command.output().unwrap());
        assert_eq!((done.code, words(&done)), (Some(3), vec!["max-tier".to_owned()]), "{done:?}");
        assert_eq!(tiers.runs("two/claude"), 0);
        assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
    }
    // Without more tiers the last one is the highest.
    let tiers = Tiers::new();
    tiers.usual().agent("two/claude", &run_of_claude("s2", "", &answer(true)));
    let done = tiers.both(&["--max-tier", "7"]);
    assert_eq!(
        (done.code, words(&done)),
        (Some(3), vec!["escalate".to_owned(), "max-tier".to_owned()])
    );
}

#[test]
fn a_dry_run_starts_no_second_tier_and_writes_nothing() {
    let tiers = Tiers::new();
    let before = |tiers: &Tiers| {
        let entries = std::fs::read_dir(tiers.stage.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    tiers.usual().agent_that("one/claude", &run_of_claude("s1", "", &answer(true)), "");
    let (names, args) = (before(&tiers), ["--dry-run", "--record-dir", "records"]);
    let done = tiers.both(&args);
    assert_eq!((done.code, words(&done)), (Some(3), vec!["dry-run".to_owned()]), "{done:?}");
    assert_eq!(decisions(&done)[0]["reason"], "tier 2 would run: it's \"down\"");
    assert_eq!((tiers.runs("one/claude"), tiers.runs("two/claude")), (1, 0));
    assert_eq!(before(&tiers), names, "no database, no records");
    // With a database: its bytes stay, and its cooldowns count.
    let text = "[COOLDOWN:restart:db] success — up\n[COOLDOWN:restart:db] success — up again";
    let recorded = tiers.stage.path("recorded.jsonl");
    std::fs::write(&recorded, run_of_claude("s0", text, &answer(false))).unwrap();
    let db = tiers.stage.path("ops.db");
    let stored = tiers.stage.streamj(&[
        "findings",
        "--db",
        db.to_str().unwrap(),
        recorded.to_str().unwrap(),
    ]);
    assert!({ stored }.output().unwrap().status.success());
    let (names, bytes) = (before(&tiers), std::fs::read(&db).unwrap());
    let done = tiers.both(&args);
    assert_eq!((done.code, words(&done)), (Some(3), vec!["cooldown".to_owned()]), "{done:?}");
    assert_eq!((before(&tiers), std::fs::read(&db).unwrap()), (names, bytes));
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn a_third_restart_within_four_hours_is_stopped_by_what_others_recorded() {
    let tiers = Tiers::new();
    tiers.usual();
    let restart = "[COOLDOWN:restart:db] failure — still down";
    tiers.agent("two/claude", &run_of_claude("s2", restart, &answer(false)));
    for _ in 0..2 {
        let done = tiers.both(&[]);
        assert_eq!(words(&done), ["escalate", "settled"], "{done:?}");
    }
    let done = tiers.both(&[]);
    assert_eq!((done.code, words(&done)), (Some(3), vec!["cooldown".to_owned()]));
    assert_eq!(decisions(&done)[0]["reason"], "db: 2 actions within 4 h, the limit is 2");
    assert_eq!(tiers.runs("two/claude"), 2);
    let told = "SELECT level, message FROM events WHERE message LIKE 'tier 1: cooldown%'";
    assert_eq!(tiers.rows(told).len(), 1);
    assert_eq!(
        tiers.rows("SELECT service, tier FROM cooldowns"),
        [json!(["db", 2]), json!(["db", 2])]
    );
    // The user can allow more, or a shorter time.
    assert_eq!(words(&tiers.both(&["--cooldown-limit", "3"])), ["escalate", "settled"]);
    let ago =
        "UPDATE cooldowns SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-241 minutes')";
    tiers.store().execute(ago, []).unwrap();
    assert_eq!(
        words(&tiers.both(&[])),
        ["escalate", "settled"],
        "that was more than four hours ago"
    );
    assert_eq!(words(&tiers.both(&["--cooldown", "5h"])), ["cooldown"]);
}

#[test]
fn a_cooldown_of_another_service_stops_nobody() {
    let tiers = Tiers::new();
    let restarts = "[COOLDOWN:restart:web] success — up\n[COOLDOWN:restart:web] success — up";
    tiers.usual().agent("two/claude", &run_of_claude("s2", restarts, &answer(false)));
    for _ in 0..2 {
        assert_eq!(words(&tiers.both(&[])), ["escalate", "settled"]);
    }
}

#[test]
fn restarts_of_a_service_that_is_well_again_stop_nobody() {
    let tiers = Tiers::new();
    let restarts = "[COOLDOWN:restart:WEB] success — up\n[COOLDOWN:restart:web] success — up";
    tiers.usual().agent("one/claude", &run_of_claude("s1", restarts, &answer(true)));
    assert_eq!(words(&tiers.both(&[])), ["escalate", "settled"]);
    // The same service, whoever writes its name.
    let restarts = "[COOLDOWN:restart:DB] success — up\n[COOLDOWN:restart:Db] success — up";
    tiers.agent("one/claude", &run_of_claude("s3", restarts, &answer(true)));
    let done = tiers.both(&[]);
    assert_eq!(decisions(&done)[0]["reason"], "db: 2 actions within 4 h, the limit is 2");
}
