//! `usage` of one run: repeated lines, cumulative totals, results and subagents.

use predicates::prelude::*;
use serde_json::json;

use crate::support::cli::{Printed, read, run};
use crate::support::{fixture, fixture_bytes};

#[test]
fn message_repeated_on_several_lines_counts_once() {
    let line = |id: &str, output: u64| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","usage":{{"input_tokens":10,"output_tokens":{output},"cache_read_input_tokens":5}},"content":[]}}}}"#
        )
    };
    let lines = [line("a", 1), line("a", 7), line("a", 3), line("b", 2)];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let usage = read(&["usage"], &lines).row();
    let expected = json!({
        "harness": "claude", "model": "m", "source": "messages", "input_tokens": 20,
        "output_tokens": 9, "cache_read_tokens": 10, "total_tokens": 39,
        "cached_input_tokens": 10, "uncached_input_tokens": 20,
        "models": [{"model": "m", "input_tokens": 20, "output_tokens": 9, "cache_read_tokens": 10, "total_tokens": 39,
            "cached_input_tokens": 10, "uncached_input_tokens": 20}],
    });
    assert_eq!(usage, expected);
}

#[test]
fn final_usage_of_partial_message_counts_without_result() {
    let bytes = fixture_bytes("claude/partial_multi_block");
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let without_result = lines[..lines.len() - 1].concat();
    let usage = run(&["-q", "usage"], without_result).row();
    let complete = run(&["usage"], bytes).row();
    assert_eq!(usage["source"], "messages");
    for member in ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] {
        assert_eq!(usage[member], complete[member], "{member}");
    }
}

#[test]
fn synthetic_messages_are_not_counted() {
    let line = r#"{"type":"assistant","message":{"id":"a","model":"<synthetic>","usage":{"input_tokens":1,"output_tokens":1},"content":[]}}"#;
    let usage = read(&["usage"], &[line]).row();
    assert_eq!(
        usage,
        json!({"harness":"claude","source":"none","input_tokens":0,"output_tokens":0,"total_tokens":0,"uncached_input_tokens":0})
    );
}

#[test]
fn usage_since_last_result_is_added_up() {
    let result = |since: &str, total: &str, cost: f64| {
        format!(
            r#"{{"type":"result","usage":{{"input_tokens":1}},"model_usage_since_last_result":{{{since}}},"modelUsage":{{{total}}},"total_cost_usd":{cost},"num_turns":2,"duration_ms":100}}"#
        )
    };
    let model = |name: &str, tokens: u64, cost: f64| {
        format!(r#""{name}":{{"inputTokens":{tokens},"outputTokens":1,"costUSD":{cost}}}"#)
    };
    // In a resumed session the totals include the usage of earlier runs.
    let lines = [
        result(&model("a", 10, 0.25), &model("a", 1010, 9.25), 9.25),
        result(
            &model("b", 5, 0.5),
            &format!("{},{}", model("a", 1010, 9.25), model("b", 5, 0.5)),
            9.75,
        ),
    ];
    let usage = read(&["usage"], &[&lines[0], &lines[1]]).row();
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(15), &json!(2)));
    assert_eq!(usage["cost_usd"], 0.75);
    assert_eq!((&usage["turns"], &usage["duration_ms"]), (&json!(4), &json!(200)));
    assert_eq!(
        usage["models"][1],
        json!({"model":"b","input_tokens":5,"output_tokens":1,"total_tokens":6,"uncached_input_tokens":5,"cost_usd":0.5})
    );
    let nothing = result("", &model("a", 1010, 9.25), 9.25);
    let usage = read(&["usage"], &[&nothing]).row();
    assert_eq!((&usage["total_tokens"], &usage["cost_usd"]), (&json!(0), &json!(0.0)));
}

#[test]
fn last_cumulative_total_counts_with_its_cost() {
    let result = |tokens: u64, cost: f64| {
        format!(
            r#"{{"type":"result","usage":{{"input_tokens":1}},"modelUsage":{{"a":{{"inputTokens":{tokens},"outputTokens":0,"cacheReadInputTokens":2,"cacheCreationInputTokens":3}}}},"total_cost_usd":{cost}}}"#
        )
    };
    let usage = read(&["usage"], &[&result(10, 0.5), &result(30, 1.5)]).row();
    assert_eq!((&usage["input_tokens"], &usage["cost_usd"]), (&json!(30), &json!(1.5)));
    assert_eq!(usage["total_tokens"], 35);
}

