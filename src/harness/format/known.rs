//! Tables of the members that an object may have, and the search for others.

use crate::json::Value;

/// The members that the known releases print in an object.
#[derive(Clone, Copy, Debug)]
pub(in crate::harness) struct Known {
    /// Their names, separated by spaces.
    names: &'static str,
    /// Members whose content is known, too. The values of all others are not checked.
    content: &'static [(&'static str, Content)],
}

/// What the value of a member contains.
#[derive(Clone, Copy, Debug)]
pub(in crate::harness) enum Content {
    /// An object with these members, or an array of such objects.
    Object(Known),
    /// An object with arbitrary names (models, ids) whose values have these members.
    Map(Known),
}

/// Called with the path of each unknown member.
pub(in crate::harness) type Report<'r> = &'r mut dyn FnMut(String);

impl Known {
    /// Members whose values are not checked.
    pub const fn members(names: &'static str) -> Self {
        Self { names, content: &[] }
    }

    /// Also checks the content of these members.
    pub const fn with(self, content: &'static [(&'static str, Content)]) -> Self {
        Self { content, ..self }
    }

    /// Returns whether all required members are known or one of `common`.
    #[cfg(test)]
    pub fn contains_required(self, shape: &super::Shape, common: &str) -> bool {
        let is_known = |name| contains(self.names, name) || contains(common, name);
        shape.members.iter().all(|(name, _)| is_known(name))
    }

    /// Reports the members of `object` that are neither known nor one of `common`, as
    /// `PATH.NAME`.
    pub fn report(self, object: Value<'_, '_>, common: &str, path: &str, report: Report<'_>) {
        for member in object.members() {
            if !contains(self.names, member.key) && !contains(common, member.key) {
                report(format!("{path}.{}", member.key));
                continue;
            }
            let content = self.content.iter().find(|(name, _)| *name == member.key);
            let Some((name, content)) = content else { continue };
            match content {
                Content::Object(known) => {
                    let path = format!("{path}.{name}");
                    known.report(member.value, "", &path, report);
                    for element in member.value.elements() {
                        known.report(element, "", &path, report);
                    }
                }
                Content::Map(known) => {
                    let path = format!("{path}.{name}.*");
                    for entry in member.value.members() {
                        known.report(entry.value, "", &path, report);
                    }
                }
            }
        }
    }
}

fn contains(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|known| known == name)
}

/// Returns what is known about the type called `name`.
pub(in crate::harness) fn known(table: &[(&str, Known)], name: &str) -> Option<Known> {
    table.iter().find(|(known, _)| *known == name).map(|(_, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Parser;

    const USAGE: Known = Known::members("input output");
    const RUN: Known = Known::members("id usage models steps input").with(&[
        ("usage", Content::Object(USAGE)),
        ("models", Content::Map(USAGE)),
        ("steps", Content::Object(USAGE)),
    ]);

    fn unknown(line: &str) -> Vec<String> {
        let mut found = Vec::new();
        let report = |document: crate::json::Document<'_, '_>| {
            RUN.report(document.root, "type", "run", &mut |path| found.push(path));
        };
        Parser::default().parse(line.as_bytes(), report).unwrap();
        found
    }

    #[test]
    fn unknown_members_are_found_at_every_known_level() {
        let line = r#"{"type":"run","id":1,"new":{},"usage":{"input":1,"more":2},
            "models":{"m":{"output":1,"cost":2}},"steps":[{"input":1},{"time":1}]}"#;
        assert_eq!(
            unknown(line),
            ["run.new", "run.usage.more", "run.models.*.cost", "run.steps.time"]
        );
    }

    #[test]
    fn values_without_a_table_are_not_checked() {
        assert_eq!(unknown(r#"{"input":{"any":[{"thing":1}]},"usage":7,"models":[]}"#), [""; 0]);
    }
}
