//! Limits the work of one validation.
//!
//! The validator itself has no limit, and to describe why a recursive `anyOf` does not
//! match takes time and memory exponential in the nesting of the document. A keyword that
//! is added to every subschema counts its visits; beyond the limit it unwinds to [`run`].

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value};

/// Name of the added keyword. No schema uses it for anything else.
const KEYWORD: &str = "!streamj-visits";

/// Keywords whose value is an object of schemas.
const NAMED_SCHEMAS: &[&str] = &[
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Keywords whose value is data.
const DATA: &[&str] =
    &["const", "default", "dependentRequired", "enum", "example", "examples", "$vocabulary"];

/// The visits of subschemas that are left.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget(Arc<AtomicU64>);

/// The payload of the unwinding.
struct Exceeded;

impl Budget {
    /// Makes a validator of `schema` count.
    pub(super) fn attach(
        &self,
        options: ValidationOptions<'static>,
        schema: &mut Value,
    ) -> ValidationOptions<'static> {
        count_visits(schema);
        let budget = self.clone();
        options.with_keyword(KEYWORD, move |_, _, _| Ok(Box::new(budget.clone())))
    }

    /// Runs `validate`, which may visit `visits` subschemas. Returns `None` if it needs more.
    pub(super) fn run<R>(&self, visits: u64, validate: impl FnOnce() -> R) -> Option<R> {
        self.0.store(visits, Ordering::Relaxed);
        match catch_unwind(AssertUnwindSafe(validate)) {
            Ok(result) => Some(result),
            Err(payload) if payload.is::<Exceeded>() => None,
            Err(payload) => resume_unwind(payload),
        }
    }

    fn visit(&self) {
        let left = self.0.load(Ordering::Relaxed);
        if left == 0 {
            // Unlike a panic this prints nothing.
            resume_unwind(Box::new(Exceeded));
        }
        self.0.store(left - 1, Ordering::Relaxed);
    }
}

impl<'i> Keyword<'i> for Budget {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        self.visit();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        self.visit();
        true
    }
}

/// Adds the keyword to a schema, or to each of an array, and to all schemas in it. Unknown
/// members may be the target of a reference, so they are treated as schemas; they have no
/// other effect.
fn count_visits(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(count_visits),
        Value::Object(members) => {
            for (name, value) in members.iter_mut() {
                if NAMED_SCHEMAS.contains(&&**name) {
                    count_named(value);
                } else if !DATA.contains(&&**name) {
                    count_visits(value);
                }
            }
            members.insert(KEYWORD.to_owned(), Value::Bool(true));
        }
        _ => {}
    }
}

fn count_named(schemas: &mut Value) {
    let schemas: Option<&mut Map<String, Value>> = schemas.as_object_mut();
    schemas.into_iter().flat_map(Map::values_mut).for_each(count_visits);
}
