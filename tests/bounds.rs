//! Time is linear in the size of a stream, and memory is bounded except where
//! `docs/reliability.md` lists it as growing.
//!
//! Every case is read in two lengths. The longer one has four times as many lines,
//! or lines four times as long: linear work takes four times as long, quadratic work
//! sixteen times.
#![cfg(unix)]
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)]

mod in_memory;

use std::fmt::Write as _;
use std::io::{self, Read};
use std::ops::Range;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use in_memory::discard;

/// Commands that keep state.
const COMMANDS: &[&str] = &[
    "text",
    "tools",
    "usage",
    "summary",
    "view --full --width 40",
    "findings",
    "check --contract current",
];

/// Commands that read texts in another way.
const MORE_COMMANDS: &[&str] = &["events --unified", "text --redact"];

/// Cases in which redaction holds text back.
const DELTAS: &[&str] = &["deltas of one block", "threads with an open text"];

/// Lines generated while they are read.
struct Generated {
    line: fn(usize) -> String,
    numbers: Range<usize>,
    rest: Vec<u8>,
    at: usize,
}

impl Read for Generated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.rest.len() {
            let Some(number) = self.numbers.next() else { return Ok(0) };
            (self.rest, self.at) = (((self.line)(number) + "\n").into_bytes(), 0);
        }
        let count = buffer.len().min(self.rest.len() - self.at);
        buffer[..count].copy_from_slice(&self.rest[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Returns the CPU time of this thread in seconds, and the peak of its memory in bytes.
fn cost(command: &str, line: fn(usize) -> String, numbers: Range<usize>) -> (f64, u64) {
    let args: Vec<&str> = command.split(' ').chain(["--quiet"]).collect();
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap()
    };
    let mut time = Duration::ZERO;
    let memory = allocation_counter::measure(|| {
        let input = Generated { line, numbers, rest: Vec::new(), at: 0 };
        let started = now();
        discard(&args, input);
        time = now().saturating_sub(started);
    });
    (time.as_secs_f64(), memory.bytes_max)
}

/// Name, number of lines or elements, and their generator.
type Case = (&'static str, usize, fn(usize) -> String);

/// Cases with many lines.
const LINES: &[Case] = &[
    ("empty lines", 5_000, |_| String::new()),
    ("messages of a pretty-printed document", 1_100, |at| {
        let start = if at == 0 { "[\n" } else { "" };
        format!(
            "{start}  {{\n    \"type\": \"user\",\n    \"message\": {{\n      \"content\": \"{}\"\n    }}\n  }},",
            "word ".repeat(200)
        )
    }),
    ("malformed lines", 2_500, |_| "{broken".to_owned()),
    ("open tool calls", 1_100, |at| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m{at}","content":[{{"type":"tool_use","id":"t{at}","name":"Bash","input":{{"command":"ls"}}}}]}}}}"#
        )
    }),
    ("tool calls without an id", 1_100, |_| {
        r#"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}"#.to_owned()
    }),
    ("subagents", 1_100, |at| {
        format!(
            r#"{{"type":"assistant","parent_tool_use_id":"t{at}","message":{{"id":"m","content":[{{"type":"tool_use","id":"t{}","name":"Task","input":{{"prompt":"x"}}}}]}}}}"#,
            at + 1
        )
    }),
    ("message ids", 1_500, |at| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m{at}","model":"o","usage":{{"input_tokens":1}},"content":[{{"type":"text","text":"word"}}]}}}}"#
        )
    }),
    ("requests on disk", 1_500, |at| {
        format!(
            r#"{{"parentUuid":null,"type":"assistant","sessionId":"s","requestId":"r{at}","message":{{"id":"m{at}","model":"o","usage":{{"input_tokens":1}},"content":[]}}}}"#
        )
    }),
    ("models and sessions on disk", 1_500, |at| {
        format!(
            r#"{{"parentUuid":null,"type":"assistant","sessionId":"s{at}","message":{{"id":"m{at}","model":"o{at}","usage":{{"input_tokens":1}},"content":[]}}}}"#
        )
    }),
    ("counts on disk", 1_500, |at| {
        format!(
            r#"{{"type":"cost-state","sessionId":"s","totalCostUSD":{at},"modelUsage":{{"o":{{"inputTokens":{at},"costUSD":{at}}}}}}}"#
        )
    }),
    ("totals of a thread on disk", 1_500, |at| {
        format!(
            r#"{{"timestamp":"2026-11-15T10:00:00Z","type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{at}}}}}}}}}"#
        )
    }),
    ("models", 1_500, |at| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m{at}","model":"o{at}","usage":{{"input_tokens":1}},"content":[]}}}}"#
        )
    }),
    ("sessions", 1_100, |at| {
        format!(r#"{{"type":"system","subtype":"init","session_id":"s{at}","tools":["a"]}}"#)
    }),
    ("open blocks", 1_100, |at| {
        format!(
            r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":{at},"delta":{{"type":"text_delta","text":"word {at}"}}}}}}"#
        )
    }),
    ("blocks that come whole in another order", 1_100, |at| {
        if at % 1_100 < 550 {
            format!(
                r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":{at},"delta":{{"type":"text_delta","text":"word {at}"}}}}}}"#
            )
        } else {
            let text = at - 550;
            format!(
                r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"word {text}"}}]}}}}"#
            )
        }
    }),
    ("deltas of one block", 1_500, |_| {
        r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"letters"}}}"#.to_owned()
    }),
    ("threads with an open message", 1_100, |at| {
        format!(
            r#"{{"type":"stream_event","parent_tool_use_id":"t{at}","event":{{"type":"message_start","message":{{"id":"m{at}","usage":{{"input_tokens":1}}}}}}}}"#
        )
    }),
    ("texts that wait for a sender", 1_100, |at| {
        if at == 0 {
            r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word"}}}"#.to_owned()
        } else {
            format!(
                r#"{{"type":"assistant","parent_tool_use_id":"t{at}","message":{{"id":"m{at}","content":[{{"type":"text","text":"a few words"}}]}}}}"#
            )
        }
    }),
    ("threads with an open text", 1_100, |at| {
        format!(
            r#"{{"type":"stream_event","parent_tool_use_id":"t{at}","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"word s"}}}}}}"#
        )
    }),
    ("tasks", 1_100, |at| {
        format!(
            r#"{{"type":"system","subtype":"task_started","task_id":"k{at}","tool_use_id":"t{at}","description":"d"}}"#
        )
    }),
    ("results", 1_100, |_| {
        r#"{"type":"result","subtype":"success","result":"word","modelUsage":{"o":{"inputTokens":1}},"usage":{"input_tokens":1}}"#.to_owned()
    }),
    ("errors", 1_100, |at| {
        format!(r#"{{"type":"error","message":"status 429 try again at 3:45 PM {at}"}}"#)
    }),
    ("unknown types", 1_100, |at| format!(r#"{{"type":"x{at}","session_id":"s"}}"#)),
    ("markers", 1_100, |at| {
        format!(
            r#"{{"type":"item.completed","item":{{"id":"i{at}","type":"agent_message","text":"[EVENT:info:db] x"}}}}"#
        )
    }),
    ("ids of 16 kB", 24, |at| {
        let id = format!("{at}{}", "i".repeat(16 << 10));
        format!(
            r#"{{"type":"assistant","session_id":"{id}","message":{{"id":"{id}","model":"o","usage":{{"input_tokens":1}},"content":[{{"type":"tool_use","id":"{id}","name":"{id}","input":{{}}}}]}}}}"#
        )
    }),
    ("tool calls with long inputs", 40, |at| {
        let id = at / 2;
        if at % 2 == 0 {
            format!(
                r#"{{"type":"assistant","message":{{"id":"m{id}","content":[{{"type":"tool_use","id":"t{id}","name":"Write","input":{{"content":"{}"}}}}]}}}}"#,
                "c".repeat(16 << 10)
            )
        } else {
            format!(
                r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"ok"}}]}}}}"#
            )
        }
    }),
];

