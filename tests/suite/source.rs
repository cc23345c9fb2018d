//! Rules of the source tree that no compiler checks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::assert::OutputAssertExt;
use bstr::ByteSlice;

use crate::support::cli::Printed;
use crate::support::{files_under, root};

/// A Rust file: its path relative to the repository, and its text.
struct Source {
    path: PathBuf,
    text: String,
}

impl Source {
    /// Numbered lines without comments and without the test module at the end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let code = self.text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().zip(1..).filter(|(line, _)| !line.trim_start().starts_with("//"));
        lines.map(|(line, number)| (number, line.split(" // ").next().unwrap()))
    }

    fn is_harness(&self) -> bool {
        self.path.starts_with("src/harness")
    }
}

fn sources(folder: &str) -> Vec<Source> {
    let files = files_under(&root().join(folder), "rs").into_iter();
    files
        .map(|path| Source {
            text: std::fs::read_to_string(&path).unwrap(),
            path: path.strip_prefix(root()).unwrap().to_owned(),
        })
        .collect()
}

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// Returns whether the text contains one of the lower-case words, in any case and
/// also as a part of an identifier.
fn contains_word(text: &str, words: &[&str]) -> bool {
    let mut found = text.split(|c: char| !c.is_ascii_alphabetic());
    found.any(|word| words.contains(&word.to_ascii_lowercase().as_str()))
}

#[test]
fn unsafe_code_is_confined_to_one_file() {
    let reviewed = Path::new("src/wrap/process/pre_exec.rs");
    let unsafe_words = ["unsafe", "unsafe_code", "no_mangle", "link_section"];
    for Source { path, text } in sources("src") {
        let found = identifiers(&text).any(|word| unsafe_words.contains(&word));
        assert_eq!(found, path == reviewed, "{}", path.display());
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"deny\""));
}

#[test]
fn dependencies_come_from_the_registry() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let sources: BTreeSet<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("source = ")).collect();
    let registry = "\"registry+https://github.com/rust-lang/crates.io-index\"";
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), [registry]);
}

/// The last column of the tables in these documents names tests.
#[test]
fn tests_named_in_documents_exist() {
    let sources = ["src", "tests"].map(sources);
    let mut tests = BTreeSet::new();
    for source in sources.iter().flatten() {
        let mut is_test = false;
        for line in source.text.lines().map(str::trim) {
            is_test |= line == "#[test]";
            if let Some(rest) = line.strip_prefix("fn ") {
                let name = rest.split('(').next().filter(|_| std::mem::take(&mut is_test));
                tests.extend(name);
            }
        }
    }
    // Those in a browser are sentences.
    let files = files_under(&root().join("tests/browser"), "js");
    let in_browser: String =
        files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let sentences = in_browser.lines().filter_map(|line| line.strip_prefix("test(\""));
    tests.extend(sentences.filter_map(|line| line.split('"').next()));
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let documents = ["docs/reliability.md", "docs/contracts.md"].map(read);
    let mut named = BTreeSet::new();
    for row in documents.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with('|')) {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        if matches!(last, "test" | "shown by" | "---") {
            continue;
        }
        let last = last.strip_prefix("in a browser ").unwrap_or(last);
        assert!(last.starts_with('`'), "no test: {row}");
        named.extend(last.split('`').skip(1).step_by(2));
    }
    let missing: Vec<_> = named.difference(&tests).collect();
    assert!(missing.is_empty(), "no such tests: {missing:#?}");
    assert!(named.len() > 50, "{}", named.len());
}

/// Mentions of a CLI outside `src/harness`: file, part of the line, reason.
const ALLOWED_MENTIONS: &[(&str, &str, &str)] = &[
    ("src/lib.rs", "harness::claude_contract", "public re-exports of the crate root"),
    ("src/projection/events.rs", "Codex", "the option `--tag codex`"),
    ("src/cli/manual.rs", "claude -p", "examples in help texts"),
    ("src/cli/manual.rs", "codex exec", "examples in help texts"),
    ("src/cli/mod.rs", "claude -p", "examples in help texts"),
];

