//! The environment and the folder of the command, and the note about its
//! authentication.

use super::*;

#[test]
fn codex_auth_source_is_that_of_the_commands_environment() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat(CODEX_OK));
    let source = |args: &[&str]| {
        let (run, record) = workspace.record(&[args, &["--", "codex", "exec", "hi"]].concat());
        let source = record["harness_metadata"]["auth_source"].as_str().unwrap().to_owned();
        run.stderr(predicate::str::contains(format!("streamj: codex auth={source}")));
        source
    };
    let openai = ["--env", "OPENAI_API_KEY=x"];
    assert_eq!(source(&[]), "unknown");
    assert_eq!(source(&openai), "OPENAI_API_KEY");
    assert_eq!(source(&[&openai[..], &["--env", "CODEX_API_KEY=y"]].concat()), "CODEX_API_KEY");
    assert_eq!(source(&[&openai[..], &["--strip-auth"]].concat()), "unknown");
    assert_eq!(source(&[&openai[..], &["--unset", "OPENAI_API_KEY"]].concat()), "unknown");
    std::fs::create_dir(workspace.path(".codex")).unwrap();
    workspace.write(".codex/auth.json", "{}");
    assert_eq!(source(&[]), "cached");
}

#[test]
fn relative_codex_home_is_resolved_in_the_commands_folder() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat(CODEX_OK));
    std::fs::create_dir_all(workspace.path("sub/ch")).unwrap();
    workspace.write("sub/ch/auth.json", "{}");
    let folder = workspace.arg("sub");
    let options = ["-q", "--env", "CODEX_HOME=ch", "--cwd", &folder];
    let (_, record) = workspace.record(&[&options[..], &["--", "codex", "exec", "x"]].concat());
    assert_eq!(record["harness_metadata"]["auth_source"], "cached");
}

#[test]
fn subject_is_appended_to_the_auth_note_without_control_characters() {
    let workspace = Workspace::new();
    workspace.program("codex", &cat(CODEX_OK)).program("claude", &cat(CLAUDE_OK));
    workspace
        .wrap(&["--subject", "L2\u{1b}[31m\n", "--", "codex", "exec", "hi"])
        .stderr("streamj: codex auth=unknown (L2)\n");
    workspace
        .wrap(&["--subject", "judge", "--", "claude", "hi"])
        .stderr("streamj: apiKeySource=ANTHROPIC_API_KEY (judge)\n");
    workspace.wrap(&["-q", "--", "codex", "exec", "hi"]).stderr("");
}

#[test]
fn environment_and_folder_are_set_for_the_command() {
    let workspace = Workspace::new();
    workspace.program("claude", "env | sort > $DIR/env; pwd > $DIR/pwd");
    let options = ["-q", "--strip-auth", "--env", "ADDED=1", "--unset", "REMOVED", "--cwd", "/usr"];
    let mut command =
        workspace.streamj(&[&["wrap"], &options[..], &["--", "claude", "hi"]].concat());
    command.env("REMOVED", "x").env("ANTHROPIC_API_KEY", "a").env("OPENAI_API_KEY", "o");
    command.assert().code(1);
    let environment = workspace.read("env");
    assert!(environment.contains("ADDED=1\n"));
    assert!(!environment.contains("REMOVED="));
    assert!(!environment.contains("ANTHROPIC_API_KEY="));
    assert!(environment.contains("OPENAI_API_KEY="), "not a variable of Claude");
    assert_eq!(workspace.read("pwd"), "/usr\n");
}