/// Cases with many elements in one line.
const IN_A_LINE: &[Case] = &[
    ("members", 625, |count| {
        let mut line = r#"{"type":"assistant""#.to_owned();
        for at in 0..count {
            let _ = write!(line, r#","k{at}":{at}"#);
        }
        line + "}"
    }),
    ("the same member", 625, |count| {
        format!(r#"{{{}"type":"assistant"}}"#, r#""harness":"claude","#.repeat(count))
    }),
    ("blocks", 500, |count| {
        let block =
            r#"{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"x"}]},"#;
        let meta = r#"{"id":"t","permission_decision":{"decision":"reject"}},"#;
        format!(
            r#"{{"type":"user","message":{{"content":[{}1]}},"tool_result_meta":[{}1]}}"#,
            block.repeat(count),
            meta.repeat(count)
        )
    }),
    ("thoughts", 2000, |count| {
        let block = r#"{"type":"thinking","thinking":"x"},"#;
        format!(
            r#"{{"type":"assistant","session_id":"s","message":{{"content":[{}1]}}}}"#,
            block.repeat(count)
        )
    }),
    ("messages", 500, |count| {
        format!("[{}{{\"type\":\"turn.started\"}}]", r#"{"type":"turn.started"},"#.repeat(count))
    }),
    ("letters", 12500, |count| text(&"x".repeat(count))),
    ("words", 3750, |count| text(&"word ".repeat(count))),
    ("lines", 3750, |count| text(&"word\\n".repeat(count))),
    ("accents", 2500, |count| text(&format!("a {}", "\u{301}".repeat(count)))),
    ("joiners", 2500, |count| text(&"a\u{200d}".repeat(count))),
    ("marks", 2500, |count| text(&"**a ".repeat(count))),
    ("ticks", 2500, |count| text(&"`".repeat(count))),
    ("escapes", 3750, |count| text(&"\\u001b[".repeat(count))),
    ("brackets", 2500, |count| text(&"[EVENT:a:".repeat(count))),
    ("names of secrets", 625, |count| text(&"password=".repeat(count))),
    ("beginnings of secrets", 625, |count| text(&"sk-ant bearer ".repeat(count))),
    ("nesting", 625, |count| {
        let input = "[[[[1]]]],".repeat(count);
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","name":"x","input":[{input}1]}}]}}}}"#
        )
    }),
    ("changes", 625, |count| {
        format!(
            r#"{{"type":"item.completed","item":{{"id":"i","type":"file_change","changes":[{}{{}}],"status":"completed"}}}}"#,
            r#"{"path":"p","kind":"add"},"#.repeat(count)
        )
    }),
    ("models", 625, |count| {
        let mut models = String::new();
        for at in 0..count {
            let _ = write!(models, r#""m{at}":{{"inputTokens":1}},"#);
        }
        format!(r#"{{"type":"result","modelUsage":{{{models}"m":{{}}}}}}"#)
    }),
    ("findings", 500, |count| {
        format!(
            r#"{{"type":"result","structured_output":{{"events":[{}{{"level":"info","message":"x"}}]}}}}"#,
            r#"{"level":"info","message":"x"},"#.repeat(count)
        )
    }),
];

fn text(text: &str) -> String {
    format!(
        r#"{{"type":"item.completed","item":{{"id":"i","type":"agent_message","text":"{text}"}}}}"#
    )
}

/// Returns whether memory may grow with the lines, by the first word of the command.
fn may_grow(case: &str, command: &str) -> bool {
    let growing: &[&str] = match case {
        // An entry for each open one.
        "open tool calls" | "subagents" | "ids of 16 kB" => &["tools", "view", "error", "summary"],
        "tool calls without an id" => &["tools"],
        "tasks" => &["view"],
        // An entry for each.
        "models" => &["usage", "error", "summary", "view"],
        // Every request, for deduplication.
        case if case.ends_with("on disk") => &["usage", "error", "summary", "view"],
        // The text itself: a block until it is complete; all of it in `summary`.
        "deltas of one block" => &["text", "view"],
        "message ids" | "markers" | "blocks that come whole in another order" => &["summary"],
        "texts that wait for a sender" => &["text", "view", "summary"],
        _ => &[],
    };
    let command = command.split(' ').next().unwrap_or_default();
    growing.contains(&command) || case == "markers" && command == "findings"
}

/// Shorter times in seconds are noise.
const NOISE: f64 = 0.05;

/// Smaller differences in bytes come from buffers.
const BUFFERS: u64 = 400 << 10;

/// Allowed factor between the two lengths.
const LINEAR: f64 = 9.0;

fn assert_linear(what: &str, mut costs: impl FnMut() -> (f64, f64)) {
    // Another process may disturb one measurement, but hardly all three.
    let all: Vec<(f64, f64)> = std::iter::repeat_with(&mut costs).take(3).collect();
    let good = |(one, four): &(f64, f64)| *four < NOISE || four / one < LINEAR;
    assert!(all.iter().any(good), "{what}: not linear: {all:?}");
}

#[test]
fn time_is_linear_in_lines_and_memory_is_bounded_or_documented() {
    for (case, count, line) in LINES {
        let more = MORE_COMMANDS.iter().filter(|_| DELTAS.contains(case));
        for command in COMMANDS.iter().chain(more) {
            let (one, small) = cost(command, *line, 0..*count);
            let (four, large) = cost(command, *line, 0..4 * count);
            let what = format!("{command}: {case}");
            if four >= NOISE && four / one >= LINEAR {
                assert_linear(&what, || {
                    (cost(command, *line, 0..*count).0, cost(command, *line, 0..4 * count).0)
                });
            }
            let most = if may_grow(case, command) { 6 * small } else { small + small / 4 };
            assert!(large <= most + BUFFERS, "{what}: {small} bytes, then {large}");
        }
    }
}

#[test]
fn time_and_memory_are_linear_in_line_length() {
    for (case, count, line) in IN_A_LINE {
        for command in COMMANDS.iter().chain(MORE_COMMANDS) {
            let (one, small) = cost(command, *line, *count..count + 1);
            let (four, large) = cost(command, *line, 4 * count..4 * count + 1);
            let what = format!("{command}: {case} in a line");
            if four >= NOISE && four / one >= LINEAR {
                assert_linear(&what, || {
                    let long = 4 * count..4 * count + 1;
                    (cost(command, *line, *count..count + 1).0, cost(command, *line, long).0)
                });
            }
            assert!(large <= 6 * small + BUFFERS, "{what}: {small} bytes, then {large}");
        }
    }
}
