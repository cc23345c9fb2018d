//! Inputs that fuzzing has found.

use super::targets;

#[test]
fn negative_zero_is_a_number() {
    targets::json(b"[-0]");
    targets::json(b"{\"n\":-0.0}");
}

#[test]
fn session_entry_with_the_ids_of_a_message_is_read_the_same_alone() {
    let before = r#"{"type":"last-prompt","sessionId":"a"}"#;
    for entry in [
        r#"{"type":"cost-state","sessionId":"a","uuid":"u","totalCostUSD":1}"#,
        r#"{"type":"cost-state","sessionId":"a","session_id":"a","uuid":"u"}"#,
    ] {
        targets::claude(format!("{before}\n{entry}").as_bytes());
    }
}

#[test]
fn mistake_in_a_value_of_several_lines_is_described_in_one() {
    targets::description(b"\x00name = \"x\"\n[[text]]\ntext = \"a\\n/b\"\n");
    let error = crate::harness::Description::parse("name = \"x\"\n[[text]]\ntext = \"a\\n/b\"\n");
    let message = error.map(drop).unwrap_err().message;
    assert!(message.ends_with("/a /b"), "{message}");
}
