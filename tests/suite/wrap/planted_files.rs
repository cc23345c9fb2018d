//! Files and links that others have placed where `wrap` writes.

use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};

use super::*;

/// A user that is neither root nor the one that runs the tests.
const OTHER: u32 = 65534;

/// Makes a link of another user. Returns false if that needs more rights.
fn plant(workspace: &Workspace, target: &str, link: &str) -> bool {
    symlink(workspace.path(target), workspace.path(link)).unwrap();
    let is_planted = lchown(workspace.path(link), Some(OTHER), None).is_ok();
    if !is_planted {
        eprintln!("skipped: needs root (lchown)");
    }
    is_planted
}

#[test]
fn link_of_another_user_is_not_followed() {
    let workspace = Workspace::new();
    workspace.program("agent", &cat(CODEX_OK));
    workspace.write("victim", "kept");
    if !plant(&workspace, "victim", "link") {
        return;
    }
    for option in ["--tee", "--record"] {
        let link = workspace.arg("link");
        workspace
            .wrap(&["-q", option, &link, "--", "agent"])
            .code(125)
            .stderr(format!("streamj: {link}: a link of another user is not followed\n"));
        assert_eq!(workspace.read("victim"), "kept", "{option}");
    }
}

#[test]
fn own_link_is_kept_and_its_target_written() {
    let workspace = Workspace::new();
    workspace.program("agent", &cat(CODEX_OK));
    for option in ["--tee", "--record"] {
        let (link, target) = (format!("link{option}"), format!("target{option}"));
        symlink(&target, workspace.path(&link)).unwrap();
        workspace.wrap(&["-q", option, &workspace.arg(&link), "--", "agent"]).success();
        assert!(workspace.path(&link).is_symlink(), "{option}");
        assert!(!workspace.read(&target).is_empty(), "{option}");
        let mode = workspace.path(&target).metadata().unwrap().mode();
        assert_eq!(mode & 0o777, 0o600, "{option}");
    }
}

#[test]
fn file_of_another_user_in_a_shared_folder_is_not_written() {
    let workspace = Workspace::new();
    workspace.program("agent", &cat(CODEX_OK));
    std::fs::create_dir(workspace.path("shared")).unwrap();
    workspace.write("shared/copy", "old");
    let shared = std::fs::Permissions::from_mode(0o1777);
    std::fs::set_permissions(workspace.path("shared"), shared).unwrap();
    if std::os::unix::fs::chown(workspace.path("shared/copy"), Some(OTHER), None).is_err() {
        eprintln!("skipped: needs root (chown)");
        return;
    }
    let args = ["-q", "--tee", &workspace.arg("shared/copy"), "--", "agent"];
    workspace.wrap(&args).code(125);
    assert_eq!(workspace.read("shared/copy"), "old");
}

#[test]
fn tee_and_record_to_one_file_are_refused_however_it_is_named() {
    let workspace = Workspace::new();
    workspace.program("agent", &cat(CODEX_OK));
    workspace.write("existing", "old");
    std::fs::hard_link(workspace.path("existing"), workspace.path("hard")).unwrap();
    symlink("existing", workspace.path("soft")).unwrap();
    for (tee, record) in [("x", "./x"), ("existing", "soft"), ("hard", "existing")] {
        let mut command = workspace.streamj(&["wrap", "--tee", tee, "--record", record]);
        command.args(["--", "agent"]).current_dir(workspace.folder.path());
        let expected = "streamj: --tee and --record need a file each\n";
        command.assert().code(125).stderr(expected).stdout("");
    }
    assert_eq!(workspace.read("existing"), "old");
}

#[test]
fn temporary_folder_of_a_killed_run_is_removed_by_the_next() {
    let workspace = Workspace::new();
    workspace.program("codex", "echo $$ > $DIR/pid; exec sleep 600");
    let run = |workspace: &Workspace| {
        let mut command = workspace.streamj(&["wrap", "-q", "--", "codex", "exec", "x"]);
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let mut killed = run(&workspace);
    let agent = workspace.pid("pid");
    let left = workspace.temporary_files();
    assert_eq!(left.len(), 1, "{left:?}");
    killed.kill().unwrap();
    killed.wait().unwrap();
    wait_for(|| !is_alive(agent));
    // A folder that was just made may not be locked yet.
    let folder = workspace.path(&left[0]);
    workspace.shell(&format!("touch -d '1 hour ago' {}", folder.display())).assert().success();
    std::fs::remove_file(workspace.path("pid")).unwrap();

    let running = run(&workspace);
    workspace.pid("pid");
    assert!(!folder.exists());
    let own = workspace.path(&workspace.temporary_files()[0]);
    workspace.shell(&format!("touch -d '1 hour ago' {}", own.display())).assert().success();
    workspace.program("agent", &cat(CODEX_OK));
    workspace.wrap(&["-q", "--", "agent"]).success();
    assert!(own.exists(), "the folder of a run is locked");
    send(Signal::TERM, &running);
    exit_code(running);
    assert_eq!(workspace.temporary_files(), [""; 0]);
}

#[test]
fn temporary_folder_is_created_only_if_it_is_needed() {
    let workspace = Workspace::new();
    workspace.program("agent", &cat(CODEX_OK));
    workspace.program("codex", &cat(CODEX_OK));
    let mut command = workspace.streamj(&["wrap", "-q", "--", "agent"]);
    command.env("TMPDIR", workspace.path("missing")).assert().success();
    let mut command = workspace.streamj(&["wrap", "-q", "--", "codex", "exec", "x"]);
    let run = command.env("TMPDIR", workspace.path("missing")).assert();
    run.code(125).stderr(predicate::str::starts_with("streamj: cannot make a temporary folder"));
}

#[test]
fn last_message_that_is_no_file_is_ignored() {
    let workspace = Workspace::new();
    // The agent replaces the file for its last message.
    let body = "eval last=\\${$(($# - 1))}; rm -f \"$last\"; mkfifo \"$last\"";
    workspace.program("codex", &format!("{body}; {}", cat(CODEX_OK)));
    workspace.wrap(&["-q", "--", "codex", "exec", "x"]).stdout("Hello from the fake model.\n");
}
