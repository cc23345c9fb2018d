//! A text that may remember how it was spelled, so that it can be written as
//! JSON again without escaping it anew.

use std::borrow::Cow;
use std::ops::Deref;

use super::Json;

/// A text from the stream.
#[derive(Clone, Debug, Default)]
pub struct Text<'a> {
    text: Cow<'a, str>,
    spelled: Option<Json<'a>>,
}

impl<'a> Text<'a> {
    /// A text that is spelled so in the line.
    #[must_use]
    pub(super) fn spelled(text: &'a str, spelled: Json<'a>) -> Self {
        Self { text: Cow::Borrowed(text), spelled: Some(spelled) }
    }

    /// Its JSON in the line, if it stands there as a whole.
    #[must_use]
    pub fn json(&self) -> Option<Json<'a>> {
        self.spelled
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Cow::Borrowed(text).into()
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Self { text, spelled: None }
    }
}
