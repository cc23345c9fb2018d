//! A read-only view over the tape of one line.
//!
//! A wrong type is never an error here: `as_str` on a number is `None`,
//! `members` of a string is empty. That is the contracts' rule for every
//! field ("a wrong type counts as missing"), so the decoders can stay plain.

use std::cell::Cell;

use simd_json::{Node, StaticNode};

use super::raw::{self, Json};
use super::skeleton::{self, Gap};
use super::text::Text;

/// A JSON value on the tape. The tape (`'t`) lives as long as its line is
/// looked at; the strings (`'a`) live in the bytes of the line.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t, 'a> {
    nodes: &'t [Node<'a>],
    origin: &'t Origin<'t, 'a>,
}

/// Where the tape came from: strings on the tape stand where they stood in
/// the line or its skeleton, so the distance from `address` is the offset in
/// that.
#[derive(Debug)]
pub(super) struct Origin<'t, 'a> {
    /// The line.
    text: &'a [u8],
    /// Where in memory its first byte stood, or that of its skeleton.
    address: usize,
    /// What was left out of it.
    gaps: &'t [Gap],
    /// Somebody has asked for a string that was left out.
    missed: Cell<bool>,
}

impl<'t, 'a> Origin<'t, 'a> {
    /// The origin of what was tokenised at `address`: the line `text` without
    /// these gaps.
    pub(super) fn new(text: &'a [u8], address: usize, gaps: &'t [Gap]) -> Self {
        Self { text, address, gaps, missed: Cell::new(false) }
    }

    /// Where in the line a string of the tape has its opening quote.
    fn quote(&self, string: &str) -> usize {
        let at = self.offset(string);
        let quote = skeleton::in_line(self.gaps, at).wrapping_sub(1);
        debug_assert_eq!(self.text.get(quote), Some(&b'"'), "unescaped in place");
        quote
    }

    /// What was left out where a string of the tape stands, with its quotes.
    fn left_out(&self, string: &str) -> Option<Json<'a>> {
        if !string.is_empty() {
            return None;
        }
        let content = skeleton::left_out(self.gaps, self.offset(string))?;
        Some(Json::new(&self.text[content.start - 1..=content.end]))
    }

    fn offset(&self, string: &str) -> usize {
        string.as_ptr().addr().wrapping_sub(self.address)
    }
}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member<'t, 'a> {
    /// Its name, unescaped.
    pub key: &'a str,
    /// Its value.
    pub value: Value<'t, 'a>,
}

