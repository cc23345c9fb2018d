//! What fuzzing has found, so that it is not found again.

use super::bodies;

/// An integer that is a negative zero to others.
#[test]
fn a_negative_zero_is_a_zero() {
    bodies::json(b"[-0]");
    bodies::json(b"{\"n\":-0.0}");
}
