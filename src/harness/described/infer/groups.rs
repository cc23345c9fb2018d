//! The lines of a recording, grouped by the members that tell their kinds apart.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// How deep members are examined.
const MAX_DEPTH: usize = 5;

/// Groups that are examined.
const MAX_GROUPS: usize = 200;

/// Words of a member that tells kinds of lines apart.
const MAX_WORDS: usize = 40;

/// The longest word.
const MAX_WORD: usize = 48;

/// Members with the input of a tool, which is not examined.
pub(super) const INPUT: &[&str] =
    &["input", "arguments", "args", "parameters", "params", "toolinput", "rawinput"];

/// Other members whose words tell nothing about the line.
const OPAQUE: &[&str] = &["output", "result", "metadata", "schema", "error"];

/// A pointer and the word it leads to.
pub(super) type Word = (String, String);

/// Lines of one kind, or elements of an array in them.
pub(super) struct Group<'r> {
    /// What the lines have in common.
    pub(super) words: Vec<Word>,
    /// The array, and what its elements have in common.
    pub(super) each: Option<(String, Vec<Word>)>,
    /// The objects, each with the number of its line.
    pub(super) objects: Vec<(usize, &'r Value)>,
    /// The members by their pointers; of objects, those that may be the
    /// input or output of a tool.
    pub(super) members: BTreeMap<String, Vec<(usize, &'r Value)>>,
}

impl Group<'_> {
    /// Returns the words of the lines and of the elements, in lower case.
    pub(super) fn description(&self) -> String {
        let own = self.each.iter().flat_map(|(array, words)| {
            words.iter().map(|(_, word)| word.as_str()).chain([array.as_str()])
        });
        let words = self.words.iter().map(|(_, word)| word.as_str());
        own.chain(words).collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// Returns whether the description contains one of the words.
    pub(super) fn mentions(&self, words: &[&str]) -> bool {
        let description = self.description();
        words.iter().any(|word| description.contains(word))
    }

    /// Returns the pointers to members with one of these names, the best one first, whose
    /// values are accepted.
    pub(super) fn find(&self, names: &[&str], accept: impl Fn(&Value) -> bool) -> Vec<&str> {
        let mut found = Vec::new();
        for (pointer, values) in &self.members {
            let name = plain_name(pointer.rsplit('/').next().unwrap_or_default());
            let rank = names.iter().position(|known| *known == name);
            let is_accepted = values.iter().any(|(_, value)| accept(value));
            if let Some(rank) = rank.filter(|_| is_accepted) {
                found.push((rank, pointer.matches('/').count(), pointer.as_str()));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, _, pointer)| pointer).collect()
    }

    /// Returns the values of a member.
    pub(super) fn values(&self, pointer: &str) -> impl Iterator<Item = &Value> {
        self.members.get(pointer).into_iter().flatten().map(|(_, value)| *value)
    }

    /// Returns the texts of a member.
    pub(super) fn texts(&self, pointer: &str) -> impl Iterator<Item = &str> {
        self.values(pointer).filter_map(Value::as_str)
    }
}

/// Returns a name without its case and separators.
pub(super) fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}

/// Groups the lines of a recording.
pub(super) fn group(lines: &[Value]) -> Vec<Group<'_>> {
    let members: Vec<_> = lines.iter().map(members).collect();
    let mut words: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (pointer, word) in members.iter().flat_map(|members| line_words(members)) {
        words.entry(pointer).or_default().insert(word);
    }
    words.retain(|_, words| words.len() <= MAX_WORDS);
    let mut groups: BTreeMap<(Vec<Word>, Option<(String, Vec<Word>)>), Group<'_>> = BTreeMap::new();
    for (number, (line, members)) in lines.iter().zip(&members).enumerate() {
        let own: Vec<Word> = line_words(members)
            .filter(|(pointer, _)| words.contains_key(pointer))
            .map(|(pointer, word)| (pointer.to_owned(), word.to_owned()))
            .collect();
        add(&mut groups, own.clone(), None, number, line, members.clone());
        for (array, elements) in members.iter().filter_map(|(pointer, value)| {
            Some((pointer, value.as_array()?.iter().filter(|element| element.is_object())))
        }) {
            for element in elements {
                let members = self::members(element);
                let words = line_words(&members)
                    .filter(|(pointer, _)| pointer.matches('/').count() == 1)
                    .map(|(pointer, word)| (pointer.to_owned(), word.to_owned()));
                let each = Some((array.clone(), words.collect()));
                add(&mut groups, own.clone(), each, number, element, members.clone());
            }
        }
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().collect();
    // In the order in which they appear, since what comes later may repeat it.
    groups.sort_by_key(|group| group.objects[0].0);
    groups.truncate(MAX_GROUPS);
    groups
}

fn add<'r>(
    groups: &mut BTreeMap<(Vec<Word>, Option<(String, Vec<Word>)>), Group<'r>>,
    words: Vec<Word>,
    each: Option<(String, Vec<Word>)>,
    number: usize,
    object: &'r Value,
    members: Vec<(String, &'r Value)>,
) {
    let group = groups.entry((words.clone(), each.clone())).or_insert_with(|| Group {
        words,
        each,
        objects: Vec::new(),
        members: BTreeMap::new(),
    });
    group.objects.push((number, object));
    for (pointer, value) in members {
        group.members.entry(pointer).or_default().push((number, value));
    }
}

/// Returns the members of an object that are no objects, and those that are opaque.
fn members(object: &Value) -> Vec<(String, &Value)> {
    fn collect<'r>(
        object: &'r Value,
        path: &str,
        depth: usize,
        found: &mut Vec<(String, &'r Value)>,
    ) {
        for (name, value) in object.as_object().into_iter().flatten() {
            let pointer = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let name = plain_name(name);
            let is_input = INPUT.contains(&name.as_str());
            if value.is_object() && depth < MAX_DEPTH && !is_input {
                if OPAQUE.contains(&name.as_str()) {
                    found.push((pointer.clone(), value));
                }
                collect(value, &pointer, depth + 1, found);
            } else if !value.is_null() {
                found.push((pointer, value));
            }
        }
    }
    let mut found = Vec::new();
    collect(object, "", 1, &mut found);
    found
}

/// Returns the members that may tell kinds of lines apart: near the top, with a word.
fn line_words<'m>(members: &'m [(String, &Value)]) -> impl Iterator<Item = (&'m str, &'m str)> {
    members.iter().filter_map(|(pointer, value)| {
        let steps: Vec<String> = pointer.split('/').skip(1).map(plain_name).collect();
        let (name, above) = steps.split_last()?;
        let is_kind =
            matches!(name.as_str(), "event" | "role" | "source" | "op" | "method" | "eventname")
                || name.ends_with("type")
                || name.ends_with("kind")
                || name.ends_with("eventname");
        let is_opaque = above.iter().any(|step| OPAQUE.contains(&step.as_str()));
        let word = value.as_str().filter(|word| is_word(word))?;
        (is_kind && above.len() <= 1 && !is_opaque).then_some((pointer.as_str(), word))
    })
}

fn is_word(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/".contains(&byte);
    (1..=MAX_WORD).contains(&text.len()) && text.bytes().all(is_letter)
}
