//! Standard error of the command.

use super::*;
use crate::support::warnings;

const REDACTED: &str = "<line redacted: matched auth-leak pattern>";

#[test]
fn stderr_is_redacted_and_not_parsed_as_events() {
    let workspace = Workspace::new();
    let body = "echo plain >&2; echo \"the key is $MY_SECRET\" >&2; echo 'Authorization: x' >&2;
        echo 'sk-ant-api03-abcdefghijkl' >&2;
        echo '{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"fake\"}}' >&2";
    workspace.program("codex", &format!("{body}; {}", cat(CODEX_OK)));
    let (run, record) = workspace.record(&[
        "-q",
        "--env",
        "MY_SECRET=hunter2-hunter2",
        "--",
        "codex",
        "exec",
        "hi",
    ]);
    let event = r#"{"type":"item.completed","item":{"type":"agent_message","text":"fake"}}"#;
    let expected = format!("plain\n{REDACTED}\n{REDACTED}\n{REDACTED}\n{event}\n");
    assert_eq!(record["stderr"], expected);
    assert_eq!(record["output"], "Hello from the fake model.");
    run.stderr(expected).stdout("Hello from the fake model.\n");
}

#[test]
fn credentials_on_standard_error_are_masked_also_over_several_lines() {
    let workspace = Workspace::new();
    let body = "{ echo password=s3cr3tPassw0rd99; echo postgres://u:s3cr3tPassw0rd99@db;
        echo '{\"password\":\"opensesame\"}';
        echo AWS_SECRET_KEY=abcdefghij0123456789KLMNOPQRST; echo before;
        echo '-----BEGIN PRIVATE KEY-----'; echo MIIEvQIBADANBgkqhkiG9w0; echo a1=;
        echo '-----END PRIVATE KEY-----'; echo 'bar INT-7'; } >&2";
    workspace.program("agent", body);
    let (run, record) = workspace.record(&["-q", "--redact-pattern", "INT-.", "--", "agent"]);
    let expected = format!(
        "password=<redacted>\npostgres://u:<redacted>@db\n{{\"password\":\"<redacted>\"}}\n\
         AWS_SECRET_KEY=<redacted>\nbefore\n{REDACTED}\n{REDACTED}\n{REDACTED}\n{REDACTED}\nbar <redacted>\n"
    );
    assert_eq!(record["stderr"], expected);
    run.stderr(predicate::str::starts_with(expected));
}

#[test]
fn arguments_that_are_secret_are_masked_in_the_record() {
    let workspace = Workspace::new();
    workspace.program("agent", "true");
    let (_, record) = workspace.record(&[
        "-q",
        "--",
        "agent",
        "--password",
        "opensesame",
        "-u",
        "me:letmein1",
        "DB_PASS=s3cr3t-Passw0rd",
        "--token=abc123def456ghi7",
        "word",
    ]);
    let expected = [
        "agent",
        "--password",
        "<redacted>",
        "-u",
        "<redacted>",
        "DB_PASS=<redacted>",
        "--token=<redacted>",
        "word",
    ];
    assert_eq!(record["command"], json!(expected));
}

#[test]
fn mebibyte_of_stderr_before_the_first_event_does_not_block() {
    let workspace = Workspace::new();
    let body = "head -c 1048576 /dev/zero | tr '\\0' 'x' | fold -w 100 >&2";
    workspace.program("agent", &format!("{body}; {}", cat(CODEX_OK)));
    let (run, record) = workspace.record(&["--", "agent"]);
    let run = run.stdout("Hello from the fake model.\n");
    assert!(run.errors().len() > 1 << 20);
    let recorded = record["stderr"].as_str().unwrap();
    assert!(recorded.len() <= 8192);
    assert!(recorded.contains("(truncated)"));
}

#[test]
fn control_characters_are_escaped_on_a_terminal() {
    let workspace = Workspace::new();
    workspace.program("agent", "printf 'a\\033[31mb\\rc\\n' >&2");
    let (user_side, program_side) = terminal();
    let mut command = workspace.streamj(&["wrap", "--", "agent"]);
    let mut child = command.stdout(Stdio::null()).stderr(program_side).spawn().unwrap();
    // Closes this process's copy of the program's side.
    drop(command);
    let shown = shown_on(user_side);
    assert_eq!(
        shown,
        "a^[[31mb^Mc\nstreamj: agent: the command printed no events of a known agent CLI\n"
    );
    child.wait().unwrap();
}

#[test]
fn start_and_end_of_long_standard_error_are_recorded() {
    let workspace = Workspace::new();
    workspace.program("agent", "{ echo first; seq 1 9999; echo last; } >&2");
    let (_, record) = workspace.record(&["-q", "--", "agent"]);
    let stderr = record["stderr"].as_str().unwrap();
    assert!(stderr.starts_with("first\n1\n") && stderr.ends_with("9999\nlast\n"), "{stderr}");
    assert!(stderr.contains("(truncated)") && stderr.len() <= 8192, "{}", stderr.len());
}

#[test]
fn deprecation_is_a_warning_and_no_failure() {
    let workspace = Workspace::new();
    let body = format!("echo 'warning: --foo is deprecated' >&2; {}", cat(CODEX_OK));
    workspace.program("codex", &body);
    let (_, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    assert_eq!(warnings(&record), ["codex-deprecation: warning: --foo is deprecated"]);
    assert_eq!(record["error_category"], Value::Null);
    assert_eq!(record["succeeded_cleanly"], true);
}

#[test]
fn stderr_is_the_error_if_the_stream_has_none() {
    let workspace = Workspace::new();
    workspace.program("codex", "echo 'Error: no such profile' >&2; exit 1");
    let (run, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    run.code(1);
    assert_eq!(record["error"], "Error: no such profile");
    assert_eq!(record["error_category"], "subprocess");
    workspace.program("codex", &format!("echo noise >&2; {}; exit 1", cat("codex/no_auth")));
    let (_, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    assert_eq!(record["error_category"], "auth");
}

#[test]
fn truncated_last_line_is_reported_and_counted() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat("codex/signal_sigkill_blocked_writer"));
    let (run, record) = workspace.record(&["--", "codex", "exec", "hi"]);
    run.code(1).stderr(predicate::str::contains("streamj: codex:3: not JSON"));
    assert_eq!(record["lines"]["malformed"], 1);
}
