//! Blocks of text that arrive on several lines: snapshots of a message, which repeat its
//! text so far, and parts of a block.
//!
//! Claude Code prints each finished block on a line of its own. Its documentation also
//! describes lines with the same message id whose text grows; of those every part counts
//! once. The lines of a message follow each other: after a prompt, a tool's result or an
//! end the same text is another one.

use super::known_text::KnownText;
use crate::event::Event;
use crate::harness::Record;

/// Threads whose messages are kept.
const MAX_THREADS: usize = 16;

/// The text blocks of the messages that are being written, one of each thread.
#[derive(Debug, Default)]
pub(super) struct MessageBlocks {
    kind: BlockKind,
    /// Whether the CLI may print snapshots.
    is_active: bool,
    messages: Vec<Message>,
    /// Index of the message that was added to last.
    last: usize,
    /// The position of the next block.
    position: usize,
    /// The thread whose last block is a part that may be continued.
    open_part: Option<String>,
}

/// Which blocks are compared with each other.
#[derive(Clone, Copy, Debug, Default)]
enum BlockKind {
    #[default]
    Text,
    Reasoning,
}

impl BlockKind {
    fn includes(self, event: &Event<'_>) -> bool {
        match self {
            Self::Text => matches!(event, Event::Text { .. }),
            Self::Reasoning => matches!(event, Event::Reasoning { .. }),
        }
    }
}

/// The reasoning blocks of the messages that are being written.
#[derive(Debug)]
pub(crate) struct ReasoningSnapshots {
    blocks: MessageBlocks,
    /// The message of the line.
    message_id: Option<String>,
}

impl Default for ReasoningSnapshots {
    fn default() -> Self {
        let blocks = MessageBlocks { kind: BlockKind::Reasoning, ..MessageBlocks::default() };
        Self { blocks, message_id: None }
    }
}

impl ReasoningSnapshots {
    /// Starts a line.
    pub(crate) fn start_line(&mut self, record: &Record<'_>) {
        self.blocks.start_line(record);
        let has_blocks = record.events.iter().any(|event| self.blocks.kind.includes(event));
        self.message_id =
            record.events.iter().filter(|_| has_blocks).find_map(|event| match event {
                Event::Message(message) => message.id.map(str::to_owned),
                _ => None,
            });
    }

    /// Returns whether the next block of the line is another one than those of the lines
    /// before it, which it may repeat or continue.
    pub(crate) fn is_new(&mut self, record: &Record<'_>, text: &str) -> bool {
        let message_id = self.message_id.as_deref();
        matches!(self.blocks.add(record.parent_id, message_id, text), BlockText::New(_))
    }
}

#[derive(Debug, Default)]
struct Message {
    thread: String,
    id: String,
    /// The texts by their position among the text blocks of a line; those behind `known`
    /// are memory to be reused.
    texts: Vec<KnownText>,
    known: usize,
}

/// What a text block adds to its message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BlockText<'t> {
    /// A block with this text.
    New(&'t str),
    /// This part: the rest is the block that was added last.
    Rest(&'t str),
    /// Nothing.
    Repeated,
}

impl BlockText<'_> {
    /// Returns the number of bytes at the end of the text that it adds, and whether they are
    /// a block of their own.
    pub(super) fn added(&self) -> (usize, bool) {
        match self {
            Self::New(text) => (text.len(), true),
            Self::Rest(text) => (text.len(), false),
            Self::Repeated => (0, false),
        }
    }
}

impl MessageBlocks {
    /// Starts a line.
    pub(super) fn start_line(&mut self, record: &Record<'_>) {
        self.position = 0;
        self.is_active = record.harness.rules().prints_snapshots;
        let thread = record.parent_id.unwrap_or_default();
        if self.open_part.as_ref().is_some_and(|open| {
            record.events.iter().any(|event| ends_all(event))
                || open == thread && record.events.iter().any(ends_part)
        }) {
            self.open_part = None;
        }
        for message in self.messages.iter_mut().filter(|message| message.known > 0) {
            if record.events.iter().any(|event| ends_all(event))
                || message.thread == thread && ends_message(record.events, self.kind)
            {
                message.known = 0;
            }
        }
    }

