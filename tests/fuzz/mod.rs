//! Fuzz targets, and tests that run them on mutated recordings with a stable
//! compiler. Part of the crate in tests and when fuzzing, since most targets are
//! private functions. `STREAMJ_FUZZ_ROUNDS=100000 cargo test --lib fuzz` runs longer.
#![allow(missing_docs)]
#![allow(clippy::missing_panics_doc, clippy::unwrap_used)]

#[cfg(test)]
mod regressions;
pub mod targets;
#[cfg(test)]
mod tests;
