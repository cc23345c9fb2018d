//! `events`: every event unchanged, tagged with its harness.

use std::collections::BTreeSet;

use bstr::ByteSlice;
use predicates::prelude::*;
use serde_json::Value;

use crate::support::cli::{Printed, read, run};
use crate::support::{fixture, fixture_bytes, fixtures, harness_of, root};

#[test]
fn only_the_tag_is_added() {
    for path in fixtures() {
        let input = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> =
            input.split_str("\n").filter(|line| line.starts_with(b"{")).collect();
        if lines.is_empty() {
            continue;
        }
        let whole = lines.iter().filter(|line| line.ends_with(b"}"));
        let expected: Vec<u8> = whole.flat_map(|line| [*line, b"\n"].concat()).collect();
        let file = path.to_str().unwrap();
        run(&["-q", "events", "--tag", "none"], input.as_slice())
            .append_context("file", file.to_owned())
            .stdout(expected.clone());
        let mut untagged = run(&["-q", "events"], input).get_output().stdout.clone();
        // Most lines of a fork are those of its original.
        let own = harness_of(&path);
        for harness in [own, if own == "kilo" { "opencode" } else { own }] {
            let tag = format!(",\"harness\":\"{harness}\"}}\n");
            untagged = untagged.replace(tag, "}\n");
        }
        assert_eq!(untagged.as_bstr(), expected.as_bstr(), "{file}");
    }
}

#[test]
fn tag_codex_leaves_claude_events_unchanged() {
    let codex = run(&["events", "--tag", "codex"], fixture_bytes("codex/text_success"));
    assert!(codex.rows().iter().all(|event| event["harness"] == "codex"));
    codex.stdout(predicate::str::starts_with(
        r#"{"type":"thread.started","thread_id":"01a1e184-9112-7833-950f-0ff741e7680a","harness":"codex"}"#,
    ));
    let claude = run(&["events", "--tag", "codex"], fixture_bytes("claude/text_success"));
    assert!(claude.rows().iter().all(|event| event.get("harness").is_none()));
}

#[test]
fn existing_tag_is_replaced() {
    let line = r#"{"type":"thread.started","harness":"spoof","thread_id":"th"}"#;
    read(&["events"], &[line])
        .stdout("{\"type\":\"thread.started\",\"harness\":\"codex\",\"thread_id\":\"th\"}\n");
}

#[test]
fn unknown_types_items_and_members_are_kept() {
    let lines = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"brand.new","deep":{"x":[1,2.50]}}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"hologram"},"more":null}"#,
    ];
    read(&["events", "--tag", "none"], &lines).stdout(lines.join("\n") + "\n");
    for command in ["text", "tools", "error"] {
        read(&[command, "--harness", "codex"], &lines[1..]);
    }
}

#[test]
fn json_format_prints_one_array_per_run() {
    let one = fixture("codex/text_success");
    let two = fixture("claude/text_success");
    let files = [one.to_str().unwrap(), two.to_str().unwrap()];
    let arrays = run(&["events", "--format", "json", files[0], files[1]], "").rows();
    let lens: Vec<_> = arrays.iter().map(|array| array.as_array().unwrap().len()).collect();
    assert_eq!(lens, [4, 3]);
    run(&["events", "--format", "json"], "").stdout("[]\n");
}

#[test]
fn get_prints_one_member_of_each_event() {
    let get =
        |pointer: &str| run(&["events", "--get", pointer], fixture_bytes("codex/text_success"));
    get("/type").stdout("thread.started\nturn.started\nitem.completed\nturn.completed\n");
    get("/item/text").success().stdout("Hello from the fake model.\n");
    get("/nothing").code(1).stdout("");
}

#[test]
fn server_sent_events_have_one_frame_per_event() {
    let printed = run(&["events", "--format", "sse"], fixture_bytes("codex/text_success"));
    let frames: Vec<&str> = printed.text().split_terminator("\n\n").collect();
    assert_eq!(frames.len(), 4);
    for frame in frames {
        let (event, data) = frame.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(event, format!("event: {}", data["type"].as_str().unwrap()));
    }
    let line = "{\"type\":\"turn.started\\nevent: fake\",\r\"x\":1}";
    run(&["events", "--harness", "codex", "--format", "sse"], line).stdout(
        "event: turn.startedevent:fake\ndata: {\"type\":\"turn.started\\nevent: fake\", \"x\":1,\"harness\":\"codex\"}\n\n",
    );
}

#[test]
fn unified_kinds_are_the_same_for_both_clis() {
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
fn every_event_line_has_a_unified_event() {
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

/// `docs/events.md` has a section per kind with a table of members.
#[test]
fn documentation_lists_every_kind_and_member() {
    let docs = std::fs::read_to_string(root().join("docs/events.md")).unwrap();
    let documented = |kind: &str, member: &str| {
        let heading = format!("### `{kind}`");
        let section = docs.split(&heading).nth(1).unwrap_or_else(|| panic!("no section {heading}"));
        let section = section.split("\n### ").next().unwrap();
        let common = docs.split("## Every event").nth(1).unwrap().split("\n## ").next().unwrap();
        [section, common].iter().any(|text| text.contains(&format!("| `{member}`")))
    };
    // Members that no recording has.
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
