//! Runs the shell examples of the README and of `docs/tiers.md` and compares their
//! output.
//!
//! In a `console` block, a line that starts with `$ ` is a command, and the lines
//! up to the next command are its output. `…` at the end of a line matches anything.
//! `ops.db` is replaced by a path in a temporary folder.

use std::process::Command;

use crate::support::cli::COLOR_VARIABLES;
use crate::support::{BIN, root};

struct Example {
    command: String,
    output: Vec<String>,
}

fn examples(file: &str) -> Vec<Example> {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            line => match line.strip_prefix("$ ") {
                Some(command) => {
                    examples.push(Example { command: command.to_owned(), output: Vec::new() });
                }
                None => examples
                    .last_mut()
                    .expect("output without a command")
                    .output
                    .push(line.to_owned()),
            },
        }
    }
    examples
}

fn matches(expected: &str, line: &str) -> bool {
    match expected.strip_suffix('…') {
        Some(beginning) => line.starts_with(beginning),
        None => line == expected,
    }
}

#[test]
fn readme_examples_print_their_output() {
    assert_examples(&examples("README.md"), 20);
}

#[test]
fn examples_of_tiers_print_their_output() {
    assert_examples(&examples("docs/tiers.md"), 4);
}

fn assert_examples(examples: &[Example], at_least: usize) {
    assert!(examples.len() >= at_least, "{}", examples.len());
    let bin = std::path::Path::new(BIN).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("ops.db").display().to_string();
    for Example { command, output: expected } in examples {
        let command = command.replace("ops.db", &db);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec 2>&1; {command}")]);
        shell.current_dir(root()).env("PATH", &path);
        for name in COLOR_VARIABLES {
            shell.env_remove(name);
        }
        let output = shell.output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines.len(), expected.len(), "$ {command}\n{printed}");
        for (expected, line) in expected.iter().zip(lines) {
            assert!(matches(expected, line), "$ {command}\nexpected: {expected}\n printed: {line}");
        }
    }
}

#[test]
fn readme_has_commands_to_try_and_test() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.contains("\ncargo run --release -- text examples/claude.jsonl\n"));
    assert!(text.contains("\ncargo test\n"));
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line.trim() == "cargo test"), "CI runs a different command");
}
