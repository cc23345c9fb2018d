//! What the commands print matches the schemas in `schemas/`.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::cli::{Printed, run};
use crate::support::{fixtures, recordings_under, root, shared};

fn schema(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join(format!("schemas/{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Returns a validator that also rejects members that the schema does not list. Published
/// schemas allow them, since later releases may add some.
fn validator(name: &str) -> Validator {
    let mut schema = schema(name);
    forbid_other_members(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

fn forbid_other_members(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(forbid_other_members);
            let is_schema = members.get("properties").is_some_and(Value::is_object);
            if is_schema && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(forbid_other_members),
        _ => {}
    }
}

/// Asserts that every row is valid.
fn assert_valid(validator: &Validator, rows: &[Value], context: &str) {
    for row in rows {
        let errors: Vec<_> = validator.iter_errors(row).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{context}: {errors:#?}\n{row}");
    }
}

/// Commands and the schemas of their rows.
const COMMANDS: [(&[&str], &str); 13] = [
    (&["summary"], "summary"),
    (&["error"], "error"),
    (&["tools", "--max-output", "100"], "tools"),
    (&["usage", "--estimate"], "usage"),
    (&["usage", "--by", "session", "--estimate"], "usage"),
    (&["usage", "--by", "day"], "usage"),
    (&["usage", "--by", "model", "--estimate"], "usage"),
    (&["usage", "--by", "week,project", "--limit", "1"], "usage"),
    (&["usage", "--by", "block", "--estimate"], "usage"),
    (&["usage", "--by", "block,session"], "usage"),
    (&["usage", "--by", "request", "--estimate"], "usage"),
    (&["session"], "session"),
    (&["events", "--unified"], "events"),
];

fn sweep(files: &[std::path::PathBuf]) {
    let files: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
    for (command, name) in COMMANDS {
        let rows = run(&[&["-q"], command, &files[..]].concat(), "").rows();
        assert!(!rows.is_empty(), "{command:?}");
        assert_valid(&validator(name), &rows, &format!("{command:?}"));
    }
}

#[test]
fn fixtures_give_valid_rows() {
    sweep(&fixtures());
}

#[test]
fn shared_captures_give_valid_rows() {
    for folder in ["captures", "more_captures"] {
        let Some(captures) = shared(folder) else { return };
        sweep(&recordings_under(&captures));
    }
}

#[cfg(unix)]
#[test]
fn record_of_a_run_is_valid() {
    let workspace = crate::workspace::Workspace::new();
    let recording = crate::support::fixture("codex/text_success");
    workspace.program("codex", &format!("cat {}", recording.display()));
    let (_, record) = workspace.record(&["--with-events", "--", "codex", "exec", "-m", "x", "hi"]);
    assert_valid(&validator("summary"), &[record], "record");
    let (_, record) = workspace.record(&["--timeout", "100ms", "--", "sleep", "600"]);
    assert_valid(&validator("summary"), &[record], "record of a timeout");
}

#[test]
fn unknown_members_and_wrong_types_are_invalid() {
    let error = json!({"harness": "x", "category": "api", "message": "m", "source": "turn"});
    let validator = validator("error");
    assert!(validator.is_valid(&error));
    for (name, value) in [("extra", json!(1)), ("category", json!("other")), ("status", json!("5"))]
    {
        let mut wrong = error.clone();
        wrong[name] = value;
        assert!(!validator.is_valid(&wrong), "{name}");
    }
}

/// `docs/summary.md` has a row for each member, in the order of the schema.
#[test]
fn summary_is_documented_member_by_member() {
    let docs = std::fs::read_to_string(root().join("docs/summary.md")).unwrap();
    let rows = docs.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut documented: Vec<_> = rows.map(str::to_owned).collect();
    let mut expected = Vec::new();
    members(&schema("summary"), "", &mut expected);
    documented.sort();
    expected.sort();
    assert_eq!(documented, expected);
}

/// Lists the members of an object and of the objects in it.
fn members(schema: &Value, prefix: &str, names: &mut Vec<String>) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        names.push(format!("{prefix}{name}"));
        members(member, &format!("{prefix}{name}."), names);
        members(&member["items"], &format!("{prefix}{name}[]."), names);
    }
}
