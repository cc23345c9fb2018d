//! `findings`: what an agent reports.

use serde_json::{Value, json};

use crate::support::{Run, on_screen, read, run};

fn said(text: &str) -> String {
    json!({"type": "assistant", "session_id": "s1", "parent_tool_use_id": null,
        "message": {"id": "m", "content": [{"type": "text", "text": text}]}})
    .to_string()
}

fn result(output: &Value) -> String {
    json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s1",
        "result": "[EVENT:info] the result repeats the last message",
        "structured_output": output})
    .to_string()
}

fn findings(lines: &[String]) -> Run {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    read(&["findings"], &lines)
}

fn kinds(run: &Run) -> Vec<String> {
    run.rows().iter().map(|row| row["kind"].as_str().unwrap().to_owned()).collect()
}

const MARKED: &str = "[EVENT:critical:db] down\n[MEMORY:timing:db] slow start\n[COOLDOWN:restart:db] success — up again";

#[test]
fn structured_output_gives_the_rows_of_the_schema_and_cooldowns_come_from_the_text() {
    let document = json!({
        "summary": "One service is down.",
        "events": [{"level": "critical", "service": "db", "message": "down"}, {"level": "info", "message": "m"}],
        "memories": [{"key": "db:timing", "value": "slow"}, {"key": "remediation", "value": "restart"}],
        "escalation": {"needed": true, "reason": "r", "context": "c", "failed_checks": ["ping"]},
        "services_checked": [{"name": "db", "status": "down", "detail": "refused"}],
    });
    let method = |mut row: Value| {
        row["session_id"] = json!("s1");
        row["extraction_method"] = json!("structured");
        row
    };
    let expected: Vec<Value> = [
        json!({"kind": "summary", "text": "One service is down."}),
        json!({"kind": "event", "level": "critical", "service": "db", "message": "down"}),
        json!({"kind": "event", "level": "info", "message": "m"}),
        json!({"kind": "memory", "service": "db", "category": "timing", "observation": "slow"}),
        json!({"kind": "memory", "category": "remediation", "observation": "restart"}),
        json!({"kind": "escalation", "needed": true, "reason": "r", "context": "c", "failed_checks": ["ping"]}),
        json!({"kind": "service", "name": "db", "status": "down", "detail": "refused"}),
        json!({"kind": "cooldown", "action_type": "restart", "service": "db", "success": true, "message": "up again"}),
    ]
    .map(method)
    .into();
    let run = findings(&[said(MARKED), result(&document)]);
    assert_eq!(run.rows(), expected);
    assert_eq!(run.stderr, "");
}

#[test]
fn without_structured_output_the_markers_count_in_the_order_of_the_text() {
    for output in [Value::Null, json!(null)] {
        let run = findings(&[said(MARKED), said("[EVENT:warn] late"), result(&output)]);
        assert_eq!(kinds(&run), ["event", "memory", "cooldown", "event"]);
        assert!(run.rows().iter().all(|row| row["extraction_method"] == "markers"));
        assert!(run.rows().iter().all(|row| row["session_id"] == "s1"));
        assert_eq!(run.stderr, "");
    }
    let cut = findings(&[said(MARKED)]);
    assert_eq!(kinds(&cut), ["event", "memory", "cooldown"], "a stream that just stops");
}

#[test]
fn wrong_types_are_a_warning_and_the_markers_count() {
    let run = findings(&[said(MARKED), result(&json!({"summary": "s", "events": "none"}))]);
    assert_eq!(kinds(&run), ["event", "memory", "cooldown"]);
    assert_eq!(
        run.stderr,
        "streamj: <stdin>: the structured output is not an agent's response (/events is no list); markers are read instead\n"
    );
}

#[test]
fn a_document_of_another_schema_is_not_an_agents_response() {
    let run = findings(&[said(MARKED), result(&json!({"name": "demo", "n": 3}))]);
    assert_eq!(kinds(&run), ["event", "memory", "cooldown"]);
    assert!(run.stderr.contains("it has none of the members of one"), "{run:?}");
}

#[test]
fn absent_memories_are_an_empty_list() {
    let document = json!({"summary": "s", "events": [], "escalation": {"needed": false}, "services_checked": []});
    let run = findings(&[said(MARKED), result(&document)]);
    assert_eq!(kinds(&run), ["summary", "escalation", "cooldown"]);
}

#[test]
fn a_level_out_of_order_is_put_right_with_a_warning_that_does_not_repeat_it() {
    let document = json!({"events": [{"level": "Fatal sk-secret", "message": "m"}, {"level": "ERROR", "message": "n"}]});
    let run = findings(&[result(&document)]);
    let levels: Vec<_> = run.rows().iter().map(|row| row["level"].clone()).collect();
    assert_eq!(levels, ["info", "critical"]);
    assert_eq!(run.stderr.lines().count(), 2);
    assert!(
        run.stderr.contains("/events/0/level is none of info, warning, critical; taken as info")
    );
    assert!(!run.stderr.contains("secret"));
}

#[test]
fn a_key_that_cannot_be_mapped_is_a_warning_and_no_loss() {
    let run = findings(&[result(&json!({"memories": [{"key": "Some words", "value": "v"}]}))]);
    assert_eq!(
        (&run.row()["category"], &run.row()["observation"]),
        (&json!("Some words"), &json!("v"))
    );
    assert!(run.stderr.contains("/memories/0/key is neither category nor service:category"));
}

#[test]
fn of_several_results_the_last_structured_output_counts() {
    let first = json!({"summary": "first", "events": [{"level": "info", "message": "a"}]});
    let second = json!({"summary": "second"});
    let run = findings(&[
        said(MARKED),
        result(&first),
        said(MARKED),
        result(&second),
        result(&Value::Null),
    ]);
    assert_eq!(kinds(&run), ["summary", "cooldown", "cooldown"]);
    assert_eq!(run.rows()[0]["text"], "second");
}

