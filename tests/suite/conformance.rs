//! The JSON grammar (RFC 8259): cases of our own, and `JSONTestSuite` from `../shared`.

use bstr::ByteSlice;

use crate::support::cli::{Printed, run};
use crate::support::shared;

const GOOD: &[u8] =
    br#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"good"}}"#;

/// The verdict of the grammar on a case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Grammar {
    Valid,
    Invalid,
    /// Left to the implementation: numbers out of range, invalid UTF-8, lone surrogates,
    /// deep nesting, more than one line.
    Unspecified,
}

struct Case {
    name: String,
    grammar: Grammar,
    bytes: Vec<u8>,
}

const VALID: &[&str] = &[
    // Values of each type at the top level.
    "null",
    "true",
    "false",
    "7",
    r#""seven""#,
    "{}",
    "[]",
    // Numbers.
    "0",
    "-0",
    "-12",
    "3.25",
    "-0.5",
    "0.000",
    "6e3",
    "6E3",
    "6e+03",
    "6e-03",
    "0e0",
    "-1.5E+2",
    "[9007199254740993]",
    "[18446744073709551615]",
    "[-9223372036854775808]",
    "[0.1000000000000000055511151231257827]",
    // Strings and escapes.
    r#""""#,
    r#"" ""#,
    r#""\" \\ \/ \b \f \n \r \t""#,
    r#""\u0000\u001F\u007f\uFFFE""#,
    r#""\u00e9\u20AC\ud83d\ude00""#,
    r#""\\u00zz""#,
    "\"\u{7f}\"",
    "\"\u{e9}\u{20ac}\u{1f600}\"",
    "\"\u{2028}\u{2029}\u{feff}\"",
    "\"// /* # */ \"",
    "\"[{,:}]\"",
    // Arrays.
    "[null]",
    "[1,2]",
    r#"[[],{},"",0,true,[[[]]]]"#,
    "[\"a\" , \"b\"\t,\t\"c\"]",
    // Objects.
    r#"{"":0}"#,
    r#"{"a":{"b":[{"c":null}]}}"#,
    r#"{"a":1,"a":2}"#,
    r#"{"\u0061":1}"#,
    r#"{"é":"ü"}"#,
    r#"{"a":[],"b":{},"c":""}"#,
    // White space.
    " \t{ \t\"a\" \t: \t1 \t, \t\"b\" : [ ] } \t",
    "\r[\r1\r]\r",
];

const INVALID: &[&[u8]] = &[
    // Words.
    b"nul",
    b"nulll",
    b"True",
    b"FALSE",
    b"undefined",
    b"[truefalse]",
    b"plain text",
    // Numbers.
    b"[+1]",
    b"[01]",
    b"[-01]",
    b"[-]",
    b"[.5]",
    b"[5.]",
    b"[-.5]",
    b"[1.e2]",
    b"[1e]",
    b"[1e+]",
    b"[1E-]",
    b"[1e2.5]",
    b"[1.2.3]",
    b"[0x10]",
    b"[0b1]",
    b"[1_000]",
    b"[1 000]",
    b"[NaN]",
    b"[Infinity]",
    b"[-Infinity]",
    b"[--1]",
    b"[1+1]",
    b"[\xef\xbc\x91]",
    // Strings.
    br#"""#,
    br#""open"#,
    br#""open\""#,
    br#""a"b""#,
    b"'single'",
    b"['single']",
    br#"["\x41"]"#,
    br#"["\a"]"#,
    br#"["\0"]"#,
    br#"["\u12"]"#,
    br#"["\u12g4"]"#,
    br#"["\U0041"]"#,
    br#"["\"#,
    b"[\"a\tb\"]",
    b"[\"a\0b\"]",
    b"[\"a\x1bb\"]",
    b"[\xe2\x80\x9ccurly\xe2\x80\x9d]",
    // Arrays.
    b"[",
    b"]",
    b"[1",
    b"[1,",
    b"[1,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1;2]",
    b"[1:2]",
    b"[1}",
    b"[[1]",
    b"[1]]",
    b"[...]",
    // Objects.
    b"{",
    b"}",
    br#"{"a"}"#,
    br#"{"a":}"#,
    b"{:1}",
    br#"{"a" 1}"#,
    br#"{"a"=1}"#,
    br#"{"a"::1}"#,
    br#"{"a":1,}"#,
    br#"{,"a":1}"#,
    br#"{"a":1,,"b":2}"#,
    br#"{"a":1 "b":2}"#,
    br#"{"a":1;"b":2}"#,
    br#"{"a":1]"#,
    br#"{"a":1"#,
    br#"{"a":1}}"#,
    b"{a:1}",
    b"{'a':1}",
    b"{1:1}",
    b"{null:1}",
    b"{[]:1}",
    // Several values, comments, and white space of other languages.
    b"{}{}",
    b"{} {}",
    b"[] 1",
    b"1 2",
    br#""a" "b""#,
    b"{} // comment",
    b"/* comment */ {}",
    b"# comment",
    b"{}#",
    b"{},",
    b"[\x0b]",
    b"[\x0c]",
    b"[\xc2\xa0]",
    b"[\xe2\x80\xa8]",
    b"[\0]",
    b"{}\0",
    b"\x1b[1m{}\x1b[0m",
    b"<p>html</p>",
    // Bytes that are not UTF-8, outside strings.
    b"\xff",
    b"[\xff]",
    b"{\xe9:1}",
    b"[1,\x80]",
    b"\xff\xfe[\0]\0",
];

