//! JSON values as a check sees them: on the tape, or parsed by `serde_json`.

use crate::json::Value;

/// A JSON value whose strings live for `'a`. Of repeated members the last one
/// counts.
pub(in crate::harness) trait Node<'a>: Copy {
    fn get(self, key: &str) -> Option<Self>;
    fn elements(self) -> impl Iterator<Item = Self>;
    fn as_str(self) -> Option<&'a str>;
    fn as_bool(self) -> Option<bool>;
    fn is_string(self) -> bool;
    fn is_number(self) -> bool;
    fn is_object(self) -> bool;
    fn is_array(self) -> bool;
    fn is_null(self) -> bool;

    /// Returns the string in the member `key`.
    fn str(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }
}

/// Forwards to the inherent methods, which both types name alike.
macro_rules! forward_to_inherent {
    () => {
        fn get(self, key: &str) -> Option<Self> {
            self.get(key)
        }

        fn as_str(self) -> Option<&'a str> {
            self.as_str()
        }

        fn as_bool(self) -> Option<bool> {
            self.as_bool()
        }

        fn is_string(self) -> bool {
            self.is_string()
        }

        fn is_object(self) -> bool {
            self.is_object()
        }

        fn is_array(self) -> bool {
            self.is_array()
        }

        fn is_null(self) -> bool {
            self.is_null()
        }
    };
}

impl<'a> Node<'a> for &'a serde_json::Value {
    forward_to_inherent!();

    fn elements(self) -> impl Iterator<Item = Self> {
        self.as_array().into_iter().flatten()
    }

    fn is_number(self) -> bool {
        self.is_number()
    }
}

impl<'a> Node<'a> for Value<'_, 'a> {
    forward_to_inherent!();

    fn elements(self) -> impl Iterator<Item = Self> {
        self.elements()
    }

    fn is_number(self) -> bool {
        self.as_f64().is_some()
    }
}
