//! The man pages and completions in the repository match what the program prints.
//! `UPDATE_GENERATED=1 cargo test generated` rewrites them.

use std::path::Path;

use clap::ValueEnum;
use clap_complete::{Generator, Shell};
use predicates::prelude::*;

use crate::in_memory::assert_same;
use crate::support::cli::{Printed, commands, run};
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

/// The strict form is derived from `agent-response.json`, the other schemas are written by
/// hand.
#[test]
fn schemas_are_current() {
    let folder = root().join("schemas");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    for name in &names {
        check(&folder.join(format!("{name}.json")), &["schema", name]);
    }
    let help = run(&["schema", "--help"], "");
    for name in &names {
        assert!(help.text().contains(name.as_str()), "{name}: {help}");
    }
}

#[test]
fn man_page_of_unknown_command_is_an_error() {
    for name in ["nonsense", "help"] {
        let message = format!("error: invalid value '{name}' for '[COMMAND]'\n");
        run(&["man", name], "").code(2).stdout("").stderr(predicate::str::starts_with(message));
    }
}

#[test]
fn help_fits_on_a_screen() {
    for args in [&["--help"][..], &["-h"]] {
        run(args, "").success().stdout(predicate::function(|text: &str| {
            text.lines().count() <= 42 && text.lines().all(|line| line.chars().count() <= 80)
        }));
    }
}

#[test]
fn help_lists_completions_and_man() {
    let help = run(&["--help"], "");
    for line in
        ["  completions Print a completion script for a shell", "  man         Print a man page"]
    {
        assert!(help.text().lines().any(|printed| printed == line), "{help}");
    }
}

/// Returns the pages that a text refers to: `streamj-text` for `streamj-text(1)`.
fn references(page: &str) -> Vec<String> {
    let plain = page.replace("\\fB", "").replace("\\fR", "").replace("\\-", "-");
    let before = plain.match_indices("(1)").map(|(at, _)| &plain[..at]);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    before
        .map(|text| text[text.trim_end_matches(is_name).len()..].to_owned())
        .filter(|name| name.starts_with("streamj"))
        .collect()
}

#[test]
fn man_pages_refer_to_pages_that_exist() {
    let folder = root().join("man");
    let mut commands = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let found = references(&text);
        assert!(!found.is_empty(), "{} refers to no page", path.display());
        for name in found {
            let page = folder.join(format!("{name}.1"));
            assert!(page.exists(), "{} refers to {name}(1)", path.display());
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        commands.extend(Some(name.to_owned()).filter(|name| name != "streamj"));
    }
    let main = std::fs::read_to_string(folder.join("streamj.1")).unwrap();
    let mut listed = references(main.split(".SH \"SEE ALSO\"").nth(1).unwrap());
    listed.sort();
    commands.sort();
    assert_eq!(listed, commands);
}

/// `exit.rs` tests that these are the codes of the program.
#[test]
fn exit_statuses_of_all_categories_are_documented_everywhere() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let pages = [
        ("README.md", readme),
        ("man", run(&["man"], "").text().to_owned()),
        ("man wrap", run(&["man", "wrap"], "").text().to_owned()),
        ("error --help", run(&["error", "--help"], "").text().to_owned()),
    ];
    for (name, page) in pages {
        let page = page.replace("\\fB", " ").replace("\\fR", " ");
        for word in [
            "65",
            "69",
            "70",
            "75",
            "76",
            "77",
            "124",
            "rate_limit",
            "auth",
            "api",
            "subprocess",
            "timeout",
            "interactive",
            "incomplete",
        ] {
            let mut words = page.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            assert!(words.any(|found| found == word), "{name} lacks {word}");
        }
    }
}