#[test]
fn a_marker_in_a_code_fence_counts() {
    let run = findings(&[said("```\n[EVENT:info:a] fenced\n```")]);
    assert_eq!(run.row()["message"], "fenced");
}

#[test]
fn a_marker_in_a_tool_result_is_no_finding() {
    let tool = json!({"type": "user", "session_id": "s1", "message": {"role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t", "content": MARKED}]}});
    let call = json!({"type": "assistant", "session_id": "s1", "message": {"id": "m",
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": MARKED}}]}});
    assert_eq!(findings(&[call.to_string(), tool.to_string()]).text(), "");
    let thinking = json!({"type": "assistant", "session_id": "s1", "message": {"id": "m",
        "content": [{"type": "thinking", "thinking": MARKED}]}});
    assert_eq!(findings(&[thinking.to_string()]).text(), "");
}

#[test]
fn a_marker_split_over_two_text_blocks_is_none() {
    let run =
        findings(&[said("[EVENT:info"), said(":db] down"), said("[EVENT:info:db]"), said("down")]);
    assert_eq!(run.text(), "");
}

#[test]
fn partial_messages_are_not_found_twice() {
    let delta = json!({"type": "stream_event", "session_id": "s1", "parent_tool_use_id": null, "uuid": "u",
        "event": {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": MARKED}}});
    let run = findings(&[delta.to_string(), said(MARKED)]);
    assert_eq!(kinds(&run), ["event", "memory", "cooldown"]);
}

#[test]
fn a_stream_that_is_a_result_only_is_read_there() {
    let run = findings(&[result(&Value::Null)]);
    assert_eq!(run.row()["message"], "the result repeats the last message");
}

#[test]
fn the_last_message_of_codex_is_a_response_if_it_is_one() {
    let message = |text: &str| {
        json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}})
            .to_string()
    };
    let start = r#"{"type":"thread.started","thread_id":"t1"}"#.to_owned();
    let end =
        r#"{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#.to_owned();
    let document = json!({"summary": "s", "events": []}).to_string();
    let structured = findings(&[start.clone(), message(MARKED), message(&document), end.clone()]);
    assert_eq!(kinds(&structured), ["summary", "cooldown"]);
    assert_eq!(structured.rows()[0]["session_id"], "t1");
    // What happens to be JSON is not a document that went wrong.
    let prose = findings(&[start, message(MARKED), message("42"), end]);
    assert_eq!(kinds(&prose), ["event", "memory", "cooldown"]);
    assert_eq!(prose.stderr, "");
}

#[test]
fn tables_have_a_column_for_every_member() {
    let lines = [&*said(MARKED)];
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
    assert_eq!(read(&["findings", "--get", "/service"], &lines).text(), "db\ndb\ndb\n");
}

#[test]
fn for_people_there_is_a_line_each() {
    let marked = said("[EVENT:critical:db] down\n[COOLDOWN:restart:db] failure - no");
    let shown = run(&["findings", "--format", "human"], marked);
    let lines: Vec<_> = shown.text().lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("critical    db"), "{shown:?}");
    assert!(lines[1].contains("restart, failed: no"), "{shown:?}");
}

#[test]
fn on_a_terminal_nothing_of_the_agents_is_a_control_sequence() {
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
        let mut shown = on_screen(args, result(&document).as_bytes());
        for own in ["1", "22", "31", "32", "33", "39", "0"] {
            shown = shown.replace(&format!("\u{1b}[{own}m"), "");
        }
        assert!(!shown.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7}']), "{args:?}: {shown:?}");
        assert!(!shown.is_empty());
    }
}

#[test]
fn a_message_that_is_a_document_is_not_searched_for_markers() {
    let message = |text: &str| {
        json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}})
            .to_string()
    };
    let document = json!({"summary": "did [COOLDOWN:restart:db] success - up", "events": []});
    let run = findings(&[message(MARKED), message(&document.to_string())]);
    assert_eq!(kinds(&run), ["summary", "cooldown"]);
    assert_eq!(run.rows()[1]["message"], "up again");
    // Wrong types are told here, too.
    let wrong = json!({"summary": "[EVENT:info] x", "events": "no"});
    let run = findings(&[message(MARKED), message(&wrong.to_string())]);
    assert_eq!(kinds(&run), ["event", "memory", "cooldown"]);
    assert!(run.stderr.contains("(/events is no list)"), "{run:?}");
}

#[test]
fn for_people_a_finding_is_one_line_whatever_its_names_are() {
    let document = json!({
        "events": [{"level": "info", "service": "web\ncritical   db   down", "message": "m"}],
        "services_checked": [{"name": "a\nb", "status": "c\nd"}, {"name": "e", "status": "unreachable"}],
        "escalation": {"needed": false, "reason": "all is well"},
    });
    let shown = run(&["findings", "--format", "human"], result(&document));
    let lines: Vec<_> = shown.text().lines().collect();
    assert_eq!(lines.len(), 4, "{shown:?}");
    assert!(lines[1].starts_with("settled ") && lines[1].ends_with(" all is well"), "{shown:?}");
    assert!(lines[3].starts_with("unreachable e"), "{shown:?}");
}

#[test]
fn warnings_are_so_many_and_then_a_count() {
    let events = vec![json!({"level": "odd", "message": "m"}); 50];
    let run = findings(&[result(&json!({"events": events}))]);
    assert_eq!(run.rows().len(), 50);
    assert_eq!(run.stderr.lines().count(), 21);
    assert!(run.stderr.ends_with("30 more of these\n"), "{run:?}");
}
