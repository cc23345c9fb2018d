//! Confidence, decay and output of memories.

use super::*;

fn with_confidence(observation: &str, confidence: f64) -> (String, f64) {
    (observation.to_owned(), confidence)
}

#[test]
fn repeated_observation_raises_confidence_up_to_one() {
    let store = Store::new();
    for (run, confidence) in [0.7, 0.8, 0.9, 1.0, 1.0].into_iter().enumerate() {
        store.add_memory(&format!("s{run}"), "db:timing", "slow");
        assert_eq!(store.observations(&[]), [with_confidence("slow", confidence)]);
    }
}

#[test]
fn contradicting_observation_lowers_confidence() {
    let store = Store::new();
    for run in 0..3 {
        store.add_memory(&format!("s{run}"), "db:timing", "slow");
    }
    store.add_memory("t", "db:timing", "fast");
    let both = [with_confidence("slow", 0.8), with_confidence("fast", 0.7)];
    assert_eq!(store.observations(&[]), both);
    // Memories of another service or category are independent.
    store.add_memory("u", "web:timing", "fast");
    store.add_memory("v", "timing", "fast");
    store.add_memory("w", "db:remediation", "fast");
    let database = store.open();
    let slow = rows(&database, "SELECT confidence FROM memories WHERE observation = 'slow'");
    assert_eq!(slow, [json!([0.8])]);
    assert_eq!(count(&database, "memories"), 5);
}

#[test]
fn memory_with_confidence_below_minimum_is_deactivated() {
    let store = Store::new();
    store.add_memory("s", "timing", "first");
    for run in 0..5 {
        store.add_memory(&format!("t{run}"), "timing", &format!("other {run}"));
    }
    let first = "SELECT confidence, active FROM memories WHERE observation = 'first'";
    assert_eq!(rows(&store.open(), first), [json!([0.2, 0])]);
    assert!(store.observations(&[]).iter().all(|(observation, _)| observation != "first"));
    // The minimum of 0.3 is still active.
    let next = "SELECT confidence, active FROM memories WHERE observation = 'other 0'";
    assert_eq!(rows(&store.open(), next), [json!([0.3, 1])]);
    // A new observation starts at the initial confidence.
    store.add_memory("u", "timing", "first");
    assert!(store.observations(&[]).contains(&with_confidence("first", 0.7)));
}

#[test]
fn alternating_observations_gain_no_confidence() {
    let store = Store::new();
    for run in 0..12 {
        store.add_memory(&format!("s{run}"), "db:timing", ["slow", "fast"][run % 2]);
    }
    let both = [with_confidence("fast", 0.7), with_confidence("slow", 0.6)];
    assert_eq!(store.observations(&[]), both);
}

#[test]
fn run_counts_an_observation_once_and_stores_no_empty_category() {
    let store = Store::new();
    let memory = |key: &str| json!({"key": key, "value": "slow"});
    let mut memories = vec![memory("db:timing"); 5];
    memories.extend(["", "db:", ":"].map(memory));
    let file = store.recording("a.jsonl", &claude_run("s", "", &json!({"memories": memories})));
    store.findings(&[&file]).code(0);
    assert_eq!(store.observations(&[])[..1], [with_confidence("slow", 0.7)]);
    let categories = rows(&store.open(), "SELECT category FROM memories ORDER BY id");
    assert_eq!(categories[0], json!(["timing"]));
    assert!(!categories.contains(&json!([""])), "{categories:?}");
}

#[test]
fn memories_are_printed_by_service() {
    let store = Store::new();
    store.add_memory("a", "web:remediation", "restart\nthe   pool");
    store.add_memory("b", "remediation", "ask first");
    store.add_memory("c", "db:timing", "slow start");
    store.add_memory("d", "db:timing", "slow start");
    let expected = "db:\n- timing (0.8): slow start\nweb:\n- remediation (0.7): restart the pool\n\
         general:\n- remediation (0.7): ask first\n";
    store.memories(&[]).code(0).stdout(expected).stderr("");
    store.memories(&["--format", "text"]).stdout(expected);
    let records = store.memories(&["--format", "jsonl"]).rows();
    assert_eq!(records.len(), 3);
    assert_eq!(
        (&records[0]["service"], &records[0]["category"], &records[0]["confidence"]),
        (&json!("db"), &json!("timing"), &json!(0.8))
    );
    assert!(records[2].get("service").is_none());
    store.memories(&["--get", "/category"]).stdout("timing\nremediation\nremediation\n");
}

#[test]
fn decay_lowers_confidence_once_for_each_week() {
    let store = Store::new();
    store.add_memory("s", "timing", "slow");
    let set_age = |days: u32| {
        let set = format!(
            "UPDATE memories SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-{days} days')"
        );
        store.open().execute(&set, []).unwrap();
    };
    let slow = |confidence: f64| [with_confidence("slow", confidence)];
    set_age(36);
    assert_eq!(store.observations(&["--decay"]), slow(0.7));
    set_age(46);
    assert_eq!(store.observations(&[]), slow(0.7), "no decay without the option");
    for _ in 0..3 {
        assert_eq!(store.observations(&["--decay"]), slow(0.5), "two weeks after thirty days");
    }
    set_age(52);
    assert_eq!(store.observations(&["--decay"]), slow(0.4), "one more week");
    // A repeated observation resets the weeks already counted.
    store.add_memory("t", "timing", "slow");
    set_age(38);
    assert_eq!(store.observations(&["--decay"]), slow(0.4));
    set_age(300);
    assert_eq!(store.observations(&["--decay"]), []);
    assert_eq!(rows(&store.open(), "SELECT active FROM memories"), [json!([0])]);
}

#[test]
fn empty_database_has_no_memories_and_is_not_modified() {
    let store = Store::new();
    std::fs::write(store.path("ops.db"), "").unwrap();
    for args in [&[][..], &["--decay"]] {
        store.memories(args).code(0).stdout("").stderr("");
    }
    assert_eq!(std::fs::read(store.path("ops.db")).unwrap(), b"");
}
