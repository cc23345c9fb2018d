//! Properties that hold for every stream.

use proptest::prelude::*;

use crate::in_memory::{self, Chunks};
use crate::support::{fixture_bytes, fixtures, recordings_of_tools};

pub const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["text", "--last"],
    &["text", "--main-only"],
    &["tools"],
    &["usage"],
    &["error"],
    &["session"],
    &["summary"],
    &["events"],
    &["events", "--unified"],
    &["events", "--format", "sse"],
    &["view"],
    &["view", "--full", "--width", "40", "--ascii"],
    &["structured"],
    &["findings"],
    &["findings", "--format", "human"],
    &["check", "--contract", "v1", "--every-line"],
    &["check", "--members", "--format", "jsonl"],
];

/// Runs a command on bytes that arrive in chunks; returns standard output and
/// standard error.
pub fn project(args: &[&str], bytes: &[u8], sizes: &[usize]) -> (String, String) {
    let outputs = in_memory::project(args, Chunks::new(bytes, sizes));
    outputs.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).into()
}

const WHOLE: &[usize] = &[usize::MAX];

pub fn streams() -> Vec<Vec<u8>> {
    let names = [
        "claude/partial_multi_block",
        "claude/partial_background_agent",
        "claude/subagent_foreground",
        "claude/json_verbose",
        "claude/err_429_unified_oauth",
        "codex/web_search",
        "codex/err_500_with_retries",
        "copilot/subagent",
        "cline/subagent",
        "cursor/partial",
        "qwen/partial",
    ];
    let names = names.into_iter().map(str::to_owned).chain(recordings_of_tools());
    let mut streams: Vec<_> = names.map(|name| fixture_bytes(&name)).collect();
    streams.push(
        b"\xef\xbb\xbfnot json\n\n{\"type\":\"turn.started\"}\r\n[1]\n\xff\n{\"type\":\"x\""
            .to_vec(),
    );
    streams
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn output_does_not_depend_on_the_sizes_of_reads(
        stream in prop::sample::select(streams()),
        command in prop::sample::select(COMMANDS.to_vec()),
        sizes in prop::collection::vec(1_usize..5000, 1..8),
        max_line in prop::sample::select(vec!["64M", "300", "20"]),
    ) {
        let args = [command, &["--max-line", max_line]].concat();
        prop_assert_eq!(project(&args, &stream, &sizes), project(&args, &stream, WHOLE));
    }

    #[test]
    fn prefix_gives_the_output_of_its_complete_lines(
        stream in prop::sample::select(streams()),
        command in prop::sample::select(COMMANDS.iter().copied().filter(|command| !matches!(command[0], "check" | "view")).collect::<Vec<_>>()),
        cut in any::<prop::sample::Index>(),
    ) {
        let cut = cut.index(stream.len() + 1);
        let prefix = &stream[..cut];
        let complete = prefix.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // A last line that lacks only its newline counts.
        let rest = &prefix[complete..];
        prop_assume!(serde_json::from_slice::<serde_json::Value>(rest).is_err());
        let (of_prefix, _) = project(command, prefix, WHOLE);
        let (of_lines, _) = project(command, &prefix[..complete], WHOLE);
        if command[0] == "summary" {
            // `summary` counts the incomplete line and warns about it.
            let without = |text: &str| {
                let mut summary: serde_json::Value = serde_json::from_str(text).unwrap();
                summary["lines"].take();
                summary["warnings"].take();
                summary
            };
            prop_assert_eq!(without(&of_prefix), without(&of_lines));
            return Ok(());
        }
        prop_assert_eq!(of_prefix, of_lines);
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for command in COMMANDS {
            project(command, &bytes, &[7]);
        }
    }

    #[test]
    fn mutated_streams_do_not_panic(
        stream in prop::sample::select(streams()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let mut stream = stream;
        for (at, byte) in changes {
            let at = at.index(stream.len());
            stream[at] = byte;
        }
        for command in COMMANDS {
            project(command, &stream, &[4096]);
        }
    }

    /// Puts any JSON where the decoders expect another type.
    #[test]
    fn values_of_wrong_types_do_not_panic(value in json(), at in any::<prop::sample::Index>()) {
        const SLOTS: &[&str] = &[
            r#"{"type":"assistant","message":@}"#,
            r#"{"type":"assistant","message":{"id":@,"content":@,"usage":@}}"#,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":@,"name":@,"input":@}]}}"#,
            r#"{"type":"user","message":{"content":@},"tool_use_result":@,"tool_result_meta":@}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":@,"content":@,"is_error":@}]},"tool_result_meta":[{"id":@,"permission_decision":@}]}"#,
            r#"{"type":"result","subtype":@,"is_error":@,"result":@,"errors":@,"usage":@,"modelUsage":@,"model_usage_since_last_result":@,"num_turns":@,"total_cost_usd":@,"structured_output":@}"#,
            r#"{"type":"result","structured_output":{"summary":@,"events":@,"memories":@,"escalation":@,"services_checked":@}}"#,
            r#"{"type":"result","structured_output":{"events":[{"level":@,"service":@,"message":@}],"memories":[{"key":@,"value":@}],"escalation":{"needed":@,"reason":@,"failed_checks":@},"services_checked":[{"name":@,"status":@}]}}"#,
            r#"{"type":"result","modelUsage":{"m":@},"api_error_status":@,"api_error_params":{"rate_limit_info":@}}"#,
            r#"{"type":"stream_event","event":@}"#,
            r#"{"type":"stream_event","event":{"type":"content_block_delta","index":@,"delta":@}}"#,
            r#"{"type":"system","subtype":@,"tasks":@,"compact_metadata":@,"patch":@,"tools":@}"#,
            r#"{"type":"system","subtype":"init","tools":@,"model":@,"mcp_servers":@,"agents":@}"#,
            r#"{"type":"item.completed","item":@}"#,
            r#"{"type":"item.completed","item":{"id":@,"type":"command_execution","command":@,"aggregated_output":@,"exit_code":@,"status":@}}"#,
            r#"{"type":"item.started","item":{"id":@,"type":"mcp_tool_call","server":@,"tool":@,"arguments":@}}"#,
            r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","result":@,"error":@}}"#,
            r#"{"type":"item.completed","item":{"id":"i","type":"collab_tool_call","agents_states":@}}"#,
            r#"{"type":"turn.completed","usage":@}"#,
            r#"{"type":"turn.failed","error":@}"#,
            r#"{"id":@,"msg":@}"#,
            r#"{"id":"0","msg":{"type":"exec_command_end","call_id":@,"exit_code":@,"duration":@,"result":@}}"#,
            r#"{"type":@,"harness":@,"session_id":@}"#,
        ];
        let line = SLOTS[at.index(SLOTS.len())].replace('@', &value.to_string());
        let stream = format!("{line}\n{line}\n");
        for command in COMMANDS {
            project(command, stream.as_bytes(), &[4096]);
        }
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::{Map, Value};
    let words = prop::sample::select(vec![
        "",
        "text",
        "tool_use",
        "tool_result",
        "init",
        "success",
        "error",
        "completed",
        "m",
        "429",
        "5 events were dropped",
        "Reconnecting... 1/2",
        "message_start",
        "content_block_delta",
        "\u{1b}é",
    ]);
    let keys = prop::sample::select(vec![
        "type",
        "text",
        "id",
        "name",
        "input",
        "content",
        "message",
        "usage",
        "input_tokens",
        "status",
        "",
        "delta",
        "thinking_tokens",
        "resetsAt",
        "secs",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys.clone(), inner), 0..5).prop_map(|members| {
                let members = members.into_iter().map(|(key, value)| (key.to_owned(), value));
                Value::from(members.collect::<Map<_, _>>())
            }),
        ]
    })
}

#[test]
fn output_of_events_is_read_like_the_stream_itself() {
    for path in fixtures() {
        let bytes = std::fs::read(&path).unwrap();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for count in [1, lines.len() / 2, lines.len()] {
            let prefix = lines[..count.min(lines.len())].concat();
            let (events, _) = project(&["events"], &prefix, WHOLE);
            for command in [&["text"][..], &["usage"], &["tools"]] {
                let direct = project(command, &prefix, WHOLE).0;
                let piped = project(command, events.as_bytes(), WHOLE).0;
                assert_eq!(piped, direct, "{command:?} {} lines of {}", count, path.display());
            }
        }
    }
}
