//! Inputs that fuzzing has found.

use super::targets;

#[test]
fn negative_zero_is_a_number() {
    targets::json(b"[-0]");
    targets::json(b"{\"n\":-0.0}");
}
