//! Rules of the house that no compiler watches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::{files_under, root};

fn sources_under(folder: &Path) -> Vec<PathBuf> {
    files_under(folder, "rs")
}

/// The words of a source, comments included.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

#[test]
fn one_file_is_not_safe_by_the_word_of_the_compiler() {
    let reviewed = Path::new("src/wrap/process/pre_exec.rs");
    let unsafe_words = ["unsafe", "unsafe_code", "no_mangle", "link_section"];
    for path in sources_under(&root().join("src")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let found = words(&text).any(|word| unsafe_words.contains(&word));
        let path = path.strip_prefix(root()).unwrap();
        assert_eq!(found, path == reviewed, "{}", path.display());
    }
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("unsafe_code = \"deny\""));
}

#[test]
fn nothing_comes_from_elsewhere_than_the_registry() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let sources: BTreeSet<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("source = ")).collect();
    let registry = "\"registry+https://github.com/rust-lang/crates.io-index\"";
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), [registry]);
}

/// In the last column of its tables, `docs/reliability.md` names tests.
#[test]
fn every_test_that_is_named_in_the_table_of_faults_exists() {
    let table = std::fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let folders = ["src", "tests"].map(|folder| sources_under(&root().join(folder)));
    let sources: Vec<_> =
        folders.concat().iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let mut tests = BTreeSet::new();
    for text in &sources {
        let mut is_test = false;
        for line in text.lines().map(str::trim) {
            is_test |= line == "#[test]";
            if let Some(rest) = line.strip_prefix("fn ") {
                let name = rest.split('(').next().filter(|_| std::mem::take(&mut is_test));
                tests.extend(name);
            }
        }
    }
    let mut named = 0;
    for row in table.lines().filter(|line| line.starts_with('|')) {
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        if matches!(last, "test" | "shown by" | "---") {
            continue;
        }
        assert!(last.starts_with('`'), "no test: {row}");
        for test in last.split('`').skip(1).step_by(2) {
            named += 1;
            assert!(tests.contains(test), "{test} is no test");
        }
    }
    assert!(named > 50, "{named}");
}
