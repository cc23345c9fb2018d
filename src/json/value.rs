//! A read-only view over the tape of one line.
//!
//! A wrong type is never an error: `as_str` on a number is `None`, `members`
//! of a string is empty. The contracts ask for that ("a wrong type counts as
//! missing"), and it keeps the decoders simple.

use std::cell::Cell;

use simd_json::{Node, StaticNode};

use super::elide::{self, Elision};
use super::raw::{self, Json};
use super::text::Text;

/// A JSON value on the tape. `'t` is the lifetime of the tape, `'a` that of the
/// strings.
#[derive(Clone, Copy, Debug)]
pub struct Value<'t, 'a> {
    nodes: &'t [Node<'a>],
    origin: &'t Origin<'t, 'a>,
}

/// The line a tape was made from.
///
/// simd-json unescapes strings in place, so the address of a string on the tape,
/// relative to `address`, is its offset in the tokenised copy of the line.
#[derive(Debug)]
pub(super) struct Origin<'t, 'a> {
    /// The original line.
    text: &'a [u8],
    /// Address of the tokenised copy.
    address: usize,
    /// Strings, or wide arrays and objects, that were left out of the copy.
    elisions: &'t [Elision],
    /// Whether arrays and objects were left out, not strings.
    pub(super) elides_wide: bool,
    /// Whether something elided was requested, and returned empty.
    touched_elided: Cell<bool>,
}

impl<'t, 'a> Origin<'t, 'a> {
    /// Describes a copy of `text` at `address` without the elided strings.
    pub(super) fn new(text: &'a [u8], address: usize, elisions: &'t [Elision]) -> Self {
        Self { text, address, elisions, elides_wide: false, touched_elided: Cell::new(false) }
    }

    /// Returns the position of a string's opening quote in the line.
    fn quote(&self, string: &str) -> usize {
        let quote = elide::line_offset(self.elisions, self.offset(string)).wrapping_sub(1);
        debug_assert_eq!(self.text.get(quote), Some(&b'"'), "unescaped in place");
        quote
    }

    /// Returns the nodes of an array's elements or an object's members. If they were elided
    /// there are none, and that is recorded.
    #[inline]
    fn content(&self, nodes: &'t [Node<'a>]) -> &'t [Node<'a>] {
        let content = nodes.get(1..).unwrap_or_default();
        if self.elides_wide { self.unless_elided(content) } else { content }
    }

    #[cold]
    fn unless_elided(&self, content: &'t [Node<'a>]) -> &'t [Node<'a>] {
        if let Some(Node::String(mark)) = content.first()
            && mark.is_empty()
            && elide::elided_range(self.elisions, self.offset(mark)).is_some()
        {
            self.touched_elided.set(true);
            return &[];
        }
        content
    }

    /// Returns the original string, with its quotes, if it was elided.
    fn elided(&self, string: &str) -> Option<Json<'a>> {
        if !string.is_empty() {
            return None;
        }
        let content = elide::elided_range(self.elisions, self.offset(string))?;
        Some(Json::new(&self.text[content.start - 1..=content.end]))
    }

    fn offset(&self, string: &str) -> usize {
        string.as_ptr().addr().wrapping_sub(self.address)
    }
}

/// One member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member<'t, 'a> {
    /// The name, unescaped.
    pub key: &'a str,
    /// The value.
    pub value: Value<'t, 'a>,
}

impl<'t, 'a> Value<'t, 'a> {
    /// Wraps the nodes of one value.
    pub(super) fn new(nodes: &'t [Node<'a>], origin: &'t Origin<'t, 'a>) -> Self {
        Self { nodes, origin }
    }

    /// Returns whether an elided string of the line was read with
    /// [`as_str`](Self::as_str), which returns it empty. The line must be parsed
    /// again, in full.
    pub(crate) fn touched_elided(self) -> bool {
        self.origin.touched_elided.get()
    }

    /// Returns the line that the bytes of values are taken from: the original one, or, if
    /// that was repaired, a copy.
    pub(crate) fn line(self) -> &'a [u8] {
        self.origin.text
    }

    /// Returns the string.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        let Some(Node::String(text)) = self.nodes.first() else {
            return None;
        };
        if self.origin.elided(text).is_some() {
            self.origin.touched_elided.set(true);
        }
        Some(text)
    }

    /// Returns the string together with its bytes in the line.
    #[must_use]
    pub fn as_text(self) -> Option<Text<'a>> {
        let Some(Node::String(text)) = self.nodes.first() else {
            return None;
        };
        if let Some(json) = self.origin.elided(text) {
            return Some(Text::escaped(json));
        }
        let (line, quote) = (self.origin.text, self.origin.quote(text));
        Some(Text::unescaped(text, raw::string_at(line, quote, text.len())))
    }

    /// Returns the boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.nodes.first() {
            Some(Node::Static(StaticNode::Bool(value))) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number.
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

    /// Returns the integer; `2.0` counts as one.
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

    /// Returns a token count as the contracts define it: numbers are truncated, a
    /// string of digits is parsed, everything else is zero.
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

    /// Returns whether it is a string, without reading it.
    #[must_use]
    pub fn is_string(self) -> bool {
        matches!(self.nodes.first(), Some(Node::String(_)))
    }

    /// Returns whether it is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        matches!(self.nodes.first(), Some(Node::Object { .. }))
    }

    /// Returns whether it is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        matches!(self.nodes.first(), Some(Node::Array { .. }))
    }

    /// Returns whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        matches!(self.nodes.first(), Some(Node::Static(StaticNode::Null)))
    }

    /// Returns whether it is nested deeper than `depth`, or contains a number that
    /// is not finite: `serde_json` may reject it.
    pub(crate) fn exceeds_serde_json(self, depth: usize) -> bool {
        let contains = |node: &&Node<'_>| matches!(node, Node::Object { .. } | Node::Array { .. });
        // Nearly all lines have fewer containers than that in total.
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

    /// Iterates over the members in the order of the line, repeated ones included;
    /// empty if it is not an object.
    #[must_use]
    pub fn members(self) -> Members<'t, 'a> {
        let nodes = if self.is_object() { self.origin.content(self.nodes) } else { &[] };
        Members { nodes, origin: self.origin }
    }

    /// Iterates over the elements; empty if it is not an array.
    #[must_use]
    pub fn elements(self) -> Elements<'t, 'a> {
        let nodes = if self.is_array() { self.origin.content(self.nodes) } else { &[] };
        Elements { nodes, origin: self.origin }
    }

    /// Returns the member `key`; the last one if it is repeated.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Value<'t, 'a>> {
        self.members().filter(|member| member.key == key).last().map(|member| member.value)
    }
}

