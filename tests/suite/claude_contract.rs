//! The contract for Claude streams, rule by rule.

use serde_json::{Value, json};

use crate::support::{has_warning, read, run, summary_of, warnings};

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":100,"output_tokens":50}}"#;

fn summary(lines: &[&str]) -> Value {
    summary_of("claude", lines)
}

fn says(text: &str) -> String {
    json!({"type":"assistant","message":{"content":[{"type":"text","text":text}]}}).to_string()
}

fn fails(text: &str) -> String {
    json!({"type":"result","is_error":true,"result":text}).to_string()
}

#[test]
fn text_blocks_are_joined_with_newlines() {
    let two = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"b"},{"type":"thinking","thinking":"no"},{"type":"tool_use","name":"x"},{"type":"text","text":"c"}]}}"#;
    assert_eq!(summary(&[&says("a"), two, RESULT])["output"], "a\nb\nc");
}

#[test]
fn a_text_block_without_text_is_an_empty_string() {
    for block in
        [r#"{"type":"text"}"#, r#"{"type":"text","text":null}"#, r#"{"type":"text","text":5}"#]
    {
        let line = format!(r#"{{"type":"assistant","message":{{"content":[{block}]}}}}"#);
        assert_eq!(summary(&[&line, &says("b"), RESULT])["output"], "\nb", "{block}");
    }
}

#[test]
fn tolerated_shapes_cost_nothing_but_themselves() {
    let lines = [
        r#"{"type":"assistant"}"#,
        r#"{"type":"assistant","message":"str"}"#,
        r#"{"type":"assistant","message":{}}"#,
        r#"{"type":"assistant","message":{"content":"oops"}}"#,
        r#"{"type":"assistant","message":{"content":[1,null,"x",{"type":7},{}]}}"#,
        r#"{"type":"user","message":{"content":[{"type":"tool_result","content":5,"tool_use_id":{}}]}}"#,
        r#"{"type":"system","subtype":3}"#,
        r#"{"type":"stream_event","event":"x"}"#,
        r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":[]}}"#,
        r#"{"type":"rate_limit_event","rate_limit_info":[]}"#,
        r#"{"type":null}"#,
        r#"{"foo":1}"#,
    ];
    let all: Vec<&str> = lines.iter().copied().chain([RESULT]).collect();
    let summary = summary(&all);
    assert_eq!(summary["output"], "");
    assert_eq!((&summary["input_tokens"], &summary["error"]), (&json!(100), &Value::Null));
    assert_eq!(summary["lines"]["events"], 13);
}

#[test]
fn subagent_text_is_part_of_the_output() {
    let sub = r#"{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"sub"}]}}"#;
    assert_eq!(summary(&[&says("main"), sub, RESULT])["output"], "main\nsub");
}

#[test]
fn the_first_init_wins_for_api_key_source() {
    let init =
        |source: &str| format!(r#"{{"type":"system","subtype":"init","apiKeySource":{source}}}"#);
    let hook = r#"{"type":"system","subtype":"hook","apiKeySource":"ignored"}"#;
    let source = |lines: &[&str]| summary(lines)["api_key_source"].clone();
    assert_eq!(source(&[hook, &init("\"none\""), &init("\"other\""), RESULT]), "none");
    assert_eq!(source(&[&init("5"), &init("\"other\""), RESULT]), Value::Null);
    assert_eq!(source(&[hook, RESULT]), Value::Null);
}

#[test]
fn is_error_is_strictly_true() {
    for flag in ["\"true\"", "1", "null", "false", "[true]"] {
        let line = format!(r#"{{"type":"result","is_error":{flag},"result":"boom"}}"#);
        assert_eq!(summary(&[&line])["error"], Value::Null, "{flag}");
    }
    assert_eq!(summary(&[&fails("boom")])["error"], "boom");
}

#[test]
fn a_subtype_that_starts_with_error_has_failed_whatever_is_error_says() {
    let line = r#"{"type":"result","subtype":"error_max_turns","is_error":false,"errors":["Reached","the end"]}"#;
    let summary = summary(&[line]);
    assert_eq!(summary["error"], "Reached\nthe end");
    assert_eq!(summary["error_category"], "api");
    assert_eq!(summary["succeeded_cleanly"], false);
}

#[test]
fn an_error_without_a_text_has_no_detail() {
    for line in [
        r#"{"type":"result","is_error":true}"#,
        r#"{"type":"result","is_error":true,"result":""}"#,
        r#"{"type":"result","is_error":true,"result":123}"#,
        r#"{"type":"result","subtype":"error_during_execution","errors":[]}"#,
        r#"{"type":"result","subtype":"error_during_execution","errors":[1,null]}"#,
    ] {
        let summary = summary(&[line]);
        assert_eq!(summary["error"], "API error (no detail)", "{line}");
        assert_eq!(summary["error_category"], "api", "{line}");
    }
}

#[test]
fn long_error_texts_are_capped_and_classified_by_the_kept_prefix() {
    let long = "X".repeat(5000);
    let kept = "X".repeat(4096) + " ... (truncated)";
    assert_eq!(summary(&[&fails(&long)])["error"], kept);
    assert_eq!(summary(&[&fails(&("X".repeat(4096)))])["error"], "X".repeat(4096));
    assert_eq!(summary(&[&fails(&format!("429 {long}"))])["error_category"], "rate_limit");
    assert_eq!(summary(&[&fails(&format!("{long} 429"))])["error_category"], "api");
}

#[test]
fn the_last_failing_result_wins_and_success_does_not_clear_it() {
    let summary = summary(&[&fails("401"), &fails("429"), RESULT]);
    assert_eq!(summary["error"], "429");
    assert_eq!(summary["error_category"], "rate_limit");
    assert_eq!(summary["complete"], true);
}

#[test]
fn the_last_usage_wins_and_what_is_no_number_is_zero() {
    let usage = |usage: &str| format!(r#"{{"type":"result","usage":{usage}}}"#);
    let tokens = |lines: &[&str]| {
        let summary = summary(lines);
        (summary["input_tokens"].clone(), summary["output_tokens"].clone())
    };
    let last = usage(r#"{"input_tokens":10,"output_tokens":20}"#);
    assert_eq!(tokens(&[RESULT, &last]), (json!(10), json!(20)));
    assert_eq!(tokens(&[RESULT, r#"{"type":"result"}"#]), (json!(0), json!(0)));
    let bogus = usage(r#"{"input_tokens":"bogus","output_tokens":{"not":"int"}}"#);
    assert_eq!(tokens(&[&bogus]), (json!(0), json!(0)));
    let spelled = usage(r#"{"input_tokens":1.9,"output_tokens":"7"}"#);
    assert_eq!(tokens(&[&spelled]), (json!(1), json!(7)));
    assert_eq!(tokens(&[&usage("[1]")]), (json!(0), json!(0)));
}

#[test]
fn a_missing_result_is_a_warning_and_no_error() {
    let run = read(&["summary", "--harness", "claude"], &[&says("only text")]);
    let summary = run.row();
    let warning = "stream-json ended without a 'result' message; token usage unavailable";
    assert_eq!(warnings(&summary), [warning]);
    assert!(run.stderr.contains(&format!("streamj: <stdin>: {warning}\n")), "{}", run.stderr);
    assert_eq!(summary["error"], Value::Null);
    assert_eq!(summary["error_category"], Value::Null);
    assert_eq!(summary["complete"], false);
    assert_eq!(summary["succeeded_cleanly"], false);
}

#[test]
fn malformed_lines_are_warnings_twenty_and_then_a_count() {
    let mut lines = vec!["this is not json"; 25];
    lines.push(RESULT);
    let run = read(&["summary", "--harness", "claude"], &lines);
    let summary = run.row();
    let warnings = warnings(&summary);
    assert_eq!(warnings.len(), 21);
    assert_eq!(warnings[0], "malformed line 1: not JSON: expected value at byte 0");
    assert_eq!(warnings[20], "malformed: 5 more");
    assert_eq!(run.stderr.lines().count(), 21);
    assert!(run.stderr.ends_with("streamj: <stdin>: 5 more lines not JSON\n"), "{}", run.stderr);
    assert!(!run.stderr.contains("this is"), "the content is never repeated");
    assert_eq!(summary["lines"], json!({"total":26,"events":1,"malformed":25,"ignored":0}));
    assert_eq!(summary["succeeded_cleanly"], true, "a skipped line is no failure");
}

#[test]
fn nan_is_not_json() {
    let line = r#"{"type":"assistant","n":NaN,"message":{"content":[{"type":"text","text":"a"}]}}"#;
    let summary = summary(&[line, RESULT]);
    assert_eq!(summary["output"], "");
    assert!(has_warning(&summary, "malformed line 1"));
}

#[test]
fn nulls_stay_where_the_contract_has_them() {
    let summary = summary(&[r#"{"type":"result"}"#]);
    for member in ["error", "error_category", "api_key_source", "session_id", "model"] {
        assert!(summary.as_object().unwrap().contains_key(member), "{member}");
        assert_eq!(summary[member], Value::Null, "{member}");
    }
    for absent in ["cost_usd", "num_turns", "duration_ms", "structured_output"] {
        assert!(!summary.as_object().unwrap().contains_key(absent), "{absent}");
    }
}

#[test]
fn a_new_session_id_is_a_warning_and_not_a_new_run() {
    let line = |id: &str| format!(r#"{{"type":"system","subtype":"status","session_id":"{id}"}}"#);
    let summary = summary(&[&line("one"), &line("one"), &line("two"), RESULT]);
    assert_eq!(summary["session_id"], "one");
    assert!(has_warning(&summary, "session-changed:"));
}

#[test]
fn retries_and_fallbacks_are_warnings() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded"}"#;
    let fallback = r#"{"type":"system","subtype":"model_fallback","content":"Switched"}"#;
    let summary = summary(&[retry, fallback, RESULT]);
    let expected = ["retry: attempt 1 of 10, status 529, overloaded", "notice: Switched"];
    assert_eq!(warnings(&summary), expected);
    assert_eq!(summary["succeeded_cleanly"], true);
}

#[test]
fn an_error_message_of_the_main_thread_is_evidence_and_a_subagents_is_not() {
    let message = |parent: &str, word: &str| {
        format!(
            r#"{{"type":"assistant","parent_tool_use_id":{parent},"error":"{word}","message":{{"content":[]}}}}"#
        )
    };
    let failed = r#"{"type":"result","is_error":true,"result":"It went wrong"}"#;
    let category = |lines: &[&str]| summary(lines)["error_category"].clone();
    assert_eq!(category(&[&message("null", "rate_limit"), failed]), "rate_limit");
    assert_eq!(category(&[&message("\"t1\"", "rate_limit"), failed]), "api");
    // Evidence belongs to the result that follows it, not to later ones.
    let healthy = r#"{"type":"assistant","message":{"content":[]}}"#;
    assert_eq!(category(&[&message("null", "rate_limit"), healthy, failed]), "api");
    assert_eq!(category(&[&message("null", "rate_limit"), RESULT, failed]), "api");
}

mod heuristics {
    use super::*;

    const ASKS: &str = r#"{"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"What next?\n\n"}]}}"#;
    const ONE_TURN: &str =
        r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1}"#;

    fn launch(name: &str) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t1","name":"{name}","input":{{"run_in_background":true}}}},{{"type":"text","text":"Waiting on it."}}]}}}}"#
        )
    }

    #[test]
    fn a_single_turn_that_ends_with_a_question_is_an_interactive_hang() {
        let summary = summary(&[ASKS, ONE_TURN]);
        assert_eq!(summary["error_category"], "interactive");
        assert_eq!(summary["error"], Value::Null);
        assert_eq!(summary["succeeded_cleanly"], false);
        assert!(has_warning(&summary, "interactive-hang:"));
    }

    #[test]
    fn todays_streams_tell_the_stop_reason_in_the_result_only() {
        let asks = r#"{"type":"assistant","message":{"id":"m","stop_reason":null,"content":[{"type":"text","text":"What next?"}]}}"#;
        let ends =
            r#"{"type":"result","subtype":"success","num_turns":1,"stop_reason":"end_turn"}"#;
        assert_eq!(summary(&[asks, ends])["error_category"], "interactive");
    }

    #[test]
    fn the_final_message_is_all_lines_of_the_last_id() {
        let line = |id: &str, block: &str| {
            format!(
                r#"{{"type":"assistant","message":{{"id":"{id}","stop_reason":"end_turn","content":[{block}]}}}}"#
            )
        };
        let ask = r#"{"type":"tool_use","id":"t","name":"AskUserQuestion","input":{}}"#;
        let text = r#"{"type":"text","text":"So."}"#;
        let category = |lines: &[&str]| summary(lines)["error_category"].clone();
        assert_eq!(category(&[&line("m", ask), &line("m", text), ONE_TURN]), "interactive");
        assert_eq!(category(&[&line("m", ask), &line("n", text), ONE_TURN]), Value::Null);
    }

    #[test]
    fn several_or_unknown_turns_do_not_hang() {
        assert_eq!(summary(&[ASKS, RESULT])["error_category"], Value::Null);
        let two = r#"{"type":"result","num_turns":2}"#;
        assert_eq!(summary(&[ASKS, two])["error_category"], Value::Null);
    }

    #[test]
    fn background_agents_left_behind_are_noticed_under_both_names() {
        for name in ["Task", "Agent"] {
            let summary = summary(&[&launch(name), ONE_TURN]);
            assert_eq!(summary["error_category"], "background-task", "{name}");
            assert!(has_warning(&summary, "background-task:"), "{name}");
            assert_eq!(summary["error"], Value::Null);
        }
        assert_eq!(summary(&[&launch("Bash"), ONE_TURN])["error_category"], Value::Null);
    }

    #[test]
    fn a_truthy_run_in_background_is_not_true() {
        let line = launch("Task").replace("true", "\"true\"");
        assert_eq!(summary(&[&line, ONE_TURN])["error_category"], Value::Null);
    }

    #[test]
    fn a_background_agent_that_came_back_was_not_left_behind() {
        let done = r#"{"type":"system","subtype":"task_notification","task_id":"a","tool_use_id":"t1","status":"completed"}"#;
        assert_eq!(summary(&[&launch("Agent"), done, ONE_TURN])["error_category"], Value::Null);
        let stopped = done.replace("completed", "stopped");
        let category = &summary(&[&launch("Agent"), &stopped, ONE_TURN])["error_category"];
        assert_eq!(category, "background-task");
    }

    #[test]
    fn a_launch_that_was_only_acknowledged_has_not_come_back() {
        let result = |text: &str| {
            format!(
                r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":"{text}"}}]}}}}"#
            )
        };
        let category = |text: &str| {
            summary(&[&launch("Task"), &result(text), ONE_TURN])["error_category"].clone()
        };
        assert_eq!(category("Async agent launched successfully. agentId: x"), "background-task");
        assert_eq!(category("The answer is 42."), Value::Null);
    }

    #[test]
    fn turns_are_compared_with_all_launches_while_one_is_out() {
        let launch = |id: &str| {
            format!(
                r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Task","input":{{"run_in_background":true}}}}]}}}}"#
            )
        };
        let done = r#"{"type":"system","subtype":"task_notification","task_id":"a","tool_use_id":"t1","status":"completed"}"#;
        let four = r#"{"type":"result","subtype":"success","num_turns":4}"#;
        let lines = [&launch("t1"), &launch("t2"), &launch("t3"), done, four];
        assert_eq!(summary(&lines)["error_category"], "background-task");
    }

    #[test]
    fn an_error_wins_over_a_question_wins_over_background_work() {
        let failed = r#"{"type":"result","is_error":true,"result":"429","num_turns":1}"#;
        let summary_of_failed = summary(&[ASKS, failed]);
        assert_eq!(summary_of_failed["error_category"], "rate_limit");
        assert!(!has_warning(&summary_of_failed, "interactive-hang:"));
        let both = summary(&[&launch("Task"), ASKS, ONE_TURN]);
        assert_eq!(both["error_category"], "interactive");
        assert!(!has_warning(&both, "background-task:"));
    }

    #[test]
    fn without_a_result_nothing_is_guessed() {
        assert_eq!(summary(&[ASKS])["error_category"], Value::Null);
    }

    #[test]
    fn heuristics_can_be_switched_off() {
        let args = ["summary", "--harness", "claude", "--no-heuristics"];
        let summary = read(&args, &[ASKS, ONE_TURN]).row();
        assert_eq!(summary["error_category"], Value::Null);
        assert_eq!(summary["succeeded_cleanly"], true);
        let error = run(&["error", "--no-heuristics"], format!("{ASKS}\n{ONE_TURN}\n"));
        assert_eq!(error.text(), "");
    }
}
