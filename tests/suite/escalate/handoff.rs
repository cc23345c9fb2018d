//! The legacy file.

use super::*;

const HANDED: &str = r#"{"schema_version":1,"recommended_tier":2,"services_affected":["db"],
    "check_results":[{"service":"db","check_type":"http","status":"down","error":"502"}],
    "investigation_findings":"out of memory"}"#;

fn marked() -> String {
    run_of_claude("s1", "[EVENT:critical:db] down", &Value::Null)
}

#[test]
fn it_is_read_and_deleted_when_findings_are_marked() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("one/claude", &marked(), "cp handed handoff.json");
    std::fs::write(tiers.stage.path("handed"), HANDED).unwrap();
    let done = tiers.both(&["--handoff", "handoff.json"]);
    assert_eq!(words(&done), ["escalate", "settled"], "{done:?}");
    assert!(!tiers.stage.path("handoff.json").exists());
    let args = tiers.args_of("two/claude");
    let expected = "Escalation reason: affected: db\nInvestigation findings: out of memory\n\
                    Failed checks: db/http\nService status: db: down (502)";
    assert_eq!(value(&args, "--append-system-prompt"), Some(expected));
    let methods = tiers.rows("SELECT extraction_method FROM sessions");
    assert_eq!(methods, [json!(["markers"]), json!(["structured"])]);
    // Without it, and without the option, nobody asks for help.
    assert_eq!(words(&tiers.both(&[])), ["settled"]);
}

#[test]
fn it_is_not_touched_when_findings_are_structured() {
    let tiers = Tiers::new();
    tiers.usual().agent("one/claude", &run_of_claude("s1", "", &answer(false)));
    std::fs::write(tiers.stage.path("handoff.json"), HANDED).unwrap();
    assert_eq!(words(&tiers.both(&["--handoff", "handoff.json"])), ["settled"]);
    assert_eq!(std::fs::read_to_string(tiers.stage.path("handoff.json")).unwrap(), HANDED);
}

#[test]
fn a_dry_run_reads_it_and_leaves_it() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("one/claude", &marked(), "cp handed handoff.json");
    std::fs::write(tiers.stage.path("handed"), HANDED).unwrap();
    assert_eq!(words(&tiers.both(&["--handoff", "handoff.json", "--dry-run"])), ["dry-run"]);
    assert!(tiers.stage.path("handoff.json").exists());
}

#[test]
fn one_that_cannot_be_understood_is_a_failure_and_set_aside() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("one/claude", &marked(), "echo soon > handoff.json");
    let done = tiers.both(&["--handoff", "handoff.json"]);
    assert_eq!((done.code, words(&done)), (Some(1), vec!["failed".to_owned()]));
    let reason = decisions(&done)[0]["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("handoff.json: not a JSON object: "), "{reason}");
    assert!(!tiers.stage.path("handoff.json").exists());
    assert_eq!(std::fs::read_to_string(tiers.stage.path("handoff.json.bad")).unwrap(), "soon\n");
    assert_eq!(tiers.statuses(), [json!([1, "failed"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn one_from_before_the_tier_is_not_of_the_tier() {
    let tiers = Tiers::new();
    tiers.usual().agent("one/claude", &marked());
    std::fs::write(tiers.stage.path("handoff.json"), HANDED).unwrap();
    let done = tiers.both(&["--handoff", "handoff.json"]);
    assert_eq!(words(&done), ["settled"], "{done:?}");
    assert!(done.stderr.contains("handoff.json: older than the tier, ignored"), "{done:?}");
    assert!(!tiers.stage.path("handoff.json").exists());
}

#[test]
fn one_of_a_tier_that_failed_is_deleted() {
    let tiers = Tiers::new();
    tiers.usual().agent_that("one/claude", &marked(), "cp handed handoff.json; exit 7");
    std::fs::write(tiers.stage.path("handed"), HANDED).unwrap();
    let done = tiers.both(&["--handoff", "handoff.json"]);
    assert_eq!((done.code, words(&done)), (Some(7), vec!["failed".to_owned()]), "{done:?}");
    assert!(!tiers.stage.path("handoff.json").exists());
}
