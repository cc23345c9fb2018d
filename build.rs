//! Enables the hooks for tests: `STREAMJ_TEST_HOOKS=1 cargo test` uses four threads and
//! small blocks for every input, and `wrap` as on Unixes other than Linux.
//!
//! Also sets `STREAMJ_SOURCE_HASH`: what another build has counted is not reused.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-env-changed=STREAMJ_TEST_HOOKS");
    println!("cargo:rustc-check-cfg=cfg(test_hooks)");
    println!("cargo:rustc-check-cfg=cfg(fuzzing)");
    if std::env::var_os("STREAMJ_TEST_HOOKS").is_some() {
        println!("cargo:rustc-cfg=test_hooks");
    }
    let mut hasher = DefaultHasher::new();
    hash_files(Path::new("src"), &mut hasher);
    println!("cargo:rustc-env=STREAMJ_SOURCE_HASH={:016x}", hasher.finish());
}

/// Hashes the names and contents of all files in a folder.
fn hash_files(folder: &Path, hasher: &mut DefaultHasher) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_files(&path, hasher);
        } else {
            path.hash(hasher);
            std::fs::read(&path).unwrap_or_default().hash(hasher);
        }
    }
}