impl<'t, 'a> Value<'t, 'a> {
    /// The value of `nodes`, which came from `origin`.
    pub(super) fn new(nodes: &'t [Node<'a>], origin: &'t Origin<'t, 'a>) -> Self {
        Self { nodes, origin }
    }

    /// Whether a string of the line was asked for that was left out of it, and so
    /// found empty.
    #[must_use]
    pub fn lacks(self) -> bool {
        self.origin.missed.get()
    }

    /// The string, if it is one. One that was left out seems to be empty:
    /// [`lacks`](Self::lacks) tells.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        let Some(Node::String(text)) = self.nodes.first() else {
            return None;
        };
        if self.origin.left_out(text).is_some() {
            self.origin.missed.set(true);
        }
        Some(text)
    }

    /// The string with its spelling, if it is one.
    #[must_use]
    pub fn as_text(self) -> Option<Text<'a>> {
        let Some(Node::String(text)) = self.nodes.first() else {
            return None;
        };
        if let Some(spelled) = self.origin.left_out(text) {
            return Some(Text::unread(spelled));
        }
        let (line, quote) = (self.origin.text, self.origin.quote(text));
        Some(Text::spelled(text, raw::string_at(line, quote, text.len())))
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.nodes.first() {
            Some(Node::Static(StaticNode::Bool(value))) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    #[allow(clippy::cast_precision_loss)]
    pub fn as_f64(self) -> Option<f64> {
        match self.nodes.first() {
            Some(Node::Static(StaticNode::F64(value))) => Some(*value),
            Some(Node::Static(StaticNode::I64(value))) => Some(*value as f64),
            Some(Node::Static(StaticNode::U64(value))) => Some(*value as f64),
            _ => None,
        }
    }

    /// The integer, if it is one; `2.0` is.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // `as` saturates
    pub fn as_i64(self) -> Option<i64> {
        match self.nodes.first() {
            Some(Node::Static(StaticNode::I64(value))) => Some(*value),
            Some(Node::Static(StaticNode::U64(value))) => i64::try_from(*value).ok(),
            Some(Node::Static(StaticNode::F64(value))) if value.fract() == 0.0 => {
                Some(*value as i64)
            }
            _ => None,
        }
    }

    /// A token count as the contracts read it: numbers are truncated, a
    /// string of digits is parsed, everything else is nothing.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn as_count(self) -> u64 {
        match self.nodes.first() {
            Some(Node::Static(StaticNode::U64(value))) => *value,
            Some(Node::Static(StaticNode::I64(value))) => u64::try_from(*value).unwrap_or(0),
            // `as` saturates, and turns NaN into 0.
            Some(Node::Static(StaticNode::F64(value))) => *value as u64,
            _ => self.as_str().and_then(|text| text.trim().parse().ok()).unwrap_or(0),
        }
    }

    /// Whether it is a string, whatever that says.
    #[must_use]
    pub fn is_string(self) -> bool {
        matches!(self.nodes.first(), Some(Node::String(_)))
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        matches!(self.nodes.first(), Some(Node::Object { .. }))
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        matches!(self.nodes.first(), Some(Node::Array { .. }))
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self.nodes.first(), Some(Node::Static(StaticNode::Null)))
    }

    /// Whether it is nested deeper than `depth`, or holds a number that is
    /// not finite: what other JSON libraries may refuse.
    #[must_use]
    pub fn is_beyond(self, depth: usize) -> bool {
        let contains = |node: &&Node<'_>| matches!(node, Node::Object { .. } | Node::Array { .. });
        // Hardly any line has so many objects and arrays at all.
        if self.nodes.iter().filter(contains).count() <= depth {
            let infinite = |node: &Node<'_>| matches!(node, Node::Static(StaticNode::F64(number)) if !number.is_finite());
            return self.nodes.iter().any(infinite);
        }
        let mut open = Vec::new();
        self.nodes.iter().enumerate().any(|(at, node)| match node {
            Node::Object { count, .. } | Node::Array { count, .. } => {
                while open.last().is_some_and(|end| at > *end) {
                    open.pop();
                }
                open.push(at + count);
                open.len() > depth
            }
            Node::Static(StaticNode::F64(number)) => !number.is_finite(),
            _ => false,
        })
    }

    /// The members in the order of the line, repeated ones included; none if
    /// it is no object.
    #[must_use]
    pub fn members(self) -> Members<'t, 'a> {
        let nodes = if self.is_object() { &self.nodes[1..] } else { &[] };
        Members { nodes, origin: self.origin }
    }

    /// The elements; none if it is no array.
    #[must_use]
    pub fn elements(self) -> Elements<'t, 'a> {
        let nodes = if self.is_array() { &self.nodes[1..] } else { &[] };
        Elements { nodes, origin: self.origin }
    }

    /// The member called `key`; the last one, as in every JSON library.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'t, 'a>> {
        self.members().filter(|member| member.key == key).last().map(|member| member.value)
    }
}

impl<'a> Member<'_, 'a> {
    /// The value as it is spelled in the line.
    #[must_use]
    pub fn json(&self) -> Json<'a> {
        let origin = self.value.origin;
        // Where a string ends is known.
        if let Some(json) = self.value.as_text().and_then(|text| text.json()) {
            return json;
        }
        raw::value_after_key(origin.text, origin.quote(self.key))
    }
}

/// Iterates over the members of an object.
#[derive(Clone, Debug)]
pub struct Members<'t, 'a> {
    nodes: &'t [Node<'a>],
    origin: &'t Origin<'t, 'a>,
}

impl<'t, 'a> Iterator for Members<'t, 'a> {
    type Item = Member<'t, 'a>;

    fn next(&mut self) -> Option<Member<'t, 'a>> {
        let (Node::String(key), rest) = self.nodes.split_first()? else {
            return None;
        };
        let (value, rest) = split_value(rest)?;
        self.nodes = rest;
        Some(Member { key, value: Value { nodes: value, origin: self.origin } })
    }
}

/// Iterates over the elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'t, 'a> {
    nodes: &'t [Node<'a>],
    origin: &'t Origin<'t, 'a>,
}

