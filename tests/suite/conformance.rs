//! The grammar of JSON, by the public test suite, where it is at hand.

use crate::support::{run, shared};

const GOOD: &[u8] =
    br#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"good"}}"#;

#[test]
fn json_that_must_be_accepted_is_and_json_that_must_not_is_not() {
    let Some(suite) = shared("JSONTestSuite/test_parsing") else {
        return;
    };
    let mut checked = 0;
    for entry in std::fs::read_dir(suite).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        // A newline ends our lines: what contains one is several of them.
        let blank = bytes.trim_ascii().is_empty();
        if bytes.contains(&b'\n') || bytes.contains(&b'\r') || blank {
            continue;
        }
        let input = [GOOD, b"\n", &bytes, b"\n", GOOD, b"\n"].concat();
        let run = run(&["summary"], input);
        assert_eq!(run.code, 0, "{name}");
        let summary = run.row();
        let output = summary["output"].as_str().unwrap();
        assert_eq!(output, "good\ngood", "{name}: the neighbours are unharmed");
        let malformed = summary["lines"]["malformed"].as_u64().unwrap();
        match name.as_bytes()[0] {
            b'y' => assert_eq!(malformed, 0, "{name} must be accepted"),
            b'n' => assert_eq!(malformed, 1, "{name} must be refused"),
            _ => {}
        }
        checked += 1;
    }
    assert!(checked > 250, "{checked}");
}