    /// Adds the next text block of the line.
    pub(super) fn add<'t>(
        &mut self,
        thread: Option<&str>,
        message_id: Option<&str>,
        text: &'t str,
    ) -> BlockText<'t> {
        self.open_part = None;
        // Without an id lines cannot be assigned to a message.
        let Some(id) = message_id.filter(|_| self.is_active) else { return BlockText::New(text) };
        let position = self.position;
        self.position += 1;
        let last = self.last;
        self.last = self.index_of(thread.unwrap_or_default(), id);
        match self.messages[self.last].add(position, text) {
            // Another thread wrote in between.
            BlockText::Rest(rest) if self.last != last => BlockText::New(rest),
            added => added,
        }
    }

    /// Adds a part of a block, and returns whether it starts a new one: the last block has
    /// parts only as long as nothing comes between them.
    pub(super) fn starts_block(&mut self, thread: Option<&str>) -> bool {
        let thread = thread.unwrap_or_default();
        if self.open_part.as_deref() == Some(thread) {
            return false;
        }
        thread.clone_into(self.open_part.get_or_insert_default());
        true
    }

    /// Returns whether the last block may be continued.
    pub(super) fn has_open_part(&self) -> bool {
        self.open_part.is_some()
    }

    /// Returns the index of the message of this thread and id.
    fn index_of(&mut self, thread: &str, id: &str) -> usize {
        let index = self.messages.iter().position(|message| message.thread == thread);
        let index = index.unwrap_or_else(|| {
            if self.messages.len() < MAX_THREADS {
                self.messages.push(Message::default());
            } else {
                self.messages.rotate_left(1);
            }
            self.messages.len() - 1
        });
        let message = &mut self.messages[index];
        if message.id != id || message.thread != thread {
            id.clone_into(&mut message.id);
            thread.clone_into(&mut message.thread);
            message.known = 0;
        }
        index
    }
}

impl Message {
    fn add<'t>(&mut self, position: usize, text: &'t str) -> BlockText<'t> {
        let is_last = position + 1 == self.known;
        let known = self.texts[..self.known].get(position).filter(|known| !known.is_empty());
        let added = match known.and_then(|known| known.rest_of(text)) {
            Some("") => return BlockText::Repeated,
            Some(rest) if is_last => BlockText::Rest(rest),
            _ => BlockText::New(text),
        };
        self.known = position + 1;
        if self.texts.len() <= position {
            self.texts.resize_with(position + 1, KnownText::default);
        }
        self.texts[position].set(text);
        added
    }
}

/// Returns whether the messages of all threads have ended.
fn ends_all(event: &Event<'_>) -> bool {
    matches!(event, Event::Finished(_) | Event::Session(_))
}

/// Returns whether a text after this event of the same thread is another one.
fn ends_part(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Prompt { .. }
            | Event::ToolCall(_)
            | Event::ToolResult(_)
            | Event::ToolEnded { .. }
            | Event::Reasoning { .. }
            | Event::ReasoningPart { .. }
            | Event::TurnStarted { .. }
    )
}

