//! Standard input.

use assert_cmd::assert::Assert;

use super::*;

fn wrap_with_input(workspace: &Workspace, args: &[&str], input: &str) -> Assert {
    let command = workspace.streamj(&[&["wrap"], args].concat());
    assert_cmd::Command::from_std(command).write_stdin(input).assert()
}

#[test]
fn pipe_and_file_are_passed_to_the_command() {
    let workspace = Workspace::new();
    workspace.program("claude", &format!("cat > $DIR/input; {}", cat(CLAUDE_OK)));
    wrap_with_input(&workspace, &["-q", "--", "claude", "-p", "review this"], "a diff\n").success();
    assert_eq!(workspace.read("input"), "a diff\n");
    let file = std::fs::File::open(fixture(CODEX_OK)).unwrap();
    workspace.streamj(&["wrap", "-q", "--", "claude", "x"]).stdin(file).assert().success();
    assert_eq!(workspace.read("input").as_bytes(), fixture_bytes(CODEX_OK));
    wrap_with_input(&workspace, &["-q", "--no-stdin", "--", "claude", "x"], "ignored").success();
    assert_eq!(workspace.read("input"), "");
}

#[test]
fn terminal_is_passed_only_if_the_command_reads_its_prompt_from_it() {
    let workspace = Workspace::new();
    workspace.program("claude", &format!("cat > $DIR/input; {}", cat(CLAUDE_OK)));
    let (_user_side, program_side) = terminal();
    let mut command = workspace.streamj(&["wrap", "-q", "--", "claude", "hi"]);
    command.stdin(program_side).assert().success();
    assert_eq!(workspace.read("input"), "");

    let (mut user_side, program_side) = terminal();
    let mut command = workspace.streamj(&["wrap", "-q", "--", "claude", "-p"]);
    let mut child = command.stdin(program_side).stdout(Stdio::null()).spawn().unwrap();
    // A line and Ctrl-D.
    user_side.write_all(b"what next\n\x04").unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(workspace.read("input"), "what next\n");
}

#[test]
fn prompt_and_piped_input_are_joined_with_complete_full() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("cat > $DIR/input; {}", cat(CODEX_OK)));
    let args = ["-q", "--complete", "full", "--model", "M", "--", "codex", "exec", "review"];
    wrap_with_input(&workspace, &args, "THE-DIFF\n").success();
    assert_eq!(workspace.read("input"), "review\n\nTHE-DIFF\n");
}

#[test]
fn open_pipe_and_silent_command_are_reported_once() {
    let workspace = Workspace::new();
    workspace.program("agent", &format!("cat > /dev/null; {}", cat(CODEX_OK)));
    let mut child = workspace
        .streamj(&["wrap", "--", "agent"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut note = [0; 200];
    let length = stderr.read(&mut note).unwrap();
    let note = note[..length].as_bstr();
    assert!(note.starts_with(b"streamj: no output yet, and standard input is open"), "{note}");
    drop(stdin);
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(child.wait().unwrap().success());
}
