//! Enables the hooks for tests: `STREAMJ_TEST_HOOKS=1 cargo test` uses four threads and
//! small blocks for every input, and `wrap` as on Unixes other than Linux.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=STREAMJ_TEST_HOOKS");
    println!("cargo:rustc-check-cfg=cfg(test_hooks)");
    println!("cargo:rustc-check-cfg=cfg(fuzzing)");
    if std::env::var_os("STREAMJ_TEST_HOOKS").is_some() {
        println!("cargo:rustc-cfg=test_hooks");
    }
}