const UNSPECIFIED: &[&[u8]] = &[
    b"[1e999]",
    b"[-1e999]",
    b"[1e-999]",
    b"[123456789012345678901234567890]",
    br#"["\ud800"]"#,
    br#"["\udc00\ud800"]"#,
    br#"["\ud800\u0041"]"#,
    br#"{"\udc00":1}"#,
    b"[\"\xff\"]",
    b"[\"\xc0\x80\"]",
    b"[\"\xed\xa0\x80\"]",
    b"[\"\xf4\x90\x80\x80\"]",
    b"[\"\xe2\x82\"]",
    b"{\"\xe9\":\"\xe9\"}",
    b"\xef\xbb\xbf{}",
    b"",
    b" \t ",
    b"{\"a\":1,\n\"b\":2}",
    b"[1,\n2",
    b"\"a\nb\"",
];

fn own_cases() -> Vec<Case> {
    let case = |grammar: Grammar| {
        move |bytes: &[u8]| Case {
            name: bytes.escape_ascii().to_string(),
            grammar,
            bytes: bytes.to_vec(),
        }
    };
    let valid = VALID.iter().map(|text| case(Grammar::Valid)(text.as_bytes()));
    let invalid = INVALID.iter().map(|bytes| case(Grammar::Invalid)(bytes));
    let unspecified = UNSPECIFIED.iter().map(|bytes| case(Grammar::Unspecified)(bytes));
    let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
    let deep = [
        case(Grammar::Valid)(&nested(500)),
        case(Grammar::Unspecified)(&nested(5000)),
        case(Grammar::Invalid)(&b"[".repeat(500)),
        case(Grammar::Invalid)(&br#"{"a":"#.repeat(500)),
        case(Grammar::Invalid)(&b"[".repeat(100_000)),
    ];
    valid.chain(invalid).chain(unspecified).chain(deep).collect()
}

/// Returns the cases of `JSONTestSuite`.
fn public_cases() -> Option<Vec<Case>> {
    let suite = shared("JSONTestSuite/test_parsing")?;
    let case = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let grammar = match name.as_bytes()[0] {
            b'y' => Grammar::Valid,
            b'n' if bytes.contains(&b'\n')
                || bytes.ends_with(b"\r")
                || bytes.trim_ascii().is_empty() =>
            {
                Grammar::Unspecified
            }
            b'n' => Grammar::Invalid,
            _ => Grammar::Unspecified,
        };
        Case { name, grammar, bytes }
    };
    let mut cases: Vec<_> = std::fs::read_dir(suite).unwrap().map(case).collect();
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(cases.len() > 300, "{}", cases.len());
    Some(cases)
}

fn assert_grammar(cases: &[Case]) {
    for Case { name, grammar, bytes } in cases {
        // A newline ends a line here. In valid JSON it is white space, and a space means
        // the same.
        let line = match grammar {
            Grammar::Valid => bytes.replace("\n", " "),
            _ => bytes.clone(),
        };
        let input = [GOOD, b"\n", &line, b"\n", GOOD, b"\n"].concat();
        let summary = run(&["summary"], input).append_context("case", name.clone()).success().row();
        assert_eq!(summary["output"], "good\ngood", "{name}: other lines are unaffected");
        let malformed = summary["lines"]["malformed"].as_u64().unwrap();
        match grammar {
            Grammar::Valid => assert_eq!(malformed, 0, "{name} must be accepted"),
            Grammar::Invalid => assert_eq!(malformed, 1, "{name} must be refused"),
            Grammar::Unspecified => {}
        }
    }
}

/// Runs every command on all cases in one stream.
fn assert_commands(cases: &[Case]) {
    let mut stream = [GOOD, b"\n"].concat();
    for case in cases {
        stream.extend([&case.bytes, b"\n".as_slice(), GOOD, b"\n"].concat());
    }
    let text = "good\n".repeat(cases.len() + 1);
    run(&["-q", "text"], stream.as_slice()).stdout(text.clone());
    run(&["-q", "text", "--redact"], stream.as_slice()).stdout(text.clone());
    let events = run(&["-q", "events"], stream.as_slice()).get_output().stdout.clone();
    run(&["-q", "text"], events).stdout(text);
    let view = run(&["-q", "view"], stream.as_slice());
    assert_eq!(view.text().lines().filter(|line| *line == "good").count(), cases.len() + 1);
    for command in ["tools", "usage", "error", "session", "structured", "findings", "check"] {
        run(&["-q", command], stream.as_slice())
            .append_context("command", command)
            .code(vec![0, 1]);
    }
}

#[test]
fn valid_json_is_accepted_and_invalid_json_refused() {
    assert_grammar(&own_cases());
}

#[test]
fn no_json_case_affects_other_lines_in_any_command() {
    assert_commands(&own_cases());
}

#[test]
fn public_suite_valid_json_is_accepted_and_invalid_json_refused() {
    let Some(cases) = public_cases() else { return };
    assert_grammar(&cases);
}

#[test]
fn no_public_suite_case_affects_other_lines_in_any_command() {
    let Some(cases) = public_cases() else { return };
    assert_commands(&cases);
}
