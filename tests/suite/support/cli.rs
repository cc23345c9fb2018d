//! Runs the program with `assert_cmd`.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::Value;

/// Variables that turn colour on or off.
pub const COLOR_VARIABLES: [&str; 3] = ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"];

/// Variables that CI systems set.
pub const CI_VARIABLES: [&str; 7] = [
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "TF_BUILD",
    "TEAMCITY_VERSION",
    "BUILDKITE",
    "JENKINS_URL",
];

/// Returns the program with arguments. Colour does not depend on the environment of
/// the tests.
pub fn streamj(args: &[&str]) -> Command {
    let mut command = assert_cmd::cargo::cargo_bin_cmd!("streamj");
    command.args(args);
    // Descriptions of the user's own CLIs are not part of the tests.
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    // Without a home there is no index, which would be that of the user.
    command.env_remove("HOME").env_remove("XDG_CACHE_HOME");
    for name in COLOR_VARIABLES.iter().chain(&CI_VARIABLES) {
        command.env_remove(name);
    }
    command
}

/// Runs the program with `input` on standard input.
pub fn run(args: &[&str], input: impl Into<Vec<u8>>) -> Assert {
    streamj(args).write_stdin(input).assert()
}

/// Returns the commands that `--help` lists.
pub fn commands() -> Vec<String> {
    let help = run(&["--help"], "");
    let lines = help.text().lines().take_while(|line| *line != "Options:");
    let commands = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    commands.map(str::to_owned).collect()
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