impl<'a> Member<'_, 'a> {
    /// Returns the bytes of the value in the line.
    #[must_use]
    pub fn json(&self) -> Json<'a> {
        let origin = self.value.origin;
        // The end of a string is known; other values must be scanned.
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

/// Splits the nodes of the first value from the rest.
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
    fn text_keeps_its_bytes() {
        for json in [
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
            let line = format!(r#"{{"before":"x","text":{json},"after":"\"y\""}}"#);
            with(&line, |root| {
                let text = root.get("text").and_then(Value::as_text).unwrap();
                assert_eq!(text.json().unwrap().bytes(), json.as_bytes());
                assert_eq!(*text, serde_json::from_str::<String>(json).unwrap());
            });
        }
    }

    #[test]
    fn depth_counts_open_containers() {
        let nested =
            |line: &str| (0..9).find(|depth| !with(line, |root| root.exceeds_serde_json(*depth)));
        assert_eq!(nested("1"), Some(0));
        assert_eq!(nested("[]"), Some(1));
        assert_eq!(nested(r#"{"a":[],"b":[[]],"c":{}}"#), Some(3));
        assert_eq!(nested("[[[]],[[]],[],1,[[],[[]]]]"), Some(4));
    }

    #[test]
    fn wide_values_of_a_dense_line_keep_their_bytes_and_reading_them_is_recorded() {
        let wide = format!("[{}2]", "1,".repeat(1 << 20));
        let object = format!(r#"{{{}"z":[]}}"#, r#""k":1,"#.repeat(2000));
        let line = format!(r#"{{"a":"é\n","w":{wide},"o":{object},"e":[],"last":[1,"x"]}}"#);
        let mut parser = Parser::default();
        let refused = parser.parse(line.as_bytes(), |_| ()).unwrap_err();
        assert!(refused.is_too_dense());
        let read = parser.parse_elided(line.as_bytes(), |document| {
            let root = document.root;
            let json =
                |member: Member<'_, '_>| (member.key.to_owned(), member.json().bytes().to_vec());
            let members: Vec<_> = root.members().map(json).collect();
            let expected = [
                ("a", r#""é\n""#),
                ("w", wide.as_str()),
                ("o", object.as_str()),
                ("e", "[]"),
                ("last", r#"[1,"x"]"#),
            ];
            let expected = expected.map(|(key, json)| (key.to_owned(), json.as_bytes().to_vec()));
            assert!(members == expected);
            assert_eq!(root.get("e").unwrap().elements().count(), 0);
            assert_eq!(root.get("last").unwrap().elements().count(), 2);
            assert!(!root.touched_elided());
            assert_eq!(root.get("w").unwrap().elements().count(), 0);
            assert!(root.touched_elided());
        });
        assert!(read.is_some());
        let members = parser.parse_elided(line.as_bytes(), |document| {
            let members = document.root.get("o").map(|object| object.members().count());
            (members, document.root.touched_elided())
        });
        assert_eq!(members, Some((Some(0), true)));
    }

    #[test]
    fn last_of_repeated_members_wins_and_all_are_listed() {
        with(r#"{"id":"a","x":1,"id":"b"}"#, |root| {
            assert_eq!(root.get("id").and_then(Value::as_str), Some("b"));
            let keys: Vec<_> = root.members().map(|member| member.key).collect();
            assert_eq!(keys, ["id", "x", "id"]);
        });
    }

    #[test]
    fn member_keeps_its_bytes_behind_escaped_keys() {
        let line = r#"{"a\n\u00e9\\":"x\"}", "in" : {"b": [1.50, "\u0041}"]} ,"last":-0.0}"#;
        let values: Vec<_> = with(line, |root| {
            root.members()
                .map(|member| String::from_utf8(member.json().bytes().to_vec()).unwrap())
                .collect()
        });
        assert_eq!(values, [r#""x\"}""#, r#"{"b": [1.50, "\u0041}"]}"#, "-0.0"]);
    }
}
