//! What must hold for any bytes at all. Each function is a fuzz target
//! (`fuzz/fuzz_targets`), and is run on mutated seeds by the tests.

#[path = "../../projected/mod.rs"]
pub mod projected;

use std::sync::LazyLock;

use regex::Regex;
use streamj::findings::{Finding, markers};
use streamj::harness::{Decoder, Habits, Harness, Objects, Reading};
use streamj::input::{Content, Frame, Lines};
use streamj::json::{Parser, Value};
use streamj::output::{Sanitizer, visible};
use streamj::redact::{LineMask, Redactor, TextMask};
use streamj::{ClaudeStreamJsonErrorCode, ClaudeStreamJsonParser};

use projected::{Pieces, Projected};

/// A body.
pub type Body = fn(&[u8]);

/// All of them, by the names of their targets.
pub const ALL: &[(&str, Body)] = &[
    ("framing", framing),
    ("json", json),
    ("claude", claude),
    ("codex", codex),
    ("projections", projections),
    ("threads", threads),
    ("terminal", terminal),
    ("sanitize", sanitize),
    ("redact", redact),
    ("markers", find_markers),
    ("contract", contract),
];

/// The first byte chooses, the rest is the input.
fn choose(data: &[u8]) -> (usize, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest))
}

/// Pieces of this size and, now and then, of one byte.
fn in_pieces(bytes: &[u8], size: usize) -> Pieces<'_> {
    Pieces::new(bytes, &[size, size, 1])
}

/// Lines are what lies between newlines, however the bytes arrive.
pub fn framing(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let max_line = 1 + choice / 4 * 3;
    let size = [1, 7, 64, usize::MAX][choice % 4];
    let mut lines = Lines::new(max_line);
    let mut input = in_pieces(bytes, size);
    let mut found = Vec::new();
    let owned = |frame: Frame<'_>| match frame.content {
        Content::Bytes(bytes) => (frame.number, Ok(bytes.to_vec())),
        Content::TooLong(length) => (frame.number, Err(length)),
    };
    loop {
        while let Some(frame) = lines.next() {
            found.push(owned(frame));
        }
        if lines.fill(&mut input).unwrap() == 0 {
            break;
        }
    }
    found.extend(lines.last().map(owned));
    let mut expected: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
    if expected.last().is_some_and(|last| last.is_empty()) {
        expected.pop();
    }
    assert_eq!(found.len(), expected.len());
    for ((number, line), (before, raw)) in found.iter().zip(expected.iter().enumerate()) {
        assert_eq!(*number, before as u64 + 1);
        let text = raw.strip_prefix(b"\xef\xbb\xbf").filter(|_| before == 0).unwrap_or(raw);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        match line {
            Ok(line) => assert_eq!(line, text),
            Err(length) => {
                assert!(text.len() > max_line);
                assert_eq!(*length, raw.len() as u64);
            }
        }
    }
}

/// What simd-json, our second look and `serde_json` say is the same.
pub fn json(line: &[u8]) {
    let theirs = serde_json::from_slice::<serde_json::Value>(line);
    let ours = Parser::default().parse(line, |document| match &theirs {
        Ok(theirs) => {
            assert!(!document.mended, "nothing was wrong with it");
            assert!(is_same(document.root, theirs), "{theirs}");
        }
        // Broken text, numbers and depths that others refuse.
        Err(error) => {
            let too_deep = error.to_string().starts_with("recursion limit");
            assert!(document.mended || too_deep, "{error}");
        }
    });
    assert!(ours.is_ok() || theirs.is_err(), "it is JSON: {ours:?}");
    let skimmed = Parser::default().skim(line, |document| texts(document.root));
    if let Some(skimmed) = skimmed {
        let whole = Parser::default().parse(line, |document| texts(document.root));
        assert_eq!(Ok(skimmed), whole);
    }
}

fn is_same(ours: Value<'_, '_>, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    match theirs {
        Json::Null => ours.is_null(),
        Json::Bool(flag) => ours.as_bool() == Some(*flag),
        Json::String(text) => ours.as_str() == Some(text),
        // Integers that no 64 bits hold are numbers all the same.
        Json::Number(number) => ours.as_f64() == number.as_f64(),
        Json::Array(elements) => {
            ours.is_array()
                && ours.elements().count() == elements.len()
                && ours.elements().zip(elements).all(|(ours, theirs)| is_same(ours, theirs))
        }
        Json::Object(members) => {
            ours.is_object()
                && ours.members().all(|member| members.contains_key(member.key))
                && members
                    .iter()
                    .all(|(name, theirs)| ours.get(name).is_some_and(|ours| is_same(ours, theirs)))
        }
    }
}

