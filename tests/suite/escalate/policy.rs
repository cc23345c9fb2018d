//! Limits set by the user: highest tier, dry run, cooldowns.

use std::ffi::OsString;

use super::*;

#[test]
fn highest_tier_is_set_by_option_or_environment() {
    for (args, environment) in [(&["--max-tier", "1"][..], None), (&[], Some("1"))] {
        let tiers = Tiers::new();
        let mut command = tiers.two_agents().command(&[&TWO_TIERS, args].concat());
        command.envs(environment.map(|tier| ("CLAUDEOPS_MAX_TIER", tier)));
        command.assert().code(3).decided(&["max-tier"]);
        assert_eq!(tiers.runs("two/claude"), 0);
        assert_eq!(tiers.statuses(), [json!([1, "completed"])]);
    }
    // A limit above the number of tiers means the last tier.
    let tiers = Tiers::new();
    tiers.two_agents().agent("two/claude", &claude_run("s2", "", &response(true)));
    tiers.run_two(&["--max-tier", "7"]).code(3).decided(&["escalate", "max-tier"]);
}

/// The names of the files in the workspace.
fn file_names(tiers: &Tiers) -> Vec<OsString> {
    let entries = std::fs::read_dir(tiers.workspace.folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn dry_run_starts_no_second_tier_and_writes_nothing() {
    let tiers = Tiers::new();
    tiers.two_agents();
    let (names, args) = (file_names(&tiers), ["--dry-run", "--record-dir", "records"]);
    let run = tiers.run_two(&args).code(3).decided(&["dry-run"]);
    assert_eq!(run.reason(), "tier 2 would run: it's \"down\"");
    assert_eq!((tiers.runs("one/claude"), tiers.runs("two/claude")), (1, 0));
    assert_eq!(file_names(&tiers), names, "no database, no records");
    // An existing database is not modified, and its cooldowns apply.
    let text = "[COOLDOWN:restart:db] success — up\n[COOLDOWN:restart:db] success — up again";
    let recorded = tiers.workspace.path("recorded.jsonl");
    std::fs::write(&recorded, claude_run("s0", text, &response(false))).unwrap();
    tiers.store_findings(recorded.to_str().unwrap()).success();
    let db = tiers.workspace.path("ops.db");
    let (names, bytes) = (file_names(&tiers), std::fs::read(&db).unwrap());
    tiers.run_two(&args).code(3).decided(&["cooldown"]);
    assert_eq!((file_names(&tiers), std::fs::read(&db).unwrap()), (names, bytes));
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn third_restart_within_four_hours_is_refused() {
    let tiers = Tiers::new();
    let restart = "[COOLDOWN:restart:db] failure — still down";
    tiers.two_agents().agent("two/claude", &claude_run("s2", restart, &response(false)));
    for _ in 0..2 {
        tiers.run_two(&[]).decided(&["escalate", "settled"]);
    }
    let run = tiers.run_two(&[]).code(3).decided(&["cooldown"]);
    assert_eq!(run.reason(), "db: 2 actions within 4 h, the limit is 2");
    assert_eq!(tiers.runs("two/claude"), 2);
    let stored = "SELECT level, message FROM events WHERE message LIKE 'tier 1: cooldown%'";
    assert_eq!(tiers.rows(stored).len(), 1);
    assert_eq!(
        tiers.rows("SELECT service, tier FROM cooldowns"),
        [json!(["db", 2]), json!(["db", 2])]
    );
    tiers.run_two(&["--cooldown-limit", "3"]).decided(&["escalate", "settled"]);
    let ago =
        "UPDATE cooldowns SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-241 minutes')";
    tiers.database().execute(ago, []).unwrap();
    // The restarts are now more than four hours old.
    tiers.run_two(&[]).decided(&["escalate", "settled"]);
    tiers.run_two(&["--cooldown", "5h"]).decided(&["cooldown"]);
}

#[test]
fn cooldown_of_another_service_does_not_apply() {
    let tiers = Tiers::new();
    let restarts = "[COOLDOWN:restart:web] success — up\n[COOLDOWN:restart:web] success — up";
    tiers.two_agents().agent("two/claude", &claude_run("s2", restarts, &response(false)));
    for _ in 0..2 {
        tiers.run_two(&[]).decided(&["escalate", "settled"]);
    }
}

#[test]
fn cooldown_applies_to_unhealthy_services_in_any_letter_case() {
    let tiers = Tiers::new();
    let restarts = "[COOLDOWN:restart:WEB] success — up\n[COOLDOWN:restart:web] success — up";
    tiers.two_agents().agent("one/claude", &claude_run("s1", restarts, &response(true)));
    tiers.run_two(&[]).decided(&["escalate", "settled"]);
    let restarts = "[COOLDOWN:restart:DB] success — up\n[COOLDOWN:restart:Db] success — up";
    tiers.agent("one/claude", &claude_run("s3", restarts, &response(true)));
    assert_eq!(tiers.run_two(&[]).reason(), "db: 2 actions within 4 h, the limit is 2");
}
