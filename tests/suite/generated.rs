//! The man pages and completions in the repository match what the program prints.
//! `UPDATE_GENERATED=1 cargo test generated` rewrites them.

use std::path::Path;

use clap::ValueEnum;
use clap_complete::{Generator, Shell};
use predicates::prelude::*;

use crate::in_memory::assert_same;
use crate::support::cli::{Printed, run};
use crate::support::root;

/// Asserts that the file contains what the program prints with these arguments.
fn check(path: &Path, args: &[&str]) {
    let printed = run(args, "");
    let current = printed.text();
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(path, current).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    let stale = "is stale: run `UPDATE_GENERATED=1 cargo test generated`";
    // Without `assert_eq`, which prints both pages.
    assert_same(current.as_bytes(), kept.as_bytes(), &format!("{} {stale}", path.display()));
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
        check(&root().join("man").join(&file), &["man", &name]);
        files.push(file);
    }
    check(&root().join("man/streamj.1"), &["man"]);
    files.push("streamj.1".to_owned());
    files.sort();
    let entries = std::fs::read_dir(root().join("man")).unwrap();
    let mut kept: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    kept.sort();
    assert_eq!(kept, files, "pages of removed commands");
}

#[test]
fn completions_are_current() {
    for shell in Shell::value_variants() {
        let path = root().join("completions").join(shell.file_name("streamj"));
        check(&path, &["completions", &shell.to_string()]);
    }
}

#[test]
fn man_page_of_unknown_command_is_an_error() {
    for name in ["nonsense", "man"] {
        let message = format!("streamj: no command is called {name}\n");
        run(&["man", name], "").code(2).stdout("").stderr(message);
    }
}

#[test]
fn help_fits_on_a_screen() {
    for args in [&["--help"][..], &["-h"]] {
        run(args, "").success().stdout(predicate::function(|text: &str| {
            text.lines().count() <= 40 && text.lines().all(|line| line.chars().count() <= 100)
        }));
    }
}
