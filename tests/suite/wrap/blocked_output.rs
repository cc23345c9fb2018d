//! Pipes and terminals that are full because their reader does not read: timeouts,
//! signals and the record must not wait for them.

use super::*;

/// Prints events until it is killed.
const FLOOD: &str = "while :; do echo '{\"type\":\"turn.started\"}'; done";

#[test]
fn blocked_standard_error_delays_neither_timeout_nor_record() {
    let workspace = Workspace::new();
    workspace.program(
        "agent",
        "head -c 1000000 /dev/zero | tr '\\0' '\\n' >&2 & sleep 0.2; echo notjson; sleep 600",
    );
    let (_reader, writer) = std::io::pipe().unwrap();
    let record = workspace.arg("r.json");
    let args = ["wrap", "--timeout", "1s", "--record", &record, "--", "agent"];
    let child = workspace.streamj(&args).stderr(writer).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(exit_code(child), Some(124));
    assert_eq!(workspace.read_json("r.json")["error"], "timeout");
}

#[test]
fn blocked_standard_error_is_recorded() {
    let workspace = Workspace::new();
    workspace.program("agent", "echo the reason >&2; yes more | head -c 300000 >&2; exit 3");
    let (_reader, writer) = std::io::pipe().unwrap();
    let record = workspace.arg("r.json");
    let args = ["wrap", "--timeout", "5s", "--record", &record, "--", "agent"];
    let child = workspace.streamj(&args).stderr(writer).stdout(Stdio::null()).spawn().unwrap();
    exit_code(child);
    let record = workspace.read_json("r.json");
    assert!(record["stderr"].as_str().unwrap().starts_with("the reason\nmore\n"), "{record}");
}

#[test]
fn blocked_tee_does_not_delay_the_timeout() {
    let workspace = Workspace::new();
    workspace.program("agent", FLOOD);
    let fifo = workspace.arg("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let _open = std::fs::File::options().read(true).write(true).open(&fifo).unwrap();
    let args = ["wrap", "--timeout", "1s", "--kill-after", "1s", "--tee", &fifo, "--", "agent"];
    let mut command = workspace.streamj(&args);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(exit_code(child), Some(124));
}

#[test]
fn blocked_terminal_does_not_delay_the_timeout() {
    let workspace = Workspace::new();
    workspace.program("agent", FLOOD);
    let (_user_side, program_side) = terminal();
    let args = ["wrap", "--timeout", "1s", "--kill-after", "1s", "--as", "raw", "--", "agent"];
    let mut command = workspace.streamj(&args);
    let child = command.stdout(program_side).stderr(Stdio::null()).spawn().unwrap();
    assert_eq!(exit_code(child), Some(124));
}

#[test]
fn second_interrupt_ends_a_run_with_blocked_output() {
    let workspace = Workspace::new();
    workspace.program("agent", &format!("trap '' INT; echo $$ > $DIR/pid; {FLOOD}"));
    let (_reader, writer) = std::io::pipe().unwrap();
    let args = ["wrap", "-q", "--kill-after", "1h", "--as", "raw", "--", "agent"];
    let child = workspace.streamj(&args).stdout(writer).spawn().unwrap();
    let agent = workspace.pid("pid");
    send(Signal::INT, &child);
    std::thread::sleep(Duration::from_millis(300));
    send(Signal::INT, &child);
    assert_eq!(exit_code(child), Some(130));
    assert!(!is_alive(agent));
}

#[test]
fn blocked_output_does_not_count_as_idle_time() {
    let workspace = Workspace::new();
    let item = json!({"id": "i", "type": "agent_message", "text": "a line of some length"});
    let line = json!({"type": "item.completed", "item": item});
    let end = json!({"type": "turn.completed"});
    workspace.program("agent", &format!("yes '{line}' | head -n 20000; echo '{end}'"));
    let (mut reader, writer) = std::io::pipe().unwrap();
    let args = ["wrap", "-q", "--idle-timeout", "500ms", "--", "agent"];
    let child = workspace.streamj(&args).stdout(writer).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let reading = std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    assert_eq!(exit_code(child), Some(0));
    assert_eq!(reading.join().unwrap().unwrap(), 20_000 * 22);
}
