//! What a contract looks at, wherever the value is kept.

use crate::json::Value;

/// A JSON value whose strings live for `'a`. Of repeated members the last
/// counts.
pub(super) trait Node<'a>: Copy {
    fn get(self, key: &str) -> Option<Self>;
    fn elements(self) -> impl Iterator<Item = Self>;
    fn as_str(self) -> Option<&'a str>;
    fn as_bool(self) -> Option<bool>;
    fn is_string(self) -> bool;
    fn is_number(self) -> bool;
    fn is_object(self) -> bool;
    fn is_array(self) -> bool;
    fn is_null(self) -> bool;

    /// The string in the member `key`.
    fn str(self, key: &str) -> Option<&'a str> {
        self.get(key)?.as_str()
    }
}

/// Both kinds of values know these by the same names.
macro_rules! by_its_own_methods {
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
    by_its_own_methods!();

    fn elements(self) -> impl Iterator<Item = Self> {
        self.as_array().into_iter().flatten()
    }

    fn is_number(self) -> bool {
        self.is_number()
    }
}

impl<'a> Node<'a> for Value<'_, 'a> {
    by_its_own_methods!();

    fn elements(self) -> impl Iterator<Item = Self> {
        self.elements()
    }

    fn is_number(self) -> bool {
        self.as_f64().is_some()
    }
}
