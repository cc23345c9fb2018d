//! `events`: every event as it came, plus whose it is.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{fixture, fixture_bytes, fixtures, read, run};

#[test]
fn all_bytes_but_the_tag_stay() {
    for path in fixtures() {
        let input = std::fs::read(&path).unwrap();
        let untagged = run(&["-q", "events", "--tag", "none", path.to_str().unwrap()], "");
        let tagged = run(&["-q", "events", path.to_str().unwrap()], "");
        let lines: Vec<&[u8]> =
            input.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"{")).collect();
        if lines.is_empty() {
            continue;
        }
        let whole = lines.iter().filter(|line| line.ends_with(b"}"));
        let expected: Vec<u8> = whole.flat_map(|line| [*line, b"\n"].concat()).collect();
        assert_eq!(untagged.stdout, expected, "{}", path.display());
        let stripped = tagged.text().replace(",\"harness\":\"claude\"}\n", "}\n");
        let stripped = stripped.replace(",\"harness\":\"codex\"}\n", "}\n");
        assert_eq!(stripped.as_bytes(), untagged.stdout, "{}", path.display());
    }
}

#[test]
fn the_contract_tags_codex_only() {
    let codex = run(&["events", "--tag", "codex"], fixture_bytes("codex/text_success"));
    assert!(codex.text().starts_with(r#"{"type":"thread.started","thread_id":"01a1e184-9112-7833-950f-0ff741e7680a","harness":"codex"}"#));
    assert!(codex.rows().iter().all(|event| event["harness"] == "codex"));
    let claude = run(&["events", "--tag", "codex"], fixture_bytes("claude/text_success"));
    assert!(claude.rows().iter().all(|event| event.get("harness").is_none()));
}

#[test]
fn an_existing_tag_is_replaced() {
    let line = r#"{"type":"thread.started","harness":"spoof","thread_id":"th"}"#;
    let expected = "{\"type\":\"thread.started\",\"harness\":\"codex\",\"thread_id\":\"th\"}\n";
    assert_eq!(read(&["events"], &[line]).text(), expected);
}

#[test]
fn unknown_types_items_and_members_are_kept() {
    let lines = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"brand.new","deep":{"x":[1,2.50]}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"hologram"},"more":null}"#,
    ];
    let events = read(&["events", "--tag", "none"], &lines);
    assert_eq!(events.text(), lines.join("\n") + "\n");
    for command in ["text", "tools", "error"] {
        let run = run(&[command, "--harness", "codex"], format!("{}\n{}\n", lines[1], lines[2]));
        assert_eq!(run.code, 0, "{command}");
    }
}

#[test]
fn the_json_format_is_one_array_per_run() {
    let one = fixture("codex/text_success");
    let two = fixture("claude/text_success");
    let run =
        run(&["events", "--format", "json", one.to_str().unwrap(), two.to_str().unwrap()], "");
    let lens: Vec<_> = run.rows().iter().map(|array| array.as_array().unwrap().len()).collect();
    assert_eq!(lens, [4, 3]);
    assert_eq!(crate::support::run(&["events", "--format", "json"], "").text(), "[]\n");
}

#[test]
fn one_member_of_each_event_can_be_asked_for() {
    let types = run(&["events", "--get", "/type"], fixture_bytes("codex/text_success"));
    assert_eq!(types.text(), "thread.started\nturn.started\nitem.completed\nturn.completed\n");
    let some = run(&["events", "--get", "/item/text"], fixture_bytes("codex/text_success"));
    assert_eq!((some.text(), some.code), ("Hello from the fake model.\n", 0));
    let none = run(&["events", "--get", "/nothing"], fixture_bytes("codex/text_success"));
    assert_eq!((none.text(), none.code), ("", 1));
}

#[test]
fn server_sent_events_are_framed_for_a_browser() {
    let run = run(&["events", "--format", "sse"], fixture_bytes("codex/text_success"));
    let frames: Vec<&str> = run.text().split_terminator("\n\n").collect();
    assert_eq!(frames.len(), 4);
    for frame in frames {
        let (event, data) = frame.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(event, format!("event: {}", data["type"].as_str().unwrap()));
    }
    let sneaky = "{\"type\":\"turn.started\\nevent: fake\",\r\"x\":1}";
    let run = read(&["events", "--harness", "codex", "--format", "sse"], &[sneaky]);
    let expected = "event: turn.startedevent: fake\ndata: {\"type\":\"turn.started\\nevent: fake\", \"x\":1,\"harness\":\"codex\"}\n\n";
    assert_eq!(run.text(), expected);
}

#[test]
fn unified_events_have_one_vocabulary_for_both() {
    let kinds = |name: &str| {
        let rows = run(&["events", "--unified"], fixture_bytes(name)).rows();
        rows.iter().map(|row| row["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let codex = [
        "session",
        "turn_started",
        "reasoning",
        "text",
        "tool_call",
        "tool_result",
        "reasoning",
        "text",
        "finished",
    ];
    assert_eq!(kinds("codex/reasoning"), codex);
    let claude = ["session", "message", "text", "message", "tool_call", "tool_result", "finished"];
    assert_eq!(kinds("claude/max_turns_1"), claude);
}

#[test]
fn every_line_has_a_unified_event_and_every_event_its_line() {
    for path in fixtures() {
        let path = path.to_str().unwrap();
        let summary = run(&["-q", "summary", path], "").row();
        let rows = run(&["-q", "events", "--unified", path], "").rows();
        let mut lines: Vec<_> = rows.iter().map(|row| row["line"].as_u64().unwrap()).collect();
        lines.dedup();
        let events = summary["lines"]["events"].as_u64().unwrap();
        let unpacked = path.contains("json_verbose");
        assert!(unpacked || lines.len() as u64 == events, "{path}");
    }
}

/// `docs/events.md` lists every kind with its members.
#[test]
fn the_documented_schema_is_the_schema() {
    let docs = std::fs::read_to_string(crate::support::root().join("docs/events.md")).unwrap();
    let documented = |kind: &str, member: &str| {
        let heading = format!("### `{kind}`");
        let section = docs.split(&heading).nth(1).unwrap_or_else(|| panic!("no section {heading}"));
        let section = section.split("\n### ").next().unwrap();
        let common = docs.split("## Every event").nth(1).unwrap().split("\n## ").next().unwrap();
        [section, common].iter().any(|text| text.contains(&format!("| `{member}`")))
    };
    let more = [
        r#"{"id":"0","msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":7,"cached_input_tokens":2,"output_tokens":3,"reasoning_output_tokens":1}}}}"#,
        r#"{"type":"item.completed","item":{"id":"e","type":"error","message":"5 events were dropped"}}"#,
        r#"{"type":"error","message":"x"}"#,
    ];
    let mut rows = read(&["events", "--unified"], &more).rows();
    for path in fixtures() {
        rows.extend(run(&["-q", "events", "--unified", path.to_str().unwrap()], "").rows());
    }
    let mut kinds = BTreeSet::new();
    for row in rows {
        let kind = row["kind"].as_str().unwrap();
        kinds.insert(kind.to_owned());
        for member in row.as_object().unwrap().keys() {
            assert!(documented(kind, member), "{kind}.{member} is not documented");
        }
    }
    let headings = docs.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    assert_eq!(kinds, headings.map(str::to_owned).collect(), "every kind, and no other");
}