/// Code outside `src/harness` asks the adapter instead of comparing the harness, so
/// that a new CLI needs changes in one folder only.
#[test]
fn only_harness_code_names_a_cli() {
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for source in sources("src").iter().filter(|source| !source.is_harness()) {
        for (number, line) in source.code().filter(|(_, line)| {
            // `Harness::Claude`, `"codex"` and the like; `CLAUDEOPS_…` is not a CLI.
            contains_word(line, &["claude", "codex"])
        }) {
            let allowed = ALLOWED_MENTIONS
                .iter()
                .position(|(file, part, _)| source.path == Path::new(file) && line.contains(part));
            match allowed {
                Some(index) => drop(used.insert(index)),
                None => found.push(format!("{}:{number}: {}", source.path.display(), line.trim())),
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(used.len(), ALLOWED_MENTIONS.len(), "an exception is not needed: {used:?}");
}

/// Files and folders whose texts are checked.
const PLAIN_LANGUAGE: &[&str] = &[
    "src",
    "tests",
    "benches",
    "examples",
    "man",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs",
    "schemas",
    "fuzz/fuzz_targets",
    "deny.toml",
    ".ci",
];

/// Returns every file under a path that is not this one.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap();
        entries.flat_map(|entry| files(&entry.unwrap().path())).collect()
    } else if path.ends_with(file!()) {
        Vec::new()
    } else {
        vec![path.to_owned()]
    }
}

/// A sentence names its subject: the worker, the caller, the user.
#[test]
fn texts_avoid_indefinite_persons() {
    let mut found = Vec::new();
    for path in PLAIN_LANGUAGE.iter().flat_map(|name| files(&root().join(name))) {
        let text = std::fs::read(&path).unwrap();
        for (line, number) in text.lines().zip(1..) {
            let line = line.to_str_lossy();
            if contains_word(&line, &["whoever", "whomever", "somebody", "nobody"]) {
                let path = path.strip_prefix(root()).unwrap().display();
                found.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The same name for different types makes a reader look up which one is meant.
#[test]
fn few_type_names_are_declared_twice() {
    let kinds = ["struct", "enum", "trait", "type", "union"];
    let sources = sources("src");
    let mut declared: BTreeMap<&str, BTreeSet<&Path>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_harness()) {
        for (_, line) in source.code() {
            let item = line.trim_start();
            let item = match item.strip_prefix("pub(") {
                Some(rest) => rest.split_once(") ").map_or("", |(_, item)| item),
                None => item.strip_prefix("pub ").unwrap_or(item),
            };
            let mut parts = identifiers(item);
            let Some(kind) = parts.next().filter(|kind| kinds.contains(kind)) else { continue };
            // An indented `type` is an associated type; its trait dictates the name.
            if kind == "type" && line.starts_with(' ') {
                continue;
            }
            if let Some(name) = parts.next() {
                declared.entry(name).or_default().insert(&source.path);
            }
        }
    }
    assert!(declared.len() > 100, "{}", declared.len());
    declared.retain(|_, files| files.len() > 1);
    assert!(declared.len() <= 12, "{declared:#?}");
}

/// The library without features must not pull in the dependencies of the program.
#[test]
fn library_does_not_depend_on_program_crates() {
    let tree = |more: &[&str]| {
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["tree", "-e", "normal", "--no-default-features", "--prefix", "none"])
            .arg("--offline")
            .args(more)
            .current_dir(root())
            .assert()
    };
    // In a fresh clone the crates of other systems are not downloaded.
    let tree = tree(&["--target", "all"]).try_success().unwrap_or_else(|_| tree(&[]).success());
    let packages: BTreeSet<_> =
        tree.text().lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("simd-json"), "{tree}");
    for package in [
        "clap",
        "clap_builder",
        "clap_mangen",
        "clap_complete",
        "owo-colors",
        "signal-hook",
        "shell-words",
        "rusqlite",
        "axum",
        "tokio",
        "maud",
        "pulldown-cmark",
    ] {
        assert!(!packages.contains(package), "{package}: {tree}");
    }
}

/// `thread::spawn` panics where no thread can be started.
#[test]
fn threads_are_started_with_a_builder() {
    for source in sources("src") {
        for (number, line) in source.code() {
            let panics = ["thread::spawn(", "scope.spawn("].iter().any(|call| line.contains(call));
            assert!(!panics, "{}:{number}: {line}", source.path.display());
        }
    }
}

#[test]
fn no_public_item_is_hidden_from_docs() {
    for source in sources("src") {
        let mut is_hidden = false;
        for (number, line) in source.code() {
            let line = line.trim();
            is_hidden |= line.contains("#[doc(hidden)]");
            let item = line.trim_start_matches("#[doc(hidden)]").trim_start();
            let is_public = item.starts_with("pub ");
            assert!(!(is_hidden && is_public), "{}:{number}: {line}", source.path.display());
            is_hidden &= item.is_empty() || item.starts_with("#[");
        }
    }
}
