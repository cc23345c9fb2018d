//! Runs the program with `assert_cmd`.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;

/// Returns the program with arguments.
pub fn streamj(args: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("streamj");
    command.args(args);
    command
}

/// Runs the program with `input` on standard input.
pub fn run(args: &[&str], input: impl Into<Vec<u8>>) -> Assert {
    streamj(args).write_stdin(input).assert()
}

/// Runs the program on lines; it must succeed.
pub fn read(args: &[&str], lines: &[&str]) -> Assert {
    run(args, lines.join("\n") + "\n").success()
}

/// Access to the output of the program, for tests that compute with it. Plain
/// comparisons use `Assert::stdout`, which shows the difference.
pub trait Printed {
    /// Standard output as text.
    fn text(&self) -> &str;

    /// Standard error as text.
    fn errors(&self) -> &str;

    /// The JSON lines on standard output.
    fn rows(&self) -> Vec<Value>;

    /// The single JSON line on standard output.
    fn row(&self) -> Value;
}

impl Printed for Assert {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.get_output().stdout).unwrap()
    }

    fn errors(&self) -> &str {
        std::str::from_utf8(&self.get_output().stderr).unwrap()
    }

    fn rows(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn row(&self) -> Value {
        let mut rows = self.rows();
        assert_eq!(rows.len(), 1, "{self}");
        rows.remove(0)
    }
}
