//! What fuzzing has found, so that it is not found again.

use super::bodies::{ALL, Body};
