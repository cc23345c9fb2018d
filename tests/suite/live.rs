//! Partial messages of several threads, interleaved at random.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::support::cli::{Printed, run};

/// Blocks of a message: the deltas of each, and whether they are streamed before
/// the whole block.
type Message = Vec<(Vec<String>, bool)>;

fn message() -> impl Strategy<Value = Message> {
    let delta = prop::sample::select(vec!["a", "b", " ", "long words ", "é", "?"]);
    let block = (prop::collection::vec(delta.prop_map(str::to_owned), 1..4), any::<bool>());
    prop::collection::vec(block, 0..4)
}

/// Returns the lines of a thread, and the texts of its finished blocks. Texts are
/// numbered, so that all differ. An interrupted thread does not finish its last
/// block.
fn lines(thread: usize, messages: &[Message], interrupted: bool) -> (Vec<String>, Vec<String>) {
    let parent = if thread == 0 { "null".to_owned() } else { format!("\"t{thread}\"") };
    let partial = |event: &str| {
        format!(r#"{{"type":"stream_event","parent_tool_use_id":{parent},"event":{event}}}"#)
    };
    let (mut lines, mut finished) = (Vec::new(), Vec::new());
    for (number, message) in messages.iter().enumerate() {
        let id = format!("m{thread}-{number}");
        lines.push(partial(&format!(r#"{{"type":"message_start","message":{{"id":"{id}"}}}}"#)));
        for (index, (deltas, streamed)) in message.iter().enumerate() {
            let mut text = format!("[{thread}.{number}.{index}]");
            let first = text.clone();
            for delta in [&first].into_iter().chain(deltas).filter(|_| *streamed) {
                lines.push(partial(&format!(
                    r#"{{"type":"content_block_delta","index":{index},"delta":{{"type":"text_delta","text":"{delta}"}}}}"#
                )));
            }
            text += &deltas.concat();
            let last = number + 1 == messages.len() && index + 1 == message.len();
            if interrupted && *streamed && last {
                continue;
            }
            lines.push(format!(
                r#"{{"type":"assistant","parent_tool_use_id":{parent},"message":{{"id":"{id}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
            ));
            finished.push(text);
        }
        lines.push(partial(r#"{"type":"message_stop"}"#));
    }
    (lines, finished)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn finished_block_is_printed_once_and_in_full(
        threads in prop::collection::vec((prop::collection::vec(message(), 1..3), any::<bool>()), 1..4),
        turns in prop::collection::vec(any::<prop::sample::Index>(), 200),
    ) {
        let (mut queues, mut finished): (Vec<_>, Vec<_>) = threads
            .iter()
            .enumerate()
            .map(|(thread, (messages, interrupted))| lines(thread, messages, *interrupted))
            .unzip();
        let mut stream = String::new();
        for turn in &turns {
            let open: Vec<usize> =
                (0..queues.len()).filter(|thread| !queues[*thread].is_empty()).collect();
            if open.is_empty() {
                break;
            }
            stream += &queues[open[turn.index(open.len())]].remove(0);
            stream.push('\n');
        }
        stream += &queues.concat().join("\n");
        let printed = run(&["-q", "text"], stream.as_str()).success();
        let mut counts = BTreeMap::new();
        for line in printed.text().lines() {
            *counts.entry(line.to_owned()).or_insert(0) += 1;
        }
        for text in finished.iter_mut().flatten() {
            let count = counts.remove(text.as_str());
            prop_assert_eq!(count, Some(1), "{:?} in {:?}\n{}", text, printed.text(), stream);
        }
        // Unfinished blocks remain, at most one per thread.
        prop_assert!(counts.values().sum::<i32>() <= 3, "{:?}\n{}", counts, stream);
    }
}
