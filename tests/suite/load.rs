//! Many runs at once.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{BIN, fixture};

/// Runs side by side, each its own kind of trouble.
const RUNS: usize = 100;

#[test]
fn a_hundred_runs_side_by_side_all_end_right() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: String| folder.path().join(name).to_str().unwrap().to_owned();
    let good = fixture("codex/text_success");
    let good = good.display();
    let failed = fixture("claude/err_401");
    let failed = failed.display();
    let apart = if cfg!(test_hooks) { "" } else { "setsid" };
    let kinds: [(String, &[&str], i32); 5] = [
        (format!("cat {good}"), &[], 0),
        (format!("cat {good}; exit 3"), &[], 3),
        (format!("cat {failed}"), &["--exit-status", "category"], 77),
        ("echo; sleep 1000".to_owned(), &["--timeout", "500ms"], 124),
        // A tool goes on, in a session of its own where that can be seen.
        (format!("{apart} sleep 1000 > /dev/null 2>&1 & cat {good}"), &[], 0),
    ];
    let start = |number: usize| {
        let (script, options, _) = &kinds[number % kinds.len()];
        let record = path(format!("record-{number}"));
        let mut command = Command::new(BIN);
        command.args(["-q", "wrap", "--record", &record]).args(*options);
        command.args(["--", "sh", "-c", script]).env("TMPDIR", folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let runs: Vec<_> = (0..RUNS).map(start).collect();
    for (number, run) in runs.into_iter().enumerate() {
        let (script, _, code) = &kinds[number % kinds.len()];
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(*code), "{script}: {output:?}");
        let record = std::fs::read(path(format!("record-{number}"))).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        let clean = record["succeeded_cleanly"].as_bool().unwrap();
        assert_eq!(clean, *code == 0, "{script}: {record}");
        if script.contains("text_success") {
            assert_eq!(record["output"], "Hello from the fake model.", "{script}");
            assert_eq!(output.stdout, b"Hello from the fake model.\n", "{script}");
        }
    }
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with("record-"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
