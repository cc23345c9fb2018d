//! The README's shell examples are run, and must print what it says.
//!
//! In a `console` block a line that starts with `$ ` is a command; the lines
//! up to the next one are its output. `…` at the end of a line stands for
//! anything, and `ops.db` is a new file.

use std::process::Command;

use crate::support::{BIN, root};

struct Example {
    command: String,
    output: Vec<String>,
}

fn examples() -> Vec<Example> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
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

fn is_like(expected: &str, line: &str) -> bool {
    match expected.strip_suffix('…') {
        Some(beginning) => line.starts_with(beginning),
        None => line == expected,
    }
}

#[test]
fn the_examples_print_what_the_readme_says() {
    let examples = examples();
    assert!(examples.len() >= 8, "{}", examples.len());
    let bin = std::path::Path::new(BIN).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("ops.db").display().to_string();
    for Example { command, output } in examples {
        let command = command.replace("ops.db", &db);
        let ran = Command::new("sh")
            .args(["-c", &format!("exec 2>&1; {command}")])
            .current_dir(root())
            .env("PATH", &path)
            .env_remove("NO_COLOR")
            .output()
            .unwrap();
        let printed = String::from_utf8(ran.stdout).unwrap();
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!(lines.len(), output.len(), "$ {command}\n{printed}");
        for (expected, line) in output.iter().zip(lines) {
            assert!(is_like(expected, line), "$ {command}\nexpected: {expected}\n printed: {line}");
        }
    }
}

#[test]
fn the_two_commands_of_a_newcomer_are_there() {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(text.contains("\ncargo run --release --quiet -- text examples/claude.jsonl\n"));
    assert!(text.contains("\ncargo test\n"));
    let ci = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line.trim() == "cargo test"), "CI runs the README's command");
}
