//! Properties that hold for any bytes. Each function is a fuzz target
//! (`fuzz/fuzz_targets`); the tests run it on mutated recordings.

#[path = "../in_memory/mod.rs"]
mod in_memory;

use std::sync::LazyLock;

use bstr::ByteSlice;
use regex::Regex;

use crate::findings::{Finding, markers};
use crate::harness::{Description, Harness, infer};
use crate::input::{Line, LineBuffer, LineContent, ReadInput};
use crate::json::{Parser, Value};
use crate::output::{Sanitizer, sanitize as sanitized};
use crate::reader::{DecodeOptions, DecodedLine, Decoder};
use crate::redact::{LineCheck, LineRedactor, Redactor, TextRedactor};
use crate::{ClaudeStreamJsonErrorCode, ClaudeStreamJsonParser};

use in_memory::{Chunks, assert_same_outputs, project, project_on_terminal};

/// The function of a target.
pub type Target = fn(&[u8]);

/// All targets by name.
pub const ALL: &[(&str, Target)] = &[
    ("framing", framing),
    ("json", json),
    ("claude", claude),
    ("codex", codex),
    ("harnesses", harnesses),
    ("projections", projections),
    ("threads", threads),
    ("terminal", terminal),
    ("sanitize", sanitize),
    ("redact", redact),
    ("markers", find_markers),
    ("contract", contract),
    ("description", description),
];

/// Splits off the first byte, which selects a variant; the rest is the input.
fn choose(data: &[u8]) -> (usize, &[u8]) {
    data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest))
}

/// Reads chunks of this size and every third time a single byte.
fn in_chunks(bytes: &[u8], size: usize) -> Chunks {
    Chunks::new(bytes, &[size, size, 1])
}

/// Lines are the bytes between newlines, independent of the sizes of reads.
pub fn framing(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let max_line = 1 + choice / 4 * 3;
    let size = [1, 7, 64, usize::MAX][choice % 4];
    let mut lines = LineBuffer::new(max_line);
    let mut input = ReadInput(in_chunks(bytes, size));
    let mut found = Vec::new();
    let owned = |line: Line<'_>| match line.content {
        LineContent::Bytes(bytes) => (line.number, Ok(bytes.to_vec())),
        LineContent::TooLong(length) => (line.number, Err(length)),
    };
    loop {
        while let Some(line) = lines.next() {
            found.push(owned(line));
        }
        if lines.fill(&mut input).unwrap() == 0 {
            break;
        }
    }
    found.extend(lines.last().map(owned));
    let mut expected: Vec<_> = bytes.split_str("\n").collect();
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

/// simd-json, the repair of rejected lines, and `serde_json` agree.
pub fn json(line: &[u8]) {
    let theirs = serde_json::from_slice::<serde_json::Value>(line);
    let ours = Parser::default().parse(line, |document| match &theirs {
        Ok(theirs) => {
            assert!(!document.repaired, "valid JSON needs no repair");
            assert!(is_same(document.root, theirs), "{theirs}");
        }
        // serde_json rejects invalid text, large numbers and deep nesting.
        Err(error) => {
            let too_deep = error.to_string().starts_with("recursion limit");
            assert!(document.repaired || too_deep, "{error}");
        }
    });
    assert!(ours.is_ok() || theirs.is_err(), "it is JSON: {ours:?}");
    let elided = Parser::default().parse_elided(line, |document| texts(document.root));
    if let Some(elided) = elided {
        let full = Parser::default().parse(line, |document| texts(document.root));
        assert_eq!(Ok(elided), full);
    }
}

