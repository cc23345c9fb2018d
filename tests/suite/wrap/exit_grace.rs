//! `--exit-grace`: the time between the result and the end of the command.

use super::*;

#[test]
fn run_ended_after_its_result_is_judged_by_the_result() {
    let workspace = Workspace::new();
    for (name, code) in
        [(CLAUDE_OK, 0), (CODEX_OK, 0), ("codex/no_auth", 1), ("claude_2_0_77/max_turns_1", 1)]
    {
        workspace.program("agent", &format!("{}; sleep 1000", cat(name)));
        let (run, record) = workspace.record(&["--exit-grace", "200ms", "--", "agent"]);
        run.append_context("recording", name).code(code);
        assert_eq!(record["exit_code"], code, "{name}");
        assert_eq!(record["succeeded_cleanly"], code == 0, "{name}");
    }
}

#[test]
fn output_restarts_the_exit_grace() {
    let workspace = Workspace::new();
    let body = format!(
        "{}; for i in 1 2 3 4; do sleep 0.5; echo '{{\"type\":\"system\",\"subtype\":\"status\"}}'; done; {}",
        cat(CLAUDE_OK),
        cat("claude/multi_block_message"),
    );
    workspace.program("agent", &body);
    workspace
        .wrap(&["--exit-grace", "1500ms", "--", "agent"])
        .success()
        .stdout(predicate::str::ends_with("Five.\n"));
}

#[test]
fn pending_background_task_suspends_the_exit_grace() {
    let workspace = Workspace::new();
    let task = r#"echo '{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a"}]}'"#;
    let body =
        format!("{task}; {}; sleep 1; {}", cat(CLAUDE_OK), cat("claude/multi_block_message"));
    workspace.program("agent", &body);
    workspace
        .wrap(&["--exit-grace", "100ms", "--", "agent"])
        .stdout(predicate::str::ends_with("Five.\n"));
    workspace
        .wrap(&["--exit-grace", "100ms", "--as", "text --last", "--", "agent"])
        .stdout("Five.\n");
}

#[test]
fn progress_of_an_unknown_task_does_not_end_pending_tasks() {
    let workspace = Workspace::new();
    let line = |members: Value| {
        let mut line = json!({"type": "system", "session_id": "s", "uuid": "u"});
        line.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        line.to_string()
    };
    let pending = line(json!({"subtype": "background_tasks_changed", "tasks": [{"id": "b1"}]}));
    let progress =
        line(json!({"subtype": "task_progress", "task_id": "b1", "description": "d", "usage": {}}));
    let over = line(json!({"subtype": "background_tasks_changed", "tasks": []}));
    let result = cat(CLAUDE_OK);
    workspace.program(
        "claude",
        &format!(
            "echo '{pending}'; echo '{progress}'; {result}; sleep 1; echo '{over}'; touch $DIR/done"
        ),
    );
    workspace.wrap(&["-q", "--exit-grace", "200ms", "--", "claude", "hi"]).success();
    assert!(workspace.path("done").exists());
}

#[test]
fn open_standard_input_suspends_the_exit_grace() {
    let workspace = Workspace::new();
    let body = format!("{}; cat > $DIR/input; touch $DIR/done", cat(CLAUDE_OK));
    workspace.program("agent", &body);
    let mut child = workspace
        .streamj(&["wrap", "-q", "--exit-grace", "100ms", "--", "agent"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::sleep(Duration::from_millis(800));
    stdin.write_all(b"later").unwrap();
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(workspace.path("done").exists());
    assert_eq!(workspace.read("input"), "later");
}

#[test]
fn turn_begun_after_the_result_suspends_the_exit_grace() {
    let workspace = Workspace::new();
    let recording = std::fs::read_to_string(fixture(CLAUDE_OK)).unwrap();
    workspace.write("init", recording.lines().next().unwrap().to_owned() + "\n");
    let run = cat(CLAUDE_OK);
    workspace.program("claude", &format!("{run}; cat $DIR/init; sleep 1; {run}"));
    let (run, record) = workspace.record(&["-q", "--exit-grace", "200ms", "--", "claude", "hi"]);
    run.success();
    assert_eq!(record["lines"]["events"], 7);
}

#[test]
fn closed_output_does_not_start_the_exit_grace() {
    let workspace = Workspace::new();
    workspace.program("agent", "exec >&-; sleep 1; exit 3");
    let (run, record) = workspace.record(&["-q", "--exit-grace", "100ms", "--", "agent"]);
    run.code(3);
    assert_eq!(record["exit_code"], 3);
}

#[test]
fn background_task_that_never_ends_has_a_limit_of_its_own() {
    let workspace = Workspace::new();
    let call = json!({"type": "assistant", "message": {"content": [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"run_in_background": true}},
    ]}});
    let started = json!({
        "type": "system", "subtype": "task_started", "session_id": "s", "uuid": "u",
        "task_id": "b1", "tool_use_id": "t1", "description": "npm start",
    });
    let body = format!("echo '{call}'; echo '{started}'; {}; sleep 600", cat(CLAUDE_OK));
    workspace.program("claude", &body);
    let grace = ["--exit-grace", "100ms", "--background-grace", "300ms"];
    let (run, record) = workspace.record(&[&grace[..], &["--", "claude", "hi"]].concat());
    run.success().stderr(predicate::str::contains(
        "streamj: ended 0.3s after its result (--background-grace), still running: npm start\n",
    ));
    assert_eq!(record["error"], Value::Null);
    let warning = "background-command: stopped or still running when the run ended: npm start";
    assert!(crate::support::has_warning(&record, warning));
    // Without the limit only the timeout ends it.
    let unlimited = ["--exit-grace", "100ms", "--background-grace", "0", "--timeout", "1s"];
    workspace.wrap(&[&unlimited[..], &["--", "claude", "hi"]].concat()).code(124);
}

#[test]
fn exit_grace_of_zero_waits_for_background_tasks() {
    let workspace = Workspace::new();
    let task = r#"echo '{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a"}]}'"#;
    workspace.program("claude", &format!("{task}; {}; sleep 1; touch $DIR/done", cat(CLAUDE_OK)));
    workspace.wrap(&["-q", "--exit-grace", "0", "--", "claude", "hi"]).success();
    assert!(workspace.path("done").exists());
    let explicit = ["-q", "--exit-grace", "0", "--background-grace", "200ms"];
    workspace.program("claude", &format!("{task}; {}; sleep 600", cat(CLAUDE_OK)));
    let note = predicate::str::contains("(--background-grace)");
    workspace.wrap(&[&explicit[1..], &["--", "claude", "hi"]].concat()).success().stderr(note);
}

#[test]
fn background_grace_is_not_restarted_by_output() {
    let workspace = Workspace::new();
    let task = r#"echo '{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"a"}]}'"#;
    let body = format!(
        "{task}; {}; while :; do sleep 0.1; echo '{{\"type\":\"keep_alive\"}}'; done",
        cat(CLAUDE_OK)
    );
    workspace.program("claude", &body);
    let args = ["--background-grace", "500ms", "--timeout", "60s", "--", "claude", "hi"];
    workspace.wrap(&args).success().stderr(predicate::str::contains("--background-grace"));
}
