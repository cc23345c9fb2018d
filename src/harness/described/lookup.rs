//! JSON pointers and conditions of a description.

use crate::json::{Member, Value};

/// Steps of the longest pointer.
pub(super) const MAX_STEPS: usize = 16;

/// A JSON pointer (RFC 6901).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer(Box<[Step]>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    name: String,
    /// The position in an array, if the name is one.
    index: Option<usize>,
}

impl Pointer {
    /// Parses a pointer. The name of a member stands for the pointer to it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let steps: Box<[Step]> = match text.strip_prefix('/') {
            None if text.is_empty() => Box::default(),
            None if text.contains('/') => {
                return Err(format!("a JSON pointer starts with a slash: /{text}"));
            }
            None => Box::new([Step::new(text)]),
            Some(rest) => rest.split('/').map(Step::new).collect(),
        };
        if steps.len() > MAX_STEPS {
            return Err(format!("a pointer of more than {MAX_STEPS} steps"));
        }
        Ok(Self(steps))
    }

    /// Resolves the pointer.
    pub(super) fn get<'t, 'a>(&self, value: Value<'t, 'a>) -> Option<Value<'t, 'a>> {
        self.0.iter().try_fold(value, |value, step| step.get(value))
    }

    /// Resolves the pointer to the member that it ends with.
    fn member<'t, 'a>(&self, value: Value<'t, 'a>) -> Option<Member<'t, 'a>> {
        let (last, steps) = self.0.split_last()?;
        let parent = steps.iter().try_fold(value, |value, step| step.get(value))?;
        parent.members().filter(|member| member.key == last.name).last()
    }
}

impl Step {
    fn new(step: &str) -> Self {
        let name = step.replace("~1", "/").replace("~0", "~");
        let is_canonical = name == "0" || !name.starts_with(['0', '+']);
        let index = name.parse().ok().filter(|_| is_canonical);
        Self { name, index }
    }

    fn get<'t, 'a>(&self, value: Value<'t, 'a>) -> Option<Value<'t, 'a>> {
        value.get(&self.name).or_else(|| value.elements().nth(self.index?))
    }
}

/// A value that a condition compares with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scalar {
    Text(String),
    Bool(bool),
    Number(f64),
}

/// A condition on a line, or on an element of an array in it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) pointer: Pointer,
    pub(super) test: Test,
}

impl Scalar {
    /// Returns whether a value of the line is this one.
    fn equals(&self, value: Value<'_, '_>) -> bool {
        match self {
            Self::Text(text) => value.as_str() == Some(text),
            Self::Bool(flag) => value.as_bool() == Some(*flag),
            Self::Number(number) => value.as_f64() == Some(*number),
        }
    }
}

/// What a condition requires.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// One of these values.
    OneOf(Vec<Scalar>),
    /// Any value but null.
    Present,
    /// No value, or null.
    Absent,
}

/// Conditions that hold together.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions(pub(super) Vec<Condition>);

impl Conditions {
    /// Returns whether all conditions hold.
    pub(super) fn hold(&self, value: Value<'_, '_>) -> bool {
        self.0.iter().all(|Condition { pointer, test }| {
            let found = pointer.get(value);
            match test {
                Test::OneOf(values) => {
                    found.is_some_and(|found| values.iter().any(|value| value.equals(found)))
                }
                Test::Present => found.is_some_and(|found| !found.is_null()),
                Test::Absent => found.is_none_or(Value::is_null),
            }
        })
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Pointers to a value; the first that leads to one of the right type counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths(pub(super) Vec<Pointer>);

impl Paths {
    /// Returns the first value that `read` accepts.
    pub(super) fn find<'t, 'a, T>(
        &self,
        value: Value<'t, 'a>,
        read: impl Fn(Value<'t, 'a>) -> Option<T>,
    ) -> Option<T> {
        self.0.iter().find_map(|pointer| pointer.get(value).and_then(&read))
    }

    /// Returns the first string.
    pub(super) fn str<'a>(&self, value: Value<'_, 'a>) -> Option<&'a str> {
        self.find(value, Value::as_str)
    }

    /// Returns the first member that is not null.
    pub(super) fn member<'t, 'a>(&self, value: Value<'t, 'a>) -> Option<Member<'t, 'a>> {
        let member = |pointer: &Pointer| pointer.member(value);
        self.0.iter().filter_map(member).find(|member| !member.value.is_null())
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Whether something is the case.
#[derive(Clone, Debug, Default)]
pub(super) enum Flag {
    /// Never.
    #[default]
    Never,
    /// If one of the values is neither missing nor null, false, 0 or empty.
    Set(Paths),
    /// If the conditions hold.
    If(Conditions),
}

impl Flag {
    /// Returns whether it is the case; `None` if nothing says so.
    pub(super) fn get(&self, value: Value<'_, '_>) -> Option<bool> {
        match self {
            Self::Never => None,
            Self::Set(paths) => {
                Some(paths.find(value, |found| is_set(found).then_some(())).is_some())
            }
            Self::If(conditions) => Some(conditions.hold(value)),
        }
    }
}

fn is_set(value: Value<'_, '_>) -> bool {
    if let Some(text) = value.as_text() {
        return !text.is_empty();
    }
    let is_empty = value.members().next().is_none() && value.elements().next().is_none();
    value.as_bool().or(value.as_f64().map(|number| number != 0.0)).unwrap_or(!is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Parser;

    fn on_line(line: &str, test: impl Fn(&dyn Fn(&Conditions) -> bool)) {
        let parsed = Parser::default().parse(line.as_bytes(), |document| {
            test(&|conditions| conditions.hold(document.root));
        });
        assert_eq!(parsed, Ok(()));
    }

    fn condition(pointer: &str, test: Test) -> Conditions {
        Conditions(vec![Condition { pointer: Pointer::parse(pointer).unwrap(), test }])
    }

    #[test]
    fn condition_compares_a_value() {
        let line = r#"{"a":{"b/c":[1,{"d":"x"}]},"t":true,"n":null,"0":7}"#;
        on_line(line, |hold| {
            let is = |pointer: &str, value| hold(&condition(pointer, Test::OneOf(vec![value])));
            assert!(is("/a/b~1c/1/d", Scalar::Text("x".to_owned())));
            assert!(is("/a/b~1c/0", Scalar::Number(1.0)));
            assert!(is("0", Scalar::Number(7.0)));
            assert!(is("t", Scalar::Bool(true)));
            assert!(!is("t", Scalar::Text("true".to_owned())));
            assert!(!is("/a/b~1c/00", Scalar::Number(1.0)));
            assert!(!is("/t/x", Scalar::Bool(true)));
            assert!(hold(&condition("/a", Test::Present)));
            assert!(!hold(&condition("/n", Test::Present)));
            assert!(hold(&condition("/n", Test::Absent)));
            assert!(hold(&condition("/x/y", Test::Absent)));
        });
    }

    #[test]
    fn pointer_is_bounded() {
        assert!(Pointer::parse("a/b").is_err());
        assert!(Pointer::parse(&"/a".repeat(MAX_STEPS)).is_ok());
        assert!(Pointer::parse(&"/a".repeat(MAX_STEPS + 1)).is_err());
    }
}
