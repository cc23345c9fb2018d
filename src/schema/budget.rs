//! Limits the work of one validation.
//!
//! The validator itself has no limit, and a document that does not match alternatives within
//! alternatives takes time exponential in its nesting, more to describe why. It reads
//! documents through [`Counted`], which counts how often a value is examined; beyond the
//! limit it unwinds to [`run`].

use std::borrow::Cow;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::JsonType;
use jsonschema::json::{Array, Json, Node, NodeIdentity, Object, SerdeJson};
use serde_json::{Map, Number, Value};

/// Runs `validate` on a value, which may examine values `steps` times. Returns `None` if it
/// needs more.
pub(super) fn run<R>(
    value: &Value,
    steps: u64,
    validate: impl FnOnce(CountedNode<'_>) -> R,
) -> Option<R> {
    let left = Cell::new(steps);
    let counted = CountedNode { node: value, left: Some(&left) };
    match catch_unwind(AssertUnwindSafe(|| validate(counted))) {
        Ok(result) => Some(result),
        Err(payload) if payload.is::<Exceeded>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// The payload of the unwinding.
struct Exceeded;

/// JSON that is counted while it is read.
#[derive(Debug)]
pub(super) struct Counted;

/// A value, or its members or elements.
#[derive(Clone, Copy)]
pub(super) struct CountedNode<'v, T: ?Sized = Value> {
    node: &'v T,
    /// The steps that are left. Names of members are not counted.
    left: Option<&'v Cell<u64>>,
}

impl<'v> CountedNode<'v> {
    /// Counts that the value is examined, and returns it.
    fn examined(&self) -> &'v Value {
        if let Some(left) = self.left {
            // Unlike a panic this prints nothing.
            let after = left.get().checked_sub(1);
            left.set(after.unwrap_or_else(|| resume_unwind(Box::new(Exceeded))));
        }
        self.node
    }
}

impl<'v, T: ?Sized> CountedNode<'v, T> {
    /// Returns another part of the same document.
    fn with<U: ?Sized>(&self, node: &'v U) -> CountedNode<'v, U> {
        CountedNode { node, left: self.left }
    }
}

impl Json for Counted {
    type Node<'v> = CountedNode<'v>;
    type PreparedKey = String;
    type StringBuffer = Value;

    const KEYS_PER_LOOKUP: usize = SerdeJson::KEYS_PER_LOOKUP;

    fn prepare_key(key: &str) -> String {
        SerdeJson::prepare_key(key)
    }

    fn with_string_node<R>(
        buffer: &mut Value,
        string: &str,
        read: impl FnOnce(CountedNode<'_>) -> R,
    ) -> R {
        SerdeJson::with_string_node(buffer, string, |node| read(CountedNode { node, left: None }))
    }
}

impl<'v> Node<'v, Counted> for CountedNode<'v> {
    type Object = CountedNode<'v, Map<String, Value>>;
    type Array = CountedNode<'v, [Value]>;
    type Number = &'v Number;

    fn as_object(&self) -> Option<Self::Object> {
        self.examined().as_object().map(|members| self.with(members))
    }

    fn as_array(&self) -> Option<Self::Array> {
        self.examined().as_array().map(|elements| self.with(elements.as_slice()))
    }

    fn as_string(&self) -> Option<Cow<'v, str>> {
        self.examined().as_str().map(Cow::Borrowed)
    }

    fn as_number(&self) -> Option<&'v Number> {
        self.examined().as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.examined().as_bool()
    }

    fn is_null(&self) -> bool {
        self.examined().is_null()
    }

    fn json_type(&self) -> JsonType {
        Node::<SerdeJson>::json_type(&self.examined())
    }

    fn string_length(&self) -> Option<u64> {
        Node::<SerdeJson>::string_length(&self.examined())
    }

    fn equals_value(&self, expected: &Value) -> bool {
        Node::<SerdeJson>::equals_value(&self.examined(), expected)
    }

    fn to_value(&self) -> Cow<'v, Value> {
        Cow::Borrowed(self.examined())
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Node::<SerdeJson>::identity(&self.examined())
    }
}

impl<'v> Object<'v, Counted> for CountedNode<'v, Map<String, Value>> {
    type Node = CountedNode<'v>;
    type MemberName = &'v str;
    type MembersIter = Nodes<'v, serde_json::map::Iter<'v>>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn get(&self, key: &String) -> Option<CountedNode<'v>> {
        self.node.get(key).map(|value| self.with(value))
    }

    fn members(&self) -> Self::MembersIter {
        Nodes { values: self.node.iter(), left: self.left }
    }
}

impl<'v> Array<'v, Counted> for CountedNode<'v, [Value]> {
    type Node = CountedNode<'v>;
    type ElementsIter = Nodes<'v, std::slice::Iter<'v, Value>>;

    fn len(&self) -> usize {
        self.node.len()
    }

    fn elements(&self) -> Self::ElementsIter {
        Nodes { values: self.node.iter(), left: self.left }
    }

    fn is_unique(&self) -> bool {
        Array::<SerdeJson>::is_unique(&self.node)
    }
}

/// Iterates over the members of an object, or the elements of an array.
pub(super) struct Nodes<'v, I> {
    values: I,
    left: Option<&'v Cell<u64>>,
}

impl<'v> Iterator for Nodes<'v, serde_json::map::Iter<'v>> {
    type Item = (&'v str, CountedNode<'v>);

    fn next(&mut self) -> Option<Self::Item> {
        let (name, node) = self.values.next()?;
        Some((name, CountedNode { node, left: self.left }))
    }
}

impl<'v> Iterator for Nodes<'v, std::slice::Iter<'v, Value>> {
    type Item = CountedNode<'v>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(CountedNode { node: self.values.next()?, left: self.left })
    }
}
