//! `findings`: events, memories and other records in an agent's output.

use assert_cmd::assert::Assert;
use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run};
use crate::support::on_screen;

fn message(text: &str) -> String {
    json!({"type": "assistant", "session_id": "s1", "parent_tool_use_id": null,
        "message": {"id": "m", "content": [{"type": "text", "text": text}]}})
    .to_string()
}

pub fn codex_message(text: &str) -> String {
    json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}})
        .to_string()
}

fn result(output: &Value) -> String {
    json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s1",
        "result": "[EVENT:info] the result repeats the last message",
        "structured_output": output})
    .to_string()
}

fn findings(lines: &[String]) -> Assert {
    run(&["findings"], lines.join("\n") + "\n").success()
}

/// Access to the kinds of findings on standard output.
trait Kinds {
    /// Checks the kind of each finding.
    fn kinds(self, expected: &[&str]) -> Self;
}

impl Kinds for Assert {
    fn kinds(self, expected: &[&str]) -> Self {
        let rows = self.rows();
        let kinds: Vec<_> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, expected, "{self}");
        self
    }
}

const MARKERS: &str = "[EVENT:critical:db] down\n[MEMORY:timing:db] slow start\n[COOLDOWN:restart:db] success — up again";

#[test]
fn structured_output_replaces_markers_except_cooldowns() {
    let document = json!({
        "summary": "One service is down.",
        "events": [{"level": "critical", "service": "db", "message": "down"}, {"level": "info", "message": "m"}],
        "memories": [{"key": "db:timing", "value": "slow"}, {"key": "remediation", "value": "restart"}],
        "escalation": {"needed": true, "reason": "r", "context": "c", "failed_checks": ["ping"]},
        "services_checked": [{"name": "db", "status": "down", "detail": "refused"}],
    });
    let expected = [
        json!({"kind": "summary", "text": "One service is down."}),
        json!({"kind": "event", "level": "critical", "service": "db", "message": "down"}),
        json!({"kind": "event", "level": "info", "message": "m"}),
        json!({"kind": "memory", "service": "db", "category": "timing", "observation": "slow"}),
        json!({"kind": "memory", "category": "remediation", "observation": "restart"}),
        json!({"kind": "escalation", "needed": true, "reason": "r", "context": "c", "failed_checks": ["ping"]}),
        json!({"kind": "service", "name": "db", "status": "down", "detail": "refused"}),
        json!({"kind": "cooldown", "action_type": "restart", "service": "db", "success": true, "message": "up again"}),
    ]
    .map(|mut row| {
        row["session_id"] = json!("s1");
        row["extraction_method"] = json!("structured");
        row
    });
    let run = findings(&[message(MARKERS), result(&document)]).stderr("");
    assert_eq!(run.rows(), expected);
}

#[test]
fn markers_are_read_in_order_without_structured_output() {
    let mut absent: Value = serde_json::from_str(&result(&Value::Null)).unwrap();
    absent.as_object_mut().unwrap().remove("structured_output");
    for result in [result(&Value::Null), absent.to_string()] {
        let run = findings(&[message(MARKERS), message("[EVENT:warn] late"), result])
            .stderr("")
            .kinds(&["event", "memory", "cooldown", "event"]);
        for row in run.rows() {
            assert_eq!(
                (&row["extraction_method"], &row["session_id"]),
                (&json!("markers"), &json!("s1"))
            );
        }
    }
    // A stream without a result.
    findings(&[message(MARKERS)]).kinds(&["event", "memory", "cooldown"]);
}

#[test]
fn structured_output_with_wrong_types_is_ignored_with_a_warning() {
    findings(&[message(MARKERS), result(&json!({"summary": "s", "events": "none"}))])
        .kinds(&["event", "memory", "cooldown"])
        .stderr("streamj: <stdin>: the structured output is not an agent's response (/events is not a list); markers are read instead\n");
}