#[test]
fn empty_total_is_ignored_and_cost_stays_with_its_tokens() {
    let empty = r#"{"type":"result","modelUsage":{},"usage":{"input_tokens":100,"output_tokens":5},"total_cost_usd":0.01}"#;
    let usage = read(&["usage"], &[empty]).row();
    assert_eq!((&usage["total_tokens"], &usage["cost_usd"]), (&json!(105), &json!(0.01)));
    let later = r#"{"type":"result","usage":{"input_tokens":7,"output_tokens":0}}"#;
    let usage = read(&["usage"], &[empty, later]).row();
    assert_eq!((&usage["total_tokens"], usage.get("cost_usd")), (&json!(7), None));
}

#[test]
fn messages_without_model_are_only_in_the_total() {
    let line = r#"{"type":"assistant","message":{"id":"a","usage":{"input_tokens":1,"output_tokens":1},"content":[]}}"#;
    let usage = read(&["usage"], &[line]).row();
    assert_eq!((&usage["total_tokens"], usage.get("models")), (&json!(2), None));
}

#[test]
fn many_messages_without_result_are_all_counted() {
    let line = |id: usize| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m{id}","model":"m","usage":{{"input_tokens":1,"output_tokens":2}},"content":[]}}}}"#
        )
    };
    let stream: String = (0..20_000).flat_map(|n| [line(n / 2), "\n".to_owned()]).collect();
    let usage = run(&["-q", "usage"], stream).row();
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(10_000), &json!(20_000)));
}

#[test]
fn subagents_are_in_usage_but_not_in_summary() {
    let usage = run(&["usage"], fixture_bytes("claude/subagent_foreground")).row();
    let summary = run(&["summary"], fixture_bytes("claude/subagent_foreground")).row();
    assert_eq!((&usage["input_tokens"], &summary["input_tokens"]), (&json!(48), &json!(24)));
}

#[test]
fn codex_total_is_cumulative_and_input_includes_cache() {
    let turn = |input: u64| {
        format!(
            r#"{{"type":"turn.completed","usage":{{"input_tokens":{input},"cached_input_tokens":8,"cache_write_input_tokens":2,"output_tokens":5,"reasoning_output_tokens":3}}}}"#
        )
    };
    let started = r#"{"type":"turn.started"}"#;
    let usage = read(&["usage"], &[started, &turn(10), started, &turn(30)]).row();
    let expected = json!({
        "harness": "codex", "source": "turns", "input_tokens": 30, "output_tokens": 5,
        "cache_read_tokens": 8, "cache_write_tokens": 2, "reasoning_tokens": 3, "total_tokens": 35,
        "cached_input_tokens": 8, "uncached_input_tokens": 20, "turns": 2,
    });
    assert_eq!(usage, expected, "Codex reports no cost");
}

#[test]
fn older_cost_member_is_read() {
    let usage =
        read(&["usage"], &[r#"{"type":"result","subtype":"success","cost_usd":0.05,"usage":{}}"#])
            .row();
    assert_eq!(usage["cost_usd"], 0.05);
    let both = r#"{"type":"result","total_cost_usd":0.5,"cost_usd":0.05,"usage":{}}"#;
    assert_eq!(read(&["usage"], &[both]).row()["cost_usd"], 0.5);
}

#[test]
fn get_prints_one_member() {
    let input = fixture_bytes("claude/text_success");
    let get = |pointer: &str| run(&["usage", "--get", pointer], input.as_slice());
    get("/cost_usd").stdout("0.009603\n");
    get("/session_id").stdout("abf5c9cd-cf54-433e-a396-e4b81aa92760\n");
    get("/models/0/model").stdout("claude-sonnet-5-5\n");
    get("").stdout(predicate::str::starts_with("{"));
    get("/nonsense").code(1).stdout("").stderr("streamj: no record has /nonsense\n");
    run(&["usage", "--get", "/cost_usd"], fixture_bytes("codex/text_success")).code(1).stdout("");
}

#[test]
fn tables_have_one_header_and_a_row_per_run() {
    let one = fixture("claude/text_success");
    let two = fixture("codex/text_success");
    let files = [one.to_str().unwrap(), two.to_str().unwrap()];
    let tsv = run(&["usage", "--format", "tsv", files[0], files[1]], "");
    let rows: Vec<Vec<&str>> = tsv.text().lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0][0..4], ["harness", "session_id", "model", "source"]);
    assert_eq!(rows[1][9..12], ["11373", "0.009603", "1"]);
    assert_eq!(rows[2][9..12], ["1250", "", "1"], "a value that is not reported is empty");
    // A table without rows has a header, too.
    run(&["tools", "--format", "csv", files[0]], "")
        .stdout(predicate::str::contains("\n").count(1));
    let csv = run(&["usage", "--format", "csv", files[0]], "");
    assert_eq!(csv.text().lines().nth(1).unwrap().split(',').nth(9), Some("11373"));
}
