//! Many concurrent runs.

use std::process::{Command, Stdio};

use assert_cmd::assert::OutputAssertExt;
use serde_json::Value;

use crate::support::{BIN, fixture};

const RUNS: usize = 100;

#[test]
fn hundred_concurrent_runs_have_the_right_exit_status_and_record() {
    let folder = tempfile::tempdir().unwrap();
    let record = |number: usize| folder.path().join(format!("record-{number}"));
    let success = fixture("codex/text_success");
    let success = success.display();
    let failure = fixture("claude/err_401");
    let failure = failure.display();
    // The implementation of other systems does not find processes of other sessions.
    let setsid = if cfg!(test_hooks) { "" } else { "setsid" };
    let kinds: [(String, &[&str], i32); 5] = [
        (format!("cat {success}"), &[], 0),
        (format!("cat {success}; exit 3"), &[], 3),
        (format!("cat {failure}"), &["--exit-status", "category"], 77),
        ("echo; sleep 1000".to_owned(), &["--timeout", "500ms"], 124),
        (format!("{setsid} sleep 1000 > /dev/null 2>&1 & cat {success}"), &[], 0),
    ];
    let start = |number: usize| {
        let (script, options, _) = &kinds[number % kinds.len()];
        let mut command = Command::new(BIN);
        command.args(["-q", "wrap", "--record"]).arg(record(number)).args(*options);
        command.args(["--", "sh", "-c", script]).env("TMPDIR", folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let runs: Vec<_> = (0..RUNS).map(start).collect();
    for (number, run) in runs.into_iter().enumerate() {
        let (script, _, code) = &kinds[number % kinds.len()];
        let output = run.wait_with_output().unwrap();
        let run = output.assert().append_context("script", script.clone()).code(*code);
        let record: Value =
            serde_json::from_slice(&std::fs::read(record(number)).unwrap()).unwrap();
        assert_eq!(record["succeeded_cleanly"], *code == 0, "{script}: {record}");
        if script.contains("text_success") {
            assert_eq!(record["output"], "Hello from the fake model.", "{script}");
            run.stdout("Hello from the fake model.\n");
        }
    }
    let other_files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("record-"))
        .collect();
    assert_eq!(other_files, [""; 0]);
}