fn is_same(ours: Value<'_, '_>, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    match theirs {
        Json::Null => ours.is_null(),
        Json::Bool(flag) => ours.as_bool() == Some(*flag),
        Json::String(text) => ours.as_str() == Some(text),
        // Integers of more than 64 bits are floats.
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

/// Returns every string with its bytes in the line.
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

/// Lines decoded as Claude Code's.
pub fn claude(data: &[u8]) {
    decode(data, Harness::Claude);
}

/// Lines decoded as Codex's.
pub fn codex(data: &[u8]) {
    decode(data, Harness::Codex);
}

/// Lines decoded as those of any CLI.
pub fn harnesses(data: &[u8]) {
    let (choice, data) = choose(data);
    decode(data, Harness::ALL[choice % Harness::ALL.len()]);
}

/// A line that has a format of the CLI is decoded the same with and without the lines
/// before it. Any other line has the format of the one before.
fn decode(data: &[u8], harness: Harness) {
    let options = DecodeOptions { harness: Some(harness), ..DecodeOptions::default() };
    let describe = |decoder: &mut Decoder, line: &[u8]| {
        let mut described = Vec::new();
        let mut is_recognized = true;
        let done = decoder.decode_line(line, |decoded| {
            described.push(match decoded {
                DecodedLine::Record(record) => {
                    assert!(!record.events.is_empty());
                    assert_eq!(record.harness, harness);
                    is_recognized &= record.is_recognized;
                    format!("{:?} {:?} {:?}", record.events, record.session_id, record.parent_id)
                }
                other => format!("{other:?}"),
            });
            Ok::<(), ()>(())
        });
        assert_eq!(done, Ok(()));
        (described, is_recognized)
    };
    let mut decoder = Decoder::new(options);
    for line in data.split_str("\n") {
        let (alone, is_recognized) = describe(&mut Decoder::new(options), line);
        let (described, _) = describe(&mut decoder, line);
        if is_recognized {
            assert_eq!(described, alone);
        }
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
    &["check", "--contract", "v1", "--every-line"],
    &["check", "--members", "--format", "jsonl"],
];

/// Commands whose output is JSON that streamj writes.
const JSON_COMMANDS: &[&[&str]] =
    &[&["tools"], &["usage"], &["error"], &["summary"], &["events", "--unified"]];

const LINE_LIMIT: &[&str] = &["--max-line", "4096"];

/// Selects a command and adds a line limit.
fn command(choice: usize) -> Vec<&'static str> {
    [COMMANDS[choice % COMMANDS.len()], LINE_LIMIT].concat()
}

/// The output does not depend on the sizes of reads.
pub fn projections(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let args = command(choice);
    let whole = project(&args, Chunks::whole(bytes));
    let chunked = project(&args, in_chunks(bytes, 1 + choice));
    assert_same_outputs(&chunked, &whole, &args.join(" "));
    if JSON_COMMANDS.contains(&COMMANDS[choice % COMMANDS.len()]) {
        for line in whole[0].lines().filter(|line| !line.is_empty()) {
            assert!(Parser::default().parse(line, |_| ()).is_ok(), "{}", line.escape_ascii());
        }
    }
}

/// The output does not depend on the number of threads. The input is repeated until
/// it is long enough for several.
pub fn threads(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let args = command(choice);
    let line = [bytes, b"\n"].concat();
    let long = line.repeat((5 << 20) / 4 / line.len() + 1);
    let serial = project(&args, Chunks::whole(long.as_slice()));
    let parallel = [args.as_slice(), &["--threads", "3"]].concat();
    let parallel_outputs = project(&parallel, in_chunks(&long, 100_000));
    assert_same_outputs(&parallel_outputs, &serial, &args.join(" "));
}

/// No control character of the input reaches a terminal.
pub fn terminal(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let args = [command(choice).as_slice(), &["--color", "never"]].concat();
    for shown in project_on_terminal(&args, Chunks::whole(bytes)) {
        let shown = String::from_utf8(shown).unwrap().replace("\r\x1b[2K", "");
        assert_harmless(&shown);
    }
}

fn assert_harmless(shown: &str) {
    let controls = |c: char| c.is_control() && c != '\n' && c != '\t';
    let hides = |c: char| {
        matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
    };
    assert!(!shown.contains(|c| controls(c) || hides(c)), "{shown:?}");
}

/// Sanitising is idempotent, and does not depend on how the text is split.
pub fn sanitize(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let text = String::from_utf8_lossy(bytes);
    let shown = sanitized(&text);
    assert_harmless(&shown);
    assert_eq!(sanitized(&shown), shown);
    let mut sanitizer = Sanitizer::default();
    let mut joined = String::new();
    let mut rest = &*text;
    while !rest.is_empty() {
        let (part, tail) = rest.split_at(rest.ceil_char_boundary(1 + choice.min(rest.len() - 1)));
        joined += &sanitizer.push(part);
        rest = tail;
    }
    assert_eq!(joined + &sanitizer.finish(), shown);
}

/// Masking is idempotent, does not depend on how the text is split, and keeps a line
/// that is JSON valid.
pub fn redact(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let redactor = Redactor::new([b"swordfish".to_vec(), b"open sesame".to_vec()], Vec::new());
    let text = String::from_utf8_lossy(bytes);
    let masked = redactor.mask(&text);
    assert_eq!(redactor.mask(&masked), masked);
    if text.len() < 8 << 10 {
        let mut parts = TextRedactor::default();
        let mut joined = String::new();
        let mut rest = &*text;
        while !rest.is_empty() {
            let (part, tail) =
                rest.split_at(rest.ceil_char_boundary(1 + (choice % 40).min(rest.len() - 1)));
            joined += &parts.push(part, &redactor);
            rest = tail;
        }
        assert_eq!(joined + &parts.finish(&redactor), masked);
    }
    // A line with an escape is masked string by string, others as a whole.
    let spelled = serde_json::to_string(&text).unwrap();
    let line = |extra: &str| format!("{{\"a\":{spelled},\"b\":\"{extra}\"}}");
    let [whole, by_string] = ["x", "\\u0078"].map(|extra| {
        let mut shown = String::new();
        let mut lines = line_redactor(&redactor);
        lines.read_line(line(extra).as_bytes());
        for line in lines.take_output() {
            let json: serde_json::Value = serde_json::from_slice(&line).unwrap();
            json["a"].as_str().unwrap().clone_into(&mut shown);
        }
        // What is found by the bytes of a line is found in its strings, too.
        assert!(masked == text || !lines.is_clean(line(extra).as_bytes()));
        shown
    });
    assert_eq!(whole, by_string);
    assert_eq!(whole, masked);
    let mut lines = line_redactor(&redactor);
    for line in bytes.split_str("\n") {
        let is_json = Parser::default().parse(line, |_| ()).is_ok();
        lines.read_line(line);
        // Text that was held back is passed on in a line of its own.
        for masked in lines.take_output() {
            assert!(!is_json || Parser::default().parse(&masked, |_| ()).is_ok());
        }
    }
}

fn line_redactor(redactor: &Redactor) -> LineRedactor {
    LineRedactor::new(LineCheck::new(redactor.clone(), &*DESCRIBED))
}

static EVENT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern =
        r"\[EVENT:([A-Za-z0-9_-]+)(?::([A-Za-z0-9_-]+))?\][ \t\n\x0C\r]*([^ \t\n\x0C\r].*)$";
    Regex::new(pattern).unwrap()
});

