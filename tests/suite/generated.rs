//! Man pages and completions in the repository are those the program prints.
//! `UPDATE_GENERATED=1 cargo test generated` writes them anew.

use std::path::Path;

use clap::ValueEnum;
use clap_complete::Generator;
use clap_complete::Shell;

use crate::support::{root, run};

fn check(path: &Path, current: &[u8]) {
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(path, current).unwrap();
    }
    let kept = std::fs::read(path).unwrap_or_default();
    let stale = "is stale: run `UPDATE_GENERATED=1 cargo test generated`";
    assert!(kept == current, "{} {stale}", path.display());
}

/// Returns the commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = run(&["--help"], "");
    let lines = help.text().lines().take_while(|line| *line != "Options:");
    let commands = lines.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    commands.map(str::to_owned).collect()
}

#[test]
fn man_pages_are_current() {
    let mut files = Vec::new();
    for name in commands() {
        let file = format!("streamj-{name}.1");
        check(&root().join("man").join(&file), &run(&["man", &name], "").stdout);
        files.push(file);
    }
    check(&root().join("man/streamj.1"), &run(&["man"], "").stdout);
    files.push("streamj.1".to_owned());
    files.sort();
    let entries = std::fs::read_dir(root().join("man")).unwrap();
    let mut kept: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    kept.sort();
    assert_eq!(kept, files, "no page of a command that is gone");
}

#[test]
fn completions_are_current() {
    for shell in Shell::value_variants() {
        let name = shell.to_string();
        let path = root().join("completions").join(shell.file_name("streamj"));
        check(&path, &run(&["completions", &name], "").stdout);
    }
}

#[test]
fn a_page_of_no_command_is_an_error() {
    for name in ["nonsense", "man"] {
        let run = run(&["man", name], "");
        assert_eq!((run.code, run.text()), (2, ""));
        assert_eq!(run.stderr, format!("streamj: no command is called {name}\n"));
    }
}

#[test]
fn help_fits_on_a_screen() {
    for args in [&["--help"][..], &["-h"]] {
        let help = run(args, "");
        assert_eq!(help.code, 0);
        assert!(help.text().lines().count() <= 40, "{}", help.text());
        assert!(help.text().lines().all(|line| line.chars().count() <= 100), "{}", help.text());
    }
}
