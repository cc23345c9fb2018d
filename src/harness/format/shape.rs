//! Tables of required members.

use super::Violation;
use super::node::Node;

/// The type of a required member.
#[derive(Clone, Copy, Debug)]
pub(in crate::harness) enum Is {
    String,
    Number,
    Bool,
    Object,
    /// An object with these members.
    With(Members),
    Array,
    StringOrArray,
    StringOrNull,
    NumberOrNull,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any value.
    Any,
}

impl Is {
    fn holds<'a>(self, value: impl Node<'a>) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Bool => value.as_bool().is_some(),
            Self::Object | Self::With(_) => value.is_object(),
            Self::Array => value.is_array(),
            Self::StringOrArray => value.is_string() || value.is_array(),
            Self::StringOrNull => value.is_string() || value.is_null(),
            Self::NumberOrNull => value.is_number() || value.is_null(),
            Self::OneOf(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::Any => true,
        }
    }

    fn expected(self) -> String {
        let plain = match self {
            Self::String => "a string",
            Self::Number => "a number",
            Self::Bool => "a boolean",
            Self::Object | Self::With(_) => "an object",
            Self::Array => "an array",
            Self::StringOrArray => "a string or an array",
            Self::StringOrNull => "a string or null",
            Self::NumberOrNull => "a number or null",
            Self::OneOf(words) => return format!("one of {}", words.join(", ")),
            Self::Any => "a value",
        };
        plain.to_owned()
    }
}

/// Required members by name.
pub(in crate::harness) type Members = &'static [(&'static str, Is)];

/// A named kind of object and its required members.
pub(in crate::harness) struct Shape {
    pub(in crate::harness) name: &'static str,
    pub(in crate::harness) members: Members,
}

/// Returns the shape called `name`.
pub(in crate::harness) fn find(shapes: &'static [Shape], name: &str) -> Option<&'static Shape> {
    shapes.iter().find(|shape| shape.name == name)
}

/// Checks that `object` has all members.
pub(in crate::harness) fn require<'a>(
    object: impl Node<'a>,
    members: Members,
) -> Result<(), Violation> {
    for (name, kind) in members {
        let value = object.get(name).ok_or_else(|| Violation::missing(name))?;
        if !kind.holds(value) {
            return Err(Violation::typed(format!("{name}: expected {}", kind.expected())));
        }
        if let Is::With(inner) = kind {
            require(value, inner).map_err(|violation| violation.within(name))?;
        }
    }
    Ok(())
}

/// Returns the string in the member `key` of `object`.
pub(in crate::harness) fn word<'a>(
    object: impl Node<'a>,
    key: &'static str,
) -> Result<&'a str, Violation> {
    let value = object.get(key).ok_or_else(|| Violation::missing(key))?;
    value.as_str().ok_or_else(|| Violation::typed(format!("{key}: expected a string")))
}
