//! What a JSON object must have, as a table.

use super::claude_v1::ClaudeStreamJsonParseError as Violation;
use super::node::Node;

/// What a member must be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Is {
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
    /// There, whatever it is.
    There,
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
            Self::There => true,
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
            Self::There => "a value",
        };
        plain.to_owned()
    }
}

/// The members something must have, by name.
pub(super) type Members = &'static [(&'static str, Is)];

/// Something with a name, and what it must have.
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) members: Members,
}

/// The shape called `name`.
pub(super) fn find(shapes: &'static [Shape], name: &str) -> Option<&'static Shape> {
    shapes.iter().find(|shape| shape.name == name)
}

/// Whether `object` has all members.
pub(super) fn require<'a>(object: impl Node<'a>, members: Members) -> Result<(), Violation> {
    for (name, what) in members {
        let Some(value) = object.get(name).filter(|value| what.holds(*value)) else {
            return Err(Violation::typed(format!("{name}: expected {}", what.expected())));
        };
        if let Is::With(inner) = what {
            require(value, inner).map_err(|violation| violation.within(name))?;
        }
    }
    Ok(())
}

/// The string in the member `key` of `object`.
pub(super) fn word<'a>(object: impl Node<'a>, key: &'static str) -> Result<&'a str, Violation> {
    let missing = || Violation::typed(format!("{key}: expected a string"));
    object.str(key).ok_or_else(missing)
}