/// Returns whether no snapshot of the last message can follow these events of its thread.
/// A line of the message without a block of this kind shows that each block has its own
/// line.
fn ends_message(events: &[Event<'_>], kind: BlockKind) -> bool {
    let ends = |event: &Event<'_>| {
        matches!(event, Event::Prompt { .. } | Event::ToolResult(_) | Event::ToolEnded { .. })
    };
    let is_block = |event: &Event<'_>| {
        matches!(
            event,
            Event::Message(_)
                | Event::ToolCall(_)
                | Event::Reasoning { .. }
                | Event::ReasoningPart { .. }
        )
    };
    let is_compared = |event: &Event<'_>| kind.includes(event);
    // A line may contain the text, the calls and their results.
    !events.iter().any(is_compared) && events.iter().any(|event| ends(event) || is_block(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::{DecodedLine, Decoder};

    /// Returns what each text block of a stream adds.
    fn added(lines: &[&str]) -> Vec<String> {
        let (mut blocks, mut added) = (MessageBlocks::default(), Vec::new());
        let mut decoder = Decoder::default();
        for line in lines {
            let each = |line: DecodedLine<'_>| {
                let DecodedLine::Record(record) = line else { panic!("{line:?}") };
                blocks.start_line(&record);
                for event in record.events {
                    let Event::Text { message_id, text, .. } = event else { continue };
                    added.push(match blocks.add(record.parent_id, *message_id, text) {
                        BlockText::New(text) => format!("new {text}"),
                        BlockText::Rest(rest) => format!("rest {rest}"),
                        BlockText::Repeated => "repeated".to_owned(),
                    });
                }
                Ok::<(), ()>(())
            };
            decoder.decode_line(line.as_bytes(), each).unwrap();
        }
        added
    }

    fn line(id: &str, texts: &[&str]) -> String {
        let block = |text: &&str| format!(r#"{{"type":"text","text":"{text}"}}"#);
        let blocks = texts.iter().map(block).collect::<Vec<_>>().join(",");
        format!(r#"{{"type":"assistant","message":{{"id":"{id}","content":[{blocks}]}}}}"#)
    }

    #[test]
    fn growing_text_of_a_message_counts_once() {
        let lines = [
            line("m", &["I"]),
            line("m", &["I will"]),
            line("m", &["I will"]),
            line("m", &["I will", "B"]),
            line("m", &["I will", "BC"]),
            line("n", &["I will"]),
        ];
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(
            added(&lines),
            [
                "new I",
                "rest  will",
                "repeated",
                "repeated",
                "new B",
                "repeated",
                "rest C",
                "new I will"
            ]
        );
    }

    #[test]
    fn blocks_on_lines_of_their_own_all_count() {
        let lines = ["A", "B", "", "", "A"].map(|text| line("m", &[text]));
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(added(&lines), ["new A", "new B", "new ", "new ", "new A"]);
    }

    #[test]
    fn block_that_starts_like_the_one_before_a_tool_call_counts() {
        let call = r#"{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#;
        let lines = [&line("m", &["Check"]), call, &line("m", &["Checking"]), call];
        assert_eq!(added(&lines), ["new Check", "new Checking"]);
    }

    #[test]
    fn snapshots_of_several_threads_may_alternate() {
        let of = |thread: &str, text: &str| {
            let line = line(&format!("m{thread}"), &[text]);
            line.replacen('{', &format!(r#"{{"parent_tool_use_id":"{thread}","#), 1)
        };
        let lines = [of("1", "A"), of("2", "B"), of("1", "AC"), of("2", "BD"), of("1", "AC")];
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        assert_eq!(added(&lines), ["new A", "new B", "new C", "new D", "repeated"]);
    }

    #[test]
    fn same_text_after_an_end_is_another_one() {
        let message = line("m", &["A"]);
        for between in [
            r#"{"type":"result","subtype":"success"}"#,
            r#"{"type":"system","subtype":"init","session_id":"s"}"#,
            r#"{"type":"user","message":{"content":"go on"}}"#,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}"#,
        ] {
            assert_eq!(added(&[&message, between, &message]), ["new A", "new A"], "{between}");
        }
        let progress = r#"{"type":"system","subtype":"status","session_id":"s"}"#;
        assert_eq!(added(&[&message, progress, &message]), ["new A", "repeated"]);
    }

    #[test]
    fn clis_that_print_no_snapshots_may_repeat_a_text() {
        let item =
            r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"A"}}"#;
        assert_eq!(added(&[item, item]), ["new A", "new A"]);
    }
}
