#![no_main]

#[path = "../../tests/suite/fuzz/bodies.rs"]
#[allow(dead_code)]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::projections(data));