/// Every text with its spelling.
fn texts(value: Value<'_, '_>) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = value
        .as_text()
        .and_then(|text| Some((text.to_string(), text.json()?.bytes().to_vec())))
        .into_iter()
        .collect();
    all.extend(value.elements().flat_map(texts));
    for member in value.members() {
        all.push((member.key.to_owned(), member.json().bytes().to_vec()));
        all.extend(texts(member.value));
    }
    all
}

/// Lines of Claude Code, whatever they are.
pub fn claude(data: &[u8]) {
    decode(data, Harness::Claude);
}

/// Lines of Codex, whatever they are.
pub fn codex(data: &[u8]) {
    decode(data, Harness::Codex);
}

/// A line says the same with its long strings left out, and a line before it
/// changes nothing.
fn decode(data: &[u8], harness: Harness) {
    let said = |decoder: &mut Decoder, line: &[u8]| {
        let mut said = Vec::new();
        let done = decoder.decode(line, |reading| {
            said.push(match reading {
                Reading::Packet(packet) => {
                    assert!(!packet.events.is_empty());
                    assert_eq!(packet.harness, harness);
                    let kinds: Vec<_> = packet.events.iter().map(std::mem::discriminant).collect();
                    format!("{kinds:?} {:?} {:?}", packet.session_id, packet.parent_id)
                }
                reading => format!("{reading:?}"),
            });
            Ok::<(), ()>(())
        });
        assert_eq!(done, Ok(()));
        said
    };
    let whole = Habits { objects: Objects::Whole, ..Habits::default() };
    let mut skimming = Decoder::new(Some(harness));
    let mut reading = Decoder::new(Some(harness)).with(whole);
    for line in data.split(|byte| *byte == b'\n') {
        let alone = said(&mut Decoder::new(Some(harness)), line);
        assert_eq!(said(&mut reading, line), alone);
        assert_eq!(said(&mut skimming, line), alone);
    }
}

const COMMANDS: &[&[&str]] = &[
    &["text"],
    &["text", "--last"],
    &["text", "--main-only", "--redact"],
    &["tools"],
    &["tools", "--format", "human", "--max-output", "3"],
    &["usage"],
    &["error"],
    &["session", "--format", "human"],
    &["summary"],
    &["summary", "--format", "human"],
    &["events"],
    &["events", "--redact"],
    &["events", "--unified"],
    &["events", "--format", "sse"],
    &["view"],
    &["view", "--full", "--width", "20", "--ascii"],
    &["structured"],
    &["findings", "--format", "csv"],
    &["check", "--every-line"],
    &["check", "--contract", "current", "--format", "jsonl"],
];

/// Those that print JSON of their own.
const MADE_OF_RECORDS: &[&[&str]] =
    &[&["tools"], &["usage"], &["error"], &["summary"], &["events", "--unified"]];

/// What a command prints, and notes.
fn project(args: &[&str], mut input: Pieces<'_>, threads: usize, terminal: bool) -> [Vec<u8>; 2] {
    let command = Projected::new(args.iter().copied());
    let for_people = terminal;
    Projected { threads, max_line: 4096, terminal, for_people, ..command }.printed(&mut input)
}

/// However its bytes arrive, a stream gives the same output.
pub fn projections(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let args = COMMANDS[choice % COMMANDS.len()];
    let whole = project(args, in_pieces(bytes, usize::MAX), 1, false);
    assert!(project(args, in_pieces(bytes, 1 + choice), 1, false) == whole);
    if MADE_OF_RECORDS.contains(&args) {
        // Records of ours are JSON, whatever they were made of.
        for line in whole[0].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            assert!(Parser::default().parse(line, |_| ()).is_ok(), "{}", line.escape_ascii());
        }
    }
}

/// Several threads print what one prints. The input is made long enough for
/// them.
pub fn threads(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let args = COMMANDS[choice % COMMANDS.len()];
    let line = [bytes, b"\n"].concat();
    let long = line.repeat((5 << 20) / 4 / line.len() + 1);
    let alone = project(args, in_pieces(&long, usize::MAX), 1, false);
    assert!(project(args, in_pieces(&long, 100_000), 3, false) == alone);
}

/// Nothing acts on a terminal.
pub fn terminal(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let args = COMMANDS[choice % COMMANDS.len()];
    for shown in project(args, in_pieces(bytes, usize::MAX), 1, true) {
        let shown = String::from_utf8(shown).unwrap().replace("\r\x1b[2K", "");
        assert_harmless(&shown);
    }
}

