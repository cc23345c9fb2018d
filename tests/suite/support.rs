//! A small harness: run the program on bytes, look at what comes out.

use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use crate::in_memory::{self, Chunks};

/// The program.
pub const BIN: &str = env!("CARGO_BIN_EXE_streamj");

/// What a run of the program left.
#[derive(Debug)]
pub struct Run {
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub code: i32,
}

impl Run {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }

    /// The JSON lines on standard output.
    pub fn rows(&self) -> Vec<Value> {
        let lines = self.text().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The single JSON line on standard output.
    pub fn row(&self) -> Value {
        let mut rows = self.rows();
        assert_eq!(rows.len(), 1, "{self:?}");
        rows.remove(0)
    }
}

/// The program.
pub fn streamj() -> Command {
    assert_cmd::cargo::cargo_bin_cmd!("streamj")
}

/// Runs the program with `input` on standard input.
pub fn run(args: &[&str], input: impl Into<Vec<u8>>) -> Run {
    let output = streamj().args(args).write_stdin(input).output().unwrap();
    Run {
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().expect("ended by a signal"),
    }
}

/// Runs the program on lines; it must succeed.
pub fn read(args: &[&str], lines: &[&str]) -> Run {
    let run = run(args, lines.join("\n") + "\n");
    assert_eq!(run.code, 0, "{run:?}");
    run
}

pub fn warnings(summary: &Value) -> Vec<&str> {
    let warnings = summary["warnings"].as_array().unwrap();
    warnings.iter().map(|warning| warning.as_str().unwrap()).collect()
}

pub fn has_warning(summary: &Value, beginning: &str) -> bool {
    warnings(summary).iter().any(|warning| warning.starts_with(beginning))
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A recording shipped with the tests: `claude/text_success`.
pub fn fixture(name: &str) -> PathBuf {
    root().join("tests/fixtures").join(name).with_added_extension("jsonl")
}

pub fn fixture_bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).unwrap()
}

/// Every recording shipped with the tests.
pub fn fixtures() -> Vec<PathBuf> {
    recordings_under(&root().join("tests/fixtures"))
        .into_iter()
        .filter(|path| path.file_name().unwrap() != "expected.jsonl")
        .collect()
}

/// Every `.jsonl` file under a folder, sorted.
pub fn recordings_under(folder: &Path) -> Vec<PathBuf> {
    files_under(folder, "jsonl")
}

/// Every file with this extension under a folder, sorted.
pub fn files_under(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_under(&path, extension));
        } else if path.extension().is_some_and(|of_it| of_it == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns a file or folder of `../shared`, or reports that the calling test is
/// skipped because it is absent.
pub fn shared(name: &str) -> Option<PathBuf> {
    let path = root().join("../shared").join(name);
    if !path.exists() {
        let test = std::thread::current().name().unwrap_or_default().to_owned();
        // Written directly: the test harness captures `eprintln`.
        let message = format!("skipped: {test}: needs ../shared/{name}\n");
        let _ = std::io::stderr().write_all(message.as_bytes());
        return None;
    }
    Some(path)
}

/// JSON as the lines of a stream.
#[cfg(feature = "store")]
pub fn lines_of(values: &[Value]) -> String {
    let lines: Vec<String> = values.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

/// A terminal: the side a person sits at, and the side of a program.
#[cfg(unix)]
pub fn terminal() -> (std::fs::File, std::fs::File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // Programs that other tests start must not hold it open.
    rustix::io::fcntl_setfd(&person, rustix::io::FdFlags::CLOEXEC).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let program =
        std::fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (person.into(), program)
}

/// Everything a program shows on its terminal until it is gone.
#[cfg(unix)]
pub fn shown_on(mut terminal: std::fs::File) -> String {
    let mut shown = Vec::new();
    // The end of a terminal's other side is an error (EIO) on Linux.
    let _ = std::io::Read::read_to_end(&mut terminal, &mut shown);
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

/// What a program shows on a terminal of so many columns, standard error
/// included.
#[cfg(unix)]
pub fn on_terminal(command: &mut std::process::Command, columns: u16, input: &[u8]) -> String {
    use std::io::Write;
    use std::process::Stdio;

    let (person, program) = terminal();
    resize(&person, columns);
    command.stdout(program.try_clone().unwrap()).stderr(program).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It is no longer ours to hold open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let shown = shown_on(person);
    child.wait().unwrap();
    // A program that does not read to the end is no failure.
    let _ = feeder.join().unwrap();
    shown
}

/// Runs a reading command in this process, without colour.
pub fn rendered(args: &[&str], bytes: &[u8]) -> String {
    let args = [args, &["--color", "never"]].concat();
    let [stdout, _] = in_memory::project(&args, Chunks::whole(bytes));
    String::from_utf8(stdout).unwrap()
}

/// Runs a reading command in this process, on a terminal with colour.
pub fn on_screen(args: &[&str], bytes: &[u8]) -> String {
    let args = [args, &["--color", "always"]].concat();
    let [stdout, _] = in_memory::project_on_terminal(&args, Chunks::whole(bytes));
    String::from_utf8(stdout).unwrap()
}

/// Returns a command with the environment of a usual terminal.
pub fn terminal_command(args: &[&str]) -> std::process::Command {
    let mut command = std::process::Command::new(BIN);
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("TERM", "xterm");
    command
}

#[cfg(unix)]
pub fn resize(terminal: &std::fs::File, columns: u16) {
    use rustix::termios::{Winsize, tcsetwinsize};

    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}
