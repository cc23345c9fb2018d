//! Arguments: what is added to the command, and what is refused.

use super::*;

#[test]
fn dry_run_prints_completed_command() {
    let workspace = Workspace::new();
    for (args, command) in [
        (
            &["--", "codex", "exec", "fix the tests"][..],
            "codex exec --json --output-last-message /tmp/streamj-XXXXXX/last-message.txt 'fix the tests'\n",
        ),
        (&["--", "claude", "hi"], "claude -p --output-format stream-json --verbose hi\n"),
        (&["--complete", "none", "--", "claude", "-p", "hi"], "claude -p hi\n"),
        (
            &["--harness", "claude", "--", "./my-agent", "hi"],
            "./my-agent -p --output-format stream-json --verbose hi\n",
        ),
    ] {
        workspace.wrap(&[&["--dry-run"], args].concat()).success().stdout(command);
    }
    assert_eq!(workspace.temporary_files(), [""; 0]);
}

#[test]
fn command_needs_no_dashes_before_it() {
    let workspace = Workspace::new();
    for (args, command) in [
        (&["claude", "-p", "hi"][..], "claude -p hi\n"),
        // Options behind the first word are the command's, even if streamj has them, too.
        (
            &["--timeout", "5s", "claude", "-p", "--model", "x", "--timeout", "hi", "-q"],
            "claude -p --model x --timeout hi -q\n",
        ),
        (&["claude", "-p", "--", "hi"], "claude -p -- hi\n"),
        (&["--", "claude", "--", "hi"], "claude -- hi\n"),
        (&["--", "-odd-name", "hi"], "-odd-name hi\n"),
    ] {
        let args = [&["--dry-run", "--complete", "none"], args].concat();
        workspace.wrap(&args).success().stdout(command);
    }
    workspace.program("claude", &format!("echo \"$@\" > $DIR/args; {}", cat(CLAUDE_OK)));
    workspace.wrap(&["claude", "-p", "hi"]).success();
    assert_eq!(workspace.read("args"), "--output-format stream-json --verbose -p hi\n");
    workspace.wrap(&["--bogus"]).code(125).stderr(predicate::str::contains("'--bogus'"));
    workspace.wrap(&["--bogus", "claude"]).code(125);
}

#[test]
fn dry_run_quotes_arguments_for_the_shell() {
    use std::os::unix::ffi::OsStrExt;

    let workspace = Workspace::new();
    let argument = std::ffi::OsStr::from_bytes(b"a\xff'b");
    let mut command = workspace.streamj(&["wrap", "--dry-run", "--", "claude"]);
    command.arg(argument).assert().stdout(predicate::str::ends_with("--verbose $'a\\xff\\'b'\n"));
}

#[test]
fn invalid_options_are_refused_before_the_command_starts() {
    let workspace = Workspace::new();
    workspace.program("claude", "touch $DIR/started").program("codex", "touch $DIR/started");
    for (args, message) in [
        (&["--", "claude", "-p", "--output-format", "text", "x"][..], "prints no events"),
        (
            &["--complete", "none", "--", "claude", "-p", "--output-format", "stream-json"],
            "streamj: --output-format=stream-json requires --verbose\n",
        ),
        (&["--complete", "full", "--", "codex"], "--complete full needs --model"),
        (&["--complete", "full", "--model", "M", "--", "claude"], "for codex only"),
        (&["--as", "nonsense", "--", "codex", "exec", "x"], "nonsense"),
        (&["--as", "text FILE", "--", "codex", "exec", "x"], "not files"),
        (&["--as", "wrap -- x", "--", "codex"], "not a reading command"),
        (&["--as", "text 'x", "--", "codex"], "--as"),
        (&["--timeout", "soon", "--", "codex"], "not a duration"),
        (&["--env", "novalue", "--", "codex"], "NAME=VALUE"),
        (&["--cwd", "/no/such/folder", "--", "codex"], "not a folder"),
        (&["--tee", "/no/such/folder/f", "--", "codex"], "/no/such/folder/f"),
        (&["--record", "/no/such/folder/f", "--", "codex"], "/no/such/folder/f"),
        (&["--nonsense", "--", "codex"], "--nonsense"),
        (&["--with-events", "--", "codex"], "--record"),
        (&[], "COMMAND"),
    ] {
        workspace.wrap(args).code(125).stderr(predicate::str::contains(message));
    }
    assert!(!workspace.path("started").exists());
}

#[test]
fn file_that_cannot_be_opened_is_named_as_given() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat(CLAUDE_OK));
    for option in ["--tee", "--record", "--schema"] {
        let run = workspace.wrap(&[option, "/no/such/x", "--", "claude", "hi"]).code(125);
        run.stderr(predicate::str::ends_with("/no/such/x: no such file or directory\n"));
    }
}

#[test]
fn options_without_effect_are_refused() {
    let workspace = Workspace::new();
    workspace.program("codex", "touch $DIR/started");
    for options in [&["--model", "M"][..], &["--unset", ""], &["--unset", "A=B"], &["--env", "=x"]]
    {
        workspace.wrap(&[options, &["--", "codex", "exec", "x"]].concat()).code(125);
    }
    assert!(!workspace.path("started").exists());
}

#[test]
fn refused_command_does_not_truncate_tee_file() {
    let workspace = Workspace::new();
    workspace.write("tee", "content");
    let tee = workspace.arg("tee");
    for options in [
        &["--env", "BAD"][..],
        &["--record", "no/such/r"],
        &["--record", &tee],
        &["--unset", "A=B"],
    ] {
        workspace.wrap(&[&["--tee", &tee], options, &["--", "true"]].concat()).code(125);
        assert_eq!(workspace.read("tee"), "content", "{options:?}");
    }
}

