//! Rules for Claude streams, as `summary` applies them.

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::support::cli::{Printed, read, run};
use crate::support::{has_warning, warnings};

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":100,"output_tokens":50}}"#;

fn summary(lines: &[&str]) -> Value {
    read(&["summary", "--harness", "claude"], lines).row()
}

fn message(text: &str) -> String {
    json!({"type":"assistant","message":{"content":[{"type":"text","text":text}]}}).to_string()
}

fn failed_result(text: &str) -> String {
    json!({"type":"result","is_error":true,"result":text}).to_string()
}

#[test]
fn text_blocks_are_joined_with_newlines() {
    let two = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"b"},{"type":"thinking","thinking":"no"},{"type":"tool_use","name":"x"},{"type":"text","text":"c"}]}}"#;
    assert_eq!(summary(&[&message("a"), two, RESULT])["output"], "a\nb\nc");
}

#[test]
fn text_block_without_text_is_an_empty_string() {
    for block in
        [r#"{"type":"text"}"#, r#"{"type":"text","text":null}"#, r#"{"type":"text","text":5}"#]
    {
        let line = format!(r#"{{"type":"assistant","message":{{"content":[{block}]}}}}"#);
        assert_eq!(summary(&[&line, &message("b"), RESULT])["output"], "\nb", "{block}");
    }
}

#[test]
fn unexpected_shapes_do_not_affect_other_lines() {
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
    assert_eq!(summary(&[&message("main"), sub, RESULT])["output"], "main\nsub");
}

#[test]
fn first_init_sets_api_key_source() {
    let init =
        |source: &str| format!(r#"{{"type":"system","subtype":"init","apiKeySource":{source}}}"#);
    let hook = r#"{"type":"system","subtype":"hook","apiKeySource":"ignored"}"#;
    let source = |lines: &[&str]| summary(lines)["api_key_source"].clone();
    assert_eq!(source(&[hook, &init("\"none\""), &init("\"other\""), RESULT]), "none");
    assert_eq!(source(&[&init("5"), &init("\"other\""), RESULT]), Value::Null);
    assert_eq!(source(&[hook, RESULT]), Value::Null);
}

#[test]
fn is_error_counts_only_if_boolean_true() {
    for flag in ["\"true\"", "1", "null", "false", "[true]"] {
        let line = format!(r#"{{"type":"result","is_error":{flag},"result":"boom"}}"#);
        assert_eq!(summary(&[&line])["error"], Value::Null, "{flag}");
    }
    assert_eq!(summary(&[&failed_result("boom")])["error"], "boom");
}

#[test]
fn error_subtype_is_a_failure_even_if_is_error_is_false() {
    let line = r#"{"type":"result","subtype":"error_max_turns","is_error":false,"errors":["Reached","the end"]}"#;
    let summary = summary(&[line]);
    assert_eq!(summary["error"], "Reached\nthe end");
    assert_eq!(summary["error_category"], "api");
    assert_eq!(summary["succeeded_cleanly"], false);
}

#[test]
fn error_without_text_has_no_detail() {
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
fn long_error_text_is_truncated_and_classified_by_its_prefix() {
    let long = "X".repeat(5000);
    let kept = "X".repeat(4096) + " ... (truncated)";
    assert_eq!(summary(&[&failed_result(&long)])["error"], kept);
    assert_eq!(summary(&[&failed_result(&("X".repeat(4096)))])["error"], "X".repeat(4096));
    assert_eq!(summary(&[&failed_result(&format!("429 {long}"))])["error_category"], "rate_limit");
    assert_eq!(summary(&[&failed_result(&format!("{long} 429"))])["error_category"], "api");
}

#[test]
fn last_failed_result_wins_and_success_does_not_clear_it() {
    let summary = summary(&[&failed_result("401"), &failed_result("429"), RESULT]);
    assert_eq!(summary["error"], "429");
    assert_eq!(summary["error_category"], "rate_limit");
    assert_eq!(summary["complete"], true);
}

#[test]
fn last_usage_wins_and_invalid_numbers_are_zero() {
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
fn missing_result_is_a_warning_not_an_error() {
    let warning = "stream-json ended without a 'result' message; token usage unavailable";
    let summary = read(&["summary", "--harness", "claude"], &[&message("only text")])
        .stderr(predicate::str::contains(format!("streamj: <stdin>: {warning}\n")))
        .row();
    assert_eq!(warnings(&summary), [warning]);
    assert_eq!(summary["error"], Value::Null);
    assert_eq!(summary["error_category"], Value::Null);
    assert_eq!(summary["complete"], false);
    assert_eq!(summary["succeeded_cleanly"], false);
}

#[test]
fn twenty_malformed_lines_are_listed_and_the_rest_counted() {
    let mut lines = vec!["this is not json"; 25];
    lines.push(RESULT);
    let run = read(&["summary", "--harness", "claude"], &lines);
    let summary = run.row();
    let warnings = warnings(&summary);
    assert_eq!(warnings.len(), 21);
    assert_eq!(warnings[0], "malformed line 1: not JSON: expected value at byte 0");
    assert_eq!(warnings[20], "malformed: 5 more");
    assert_eq!(run.errors().lines().count(), 21);
    // The content of a line is never repeated.
    run.stderr(
        predicate::str::ends_with("streamj: <stdin>: 5 more lines not JSON\n")
            .and(predicate::str::contains("this is").not()),
    );
    assert_eq!(summary["lines"], json!({"total":26,"events":1,"malformed":25,"ignored":0}));
    assert_eq!(summary["succeeded_cleanly"], true, "a skipped line is not a failure");
}

#[test]
fn nan_is_not_json() {
    let line = r#"{"type":"assistant","n":NaN,"message":{"content":[{"type":"text","text":"a"}]}}"#;
    let summary = summary(&[line, RESULT]);
    assert_eq!(summary["output"], "");
    assert!(has_warning(&summary, "malformed line 1"));
}

#[test]
fn required_members_are_null_and_optional_ones_absent() {
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
fn changed_session_id_is_a_warning_not_a_new_run() {
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
fn main_thread_error_sets_the_category_and_subagent_error_does_not() {
    let rate_limited = |parent: &str| {
        format!(
            r#"{{"type":"assistant","parent_tool_use_id":{parent},"error":"rate_limit","message":{{"content":[]}}}}"#
        )
    };
    let failed = r#"{"type":"result","is_error":true,"result":"It went wrong"}"#;
    let category = |lines: &[&str]| summary(lines)["error_category"].clone();
    assert_eq!(category(&[&rate_limited("null"), failed]), "rate_limit");
    assert_eq!(category(&[&rate_limited("\"t1\""), failed]), "api");
    // The error applies to the result that follows directly, not to later ones.
    let no_error = r#"{"type":"assistant","message":{"content":[]}}"#;
    assert_eq!(category(&[&rate_limited("null"), no_error, failed]), "api");
    assert_eq!(category(&[&rate_limited("null"), RESULT, failed]), "api");
}

mod heuristics {
    use super::*;

    const QUESTION: &str = r#"{"type":"assistant","message":{"id":"m","stop_reason":"end_turn","content":[{"type":"text","text":"What next?\n\n"}]}}"#;
    const ONE_TURN: &str =
        r#"{"type":"result","subtype":"success","is_error":false,"num_turns":1}"#;

    fn launch(name: &str) -> String {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t1","name":"{name}","input":{{"run_in_background":true}}}},{{"type":"text","text":"Waiting on it."}}]}}}}"#
        )
    }

    #[test]
    fn single_turn_ending_with_a_question_is_an_interactive_hang() {
        let summary = summary(&[QUESTION, ONE_TURN]);
        assert_eq!(summary["error_category"], "interactive");
        assert_eq!(summary["error"], Value::Null);
        assert_eq!(summary["succeeded_cleanly"], false);
        assert!(has_warning(&summary, "interactive-hang:"));
    }

    #[test]
    fn stop_reason_may_be_in_the_result_only() {
        let question = r#"{"type":"assistant","message":{"id":"m","stop_reason":null,"content":[{"type":"text","text":"What next?"}]}}"#;
        let result =
            r#"{"type":"result","subtype":"success","num_turns":1,"stop_reason":"end_turn"}"#;
        assert_eq!(summary(&[question, result])["error_category"], "interactive");
    }

    #[test]
    fn final_message_is_all_lines_with_the_last_id() {
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
    fn several_or_unknown_turns_are_not_a_hang() {
        assert_eq!(summary(&[QUESTION, RESULT])["error_category"], Value::Null);
        let two = r#"{"type":"result","num_turns":2}"#;
        assert_eq!(summary(&[QUESTION, two])["error_category"], Value::Null);
    }

    #[test]
    fn unfinished_background_agent_is_reported_under_both_tool_names() {
        for name in ["Task", "Agent"] {
            let summary = summary(&[&launch(name), ONE_TURN]);
            assert_eq!(summary["error_category"], "background-task", "{name}");
            assert!(has_warning(&summary, "background-task:"), "{name}");
            assert_eq!(summary["error"], Value::Null);
        }
        assert_eq!(summary(&[&launch("Bash"), ONE_TURN])["error_category"], Value::Null);
    }

    #[test]
    fn run_in_background_counts_only_if_boolean_true() {
        let line = launch("Task").replace("true", "\"true\"");
        assert_eq!(summary(&[&line, ONE_TURN])["error_category"], Value::Null);
    }

    #[test]
    fn completed_background_agent_is_not_reported() {
        let done = r#"{"type":"system","subtype":"task_notification","task_id":"a","tool_use_id":"t1","status":"completed"}"#;
        assert_eq!(summary(&[&launch("Agent"), done, ONE_TURN])["error_category"], Value::Null);
        let stopped = done.replace("completed", "stopped");
        let category = &summary(&[&launch("Agent"), &stopped, ONE_TURN])["error_category"];
        assert_eq!(category, "background-task");
    }

    #[test]
    fn ordinary_result_does_not_end_a_background_agent() {
        for text in ["Async agent launched successfully. agentId: x", "Task started"] {
            let lines = [&launch("Task"), &result_of_t1(text, "null", false), ONE_TURN];
            assert_eq!(summary(&lines)["error_category"], "background-task", "{text}");
        }
    }

    /// Returns the result of the call `t1`.
    fn result_of_t1(text: &str, details: &str, is_error: bool) -> String {
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":"{text}","is_error":{is_error}}}]}},"tool_use_result":{details}}}"#
        )
    }

    #[test]
    fn finished_answer_of_a_foreground_agent_ends_it() {
        let details = r#"{"status":"completed","agentId":"a","content":[]}"#;
        let answer = result_of_t1("The answer is 42.", details, false);
        assert_eq!(summary(&[&launch("Task"), &answer, ONE_TURN])["error_category"], Value::Null);
        // Old releases print the messages of the agent before its answer, and no details.
        let message = r#"{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"42"}]}}"#;
        let answer = result_of_t1("The answer is 42.", "null", false);
        let lines = [&launch("Task"), message, &answer, ONE_TURN];
        assert_eq!(summary(&lines)["error_category"], Value::Null);
    }

    #[test]
    fn agent_that_could_not_be_started_is_not_waited_for() {
        let refused = result_of_t1("No such tool available: Task", "null", true);
        assert_eq!(summary(&[&launch("Task"), &refused, ONE_TURN])["error_category"], Value::Null);
    }

    #[test]
    fn agent_alive_at_the_last_result_is_a_background_task_after_any_number_of_turns() {
        let started = r#"{"type":"system","subtype":"task_started","task_id":"a","tool_use_id":"t1","description":"Look"}"#;
        let updated = |status: &str| {
            format!(
                r#"{{"type":"system","subtype":"task_updated","task_id":"a","patch":{{"status":"{status}"}}}}"#
            )
        };
        let many = r#"{"type":"result","subtype":"success","num_turns":9}"#;
        for (end, expected) in [
            ("running", json!("background-task")),
            ("killed", json!("background-task")),
            ("completed", Value::Null),
        ] {
            let summary = summary(&[&launch("Agent"), started, &updated(end), many]);
            assert_eq!(summary["error_category"], expected, "{end}");
            assert_eq!(summary["succeeded_cleanly"], expected.is_null(), "{end}");
            assert_eq!(has_warning(&summary, "background-task:"), !expected.is_null(), "{end}");
        }
    }

    #[test]
    fn agent_that_only_the_list_of_tasks_shows_is_a_background_task() {
        // After a resume the call that started the agent is not in the stream.
        let list = |tasks: Value| {
            json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks,
                "session_id": "s", "uuid": "u"})
            .to_string()
        };
        let agent = json!({"task_id": "a", "task_type": "local_agent",
            "subagent_type": "general-purpose", "description": "Look"});
        let command = json!({"task_id": "b", "task_type": "local_bash", "description": "ticks"});
        let many = r#"{"type":"result","subtype":"success","num_turns":9}"#;
        let category = |lines: &[&str]| summary(lines)["error_category"].clone();
        assert_eq!(category(&[&list(json!([agent, command])), many]), "background-task");
        assert_eq!(category(&[&list(json!([command])), many]), Value::Null);
        let ended = list(json!([]));
        assert_eq!(category(&[&list(json!([agent])), &ended, many]), Value::Null);
        // Another result comes after its end.
        let two = [&list(json!([agent])), many, &ended, many];
        assert_eq!(category(&two), Value::Null);
    }

    #[test]
    fn background_command_that_outlives_the_run_is_a_warning() {
        let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"npm start","run_in_background":true}}]}}"#;
        let started = r#"{"type":"system","subtype":"task_started","task_id":"b","tool_use_id":"t1","description":"npm start"}"#;
        let lines = [
            call,
            started,
            &result_of_t1("running", "{\"backgroundTaskId\":\"b\"}", false),
            ONE_TURN,
        ];
        let run = summary(&lines);
        assert_eq!(
            (&run["error_category"], &run["succeeded_cleanly"]),
            (&Value::Null, &true.into())
        );
        assert!(has_warning(&run, "background-command:"));
        let done = r#"{"type":"system","subtype":"task_notification","task_id":"b","tool_use_id":"t1","status":"completed"}"#;
        let run =
            summary(&[call, started, &result_of_t1("running", "null", false), done, ONE_TURN]);
        assert!(!has_warning(&run, "background-command:"));
    }

    #[test]
    fn turns_are_compared_with_all_launches_while_one_is_running() {
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
    fn error_precedes_question_and_question_precedes_background_task() {
        let failed = r#"{"type":"result","is_error":true,"result":"429","num_turns":1}"#;
        let with_error = summary(&[QUESTION, failed]);
        assert_eq!(with_error["error_category"], "rate_limit");
        assert!(!has_warning(&with_error, "interactive-hang:"));
        let with_question = summary(&[&launch("Task"), QUESTION, ONE_TURN]);
        assert_eq!(with_question["error_category"], "interactive");
        assert!(!has_warning(&with_question, "background-task:"));
    }

    #[test]
    fn heuristics_need_a_result() {
        assert_eq!(summary(&[QUESTION])["error_category"], Value::Null);
    }

    #[test]
    fn heuristics_can_be_switched_off() {
        let args = ["summary", "--harness", "claude", "--no-heuristics"];
        let summary = read(&args, &[QUESTION, ONE_TURN]).row();
        assert_eq!(summary["error_category"], Value::Null);
        assert_eq!(summary["succeeded_cleanly"], true);
        run(&["error", "--no-heuristics"], format!("{QUESTION}\n{ONE_TURN}\n")).stdout("");
    }
}