/// Markers are found as by the regular expression of the contract.
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

/// A line and its JSON value give the same event or error.
pub fn contract(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (mut by_line, mut by_value) =
        (ClaudeStreamJsonParser::new(), ClaudeStreamJsonParser::new());
    for line in text.split('\n') {
        let parsed = by_line.parse_line(line);
        let bare = line.strip_suffix('\r').unwrap_or(line);
        match serde_json::from_str(bare) {
            Ok(value) => assert_eq!(parsed, by_value.parse_json(&value)),
            Err(_) if bare.trim().is_empty() => assert_eq!(parsed, Ok(None)),
            Err(_) => {
                let code = parsed.map_err(|error| error.code);
                assert_eq!(code, Err(ClaudeStreamJsonErrorCode::JsonParse));
            }
        }
    }
}

/// The description in the documentation.
static DESCRIPTION: LazyLock<&str> = LazyLock::new(|| {
    let text = include_str!("../../docs/harnesses.md");
    text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap()
});

/// The harness of the description in the documentation.
static DESCRIBED: LazyLock<[Harness; 1]> =
    LazyLock::new(|| [Harness::described(Description::parse(&DESCRIPTION).unwrap())]);

/// Any text is a description, or has a mistake in one of its lines; a described CLI may print
/// anything; and a proposal is a description.
pub fn description(data: &[u8]) {
    let (choice, bytes) = choose(data);
    let text = bytes.to_str_lossy();
    let start = DESCRIPTION.floor_char_boundary(DESCRIPTION.len() * choice / 256);
    let (before, after) = DESCRIPTION.split_at(start);
    let inserted = &text[..text.floor_char_boundary(choice % 40)];
    let rest = &after[after.floor_char_boundary(choice % 7)..];
    for text in [&*text, &format!("{before}{inserted}{rest}")] {
        if let Err(error) = Description::parse(text) {
            assert!((1..=text.lines().count().max(1) + 1).contains(&error.line), "{error}");
            assert!(!error.message.contains('\n'), "{error}");
        }
    }
    let harness = Some(DESCRIBED[0]).filter(|_| choice % 2 == 0);
    let options = DecodeOptions { harness, described: &*DESCRIBED, ..DecodeOptions::default() };
    let mut decoder = Decoder::new(options);
    let mut redactor = line_redactor(&Redactor::default());
    for line in bytes.lines() {
        redactor.read_line(line);
        for line in redactor.take_output() {
            assert_eq!(decoder.decode_line(&line, |_| Ok::<(), ()>(())), Ok(()));
        }
    }
    if let Ok(proposed) = infer(bytes, "x") {
        assert!(Description::parse(&proposed).is_ok(), "{proposed}");
    }
}
