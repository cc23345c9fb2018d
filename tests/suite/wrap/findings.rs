//! `--as findings`.

use std::io::{BufRead, BufReader};

use super::schema::claude_result;
use super::*;

#[test]
fn findings_are_printed_at_the_result_before_the_command_exits() {
    for (document, first) in [
        ("null", r#"{"kind":"event","level":"critical","service":"db""#),
        (r#"{"summary":"s"}"#, r#"{"kind":"summary","text":"s""#),
    ] {
        let workspace = Workspace::new();
        let wait = "while [ ! -e $DIR/seen ]; do sleep 0.05; done";
        workspace.program("claude", &format!("{}\n{wait}", claude_result(document)));
        let mut child = workspace
            .streamj(&["wrap", "--as", "findings", "--exit-grace", "0", "--", "claude", "hi"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next().unwrap().unwrap();
        assert!(line.starts_with(first), "{line}");
        workspace.write("seen", "");
        let rest: Vec<_> = lines.map(Result::unwrap).collect();
        assert_eq!(rest.len(), 1, "{rest:?}");
        assert!(rest[0].contains("\"cooldown\""), "{rest:?}");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn finding_in_two_results_is_printed_once() {
    let workspace = Workspace::new();
    let result = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"[EVENT:critical:db] down","session_id":"s1"}'"#;
    workspace.program("claude", &format!("{}\n{result}", claude_result("null")));
    workspace
        .wrap(&["--as", "findings", "--", "claude", "hi"])
        .stdout(predicate::str::contains("\"event\"").count(1));
}