fn assert_harmless(shown: &str) {
    let acts = |c: char| c.is_control() && c != '\n' && c != '\t';
    let hides = |c: char| {
        matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    assert!(!shown.contains(|c| acts(c) || hides(c)), "{shown:?}");
}

/// A text is made visible the same in pieces, and once is enough.
pub fn sanitize(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let text = String::from_utf8_lossy(bytes);
    let shown = visible(&text);
    assert_harmless(&shown);
    assert_eq!(visible(&shown), shown);
    let mut sanitizer = Sanitizer::default();
    let mut pieces = String::new();
    let mut rest = &*text;
    while !rest.is_empty() {
        let (piece, behind) =
            rest.split_at(rest.ceil_char_boundary(1 + choice.min(rest.len() - 1)));
        pieces += &sanitizer.visible(piece);
        rest = behind;
    }
    assert_eq!(pieces + &sanitizer.end(), shown);
}

/// A text is masked the same in pieces, and once is enough; a line stays JSON,
/// or what it was.
pub fn redact(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let redactor = Redactor::new([b"swordfish".to_vec(), b"open sesame".to_vec()]);
    let text = String::from_utf8_lossy(bytes);
    let masked = redactor.mask(&text);
    assert_eq!(redactor.mask(&masked), masked);
    if text.len() < 8 << 10 {
        let mut mask = TextMask::default();
        let mut pieces = String::new();
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, behind) =
                rest.split_at(rest.ceil_char_boundary(1 + (choice % 40).min(rest.len() - 1)));
            pieces += &mask.push(piece, &redactor);
            rest = behind;
        }
        assert_eq!(pieces + &mask.end(&redactor), masked);
    }
    // A line with an escape is read string by string, one without at a glance.
    let spelled = serde_json::to_string(&text).unwrap();
    let line = |extra: &str| format!("{{\"a\":{spelled},\"b\":\"{extra}\"}}");
    let [glance, close] = ["x", "\\u0078"].map(|extra| {
        let mut shown = String::new();
        let mut mask = LineMask::new(redactor.clone());
        let each = |line: &[u8]| {
            let json: serde_json::Value = serde_json::from_slice(line).unwrap();
            json["a"].as_str().unwrap().clone_into(&mut shown);
            Ok::<(), ()>(())
        };
        assert_eq!(mask.pass(line(extra).as_bytes(), each), Ok(()));
        shown
    });
    assert_eq!(glance, close);
    assert_eq!(glance, masked);
    let mut mask = LineMask::new(redactor);
    for line in bytes.split(|byte| *byte == b'\n') {
        let is_json = Parser::default().parse(line, |_| ()).is_ok();
        let done = mask.pass(line, |masked| {
            // What is kept back comes before, and is JSON if it was.
            assert!(!is_json || Parser::default().parse(masked, |_| ()).is_ok());
            Ok::<(), ()>(())
        });
        assert_eq!(done, Ok(()));
    }
}

static EVENT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"\[EVENT:([A-Za-z0-9_-]+)(?::([A-Za-z0-9_-]+))?\][ \t\n\x0C\r]*([^ \t\n\x0C\r].*)$";
    Regex::new(pattern).unwrap()
});

/// Markers are what a regular expression of them finds.
pub fn find_markers(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut found = Vec::new();
    markers::each(&text, |finding| found.push(finding));
    let events: Vec<_> = found
        .into_iter()
        .filter_map(|finding| match finding {
            Finding::Event { service, message, .. } => Some((service, message)),
            _ => None,
        })
        .collect();
    let expected: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let found = EVENT.captures(line.trim())?;
            let service = found.get(2).map(|service| service.as_str().to_owned());
            Some((service, found[3].to_owned()))
        })
        .collect();
    assert_eq!(events, expected);
}

/// A line, and the same line as a JSON value, are judged alike.
pub fn contract(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut by_line, mut by_value) =
        (ClaudeStreamJsonParser::new(), ClaudeStreamJsonParser::new());
    for line in text.split('\n') {
        let judged = by_line.parse_line(line);
        let bare = line.strip_suffix('\r').unwrap_or(line);
        match serde_json::from_str(bare) {
            Ok(value) => assert_eq!(judged, by_value.parse_json(&value)),
            Err(_) if bare.trim().is_empty() => assert_eq!(judged, Ok(None)),
            Err(_) => {
                let code = judged.map_err(|error| error.code);
                assert_eq!(code, Err(ClaudeStreamJsonErrorCode::JsonParse));
            }
        }
    }
}