#[test]
fn structured_output_of_another_schema_is_ignored_with_a_warning() {
    findings(&[message(MARKERS), result(&json!({"name": "demo", "n": 3}))])
        .kinds(&["event", "memory", "cooldown"])
        .stderr(predicate::str::contains("it has none of the expected members"));
}

#[test]
fn structured_output_without_memories_is_valid() {
    let document = json!({"summary": "s", "events": [], "escalation": {"needed": false}, "services_checked": []});
    findings(&[message(MARKERS), result(&document)]).kinds(&["summary", "escalation", "cooldown"]);
}

#[test]
fn unknown_level_is_replaced_and_not_repeated_in_the_warning() {
    let document = json!({"events": [{"level": "Fatal sk-secret", "message": "m"}, {"level": "ERROR", "message": "n"}]});
    let warning = "/events/0/level is not info, warning or critical; read as info";
    let run = findings(&[result(&document)])
        .stderr(predicate::str::contains(warning))
        .stderr(predicate::str::contains("secret").not());
    assert_eq!(run.errors().lines().count(), 2);
    let levels: Vec<_> = run.rows().iter().map(|row| row["level"].clone()).collect();
    assert_eq!(levels, ["info", "critical"]);
}

#[test]
fn memory_with_invalid_key_is_kept_with_a_warning() {
    let warning = "/memories/0/key is neither category nor service:category";
    let row = findings(&[result(&json!({"memories": [{"key": "Some words", "value": "v"}]}))])
        .stderr(predicate::str::contains(warning))
        .row();
    assert_eq!((&row["category"], &row["observation"]), (&json!("Some words"), &json!("v")));
}

#[test]
fn last_structured_output_of_several_results_is_used() {
    let first = json!({"summary": "first", "events": [{"level": "info", "message": "a"}]});
    let second = json!({"summary": "second"});
    let run = findings(&[
        message(MARKERS),
        result(&first),
        message(MARKERS),
        result(&second),
        result(&Value::Null),
    ])
    .kinds(&["summary", "cooldown", "cooldown"]);
    assert_eq!(run.rows()[0]["text"], "second");
}

#[test]
fn marker_in_code_fence_is_a_finding() {
    let run = findings(&[message("```\n[EVENT:info:a] fenced\n```")]);
    assert_eq!(run.row()["message"], "fenced");
}

