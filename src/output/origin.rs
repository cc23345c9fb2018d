//! Where a row comes from: members that are added to rows of several files.

use jiff::Timestamp;

use super::object::ObjectWriter;
use super::row::Row;
use crate::json::Json;

/// The names of the members, in the order in which they are added.
pub(crate) const ORIGIN_MEMBERS: [&str; 6] =
    ["file", "line", "session_id", "timestamp", "project", "harness"];

/// Where a row comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowOrigin {
    pub(crate) file: String,
    /// The line that completed the row; `None` for a row about the whole file.
    pub(crate) line: Option<u64>,
    pub(crate) session_id: Option<String>,
    /// When the line was written, as printed; that of an earlier line if it does not say.
    pub(crate) printed_time: String,
    /// The same, if the line says it in another way.
    pub(crate) written: Option<Timestamp>,
    /// The folder the agent worked in.
    pub(crate) project: Option<String>,
    pub(crate) harness: &'static str,
}

impl RowOrigin {
    /// Returns when the line was written.
    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.written.or_else(|| self.printed_time.parse().ok())
    }

    /// Writes a row with the members that it does not have itself.
    pub(super) fn write_with(&self, row: &dyn Row, to: &mut Vec<u8>) {
        let start = to.len();
        row.write_json(to);
        let [Some(b'{'), Some(b'}')] = [to.get(start), to.last()].map(Option::<&u8>::copied) else {
            return;
        };
        let mut is_present = [false; ORIGIN_MEMBERS.len()];
        let mut is_empty = true;
        for (name, _) in Json::new(&to[start..]).members() {
            is_empty = false;
            let name = name.as_str();
            let at = ORIGIN_MEMBERS.iter().position(|member| name.as_deref() == Some(*member));
            if let Some(at) = at {
                is_present[at] = true;
            }
        }
        let mut members = Vec::new();
        ObjectWriter::write(&mut members, |object| self.write_missing(object, is_present));
        to.pop();
        if !is_empty && members.len() > 2 {
            to.push(b',');
        }
        to.extend_from_slice(&members[1..]);
    }

    fn write_missing(&self, object: &mut ObjectWriter<'_>, is_present: [bool; 6]) {
        for (name, _) in ORIGIN_MEMBERS.into_iter().zip(is_present).filter(|(_, is)| !is) {
            match name {
                "file" => object.text(name, self.file.as_str()),
                "line" => object.count(name, self.line),
                "session_id" => object.text(name, self.session_id.as_deref()),
                "timestamp" => {
                    object.text(name, self.time().map(|time| time.to_string()).as_deref())
                }
                "project" => object.text(name, self.project.as_deref()),
                _ => object.text(name, Some(self.harness).filter(|harness| !harness.is_empty())),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::io;

    use super::*;
    use crate::output::Sink;

    struct Raw(&'static str);

    impl Row for Raw {
        fn kind(&self) -> Cow<'_, str> {
            Cow::Borrowed("raw")
        }

        fn write_json(&self, to: &mut Vec<u8>) {
            to.extend_from_slice(self.0.as_bytes());
        }

        fn write_human(&self, _: &mut Sink) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn members_of_the_row_are_kept() {
        let origin = RowOrigin {
            file: "a.jsonl".to_owned(),
            line: Some(3),
            printed_time: "2026-11-01T12:00:00+01:00".to_owned(),
            harness: "x",
            ..RowOrigin::default()
        };
        let added = |json| {
            let mut to = b"kept".to_vec();
            origin.write_with(&Raw(json), &mut to);
            String::from_utf8(to).unwrap()
        };
        let all = r#""file":"a.jsonl","line":3,"timestamp":"2026-11-01T11:00:00Z","harness":"x""#;
        assert_eq!(added("{}"), format!("kept{{{all}}}"));
        assert_eq!(added("{\"a\":1 }"), format!("kept{{\"a\":1 ,{all}}}"));
        assert_eq!(
            added(r#"{"harness":"y","timestamp":1,"line":0,"f\u0069le":{}}"#),
            r#"kept{"harness":"y","timestamp":1,"line":0,"f\u0069le":{}}"#
        );
        assert_eq!(added("[1]"), "kept[1]");
    }
}
