//! Support for the tests: fixtures, terminals, commands run in this process. `cli` runs
//! the program.

pub mod cli;
pub mod sessions;

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;
use streamj::harness::Harness;

use crate::in_memory::{self, Chunks};

/// The program.
pub const BIN: &str = env!("CARGO_BIN_EXE_streamj");

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

/// Returns the recording of a run with several tools of each CLI that has one:
/// `gemini/tools`.
pub fn recordings_of_tools() -> Vec<String> {
    let folder = root().join("tests/fixtures");
    let names = fixtures().into_iter().filter(|path| path.ends_with("tools.jsonl"));
    let name = |path: PathBuf| {
        path.strip_prefix(&folder).ok()?.with_extension("").to_str().map(str::to_owned)
    };
    names.filter_map(name).collect()
}

/// Returns the harness of a recording by the folder that names its CLI: `claude_2_0_77`,
/// `gemini`; `unknown` for a CLI that streamj does not know.
pub fn harness_of(recording: &Path) -> &'static str {
    // The folder of this repository may have the name of a CLI, too.
    let recording = recording.strip_prefix(root()).unwrap_or(recording);
    let folders = recording.iter().rev().skip(1).filter_map(|folder| folder.to_str());
    let mut names = folders.map(|folder| folder.split(['_', '.']).next().unwrap());
    names.find_map(Harness::from_name).map_or("unknown", Harness::name)
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
        skip(&format!("../shared/{name}"));
        return None;
    }
    Some(path)
}

/// Reports that the calling test is skipped because it needs something absent.
pub fn skip(needs: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    // Written directly: the test harness captures `eprintln`.
    let message = format!("skipped: {test}: needs {needs}\n");
    let _ = std::io::stderr().write_all(message.as_bytes());
}

/// JSON as the lines of a stream.
pub fn lines_of(values: &[Value]) -> String {
    let lines: Vec<String> = values.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

/// Opens a pseudo-terminal: the controlling side and the side of the program.
#[cfg(unix)]
pub fn terminal() -> (std::fs::File, std::fs::File) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    // Programs started by other tests must not inherit it.
    rustix::io::fcntl_setfd(&controller, rustix::io::FdFlags::CLOEXEC).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let program =
        std::fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (controller.into(), program)
}

/// Returns everything that programs write to a terminal until all have closed it.
#[cfg(unix)]
pub fn shown_on(mut terminal: std::fs::File) -> String {
    let mut shown = Vec::new();
    // Linux reports the end as an error (EIO).
    let _ = std::io::Read::read_to_end(&mut terminal, &mut shown);
    String::from_utf8(shown).unwrap().replace("\r\n", "\n")
}

/// Runs a program on a terminal and returns what it shows, including standard error.
#[cfg(unix)]
pub fn on_terminal(command: &mut std::process::Command, columns: u16, input: &[u8]) -> String {
    use std::io::Write;
    use std::process::Stdio;

    let (controller, program) = terminal();
    resize(&controller, columns);
    command.stdout(program.try_clone().unwrap()).stderr(program).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The command holds the terminal open.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || stdin.write_all(&input));
    let shown = shown_on(controller);
    child.wait().unwrap();
    // The program may exit before it has read everything.
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
    command.args(args).env("TERM", "xterm").env("PAGER", "");
    for name in cli::COLOR_VARIABLES {
        command.env_remove(name);
    }
    command
}

#[cfg(unix)]
pub fn resize(terminal: &std::fs::File, columns: u16) {
    use rustix::termios::{Winsize, tcsetwinsize};

    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}