#[test]
fn options_of_the_as_command_apply() {
    let workspace = Workspace::new();
    workspace.program("claude", &format!("echo notjson; {}", cat(CLAUDE_OK)));
    let wrap_as = |command: &str| workspace.wrap(&["--as", command, "--", "claude", "hi"]);
    wrap_as("session --get /nope").code(1).stderr(predicate::str::contains("no record has /nope"));
    wrap_as("text --strict").code(1);
    wrap_as("text -q").stderr("");
    wrap_as("events --harness codex --get /harness").stdout(predicate::str::starts_with("codex\n"));
    for refused in
        ["", "text --help", "text a.jsonl", "text --threads 2", "error -e", "wrap -- x", "nonsense"]
    {
        wrap_as(refused).code(125);
    }
}

#[test]
fn complete_full_passes_the_prompt_on_standard_input() {
    let workspace = Workspace::new();
    let body = format!("echo \"$@\" > $DIR/args; cat > $DIR/prompt; {}", cat(CODEX_OK));
    workspace.program("codex", &body);
    let args = ["--complete", "full", "--model", "M", "--", "codex", "exec", "do it"];
    let (run, record) = workspace.record(&args);
    run.success();
    let metadata = &record["harness_metadata"];
    let file = metadata["last_message_path"].as_str().unwrap();
    let expected = format!(
        "exec --json --output-last-message {file} --skip-git-repo-check -s workspace-write -m M -\n"
    );
    assert_eq!(workspace.read("args"), expected);
    assert_eq!(workspace.read("prompt"), "do it");
    assert_eq!(metadata["sandbox_mode"], "workspace-write");
    assert_eq!(metadata["model"], "M");
}

#[test]
fn agent_is_completed_behind_launchers() {
    let workspace = Workspace::new();
    let options = "-p --output-format stream-json --verbose";
    for (given, completed) in [
        (&["env", "X=1", "claude", "hi"][..], format!("env 'X=1' claude {options} hi\n")),
        (&["nice", "claude", "hi"], format!("nice claude {options} hi\n")),
        (
            &["npx", "@anthropic-ai/claude-code", "hi"],
            format!("npx @anthropic-ai/claude-code {options} hi\n"),
        ),
        (&["bash", "-c", "claude hi"], format!("bash -c 'claude {options} hi'\n")),
    ] {
        workspace.wrap(&[&["--dry-run", "--"], given].concat()).success().stdout(completed);
    }
}

#[test]
fn agent_behind_a_launcher_is_known() {
    let workspace = Workspace::new();
    workspace.program("codex", &format!("[ \"$X\" = 1 ] && {}", cat(CODEX_OK)));
    let (run, record) = workspace.record(&["--", "env", "X=1", "codex", "exec", "hi"]);
    run.success().stderr(predicate::str::contains("codex auth=unknown"));
    assert_eq!(record["harness"], "codex");
    let script = "codex exec --json 'hi there'";
    workspace.wrap(&["--env", "X=1", "--", "sh", "-c", script]).success();
}

#[test]
fn agent_that_is_not_run_directly_is_noted() {
    let workspace = Workspace::new();
    workspace.program("claude", &cat(CLAUDE_OK));
    let command = ["--", "sh", "-c", "cd / && claude -p hi"];
    let note = "streamj: nothing is added to what sh runs: \
                start claude as `claude -p --output-format stream-json --verbose`\n";
    workspace.wrap(&[&["--dry-run"], &command[..]].concat()).success().stderr(note);
    workspace.wrap(&command).success().stderr(predicate::str::contains(note));
    let none = [&["--complete", "none"], &command[..]].concat();
    workspace.wrap(&none).success().stderr(predicate::str::contains(note).not());
}

#[test]
fn script_with_the_name_of_an_agent_is_not_completed() {
    let workspace = Workspace::new();
    workspace.program("claude.sh", "printf '%s\\n' \"$#\"");
    let run = workspace.wrap(&["--", "claude.sh", "hi"]).code(1).stdout("1\n");
    run.stderr(predicate::str::starts_with("streamj: nothing is added to what claude.sh runs: "));
    workspace
        .wrap(&["--dry-run", "--", "claude.cmd", "hi"])
        .stdout(predicate::str::starts_with("claude.cmd -p "));
}

#[test]
fn credential_on_the_command_line_is_recorded_by_its_name() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat(CODEX_OK));
    let command = ["--", "env", "CODEX_API_KEY=mysecretpassword", "codex", "exec", "hi"];
    let (run, record) = workspace.record(&[&["--strip-auth"], &command[..]].concat());
    run.success().stderr(predicate::str::contains(
        "streamj: --strip-auth: CODEX_API_KEY is set on the command line and stays\n",
    ));
    assert_eq!(record["harness_metadata"]["auth_source"], "CODEX_API_KEY");
    assert!(!record.to_string().contains("mysecretpassword"), "{record}");
}

#[test]
fn agent_behind_an_unknown_launcher_is_noted() {
    let workspace = Workspace::new();
    for command in [
        &["xvfb-run", "claude", "hi"][..],
        &["poetry", "run", "claude", "hi"],
        &["mise", "exec", "--", "claude", "hi"],
        &["taskset", "1", "claude", "hi"],
        &["node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "-p", "hi"],
    ] {
        let run = workspace.wrap(&[&["--dry-run", "--"], command].concat()).success();
        run.stderr(predicate::str::contains("nothing is added to what"))
            .stdout(predicate::str::contains("hi"));
    }
    workspace.wrap(&["--dry-run", "--", "grep", "claude", "file"]).success().stderr("");
}
