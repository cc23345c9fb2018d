//! Markdown as marks over its source.
//!
//! The page shows text nodes and elements of a fixed list; no HTML is produced. HTML in the
//! source is text. A mark names an element that starts, ends the last one, or is a range
//! of the source, counted in UTF-16 code units as the page's script does.

use std::io::Write;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

/// Elements inside each other; those beyond are left out, their text is not.
const MAX_DEPTH: usize = 24;

/// Texts with more bytes are shown as they are.
const MAX_BYTES: usize = 1 << 20;

/// Returns the marks of a text as a JSON array.
///
/// A string starts an element (`"p"`, `"strong"`), `-1` ends the one that started last, two
/// numbers are a range of the text, `["…"]` is a text that is not in the source, `{"code":
/// "rust"}` starts a block of code, and `{"link": "…"}` a link.
pub(super) fn marks(text: &str) -> Option<Vec<u8>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut marks = Marks { text, units: Units::default(), json: b"[".to_vec(), open: Vec::new() };
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        marks.event(event, range);
    }
    marks.json.push(b']');
    Some(marks.json)
}

/// Writes marks.
struct Marks<'t> {
    text: &'t str,
    units: Units,
    json: Vec<u8>,
    /// For each open tag whether an element was started for it.
    open: Vec<bool>,
}

impl Marks<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(_) => {
                if self.open.pop() == Some(true) {
                    self.push(b"-1");
                }
            }
            Event::Text(content)
            | Event::Html(content)
            | Event::InlineHtml(content)
            | Event::InlineMath(content)
            | Event::DisplayMath(content)
            | Event::FootnoteReference(content) => self.content(&content, range),
            Event::Code(content) => {
                self.push(b"\"code\"");
                self.literal(&content);
                self.push(b"-1");
            }
            Event::SoftBreak => self.literal("\n"),
            Event::HardBreak => self.element("br"),
            Event::Rule => self.element("hr"),
            Event::TaskListMarker(done) => self.literal(if done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let depth = self.open.iter().filter(|is_shown| **is_shown).count();
        let name = if depth < MAX_DEPTH { element(tag) } else { None };
        self.open.push(name.is_some());
        match (tag, name) {
            (_, None) => {}
            (Tag::CodeBlock(kind), _) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next(),
                    CodeBlockKind::Indented => None,
                };
                self.object("code", language.unwrap_or_default());
            }
            (Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }, _) => {
                self.object("link", dest_url);
            }
            (_, Some(name)) => self.name(name),
        }
    }

    /// Adds a text, as a range if it is one of the source.
    fn content(&mut self, content: &str, range: Range<usize>) {
        if self.text.get(range.clone()) != Some(content) {
            return self.literal(content);
        }
        let [start, end] = [range.start, range.end].map(|at| self.units.count(self.text, at));
        self.push(format!("{start},{end}").as_bytes());
    }

    fn literal(&mut self, text: &str) {
        self.push(b"[");
        self.string(text);
        self.json.push(b']');
    }

    fn object(&mut self, name: &str, value: &str) {
        self.push(format!("{{\"{name}\":").as_bytes());
        self.string(value);
        self.json.push(b'}');
    }

    fn element(&mut self, name: &str) {
        self.name(name);
        self.push(b"-1");
    }

    fn name(&mut self, name: &str) {
        self.push(format!("\"{name}\"").as_bytes());
    }

    fn string(&mut self, text: &str) {
        // Writing to a vector cannot fail.
        let _ = serde_json::to_writer(&mut self.json, text);
    }

    /// Starts the next element of the array.
    fn push(&mut self, json: &[u8]) {
        if self.json.len() > 1 {
            self.json.push(b',');
        }
        let _ = self.json.write_all(json);
    }
}

/// Returns the element of a tag; `None` if its content is shown without one.
fn element(tag: &Tag<'_>) -> Option<&'static str> {
    Some(match tag {
        Tag::Paragraph | Tag::HtmlBlock => "p",
        Tag::Heading { level, .. } => match level {
            HeadingLevel::H1 => "h3",
            HeadingLevel::H2 => "h4",
            HeadingLevel::H3 => "h5",
            _ => "h6",
        },
        Tag::BlockQuote(_) => "blockquote",
        Tag::CodeBlock(_) => "pre",
        Tag::List(None) => "ul",
        Tag::List(Some(_)) => "ol",
        Tag::Item => "li",
        Tag::Table(_) => "table",
        Tag::TableHead => "thead",
        Tag::TableRow => "tr",
        Tag::TableCell => "td",
        Tag::Emphasis => "em",
        Tag::Strong => "strong",
        Tag::Strikethrough => "del",
        Tag::Link { .. } | Tag::Image { .. } => "link",
        _ => return None,
    })
}

/// Counts UTF-16 code units.
#[derive(Default)]
struct Units {
    /// A position in bytes and in code units.
    known: (usize, usize),
}

impl Units {
    /// Returns the position in code units of a position in bytes.
    fn count(&mut self, text: &str, at: usize) -> usize {
        if at < self.known.0 {
            self.known = (0, 0);
        }
        let (from, units) = self.known;
        let added: usize = text[from..at].chars().map(char::len_utf16).sum();
        self.known = (at, units + added);
        self.known.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        String::from_utf8(marks(text).unwrap()).unwrap()
    }

    #[test]
    fn text_is_a_range_of_the_source() {
        assert_eq!(shown("é𝄞 **b**"), r#"["p",0,4,"strong",6,7,-1,-1]"#);
        assert_eq!(shown("a\nb"), r#"["p",0,1,["\n"],2,3,-1]"#);
        assert_eq!(shown("a &lt; b"), r#"["p",0,2,["<"],6,8,-1]"#);
    }

    #[test]
    fn html_is_text() {
        assert_eq!(shown("<b>x</b>"), r#"["p",0,3,3,4,4,8,-1]"#);
        let block = shown("<script>\nalert(1)\n</script>");
        assert!(block.starts_with(r#"["p",0,9,"#), "{block}");
    }

    #[test]
    fn links_and_code_name_what_they_are() {
        assert_eq!(shown("[a](javascript:x)"), r#"["p",{"link":"javascript:x"},1,2,-1,-1]"#);
        assert_eq!(shown("![a](http://h/i.png)"), r#"["p",{"link":"http://h/i.png"},2,3,-1,-1]"#);
        assert_eq!(shown("```rust,ignore\nfn\n```"), r#"[{"code":"rust"},15,18,-1]"#);
        assert_eq!(shown("`a`"), r#"["p","code",["a"],-1,-1]"#);
    }

    #[test]
    fn elements_are_balanced_and_their_depth_is_limited() {
        let text = format!("{} x\n\n- [x] a\n- b\n\n|a|b|\n|-|-|\n|1|2|", "> ".repeat(500));
        let marks: serde_json::Value = serde_json::from_slice(&marks(&text).unwrap()).unwrap();
        let (mut depth, mut deepest) = (0usize, 0);
        let mut marks = marks.as_array().unwrap().iter();
        while let Some(mark) = marks.next() {
            match mark {
                serde_json::Value::String(_) | serde_json::Value::Object(_) => depth += 1,
                serde_json::Value::Number(number) if number.as_i64() == Some(-1) => depth -= 1,
                serde_json::Value::Number(_) => _ = marks.next(),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        assert_eq!((depth, deepest), (0, MAX_DEPTH));
    }
}
