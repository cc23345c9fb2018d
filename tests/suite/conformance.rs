//! The grammar of JSON, by the public test suite, where it is at hand.

use crate::support::{run, shared};

const GOOD: &[u8] =
    br#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"good"}}"#;

/// The cases by name, where they are at hand.
fn cases() -> Option<Vec<(String, Vec<u8>)>> {
    let suite = shared("JSONTestSuite/test_parsing")?;
    let case = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read(&path).unwrap())
    };
    let mut cases: Vec<_> = std::fs::read_dir(suite).unwrap().map(case).collect();
    cases.sort();
    assert!(cases.len() > 300, "{}", cases.len());
    Some(cases)
}

#[test]
fn json_that_must_be_accepted_is_and_json_that_must_not_is_not() {
    let mut checked = 0;
    for (name, mut bytes) in cases().into_iter().flatten() {
        let kind = name.as_bytes()[0];
        // A newline ends our lines; where it is but space, so is a space.
        if kind == b'y' {
            bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        }
        let one_line = !bytes.contains(&b'\n') && !bytes.ends_with(b"\r");
        let blank = bytes.trim_ascii().is_empty();
        let input = [GOOD, b"\n", &bytes, b"\n", GOOD, b"\n"].concat();
        let run = run(&["summary"], input);
        assert_eq!(run.code, 0, "{name}");
        let summary = run.row();
        let output = summary["output"].as_str().unwrap();
        assert_eq!(output, "good\ngood", "{name}: the neighbours are unharmed");
        let malformed = summary["lines"]["malformed"].as_u64().unwrap();
        match kind {
            b'y' => assert_eq!(malformed, 0, "{name} must be accepted"),
            b'n' if one_line && !blank => assert_eq!(malformed, 1, "{name} must be refused"),
            _ => {}
        }
        checked += 1;
    }
    assert!(checked == 0 || checked > 300, "{checked}");
}

/// All cases in one stream, through every command.
#[test]
fn no_command_is_harmed_by_any_case() {
    let Some(cases) = cases() else { return };
    let mut stream = [GOOD, b"\n"].concat();
    for (_, bytes) in &cases {
        stream.extend([bytes, b"\n".as_slice(), GOOD, b"\n"].concat());
    }
    let said = "good\n".repeat(cases.len() + 1);
    assert_eq!(run(&["-q", "text"], stream.as_slice()).text(), said);
    assert_eq!(run(&["-q", "text", "--redact"], stream.as_slice()).text(), said);
    let events = run(&["-q", "events"], stream.as_slice()).stdout;
    assert_eq!(run(&["-q", "text"], events).text(), said);
    let view = run(&["-q", "view"], stream.as_slice());
    assert_eq!(view.text().lines().filter(|line| *line == "good").count(), cases.len() + 1);
    for command in ["tools", "usage", "error", "session", "structured", "findings", "check"] {
        let run = run(&["-q", command], stream.as_slice());
        assert!(run.code < 2, "{command}: {run:?}");
    }
}
