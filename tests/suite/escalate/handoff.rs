//! `--handoff`: the request for the next tier in a file.

use super::*;

const HANDOFF: &str = r#"{"schema_version":1,"recommended_tier":2,"services_affected":["db"],
    "check_results":[{"service":"db","check_type":"http","status":"down","error":"502"}],
    "investigation_findings":"out of memory"}"#;

/// Two tiers; the first prints markers instead of structured output and then runs
/// `script` next to a file `prepared` with a handoff.
fn tiers_with_markers(script: &str) -> Tiers {
    let tiers = Tiers::new();
    let output = claude_run("s1", "[EVENT:critical:db] down", &Value::Null);
    tiers.two_agents().agent_with_script("one/claude", &output, script);
    std::fs::write(tiers.workspace.path("prepared"), HANDOFF).unwrap();
    tiers
}

const WITH_HANDOFF: [&str; 2] = ["--handoff", "handoff.json"];

#[test]
fn handoff_file_is_read_and_deleted_when_findings_are_markers() {
    let tiers = tiers_with_markers("cp prepared handoff.json");
    tiers.run_two(&WITH_HANDOFF).decided(&["escalate", "settled"]);
    assert!(!tiers.workspace.path("handoff.json").exists());
    let args = tiers.args_of("two/claude");
    let expected = "Escalation reason: affected: db\nInvestigation findings: out of memory\n\
                    Failed checks: db/http\nService status: db: down (502)";
    assert_eq!(value(&args, "--append-system-prompt"), Some(expected));
    let methods = tiers.rows("SELECT extraction_method FROM sessions");
    assert_eq!(methods, [json!(["markers"]), json!(["structured"])]);
    // Without the option the file is not read.
    tiers.run_two(&[]).decided(&["settled"]);
}

#[test]
fn handoff_file_is_ignored_when_findings_are_structured() {
    let tiers = Tiers::new();
    tiers.two_agents().agent("one/claude", &claude_run("s1", "", &response(false)));
    std::fs::write(tiers.workspace.path("handoff.json"), HANDOFF).unwrap();
    tiers.run_two(&WITH_HANDOFF).decided(&["settled"]);
    assert_eq!(std::fs::read_to_string(tiers.workspace.path("handoff.json")).unwrap(), HANDOFF);
}

#[test]
fn dry_run_reads_the_handoff_file_and_keeps_it() {
    let tiers = tiers_with_markers("cp prepared handoff.json");
    tiers.run_two(&["--handoff", "handoff.json", "--dry-run"]).decided(&["dry-run"]);
    assert!(tiers.workspace.path("handoff.json").exists());
}

#[test]
fn invalid_handoff_file_fails_the_tier_and_is_renamed() {
    let tiers = tiers_with_markers("echo soon > handoff.json");
    let reason = tiers.run_two(&WITH_HANDOFF).code(1).decided(&["failed"]).reason();
    assert!(reason.starts_with("handoff.json: not a JSON object: "), "{reason}");
    assert!(!tiers.workspace.path("handoff.json").exists());
    let renamed = tiers.workspace.path("handoff.json.bad");
    assert_eq!(std::fs::read_to_string(renamed).unwrap(), "soon\n");
    assert_eq!(tiers.statuses(), [json!([1, "failed"])]);
    assert_eq!(tiers.runs("two/claude"), 0);
}

#[test]
fn handoff_file_older_than_the_tier_is_ignored_and_deleted() {
    let tiers = tiers_with_markers("");
    std::fs::write(tiers.workspace.path("handoff.json"), HANDOFF).unwrap();
    tiers
        .run_two(&WITH_HANDOFF)
        .stderr(predicate::str::contains("handoff.json: older than the tier, ignored"))
        .decided(&["settled"]);
    assert!(!tiers.workspace.path("handoff.json").exists());
}

#[test]
fn handoff_file_of_a_failed_tier_is_deleted() {
    let tiers = tiers_with_markers("cp prepared handoff.json; exit 7");
    tiers.run_two(&WITH_HANDOFF).code(7).decided(&["failed"]);
    assert!(!tiers.workspace.path("handoff.json").exists());
}

#[test]
fn handoff_is_a_regular_file_of_at_most_one_mebibyte() {
    for (script, expected) in [
        ("mkfifo handoff.json", "not a regular file"),
        ("ln -s /dev/zero handoff.json", "not a regular file"),
        ("mkdir handoff.json", "not a regular file"),
        ("truncate -s 3G handoff.json", "larger than 1 MiB"),
    ] {
        let tiers = tiers_with_markers(script);
        let reason = tiers.run_two(&WITH_HANDOFF).code(1).decided(&["failed"]).reason();
        assert_eq!(reason, format!("handoff.json: {expected}"), "{script}");
    }
}