#[test]
fn marker_in_tool_call_or_thinking_is_no_finding() {
    let tool = json!({"type": "user", "session_id": "s1", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": MARKERS}]}});
    let call = json!({"type": "assistant", "session_id": "s1", "message": {"id": "m",
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": MARKERS}}]}});
    findings(&[call.to_string(), tool.to_string()]).stdout("");
    let thinking = json!({"type": "assistant", "session_id": "s1", "message": {"id": "m",
        "content": [{"type": "thinking", "thinking": MARKERS}]}});
    findings(&[thinking.to_string()]).stdout("");
}

#[test]
fn marker_split_over_two_text_blocks_is_no_finding() {
    let blocks = ["[EVENT:info", ":db] down", "[EVENT:info:db]", "down"];
    findings(&blocks.map(message)).stdout("");
}

#[test]
fn partial_messages_do_not_duplicate_findings() {
    let delta = json!({"type": "stream_event", "session_id": "s1", "parent_tool_use_id": null, "uuid": "u",
        "event": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": MARKERS}}});
    findings(&[delta.to_string(), message(MARKERS)]).kinds(&["event", "memory", "cooldown"]);
}

#[test]
fn result_is_searched_for_markers_if_it_is_the_only_line() {
    let run = findings(&[result(&Value::Null)]);
    assert_eq!(run.row()["message"], "the result repeats the last message");
}

#[test]
fn last_message_of_codex_may_be_an_agent_response() {
    let start = r#"{"type":"thread.started","thread_id":"t1"}"#;
    let end = r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
    let document = json!({"summary": "s", "events": []}).to_string();
    let findings_of = |last: &str| {
        read(&["findings"], &[start, &codex_message(MARKERS), &codex_message(last), end])
    };
    let run = findings_of(&document).kinds(&["summary", "cooldown"]);
    assert_eq!(run.rows()[0]["session_id"], "t1");
    // A text that is valid JSON by chance is not an invalid response.
    findings_of("42").kinds(&["event", "memory", "cooldown"]).stderr("");
}

#[test]
fn codex_message_with_a_document_is_not_searched_for_markers() {
    let document = json!({"summary": "did [COOLDOWN:restart:db] success - up", "events": []});
    let run = findings(&[codex_message(MARKERS), codex_message(&document.to_string())])
        .kinds(&["summary", "cooldown"]);
    assert_eq!(run.rows()[1]["message"], "up again");
    let wrong = json!({"summary": "[EVENT:info] x", "events": "no"});
    findings(&[codex_message(MARKERS), codex_message(&wrong.to_string())])
        .kinds(&["event", "memory", "cooldown"])
        .stderr(predicate::str::contains("(/events is not a list)"));
}

#[test]
fn table_has_a_column_for_every_member() {
    let lines = [&*message(MARKERS)];
    let table = read(&["findings", "--format", "tsv"], &lines);
    let rows: Vec<Vec<&str>> =
        table.text().lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()));
    let at = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
    for (row, full) in rows[1..].iter().zip(read(&["findings"], &lines).rows()) {
        for (name, value) in full.as_object().unwrap() {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(row[at(name)], text, "{name}");
        }
    }
    read(&["findings", "--get", "/service"], &lines).stdout("db\ndb\ndb\n");
}

#[test]
fn human_format_has_one_line_per_finding() {
    let markers = message("[EVENT:critical:db] down\n[COOLDOWN:restart:db] failure - no");
    let printed = run(&["findings", "--format", "human"], markers);
    let lines: Vec<_> = printed.text().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("critical    db"), "{printed}");
    assert!(lines[1].contains("restart, failed: no"), "{printed}");
}

#[test]
fn human_format_replaces_line_breaks_in_names() {
    let document = json!({
        "events": [{"level": "info", "service": "web\ncritical   db   down", "message": "m"}],
        "services_checked": [{"name": "a\nb", "status": "c\nd"}, {"name": "e", "status": "unreachable"}],
        "escalation": {"needed": false, "reason": "all is well"},
    });
    let printed = run(&["findings", "--format", "human"], result(&document));
    let lines: Vec<_> = printed.text().lines().collect();
    assert_eq!(lines.len(), 4, "{printed}");
    assert!(lines[1].starts_with("settled ") && lines[1].ends_with(" all is well"), "{printed}");
    assert!(lines[3].starts_with("unreachable e"), "{printed}");
}

#[test]
fn control_sequences_of_the_agent_do_not_reach_the_terminal() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\u{7}";
    let document = json!({
        "summary": evil, "events": [{"level": evil, "service": evil, "message": evil}],
        "memories": [{"key": evil, "value": evil}],
        "escalation": {"needed": true, "reason": evil, "failed_checks": [evil]},
        "services_checked": [{"name": evil, "status": evil, "detail": evil}],
    });
    for args in [
        &["findings", "--format", "human"][..],
        &["findings"],
        &["structured"],
        &["structured", "--get", "/summary"],
    ] {
        let mut printed = on_screen(args, result(&document).as_bytes());
        for own in ["1", "22", "31", "32", "33", "39", "0"] {
            printed = printed.replace(&format!("\u{1b}[{own}m"), "");
        }
        assert!(
            !printed.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']),
            "{args:?}: {printed:?}"
        );
        assert!(!printed.is_empty());
    }
}

#[test]
fn warnings_after_the_twentieth_are_counted() {
    let events = vec![json!({"level": "odd", "message": "m"}); 50];
    let run = findings(&[result(&json!({"events": events}))])
        .stderr(predicate::str::ends_with("30 more warnings\n"));
    assert_eq!(run.rows().len(), 50);
    assert_eq!(run.errors().lines().count(), 21);
}