impl<'t, 'a> Iterator for Elements<'t, 'a> {
    type Item = Value<'t, 'a>;

    fn next(&mut self) -> Option<Value<'t, 'a>> {
        let (nodes, rest) = split_value(self.nodes)?;
        self.nodes = rest;
        Some(Value { nodes, origin: self.origin })
    }
}

/// Splits the first value, with everything inside it, from what follows.
fn split_value<'t, 'a>(nodes: &'t [Node<'a>]) -> Option<(&'t [Node<'a>], &'t [Node<'a>])> {
    let length = match nodes.first()? {
        Node::Object { count, .. } | Node::Array { count, .. } => count + 1,
        _ => 1,
    };
    nodes.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::super::Parser;
    use super::*;

    fn with<R>(line: &str, read: impl FnOnce(Value<'_, '_>) -> R) -> R {
        Parser::default().parse(line.as_bytes(), |document| read(document.root)).unwrap()
    }

    #[test]
    fn wrong_types_count_as_missing() {
        with(r#"{"s":1,"b":"true","n":"x","o":[],"a":{}}"#, |root| {
            assert_eq!(root.get("s").unwrap().as_str(), None);
            assert_eq!(root.get("b").unwrap().as_bool(), None);
            assert_eq!(root.get("n").unwrap().as_f64(), None);
            assert_eq!(root.get("o").unwrap().members().count(), 0);
            assert_eq!(root.get("a").unwrap().elements().count(), 0);
            assert!(root.get("missing").is_none());
        });
    }

    #[test]
    fn token_counts_truncate_numbers_and_parse_strings() {
        let line = r#"[1.9, "7", " 8 ", -5, true, null, "bogus", {"n":1}, [1], 1e30, "1.9"]"#;
        let counts: Vec<u64> = with(line, |root| root.elements().map(Value::as_count).collect());
        assert_eq!(counts, [1, 7, 8, 0, 0, 0, 0, 0, 0, u64::MAX, 0]);
    }

    #[test]
    fn a_text_knows_its_spelling() {
        for spelled in [
            r#""""#,
            r#""plain""#,
            r#""a\\""#,
            r#""\\\"\\\\""#,
            r#""\"""#,
            r#""\u0041\ud83d\ude00\\""#,
            r#""é\n\n\n\n\n\n\n\n\"""#,
            r#""ends with escaped quotes \"\"\"""#,
            r#""\\\\\\\\\\""#,
        ] {
            let line = format!(r#"{{"before":"x","text":{spelled},"after":"\"y\""}}"#);
            with(&line, |root| {
                let text = root.get("text").and_then(Value::as_text).unwrap();
                assert_eq!(text.json().unwrap().bytes(), spelled.as_bytes());
                assert_eq!(*text, serde_json::from_str::<String>(spelled).unwrap());
            });
        }
    }

    #[test]
    fn depth_counts_what_is_open_at_once() {
        let nested = |line: &str| (0..9).find(|depth| !with(line, |root| root.is_beyond(*depth)));
        assert_eq!(nested("1"), Some(0));
        assert_eq!(nested("[]"), Some(1));
        assert_eq!(nested(r#"{"a":[],"b":[[]],"c":{}}"#), Some(3));
        assert_eq!(nested("[[[]],[[]],[],1,[[],[[]]]]"), Some(4));
    }

    #[test]
    fn of_repeated_members_the_last_one_is_the_value_and_all_are_seen() {
        with(r#"{"id":"a","x":1,"id":"b"}"#, |root| {
            assert_eq!(root.get("id").and_then(Value::as_str), Some("b"));
            let keys: Vec<_> = root.members().map(|member| member.key).collect();
            assert_eq!(keys, ["id", "x", "id"]);
        });
    }

    #[test]
    fn a_member_knows_its_spelling_even_behind_escaped_keys() {
        let line = r#"{"a\n\u00e9\\":"x\"}", "in" : {"b": [1.50, "\u0041}"]} ,"last":-0.0}"#;
        let spelled: Vec<_> = with(line, |root| {
            root.members()
                .map(|member| String::from_utf8(member.json().bytes().to_vec()).unwrap())
                .collect()
        });
        assert_eq!(spelled, [r#""x\"}""#, r#"{"b": [1.50, "\u0041}"]}"#, "-0.0"]);
    }
}
