//! Gemini CLI and Qwen Code: rules that their recordings do not show, or not completely.

use serde_json::Value;

use crate::support::cli::{Printed, run};
use crate::support::{fixture, fixture_bytes};
use crate::workspace::{Workspace, is_alive};

#[test]
fn cached_input_of_qwen_is_part_of_its_input_and_counts_once() {
    let usage = run(&["usage"], fixture_bytes("qwen/tools")).row();
    let count = |name: &str| usage[name].as_u64().unwrap();
    assert_eq!(usage["harness"], "qwen");
    assert_eq!(count("input_tokens") + count("output_tokens"), count("total_tokens"));
    assert_eq!(
        count("uncached_input_tokens") + count("cached_input_tokens"),
        count("input_tokens")
    );
}

/// Measurements repeat the tokens of messages. An agent of the CLI itself has no messages.
#[test]
fn request_of_an_own_agent_of_qwen_counts() {
    let common =
        r#""sessionId":"s","timestamp":"2026-11-17T18:32:24Z","cwd":"/w","version":"0.24.4""#;
    let answer = format!(
        r#"{{"uuid":"a","parentUuid":null,{common},"type":"assistant","model":"m","message":{{"role":"model","parts":[{{"text":"Hi."}}]}},"usageMetadata":{{"promptTokenCount":1200,"candidatesTokenCount":50,"thoughtsTokenCount":10,"totalTokenCount":1250,"cachedContentTokenCount":800}}}}"#
    );
    let measured = |uuid: &str, agent: &str| {
        format!(
            r#"{{"uuid":"{uuid}","parentUuid":"a",{common},"type":"system","subtype":"ui_telemetry","systemPayload":{{"uiEvent":{{"event.name":"qwen-code.api_response","response_id":"r-{uuid}","model":"m","input_token_count":600,"output_token_count":20,"cached_content_token_count":400,"thoughts_token_count":5,"total_token_count":620{agent}}}}}}}"#
        )
    };
    let lines = [
        answer,
        measured("b", ""),
        measured("c", r#","subagent_name":"general-purpose""#),
        measured("d", r#","subagent_name":"managed-auto-memory-extractor""#),
    ];
    let usage = run(&["usage"], lines.join("\n")).row();
    let counts = ["uncached_input_tokens", "output_tokens", "cache_read_tokens", "total_tokens"];
    assert_eq!(counts.map(|name| usage[name].as_u64().unwrap()), [600, 70, 1200, 1870]);
    run(&["text"], lines.join("\n")).stdout("Hi.\n");
}

#[test]
fn deltas_of_gemini_are_one_text() {
    let lines = [
        r#"{"type":"init","timestamp":"2026-11-17T18:25:28Z","session_id":"s","model":"gemini-3-pro"}"#,
        r#"{"type":"message","timestamp":"2026-11-17T18:25:28Z","role":"assistant","content":"Hel","delta":true}"#,
        r#"{"type":"message","timestamp":"2026-11-17T18:25:28Z","role":"assistant","content":"lo.","delta":true}"#,
    ];
    run(&["text"], lines.join("\n")).stdout("Hello.\n");
    run(&["text", "--last"], lines.join("\n")).stdout("Hello.\n");
}

#[test]
fn command_lines_are_completed_and_others_are_left_alone() {
    let workspace = Workspace::new();
    for (given, completed) in [
        (&["gemini", "-p", "hi"][..], "gemini -o stream-json -p hi\n"),
        (&["gemini", "-o", "json", "-p", "hi"], "gemini -o json -p hi\n"),
        (&["gemini", "mcp", "list"], "gemini mcp list\n"),
        (&["qwen", "-p", "hi"], "qwen --output-format stream-json -p hi\n"),
        (&["qwen", "--output-format=text", "-p", "hi"], "qwen '--output-format=text' -p hi\n"),
    ] {
        workspace.wrap(&[&["-q", "--dry-run", "--"], given].concat()).stdout(completed);
    }
}

#[test]
fn exit_codes_of_limits_are_explained() {
    let workspace = Workspace::new();
    for (program, status, reason) in
        [("gemini", 53, "max_turns"), ("qwen", 53, "max_turns"), ("gemini", 41, "authentication")]
    {
        workspace.program(program, &format!("exit {status}"));
        let (_, record) = workspace.record(&["-q", "--", program, "-p", "hi"]);
        assert_eq!(record["reason"], reason, "{program} {status}");
    }
}

#[test]
fn failed_or_unfinished_run_of_qwen_does_not_exit_with_0() {
    let workspace = Workspace::new();
    let print = |command: &str, name: &str| format!("{command} {}", fixture(name).display());
    let args = ["-q", "--exit-status", "category", "--", "qwen", "-p", "hi"];
    for (script, code) in [
        (print("cat", "qwen/tools"), 0),
        (print("cat", "qwen/err_401") + "; exit 1", 77),
        (print("head -n 5", "qwen/tools"), 65),
    ] {
        workspace.program("qwen", &script);
        workspace.wrap(&args).code(code);
    }
}

/// Both CLIs do their work in a child that they start again with other options.
#[cfg(target_os = "linux")]
#[test]
fn child_that_does_the_work_is_ended_with_its_parent() {
    let workspace = Workspace::new();
    for (program, recording) in [("gemini", "gemini/tools"), ("qwen", "qwen/tools")] {
        let first = std::fs::read_to_string(fixture(recording)).unwrap();
        workspace.write("first", first.lines().next().unwrap().to_owned() + "\n");
        let work = "cat $DIR/first; echo $$ > $DIR/new; mv $DIR/new $DIR/pid; exec sleep 1000";
        workspace.program(program, &format!("sh -c '{work}' & wait"));
        let (run, record) = workspace.record(&["-q", "--timeout", "2s", "--", program, "-p", "hi"]);
        run.code(124);
        assert_eq!(record["error"], Value::from("timeout"), "{program}");
        assert!(!is_alive(workspace.pid("pid")), "{program}");
    }
}

/// A parent that is killed leaves its child, which prints on to the same output.
#[cfg(all(target_os = "linux", not(test_hooks)))]
#[test]
fn output_of_a_child_that_outlives_its_parent_is_not_waited_for() {
    let workspace = Workspace::new();
    let work = "echo $$ > $DIR/new; mv $DIR/new $DIR/pid; exec sleep 1000";
    let wait = "while [ ! -e $DIR/pid ]; do sleep 0.01; done";
    workspace.program("gemini", &format!("sh -c '{work}' & {wait}; kill -KILL $$"));
    workspace.wrap(&["-q", "--", "gemini", "-p", "hi"]).code(137);
    assert!(!is_alive(workspace.pid("pid")));
}
